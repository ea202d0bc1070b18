use swampbox_custody::{AttemptId, ConsequenceId, DecisionId, ExecutionId};
use swampbox_material::Material;

/// The proof that one consequence has been admitted to be carried out, once.
///
/// It can't be made outside this crate and can't be cloned, and [`Actuator::actuate`] consumes it.
/// So whoever runs an actuator has gone through the boundary:
///
/// ```compile_fail
/// use swampbox_boundary::Admission;
///
/// fn twice(admission: Admission) -> (Admission, Admission) {
///     (admission.clone(), admission)
/// }
/// ```
///
/// [`Actuator::actuate`]: crate::Actuator::actuate
#[derive(Debug)]
pub struct Admission {
    // INVARIANT (proof): made only by `Admitted::enter`, after the mark was set and the window
    // checked again.
    material: Material,
    consequence: ConsequenceId,
    execution: ExecutionId,
    attempt: AttemptId,
    decision: DecisionId,
}

impl Admission {
    pub(crate) fn new(
        material: Material,
        consequence: ConsequenceId,
        execution: ExecutionId,
        attempt: AttemptId,
        decision: DecisionId,
    ) -> Self {
        Self { material, consequence, execution, attempt, decision }
    }

    /// What is to be done: the material as it is stored.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The consequence.
    pub fn consequence_id(&self) -> &ConsequenceId {
        &self.consequence
    }

    /// Its custodian.
    pub fn execution_id(&self) -> &ExecutionId {
        &self.execution
    }

    /// The attempt. Unique, so it serves as an idempotency key for the outside world.
    pub fn attempt_id(&self) -> &AttemptId {
        &self.attempt
    }

    /// The decision that allowed it.
    pub fn decision_id(&self) -> &DecisionId {
        &self.decision
    }
}
