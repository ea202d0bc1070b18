//! There is no proof of nothing.

use swampbox_boundary::Admission;

fn main() {
    let _ = Admission::default();
}
