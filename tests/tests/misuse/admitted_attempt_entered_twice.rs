//! One admitted attempt gives one proof.

use swampbox_authority::Clock;
use swampbox_boundary::Admitted;
use swampbox_custody::MemoryCustody;

fn twice(admitted: Admitted<'_, MemoryCustody>, clock: &impl Clock) {
    let _ = Admitted::enter(admitted, Ok(()), clock);
    let _ = Admitted::enter(admitted, Ok(()), clock);
}

fn main() {}
