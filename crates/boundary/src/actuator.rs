use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::Serialize;
use swampbox_material::{Material, Shown};

use crate::Admission;

/// Carries a released consequence out.
///
/// An actuator is called at most once for each admission, with exactly the stored material, and is
/// never called again because its outcome is unknown.
pub trait Actuator: Send + Sync {
    /// Does it, and says what happened.
    ///
    /// # Errors
    ///
    /// An error, like a panic, means that nobody knows whether the effect happened: UNCERTAIN. What
    /// surely did not happen is not an error but [`ActuatorOutcome::DefiniteNotExecuted`].
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure>;

    /// Looks at the outside world for the effect of this material, and does nothing else. It is for
    /// people who have to explain an UNCERTAIN consequence; no state changes by it.
    ///
    /// An actuator that has nothing to read says so: [`Sighting::Unknown`].
    fn observe(&self, _material: &Material) -> Observation {
        Observation::unknown("this actuator has no way to look")
    }

    /// The name under which the attempt is recorded; that of the type, unless it gives itself one.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

macro_rules! delegate_actuator {
    ($($pointer:ty),*) => {$(
        impl<T: Actuator + ?Sized> Actuator for $pointer {
            fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
                T::actuate(self, admission)
            }

            fn observe(&self, material: &Material) -> Observation {
                T::observe(self, material)
            }

            fn name(&self) -> &str {
                T::name(self)
            }
        }
    )*};
}

delegate_actuator!(&T, Box<T>, Arc<T>);

/// What an actuator knows about the effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActuatorOutcome {
    /// It happened.
    Succeeded,
    /// It surely did not happen.
    DefiniteNotExecuted,
    /// It may have happened.
    Uncertain,
}

impl ActuatorOutcome {
    /// `SUCCEEDED`, `DEFINITE_NOT_EXECUTED` or `UNCERTAIN`.
    pub fn as_str(self) -> &'static str {
        match self {
            ActuatorOutcome::Succeeded => "SUCCEEDED",
            ActuatorOutcome::DefiniteNotExecuted => "DEFINITE_NOT_EXECUTED",
            ActuatorOutcome::Uncertain => "UNCERTAIN",
        }
    }
}

impl fmt::Display for ActuatorOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Reads the outcome that an actuator reported over a wire. The text must be one of the three
/// exactly; any other is a failure, so the consequence becomes UNCERTAIN.
impl FromStr for ActuatorOutcome {
    type Err = ActuatorFailure;

    fn from_str(text: &str) -> Result<Self, ActuatorFailure> {
        match text {
            "SUCCEEDED" => Ok(ActuatorOutcome::Succeeded),
            "DEFINITE_NOT_EXECUTED" => Ok(ActuatorOutcome::DefiniteNotExecuted),
            "UNCERTAIN" => Ok(ActuatorOutcome::Uncertain),
            other => {
                Err(ActuatorFailure::new(format!("{} is no known outcome", Shown::brief(other))))
            }
        }
    }
}

/// An outcome, and in words what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActuatorReport {
    outcome: ActuatorOutcome,
    detail: String,
}

impl ActuatorReport {
    /// The effect happened; `detail` says by what that is known.
    pub fn succeeded(detail: impl Into<String>) -> Self {
        Self { outcome: ActuatorOutcome::Succeeded, detail: detail.into() }
    }

    /// The effect surely did not happen; `detail` says why.
    pub fn definite_not_executed(detail: impl Into<String>) -> Self {
        Self { outcome: ActuatorOutcome::DefiniteNotExecuted, detail: detail.into() }
    }

    /// The effect may have happened; `detail` says what is known.
    pub fn uncertain(detail: impl Into<String>) -> Self {
        Self { outcome: ActuatorOutcome::Uncertain, detail: detail.into() }
    }

    /// The outcome.
    pub fn outcome(&self) -> ActuatorOutcome {
        self.outcome
    }

    /// What it rests on.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl From<ActuatorOutcome> for ActuatorReport {
    fn from(outcome: ActuatorOutcome) -> Self {
        Self { outcome, detail: String::new() }
    }
}

/// What an independent look at the outside world found of an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    sighting: Sighting,
    evidence: String,
}

/// Whether an effect was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// It is there. That the attempt made it is not said.
    Present,
    /// It is not there, as far as was looked.
    Absent,
    /// The look told nothing.
    Unknown,
}

impl Sighting {
    /// `present`, `absent` or `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            Sighting::Present => "present",
            Sighting::Absent => "absent",
            Sighting::Unknown => "unknown",
        }
    }
}

impl Observation {
    /// The effect is there; `evidence` says what was seen.
    pub fn present(evidence: impl Into<String>) -> Self {
        Self { sighting: Sighting::Present, evidence: evidence.into() }
    }

    /// The effect is not there; `evidence` says where was looked.
    pub fn absent(evidence: impl Into<String>) -> Self {
        Self { sighting: Sighting::Absent, evidence: evidence.into() }
    }

    /// Nothing is known; `evidence` says why.
    pub fn unknown(evidence: impl Into<String>) -> Self {
        Self { sighting: Sighting::Unknown, evidence: evidence.into() }
    }

    /// Whether it was seen.
    pub fn sighting(&self) -> Sighting {
        self.sighting
    }

    /// What that rests on.
    pub fn evidence(&self) -> &str {
        &self.evidence
    }
}

/// An actuator was entered and can't say what happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the actuator failed: {cause}")]
pub struct ActuatorFailure {
    cause: String,
}

impl ActuatorFailure {
    /// A failure for this cause.
    pub fn new(cause: impl ToString) -> Self {
        Self { cause: cause.to_string() }
    }
}
