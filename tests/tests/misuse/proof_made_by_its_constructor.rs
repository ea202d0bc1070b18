//! Only the boundary calls the constructor of a proof.

use swampbox_boundary::Admission;

fn main() {
    let _ = Admission::of;
}
