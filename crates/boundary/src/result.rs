use serde::{Serialize, Serializer};
use swampbox_authority::{ClockError, DecisionRefusal, NoDecision};
use swampbox_custody::{
    ConsequenceId, CustodyError, DecisionId, Refusal, ReleaseState, StoreFailure,
};
use swampbox_material::Code;

use crate::{ActuatorFailure, ActuatorOutcome, ActuatorReport};

/// How one call of `release` ended.
///
/// A refusal is a result with status CONTAINED and a reason. Serialised with the five fields of the
/// contract: `consequence_id`, `status`, `reason`, `authority_decision_id`, `actuator_outcome`.
#[derive(Clone, Debug, Serialize)]
#[must_use = "whether anything was released is in the result"]
pub struct ReleaseResult {
    consequence_id: ConsequenceId,
    status: ReleaseState,
    reason: Reason,
    authority_decision_id: Option<DecisionId>,
    actuator_outcome: Option<ActuatorOutcome>,
    #[serde(skip)]
    basis: Option<String>,
}

/// Why a release ended as it did. Displayed as a sentence for people, serialised as its code.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The rules of custody refused it.
    #[error(transparent)]
    Custody(#[from] Refusal),
    /// The store failed before the actuator was entered.
    #[error(transparent)]
    Store(#[from] StoreFailure),
    /// The clock could not be read.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// There is no decision.
    #[error(transparent)]
    Authority(#[from] NoDecision),
    /// The decision does not allow it.
    #[error(transparent)]
    Decision(#[from] DecisionRefusal),
    /// The actuator reported.
    #[error("{}", described(.0))]
    Reported(ActuatorReport),
    /// The actuator was entered and failed.
    #[error(transparent)]
    ActuatorFailed(ActuatorFailure),
    /// The actuator reported this, and the store could not keep it.
    #[error("{}; this could not be stored: {error}", described(.0), error = .1)]
    NotStored(ActuatorReport, CustodyError),
}

impl ReleaseResult {
    pub(crate) fn contained(
        consequence: &ConsequenceId,
        reason: Reason,
        decision: Option<DecisionId>,
        basis: Option<String>,
    ) -> Self {
        Self {
            consequence_id: consequence.clone(),
            status: ReleaseState::Contained,
            reason,
            authority_decision_id: decision,
            actuator_outcome: None,
            basis,
        }
    }

    pub(crate) fn entered(
        consequence: &ConsequenceId,
        status: ReleaseState,
        outcome: ActuatorOutcome,
        reason: Reason,
        decision: DecisionId,
    ) -> Self {
        Self {
            consequence_id: consequence.clone(),
            status,
            reason,
            authority_decision_id: Some(decision),
            actuator_outcome: Some(outcome),
            basis: None,
        }
    }

    /// The consequence.
    pub fn consequence_id(&self) -> &ConsequenceId {
        &self.consequence_id
    }

    /// RELEASED, CONTAINED or UNCERTAIN. CONTAINED is also the status of every refusal.
    pub fn status(&self) -> ReleaseState {
        self.status
    }

    /// Why, with its code.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    /// The id of the decision, wherever the authority's answer carried a well-formed one.
    pub fn authority_decision_id(&self) -> Option<&DecisionId> {
        self.authority_decision_id.as_ref()
    }

    /// What the answer rests on by which the authority refused it, such as the rule and its reason, as
    /// JSON text; none if there was no answer, or it did not say. It is not serialised.
    pub fn basis(&self) -> Option<&str> {
        self.basis.as_deref()
    }

    /// What the actuator knew, if it was entered.
    pub fn actuator_outcome(&self) -> Option<ActuatorOutcome> {
        self.actuator_outcome
    }
}

impl Reason {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Reason::Custody(refusal) => refusal.code(),
            Reason::Store(failure) => failure.code(),
            Reason::Clock(error) => error.code(),
            Reason::Authority(error) => error.code(),
            Reason::Decision(refusal) => refusal.code(),
            Reason::Reported(report) => match report.outcome() {
                ActuatorOutcome::Succeeded => Code::ActuatorSucceeded,
                ActuatorOutcome::DefiniteNotExecuted => Code::ActuatorDefinitelyNotExecuted,
                ActuatorOutcome::Uncertain => Code::ActuatorOutcomeUncertain,
            },
            Reason::ActuatorFailed(_) | Reason::NotStored(..) => Code::ActuatorOutcomeUncertain,
        }
    }
}

impl From<CustodyError> for Reason {
    fn from(error: CustodyError) -> Self {
        match error {
            CustodyError::Refused(refusal) => Reason::Custody(refusal),
            CustodyError::Store(failure) => Reason::Store(failure),
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code().as_str())
    }
}

fn described(report: &ActuatorReport) -> String {
    let sentence = match report.outcome() {
        ActuatorOutcome::Succeeded => "the effect happened",
        ActuatorOutcome::DefiniteNotExecuted => "the effect surely did not happen",
        ActuatorOutcome::Uncertain => "nobody knows whether the effect happened",
    };
    if report.detail().is_empty() {
        sentence.into()
    } else {
        format!("{sentence}: {}", report.detail())
    }
}
