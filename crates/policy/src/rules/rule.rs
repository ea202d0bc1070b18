use std::time::Duration;

use swampbox_authority::Verdict;
use swampbox_custody::{ExecutionId, Snapshot};
use swampbox_material::{Code, Pattern};

/// One rule of a list of [`Rules`](super::Rules): which consequences it is about, and what is
/// decided about them.
///
/// A consequence matches if its type, its target, the execution that holds it and the principal behind
/// that each match. The payload is not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Which consequence types.
    pub consequence_type: Pattern,
    /// Which targets.
    pub target: Pattern,
    /// In the hands of which executions. Where whoever acts as an execution also names it, as at a
    /// service, nothing should be allowed by that name; what counts there is the principal.
    pub execution: Pattern,
    /// In whose name those act. Unless the pattern [matches everything](Pattern::matches_everything),
    /// the [directory](super::Rules::with_principals) is asked.
    pub principal: Pattern,
    /// What is decided.
    pub effect: Verdict,
    /// How long the decision holds from the moment at which it was asked for.
    pub lasts: WindowLength,
    /// Why, for whoever reads the record: from 1 to [`MAX_REASON_BYTES`](super::MAX_REASON_BYTES)
    /// bytes.
    pub reason: String,
}

impl Rule {
    /// Whether the rule is about the consequence that `snapshot` shows and `custodian` holds, if it is
    /// also about the principal behind that.
    pub(super) fn fits(&self, snapshot: &Snapshot, custodian: &ExecutionId) -> bool {
        self.consequence_type.matches(snapshot.material.consequence_type())
            && self.target.matches(snapshot.material.target())
            && self.execution.matches(custodian.as_str())
    }
}

/// How long a decision holds: from a second to a day.
///
/// A window has to last from the question until the actuator is entered, and what is allowed for
/// longer is a standing permission. Whoever needs one has the rule asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowLength {
    // INVARIANT (bounds): from SHORTEST to LONGEST.
    length: Duration,
}

/// A length of time that no window of a rule may have (`invalid_document`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a window of {length:?} is not allowed; one from a second to a day is")]
pub struct InvalidWindowLength {
    length: Duration,
}

impl WindowLength {
    /// The shortest: one second.
    pub const SHORTEST: Duration = Duration::from_secs(1);

    /// The longest: 24 hours.
    pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

    /// This length.
    ///
    /// # Errors
    ///
    /// If it is not from [`SHORTEST`](Self::SHORTEST) to [`LONGEST`](Self::LONGEST).
    pub fn new(length: Duration) -> Result<Self, InvalidWindowLength> {
        match (Self::SHORTEST..=Self::LONGEST).contains(&length) {
            true => Ok(Self { length }),
            false => Err(InvalidWindowLength { length }),
        }
    }

    /// The length.
    pub fn as_duration(self) -> Duration {
        self.length
    }
}

impl InvalidWindowLength {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::InvalidDocument
    }
}
