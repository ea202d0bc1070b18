use swampbox_custody::{ConsequenceId, ExecutionId};
use swampbox_material::{Code, Difference};

use crate::Timestamp;

/// Why a decision does not release a consequence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecisionRefusal {
    /// `authority_invalid`
    #[error("the decision is malformed: {0}")]
    Invalid(String),
    /// `authority_not_allowed`
    #[error("the authority decided DENY")]
    NotAllowed,
    /// `authority_consequence_mismatch`
    #[error("the decision is about consequence {bound:?}, not {actual:?}")]
    ConsequenceMismatch {
        /// What the decision names.
        bound: ConsequenceId,
        /// What was to be released.
        actual: ConsequenceId,
    },
    /// `authority_custodian_mismatch`
    #[error("the decision is for execution {bound:?}, not {actual:?}")]
    CustodianMismatch {
        /// What the decision names.
        bound: ExecutionId,
        /// Who holds the consequence.
        actual: ExecutionId,
    },
    /// `authority_material_mismatch`
    #[error("the decision is about other material: {}", listed(.0))]
    MaterialMismatch(Vec<Difference>),
    /// `authority_invalid_timestamp`
    #[error("the decision's window is malformed: {0}")]
    InvalidTimestamp(String),
    /// `authority_not_yet_valid`
    #[error("the decision holds from {issued_at}, and it is {now}")]
    NotYetValid {
        /// When the window begins.
        issued_at: Timestamp,
        /// When it was checked.
        now: Timestamp,
    },
    /// `authority_expired`
    #[error("the decision held until {valid_until}, and it is {now}")]
    Expired {
        /// When the window ended.
        valid_until: Timestamp,
        /// When it was checked.
        now: Timestamp,
    },
}

impl DecisionRefusal {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            DecisionRefusal::Invalid(_) => Code::AuthorityInvalid,
            DecisionRefusal::NotAllowed => Code::AuthorityNotAllowed,
            DecisionRefusal::ConsequenceMismatch { .. } => Code::AuthorityConsequenceMismatch,
            DecisionRefusal::CustodianMismatch { .. } => Code::AuthorityCustodianMismatch,
            DecisionRefusal::MaterialMismatch(_) => Code::AuthorityMaterialMismatch,
            DecisionRefusal::InvalidTimestamp(_) => Code::AuthorityInvalidTimestamp,
            DecisionRefusal::NotYetValid { .. } => Code::AuthorityNotYetValid,
            DecisionRefusal::Expired { .. } => Code::AuthorityExpired,
        }
    }
}

/// The first few differences; of a long one the path alone. All of them are in the variant.
fn listed(differences: &[Difference]) -> String {
    const LISTED: usize = 3;
    const LONG: usize = 120;
    let shown = differences.iter().take(LISTED).map(|difference| {
        let whole = difference.to_string();
        if whole.len() <= LONG { whole } else { difference.path().to_string() }
    });
    let shown = shown.collect::<Vec<_>>().join("; ");
    match differences.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
