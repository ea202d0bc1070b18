//! Only `validate` makes a validated decision.

use swampbox_authority::{ValidatedDecision, ValidityWindow};
use swampbox_custody::DecisionId;

fn forge(decision_id: DecisionId, window: ValidityWindow) -> ValidatedDecision {
    ValidatedDecision { decision_id, window }
}

fn main() {}
