use swampbox_custody::{AttemptId, ConsequenceId, DecisionId, ExecutionId};
use swampbox_material::Material;

/// The proof that one consequence has been admitted to be carried out, once.
///
/// It can't be made outside this crate and can't be cloned, [`Actuator::actuate`] consumes it, and it
/// can't be kept beyond that call. So whoever runs an actuator has gone through the boundary, and
/// does so while the consequence is marked:
///
/// ```compile_fail
/// use swampbox_boundary::Admission;
///
/// fn twice(admission: Admission<'_>) -> (Admission<'_>, Admission<'_>) {
///     (admission.clone(), admission)
/// }
/// ```
///
/// [`Actuator::actuate`]: crate::Actuator::actuate
#[derive(Debug)]
pub struct Admission<'a> {
    // INVARIANT (proof): made only by `Actuating::act`, after the mark was set and the window
    // checked again, and while the attempt waits for what its actuator reports.
    admitted: &'a AdmittedConsequence,
}

/// What is to be carried out, and why it may be.
#[derive(Debug)]
pub(crate) struct AdmittedConsequence {
    pub(crate) material: Material,
    pub(crate) consequence: ConsequenceId,
    pub(crate) execution: ExecutionId,
    pub(crate) attempt: AttemptId,
    pub(crate) decision: DecisionId,
}

impl<'a> Admission<'a> {
    pub(crate) fn of(admitted: &'a AdmittedConsequence) -> Self {
        Self { admitted }
    }

    /// What is to be done: the material as it is stored.
    pub fn material(&self) -> &'a Material {
        &self.admitted.material
    }

    /// The consequence.
    pub fn consequence_id(&self) -> &'a ConsequenceId {
        &self.admitted.consequence
    }

    /// Its custodian.
    pub fn execution_id(&self) -> &'a ExecutionId {
        &self.admitted.execution
    }

    /// The attempt. Unique, so it serves as an idempotency key for the outside world.
    pub fn attempt_id(&self) -> &'a AttemptId {
        &self.admitted.attempt
    }

    /// The decision that allowed it.
    pub fn decision_id(&self) -> &'a DecisionId {
        &self.admitted.decision
    }
}
