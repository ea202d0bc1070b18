use crate::{DecisionRefusal, Timestamp};

/// The finite window in which a decision holds: from `issued_at`, up to but not at `valid_until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidityWindow {
    // INVARIANT (order): valid_until is after issued_at.
    issued_at: Timestamp,
    valid_until: Timestamp,
}

/// The end of a window is not after its beginning (`authority_invalid_timestamp`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`valid_until` {valid_until} is not after `issued_at` {issued_at}")]
pub struct WindowError {
    issued_at: Timestamp,
    valid_until: Timestamp,
}

impl ValidityWindow {
    /// The window between two moments.
    ///
    /// # Errors
    ///
    /// If the second is not after the first.
    pub fn new(issued_at: Timestamp, valid_until: Timestamp) -> Result<Self, WindowError> {
        if valid_until > issued_at {
            Ok(Self { issued_at, valid_until })
        } else {
            Err(WindowError { issued_at, valid_until })
        }
    }

    /// The first moment at which it holds.
    pub fn issued_at(&self) -> Timestamp {
        self.issued_at
    }

    /// The first moment at which it holds no longer.
    pub fn valid_until(&self) -> Timestamp {
        self.valid_until
    }

    /// Checks that the window holds at `now`.
    ///
    /// # Errors
    ///
    /// `authority_not_yet_valid` before it, `authority_expired` after it.
    pub fn check(&self, now: Timestamp) -> Result<(), DecisionRefusal> {
        let Self { issued_at, valid_until } = *self;
        if now < issued_at {
            Err(DecisionRefusal::NotYetValid { issued_at, now })
        } else if now >= valid_until {
            Err(DecisionRefusal::Expired { valid_until, now })
        } else {
            Ok(())
        }
    }
}
