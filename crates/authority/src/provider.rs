use std::error::Error;
use std::sync::Arc;

use swampbox_custody::Snapshot;
use swampbox_material::Code;

use crate::{DecisionDocument, Timestamp};

/// An external authority: it alone says whether a consequence may be released.
pub trait AuthorityProvider: Send + Sync {
    /// Decides about one request. Asked exactly once for each release, with no lock held, for as
    /// long as it takes.
    ///
    /// # Errors
    ///
    /// If there is no decision (`authority_unavailable`, `authority_pending`, `authority_revoked`). A
    /// panic counts as the first.
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision>;

    /// Says at the last moment whether a decision of its own still stands, such as one by a key that
    /// may have been revoked. Asked once for each attempt, when the consequence has been marked and
    /// before the window is checked for the last time, with no lock held. Whoever doesn't know says
    /// no.
    ///
    /// One that decides once and for all has nothing to look up.
    ///
    /// # Errors
    ///
    /// If it does not stand (`authority_revoked`), or that can't be told (`authority_unavailable`). A
    /// panic counts as the second.
    fn stands(
        &self,
        _request: &AuthorityRequest,
        _decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        Ok(())
    }

    /// The name under which its decisions are recorded; that of the type, unless it gives itself
    /// one.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

/// What an authority is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorityRequest {
    /// The consequence that is to be released.
    pub snapshot: Snapshot,
    /// When it was asked.
    pub evaluated_at: Timestamp,
}

/// There is no decision, or none that stands.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{kind}: {cause}")]
pub struct NoDecision {
    kind: Kind,
    cause: Arc<dyn Error + Send + Sync>,
}

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Kind {
    #[error("the authority gave no decision")]
    Unavailable,
    #[error("a decision has been asked for and does not stand yet")]
    Pending,
    #[error("the decision does not stand any more")]
    Revoked,
}

impl NoDecision {
    /// No decision, for this cause (`authority_unavailable`).
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::of(Kind::Unavailable, cause)
    }

    /// No decision yet: somebody has been asked for one (`authority_pending`). `cause` says whom, and
    /// by what the request is found.
    pub fn pending(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::of(Kind::Pending, cause)
    }

    /// A decision that was taken back, or that rests on what was taken back (`authority_revoked`).
    pub fn revoked(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::of(Kind::Revoked, cause)
    }

    fn of(kind: Kind, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { kind, cause: Arc::from(cause.into()) }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        match self.kind {
            Kind::Unavailable => Code::AuthorityUnavailable,
            Kind::Pending => Code::AuthorityPending,
            Kind::Revoked => Code::AuthorityRevoked,
        }
    }
}

macro_rules! delegate_provider {
    ($($pointer:ty),*) => {$(
        impl<T: AuthorityProvider + ?Sized> AuthorityProvider for $pointer {
            fn evaluate(
                &self,
                request: &AuthorityRequest,
            ) -> Result<DecisionDocument, NoDecision> {
                T::evaluate(self, request)
            }

            fn stands(
                &self,
                request: &AuthorityRequest,
                decision: &DecisionDocument,
            ) -> Result<(), NoDecision> {
                T::stands(self, request, decision)
            }

            fn name(&self) -> &str {
                T::name(self)
            }
        }
    )*};
}

delegate_provider!(&T, Box<T>, Arc<T>);
