//! A scenario file as data.

use super::value::{Material, Value};

/// A scenario: a title, the clock's start and the steps.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What the scenario shows.
    pub title: String,
    /// The clock's start, RFC 3339 with an offset.
    pub clock: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One step. Ids are given as they are, well formed or not; seconds are the text of a JSON number.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are those of the scenario file")]
pub enum Step {
    /// Makes an execution active.
    Register { execution: String },
    /// Ends an execution.
    End { execution: String },
    /// Submits a consequence.
    Submit { execution: String, consequence: String, material: Material, parent: Option<String> },
    /// Reads a consequence that the execution holds.
    Read { execution: String, consequence: String },
    /// Hands a consequence to another execution.
    Transfer { source: String, target: String, consequence: String },
    /// Looks at a quarantined consequence.
    Inspect { consequence: String },
    /// Takes a quarantined consequence into custody.
    Adopt { execution: String, consequence: String },
    /// Asks for a consequence's release state.
    State { consequence: String },
    /// Moves the clock by this many seconds.
    Advance { by: String },
    /// Asks for a release.
    Release(Release),
}

/// A release with its script.
#[derive(Clone, Debug)]
pub struct Release {
    /// The execution that asks.
    pub execution: String,
    /// The consequence to be released.
    pub consequence: String,
    /// What the provider does.
    pub authority: Authority,
    /// What the actuator does; `SUCCEEDED` where absent.
    pub actuator: Option<String>,
    /// Steps run while the provider is evaluating.
    pub during_evaluation: Vec<Step>,
    /// Steps run while the actuator is acting.
    pub during_actuation: Vec<Step>,
    /// Seconds by which the clock moves before its second reading.
    pub advance_before_validation: Option<String>,
    /// Seconds by which the clock moves before its third reading.
    pub advance_before_actuation: Option<String>,
}

impl Release {
    /// A release without a script: the default decision, and an actuator that succeeds.
    pub fn plain(execution: impl Into<String>, consequence: impl Into<String>) -> Self {
        Self {
            execution: execution.into(),
            consequence: consequence.into(),
            authority: Authority::Decision(Overrides::default()),
            actuator: None,
            during_evaluation: Vec::new(),
            during_actuation: Vec::new(),
            advance_before_validation: None,
            advance_before_actuation: None,
        }
    }
}

/// What the scripted provider does.
#[derive(Clone, Debug)]
pub enum Authority {
    /// It fails.
    Unavailable,
    /// It panics.
    Panic,
    /// It answers with the default decision under these overrides.
    Decision(Overrides),
}

/// Overrides laid over the default decision.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Whole fields, replaced or added. No name is there twice.
    pub fields: Vec<(String, Value)>,
    /// Seconds from the evaluation to `issued_at`.
    pub issued_offset: Option<String>,
    /// Seconds from `issued_at` to `valid_until`.
    pub valid_for: Option<String>,
}

impl Overrides {
    /// Is the default decision left as it is?
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.issued_offset.is_none() && self.valid_for.is_none()
    }
}
