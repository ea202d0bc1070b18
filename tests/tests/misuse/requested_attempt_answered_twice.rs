//! One attempt takes one answer.

use swampbox_authority::DecisionDocument;
use swampbox_boundary::Requested;
use swampbox_custody::MemoryCustody;

fn twice(requested: Requested<'_, MemoryCustody>, answers: [DecisionDocument; 2]) {
    let [one, other] = answers;
    let _ = Requested::answered(requested, Ok(one));
    let _ = Requested::answered(requested, Ok(other));
}

fn main() {}
