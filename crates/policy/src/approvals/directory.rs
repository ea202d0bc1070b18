use std::error::Error;
use std::sync::Arc;

use swampbox_custody::{ExecutionId, Principal};
use swampbox_material::Code;

/// Who is who, so that nobody approves what is their own, and nobody counts twice.
pub trait Directory: Send + Sync {
    /// The principal in whose name the execution acts.
    ///
    /// # Errors
    ///
    /// If that can't be told; nothing is asked for or decided then.
    fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal>;

    /// The one name of the principal that is also known under `name`: that name itself, unless
    /// there is another.
    ///
    /// # Errors
    ///
    /// If that can't be told; nothing is decided then.
    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal>;
}

/// It can't be told who somebody is (`authority_unavailable`).
#[derive(Clone, Debug, thiserror::Error)]
#[error("it can't be told who is who: {cause}")]
pub struct UnknownPrincipal {
    cause: Arc<dyn Error + Send + Sync>,
}

impl UnknownPrincipal {
    /// One with this cause.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { cause: Arc::from(cause.into()) }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        Code::AuthorityUnavailable
    }
}

/// Everybody has one name, and an execution is a principal of its own under its id.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByName;

impl Directory for ByName {
    fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        // Every id is a name: both follow the one rule of identifiers.
        Principal::try_from(execution.as_str()).map_err(UnknownPrincipal::new)
    }

    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        Ok(name.clone())
    }
}

macro_rules! delegate_directory {
    ($($pointer:ty),*) => {$(
        impl<T: Directory + ?Sized> Directory for $pointer {
            fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
                T::behind(self, execution)
            }

            fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
                T::known_as(self, name)
            }
        }
    )*};
}

delegate_directory!(&T, Box<T>, Arc<T>);
