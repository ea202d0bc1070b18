use std::error::Error;
use std::sync::Arc;

use swampbox_material::Code;

/// Something that a decision depends on could not be looked up (`authority_unavailable`).
#[derive(Clone, Debug, thiserror::Error)]
#[error("{cause}")]
pub struct LookupFailure {
    cause: Arc<dyn Error + Send + Sync>,
}

impl LookupFailure {
    /// A failure for this cause.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { cause: Arc::from(cause.into()) }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        Code::AuthorityUnavailable
    }
}
