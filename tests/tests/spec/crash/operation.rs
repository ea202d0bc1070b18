//! What a thread of the process does, said in one line before, and its answer in another after.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Register { execution: String },
    End { execution: String },
    Submit { execution: String, consequence: String },
    Transfer { source: String, target: String, consequence: String },
    Adopt { execution: String, consequence: String },
    Release { execution: String, consequence: String, outcome: Outcome },
}

/// What the actuator does and reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It brings the effect about, and says so.
    Succeeds,
    /// It does nothing, and says so.
    DoesNothing,
    /// It brings the effect about, and does not know.
    Doubts,
}

impl Outcome {
    pub(super) const ALL: [Outcome; 3] = [Outcome::Succeeds, Outcome::DoesNothing, Outcome::Doubts];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Outcome::Succeeds => "succeeds",
            Outcome::DoesNothing => "does-nothing",
            Outcome::Doubts => "doubts",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Register { execution } => write!(f, "register {execution}"),
            Operation::End { execution } => write!(f, "end {execution}"),
            Operation::Submit { execution, consequence } => {
                write!(f, "submit {execution} {consequence}")
            }
            Operation::Transfer { source, target, consequence } => {
                write!(f, "transfer {source} {target} {consequence}")
            }
            Operation::Adopt { execution, consequence } => {
                write!(f, "adopt {execution} {consequence}")
            }
            Operation::Release { execution, consequence, outcome } => {
                write!(f, "release {execution} {consequence} {}", outcome.as_str())
            }
        }
    }
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let mut words = words.into_iter();
        let mut next = || words.next().ok_or_else(|| format!("`{line}` is too short"));
        Ok(match next()?.as_str() {
            "register" => Operation::Register { execution: next()? },
            "end" => Operation::End { execution: next()? },
            "submit" => Operation::Submit { execution: next()?, consequence: next()? },
            "transfer" => {
                Operation::Transfer { source: next()?, target: next()?, consequence: next()? }
            }
            "adopt" => Operation::Adopt { execution: next()?, consequence: next()? },
            "release" => {
                let (execution, consequence, name) = (next()?, next()?, next()?);
                let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == name);
                let outcome = outcome.ok_or_else(|| format!("there is no outcome `{name}`"))?;
                Operation::Release { execution, consequence, outcome }
            }
            other => return Err(format!("there is no operation `{other}`")),
        })
    }
}
