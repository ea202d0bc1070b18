//! An attempt whose window has not been checked for the last time is no proof.

use swampbox_boundary::{Actuator, Admitted};
use swampbox_custody::MemoryCustody;

fn enter(actuator: impl Actuator, admitted: Admitted<'_, MemoryCustody>) {
    let _ = actuator.actuate(admitted);
}

fn main() {}
