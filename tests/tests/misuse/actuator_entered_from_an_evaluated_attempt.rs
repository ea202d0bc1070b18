//! An authority's answer alone does not lead to an actuator.

use swampbox_authority::Clock;
use swampbox_boundary::Evaluated;
use swampbox_custody::MemoryCustody;

fn enter(evaluated: Evaluated<'_, MemoryCustody>, clock: &impl Clock) {
    let _ = evaluated.enter(clock);
}

fn main() {}
