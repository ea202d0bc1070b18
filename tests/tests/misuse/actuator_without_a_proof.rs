//! Material is not enough to enter an actuator.

use swampbox_boundary::Actuator;
use swampbox_material::Material;

fn enter(actuator: impl Actuator, material: Material) {
    let _ = actuator.actuate(material);
}

fn main() {}
