//! An attempt begins with a request.

use swampbox_authority::DecisionDocument;
use swampbox_boundary::Evaluated;
use swampbox_custody::{ConsequenceId, ExecutionId, MemoryCustody};

fn begin(
    custody: &MemoryCustody,
    execution: ExecutionId,
    consequence: ConsequenceId,
    document: DecisionDocument,
) -> Evaluated<'_, MemoryCustody> {
    Evaluated { custody, execution, consequence, document }
}

fn main() {}
