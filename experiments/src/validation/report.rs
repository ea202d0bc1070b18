//! What a validation leaves behind for people and programs.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{Baseline, ClosedGate, Step, lifecycle::Told};
use crate::{ExitCode, github::Created};

/// Whether the effect is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The effect is simulated, and nothing outside the process is touched.
    Offline,
    /// The effect is a GitHub issue.
    Live,
}

/// The report of one validation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    experiment: &'static str,
    /// Whether the effect was simulated.
    pub mode: Mode,
    #[serde(serialize_with = "name")]
    result: ExitCode,
    /// Why, in a sentence.
    pub detail: String,
    /// The gates that do not hold.
    pub closed_gates: Vec<ClosedGate>,
    /// The steps of the story, as far as it was told.
    pub steps: Vec<Step>,
    /// The consequences for which the actuator was entered, in order.
    pub actuator_entered: Vec<String>,
    /// Live: what `gh` said it created.
    pub created: Option<Created>,
    /// Live: the issues with exactly C's title and body in the read after the attempt.
    pub matching_after: Option<Vec<u64>>,
    /// The same story without the model.
    pub baseline: Baseline,
}

impl Report {
    pub(super) fn new(mode: Mode) -> Self {
        Self {
            experiment: "validation",
            mode,
            result: ExitCode::Anomaly,
            detail: String::new(),
            closed_gates: Vec::new(),
            steps: Vec::new(),
            actuator_entered: Vec::new(),
            created: None,
            matching_after: None,
            baseline: Baseline::tell(),
        }
    }

    pub(super) fn closed(gates: Vec<ClosedGate>) -> Self {
        let report = Self { closed_gates: gates, ..Self::new(Mode::Live) };
        report.end(ExitCode::Gate, "nothing was attempted; every gate of live mode must hold")
    }

    pub(super) fn told(mut self, told: &Told) -> Self {
        self.steps.clone_from(&told.steps);
        self.actuator_entered.clone_from(&told.entered);
        self
    }

    pub(super) fn end(mut self, result: ExitCode, detail: impl Into<String>) -> Self {
        self.result = result;
        self.detail = detail.into();
        self
    }

    /// How it ended.
    pub fn exit_code(&self) -> ExitCode {
        self.result
    }

    /// One JSON object on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).map(|text| text + "\n").unwrap_or_default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = match self.mode {
            Mode::Offline => "offline, the effect is simulated",
            Mode::Live => "live",
        };
        writeln!(f, "{} ({mode}): {}", self.result.name(), self.detail)?;
        for gate in &self.closed_gates {
            writeln!(f, "  gate {}: {}", gate.gate, gate.detail)?;
        }
        if self.steps.is_empty() {
            return Ok(());
        }
        writeln!(f)?;
        for (step, number) in self.steps.iter().zip(1..) {
            write!(f, "{number:>3}  {:<44}{}", step.step, step.observed)?;
            if !step.holds() {
                write!(f, "  EXPECTED {}", step.expected)?;
            }
            writeln!(f)?;
        }
        writeln!(f)?;
        let entered = match self.actuator_entered.join(", ") {
            none if none.is_empty() => "nothing".to_owned(),
            entered => entered,
        };
        writeln!(f, "with the model     the actuator was entered for {entered}")?;
        if let Some(created) = &self.created {
            writeln!(f, "                   reported: {}", created.url)?;
        }
        if let Some(matching) = &self.matching_after {
            writeln!(f, "                   read afterwards, exactly this one: {matching:?}")?;
        }
        let Baseline { effects, authority_asked, .. } = &self.baseline;
        let effects = effects.join(", ");
        writeln!(
            f,
            "without the model  {effects} took effect; anybody asked: {authority_asked} times"
        )
    }
}

fn name<S: Serializer>(result: &ExitCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(result.name())
}
