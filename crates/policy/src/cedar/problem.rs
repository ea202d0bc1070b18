use std::fmt;

use miette::Diagnostic;
use swampbox_material::{Code, Position, Shown};

/// Policies or their schema are refused, and nothing of them is used (`policy_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(.problems))]
pub struct PolicyError {
    // INVARIANT (reason): at least one.
    problems: Vec<PolicyProblem>,
}

/// One thing that is wrong with policies or a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyProblem {
    file: PolicyFile,
    position: Option<Position>,
    problem: String,
}

/// Which of the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyFile {
    /// The policies.
    Policies,
    /// The schema.
    Schema,
}

impl PolicyError {
    /// All that is wrong, in the order of the text.
    pub fn problems(&self) -> &[PolicyProblem] {
        &self.problems
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        Code::PolicyInvalid
    }

    /// Nothing, if there is no problem. Cedar tells them in an order that changes.
    pub(super) fn unless_none(mut problems: Vec<PolicyProblem>) -> Result<(), Self> {
        let place = |position: Position| (position.line, position.column);
        problems.sort_by(|a, b| {
            let order = a.position.map(place).cmp(&b.position.map(place));
            order.then_with(|| a.problem.cmp(&b.problem))
        });
        if problems.is_empty() { Ok(()) } else { Err(Self { problems }) }
    }
}

impl From<PolicyProblem> for PolicyError {
    fn from(problem: PolicyProblem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl PolicyProblem {
    /// The text that it is in.
    pub fn file(&self) -> PolicyFile {
        self.file
    }

    /// Where in that text, if that can be told.
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// What is wrong.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    pub(super) fn new(file: PolicyFile, problem: impl Into<String>) -> Self {
        Self { file, position: None, problem: problem.into() }
    }

    /// The same, at this byte of a text.
    pub(super) fn at(self, text: &str, offset: usize) -> Self {
        Self { position: Some(position(text, offset)), ..self }
    }

    /// What Cedar says about a place in a text.
    pub(super) fn told(file: PolicyFile, text: &str, diagnostic: &dyn Diagnostic) -> Self {
        let mut problem = diagnostic.to_string();
        if let Some(help) = diagnostic.help() {
            problem = format!("{problem} ({help})");
        }
        // Cedar quotes what it was given as it is.
        let problem = Shown::json(&problem).to_string();
        let label = diagnostic.labels().and_then(|mut labels| labels.next());
        match label {
            Some(label) => Self::new(file, problem).at(text, label.offset()),
            None => Self::new(file, problem),
        }
    }
}

fn position(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    Position {
        line: before.matches('\n').count() + 1,
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
    }
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = match self.file {
            PolicyFile::Policies => "the policies",
            PolicyFile::Schema => "the schema",
        };
        match self.position {
            Some(Position { line, column }) => {
                write!(f, "{file}, line {line}, column {column}: {}", self.problem)
            }
            None => write!(f, "{file}: {}", self.problem),
        }
    }
}

fn listed(problems: &[PolicyProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
