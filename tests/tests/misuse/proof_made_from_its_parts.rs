//! The field of a proof is private.

use swampbox_boundary::Admission;

fn another(admission: Admission<'_>) -> Admission<'_> {
    Admission { ..admission }
}

fn main() {}
