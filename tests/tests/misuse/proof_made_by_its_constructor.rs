//! Only the boundary calls the constructor of a proof.

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
    Admission::new(material, consequence, execution, attempt, decision)
}

fn main() {}
