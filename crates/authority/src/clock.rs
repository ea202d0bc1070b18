use std::sync::Arc;

use swampbox_material::Code;

use crate::Timestamp;

/// Tells the time. The core has no clock of its own; time enters through this.
pub trait Clock: Send + Sync {
    /// The present moment.
    ///
    /// # Errors
    ///
    /// If the clock can't be read (`clock_invalid`): nothing is released then.
    fn now(&self) -> Result<Timestamp, ClockError>;
}

/// The clock could not be read (`clock_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the clock can't be read: {cause}")]
pub struct ClockError {
    cause: String,
}

impl ClockError {
    /// An error with this cause.
    pub fn new(cause: impl ToString) -> Self {
        Self { cause: cause.to_string() }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        Code::ClockInvalid
    }
}

impl<T: Clock + ?Sized> Clock for &T {
    fn now(&self) -> Result<Timestamp, ClockError> {
        T::now(self)
    }
}

impl<T: Clock + ?Sized> Clock for Box<T> {
    fn now(&self) -> Result<Timestamp, ClockError> {
        T::now(self)
    }
}

impl<T: Clock + ?Sized> Clock for Arc<T> {
    fn now(&self) -> Result<Timestamp, ClockError> {
        T::now(self)
    }
}
