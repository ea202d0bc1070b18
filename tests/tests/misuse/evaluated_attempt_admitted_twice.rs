//! One answer admits one attempt.

use swampbox_authority::Clock;
use swampbox_boundary::Evaluated;
use swampbox_custody::MemoryCustody;

fn twice(evaluated: Evaluated<'_, MemoryCustody>, clock: &impl Clock) {
    let _ = Evaluated::admit(evaluated, clock, "", "");
    let _ = Evaluated::admit(evaluated, clock, "", "");
}

fn main() {}
