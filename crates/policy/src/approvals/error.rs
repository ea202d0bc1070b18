use swampbox_authority::ClockError;
use swampbox_custody::{ConsequenceId, Principal, StoreFailure};
use swampbox_material::{Code, MaterialError};

use super::{Digest, InvalidTerms, State, UnknownPrincipal};

/// Why something was not done to a request for approval. Nothing has changed then, except that a
/// request which has expired or is void may have been closed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalError {
    /// `request_not_found`
    #[error("nobody has been asked to approve consequence {0:?}")]
    NotFound(ConsequenceId),
    /// `request_closed`
    #[error("the request about consequence {0:?} is {1}")]
    Closed(ConsequenceId, State),
    /// `request_changed`
    #[error("the request about consequence {0:?} is not the one that was shown; its digest is {1}")]
    Changed(ConsequenceId, Digest),
    /// `approver_not_eligible`
    #[error("{0:?} is no approver of consequence {1:?}")]
    NotEligible(Principal, ConsequenceId),
    /// `approver_is_proposer`
    #[error("{0:?} proposed or holds consequence {1:?} and can't approve it")]
    IsProposer(Principal, ConsequenceId),
    /// `already_voted`
    #[error("{0:?} has voted about consequence {1:?} already")]
    AlreadyVoted(Principal, ConsequenceId),
    /// `ballot_invalid`
    #[error("the vote can't be counted: {0}")]
    InvalidBallot(String),
    /// `not_requester`
    #[error("{0:?} neither asked for the release of consequence {1:?} nor allowed it")]
    NotRequester(Principal, ConsequenceId),
    /// `consequence_not_releasable`
    #[error("consequence {0:?} is being released or has been, so there is nothing to ask about")]
    NotReleasable(ConsequenceId),
    /// `approval_terms_invalid`
    #[error(transparent)]
    Terms(#[from] InvalidTerms),
    /// `authority_unavailable`
    #[error(transparent)]
    UnknownPrincipal(#[from] UnknownPrincipal),
    /// `clock_invalid`
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// `store_unavailable`
    #[error(transparent)]
    Store(#[from] StoreFailure),
    /// What is kept is no request, with the code of what is wrong with it.
    #[error("what is kept about consequence {0:?} is no request for approval: {1}")]
    Malformed(ConsequenceId, MaterialError),
}

impl ApprovalError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            ApprovalError::NotFound(_) => Code::RequestNotFound,
            ApprovalError::Closed(..) => Code::RequestClosed,
            ApprovalError::Changed(..) => Code::RequestChanged,
            ApprovalError::NotEligible(..) => Code::ApproverNotEligible,
            ApprovalError::IsProposer(..) => Code::ApproverIsProposer,
            ApprovalError::AlreadyVoted(..) => Code::AlreadyVoted,
            ApprovalError::InvalidBallot(_) => Code::BallotInvalid,
            ApprovalError::NotRequester(..) => Code::NotRequester,
            ApprovalError::NotReleasable(_) => Code::ConsequenceNotReleasable,
            ApprovalError::Terms(error) => error.code(),
            ApprovalError::UnknownPrincipal(error) => error.code(),
            ApprovalError::Clock(error) => error.code(),
            ApprovalError::Store(error) => error.code(),
            ApprovalError::Malformed(_, error) => error.code(),
        }
    }
}
