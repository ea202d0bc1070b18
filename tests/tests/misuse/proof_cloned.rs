//! One admission gives one proof.

use swampbox_boundary::Admission;

fn twice(admission: &Admission) -> Admission {
    Admission::clone(admission)
}

fn main() {}
