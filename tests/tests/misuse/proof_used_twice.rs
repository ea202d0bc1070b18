//! An actuator takes the proof away.

use swampbox_boundary::{Actuator, Admission};

fn twice(actuator: impl Actuator, admission: Admission<'_>) {
    let _ = actuator.actuate(admission);
    let _ = actuator.actuate(admission);
}

fn main() {}
