use swampbox_material::Code;
use swampbox_material::json::MAX_DOCUMENT_VALUES;

use crate::{AttemptId, ConsequenceId, DecisionId, ExecutionId, ReleaseState};

/// An operation that the rules of custody refuse. A refused operation changes nothing at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// `execution_not_registered`
    #[error("execution {0:?} is not registered")]
    ExecutionNotRegistered(ExecutionId),
    /// `execution_not_active`
    #[error("execution {0:?} has ended")]
    ExecutionNotActive(ExecutionId),
    /// `execution_ended`
    #[error("execution {0:?} has ended and can't be registered again")]
    ExecutionEnded(ExecutionId),
    /// `release_in_progress`
    #[error("consequence {0:?} is being released")]
    ReleaseInProgress(ConsequenceId),
    /// `consequence_exists`
    #[error("consequence {0:?} is there already")]
    ConsequenceExists(ConsequenceId),
    /// `own_parent`
    #[error("consequence {0:?} can't be its own parent")]
    OwnParent(ConsequenceId),
    /// `parent_not_found`
    #[error("there is no parent consequence {0:?}")]
    ParentNotFound(ConsequenceId),
    /// `parent_release_in_progress`
    #[error("the parent {0:?} is being released")]
    ParentReleaseInProgress(ConsequenceId),
    /// `parent_not_contained`
    #[error("the parent {0:?} is {1}")]
    ParentNotContained(ConsequenceId, ReleaseState),
    /// `parent_not_in_custody`
    #[error("the parent {0:?} is not held by execution {1:?}")]
    ParentNotInCustody(ConsequenceId, ExecutionId),
    /// `not_visible`
    #[error("execution {1:?} holds no consequence {0:?}")]
    NotVisible(ConsequenceId, ExecutionId),
    /// `same_execution`
    #[error("source and target are both {0:?}")]
    SameExecution(ExecutionId),
    /// `not_contained`
    #[error("consequence {0:?} is {1}")]
    NotContained(ConsequenceId, ReleaseState),
    /// `not_quarantined`
    #[error("there is no consequence {0:?} in quarantine")]
    NotQuarantined(ConsequenceId),
    /// `consequence_not_found`
    #[error("there is no consequence {0:?}")]
    ConsequenceNotFound(ConsequenceId),
    /// `not_adoptable`
    #[error("consequence {0:?} is {1}")]
    NotAdoptable(ConsequenceId, ReleaseState),
    /// `consequence_not_releasable`
    #[error("consequence {0:?} is {1} already")]
    ConsequenceNotReleasable(ConsequenceId, ReleaseState),
    /// `consequence_not_in_active_custody`
    #[error("consequence {0:?} is quarantined")]
    ConsequenceNotInActiveCustody(ConsequenceId),
    /// `not_current_custodian`
    #[error("consequence {0:?} is not held by execution {1:?}")]
    NotCurrentCustodian(ConsequenceId, ExecutionId),
    /// `custody_changed_before_release`
    #[error("consequence {0:?} left the custody of execution {1:?} during the evaluation")]
    CustodyChangedBeforeRelease(ConsequenceId, ExecutionId),
    /// `authority_consumed`
    #[error("decision {0:?} may be used once, and was used")]
    DecisionConsumed(DecisionId),
    /// `too_large`, from a store that can't keep what it could not read again
    #[error(
        "what is to be stored of consequence {0:?} does not fit into a record of {1} bytes and {MAX_DOCUMENT_VALUES} values"
    )]
    TooLarge(ConsequenceId, usize),
    /// `stale_attempt`
    #[error("attempt {0:?} does not hold the mark of consequence {1:?}")]
    StaleAttempt(AttemptId, ConsequenceId),
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Refusal::ExecutionNotRegistered(_) => Code::ExecutionNotRegistered,
            Refusal::ExecutionNotActive(_) => Code::ExecutionNotActive,
            Refusal::ExecutionEnded(_) => Code::ExecutionEnded,
            Refusal::ReleaseInProgress(_) => Code::ReleaseInProgress,
            Refusal::ConsequenceExists(_) => Code::ConsequenceExists,
            Refusal::OwnParent(_) => Code::OwnParent,
            Refusal::ParentNotFound(_) => Code::ParentNotFound,
            Refusal::ParentReleaseInProgress(_) => Code::ParentReleaseInProgress,
            Refusal::ParentNotContained(..) => Code::ParentNotContained,
            Refusal::ParentNotInCustody(..) => Code::ParentNotInCustody,
            Refusal::NotVisible(..) => Code::NotVisible,
            Refusal::SameExecution(_) => Code::SameExecution,
            Refusal::NotContained(..) => Code::NotContained,
            Refusal::NotQuarantined(_) => Code::NotQuarantined,
            Refusal::ConsequenceNotFound(_) => Code::ConsequenceNotFound,
            Refusal::NotAdoptable(..) => Code::NotAdoptable,
            Refusal::ConsequenceNotReleasable(..) => Code::ConsequenceNotReleasable,
            Refusal::ConsequenceNotInActiveCustody(_) => Code::ConsequenceNotInActiveCustody,
            Refusal::NotCurrentCustodian(..) => Code::NotCurrentCustodian,
            Refusal::CustodyChangedBeforeRelease(..) => Code::CustodyChangedBeforeRelease,
            Refusal::DecisionConsumed(_) => Code::AuthorityConsumed,
            Refusal::TooLarge(..) => Code::TooLarge,
            Refusal::StaleAttempt(..) => Code::StaleAttempt,
        }
    }
}
