//! One attempt has one outcome.

use swampbox_boundary::{Actuating, ActuatorReport};
use swampbox_custody::MemoryCustody;

fn twice(actuating: Actuating<'_, MemoryCustody>) {
    let _ = Actuating::settle(actuating, Ok(ActuatorReport::uncertain("")));
    let _ = Actuating::settle(actuating, Ok(ActuatorReport::succeeded("")));
}

fn main() {}
