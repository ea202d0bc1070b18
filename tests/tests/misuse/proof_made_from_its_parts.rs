//! The fields of a proof are private.

use swampbox_boundary::Admission;
use swampbox_custody::{AttemptId, ConsequenceId, DecisionId, ExecutionId};
use swampbox_material::Material;

fn forge(
    material: Material,
    consequence: ConsequenceId,
    execution: ExecutionId,
    attempt: AttemptId,
    decision: DecisionId,
) -> Admission {
    Admission { material, consequence, execution, attempt, decision }
}

fn main() {}
