//! One admission gives one proof.

use swampbox_boundary::Admission;

fn twice<'a>(admission: &Admission<'a>) -> Admission<'a> {
    Admission::clone(admission)
}

fn main() {}
