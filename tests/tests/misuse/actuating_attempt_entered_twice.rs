//! One attempt enters its actuator once.

use swampbox_boundary::{Actuating, Actuator};
use swampbox_custody::MemoryCustody;

fn twice(actuating: Actuating<'_, MemoryCustody>, actuator: impl Actuator) {
    let _ = Actuating::act(actuating, |admission| actuator.actuate(admission));
    let _ = Actuating::act(actuating, |admission| actuator.actuate(admission));
}

fn main() {}
