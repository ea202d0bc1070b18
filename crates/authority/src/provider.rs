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
    /// If there is no decision (`authority_unavailable`). A panic counts as that too.
    fn evaluate(
        &self,
        request: &AuthorityRequest,
    ) -> Result<DecisionDocument, AuthorityUnavailable>;

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

/// The authority gave no decision (`authority_unavailable`).
#[derive(Clone, Debug, thiserror::Error)]
#[error("the authority gave no decision: {cause}")]
pub struct AuthorityUnavailable {
    cause: Arc<dyn Error + Send + Sync>,
}

impl AuthorityUnavailable {
    /// No decision, for this cause.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { cause: Arc::from(cause.into()) }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        Code::AuthorityUnavailable
    }
}

impl<T: AuthorityProvider + ?Sized> AuthorityProvider for &T {
    fn evaluate(
        &self,
        request: &AuthorityRequest,
    ) -> Result<DecisionDocument, AuthorityUnavailable> {
        T::evaluate(self, request)
    }

    fn name(&self) -> &str {
        T::name(self)
    }
}

impl<T: AuthorityProvider + ?Sized> AuthorityProvider for Box<T> {
    fn evaluate(
        &self,
        request: &AuthorityRequest,
    ) -> Result<DecisionDocument, AuthorityUnavailable> {
        T::evaluate(self, request)
    }

    fn name(&self) -> &str {
        T::name(self)
    }
}

impl<T: AuthorityProvider + ?Sized> AuthorityProvider for Arc<T> {
    fn evaluate(
        &self,
        request: &AuthorityRequest,
    ) -> Result<DecisionDocument, AuthorityUnavailable> {
        T::evaluate(self, request)
    }

    fn name(&self) -> &str {
        T::name(self)
    }
}
