use std::fmt;

use crate::number::MAX_INTEGER_DIGITS;
use crate::{Code, Path, Segment};

/// Why something can't be material, and where.
///
/// ```
/// use swampbox_material::{Code, Value};
///
/// let error = Value::from_json(br#"{"a": {"b": 1, "b": 2}}"#).unwrap_err();
/// assert_eq!(error.code(), Code::DuplicateKey);
/// assert_eq!(error.path().to_string(), "$.a.b");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct MaterialError {
    inner: Box<Inner>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    problem: Problem,
    path: Path,
    position: Option<Position>,
}

/// What is wrong with the offending value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is not JSON (`invalid_json`).
    #[error("not JSON: {0}")]
    InvalidJson(&'static str),
    /// A key appears a second time in one mapping (`duplicate_key`).
    #[error("the key appears twice in one mapping")]
    DuplicateKey,
    /// Containers are nested deeper than the bound (`depth_exceeded`).
    #[error("containers are nested more than {limit} deep")]
    DepthExceeded {
        /// The greatest depth allowed here.
        limit: usize,
    },
    /// A float is infinite or not a number (`non_finite_number`).
    #[error("the number is beyond the range of a finite float")]
    NonFiniteNumber,
    /// A value has no exact counterpart (`unsupported_value`).
    #[error("{0}")]
    UnsupportedValue(&'static str),
    /// The document is longer than the bound (`too_large`).
    #[error("the document is larger than {limit} bytes")]
    TooLarge {
        /// The greatest length allowed here, in bytes.
        limit: usize,
    },
    /// The document has more values than the bound (`too_large`).
    #[error("the document has more than {limit} values")]
    TooManyValues {
        /// The greatest number of values allowed here.
        limit: usize,
    },
    /// The JSON is good, but not the document expected here (`invalid_document`).
    #[error("{0}")]
    InvalidDocument(String),
}

/// A place in a text: line and column count from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in Unicode scalar values.
    pub column: usize,
}

impl Problem {
    /// More digits than an integer may have.
    pub(crate) fn too_many_digits() -> Self {
        const { assert!(MAX_INTEGER_DIGITS == 4_300) };
        Problem::UnsupportedValue("an integer has at most 4300 digits")
    }

    /// The stable code of this problem.
    pub fn code(&self) -> Code {
        match self {
            Problem::InvalidJson(_) => Code::InvalidJson,
            Problem::DuplicateKey => Code::DuplicateKey,
            Problem::DepthExceeded { .. } => Code::DepthExceeded,
            Problem::NonFiniteNumber => Code::NonFiniteNumber,
            Problem::UnsupportedValue(_) => Code::UnsupportedValue,
            Problem::TooLarge { .. } | Problem::TooManyValues { .. } => Code::TooLarge,
            Problem::InvalidDocument(_) => Code::InvalidDocument,
        }
    }
}

impl MaterialError {
    /// An error about the value at `path`.
    pub fn new(problem: Problem, path: Path) -> Self {
        let inner = Inner { problem, path, position: None };
        Self { inner: Box::new(inner) }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        self.inner.problem.code()
    }

    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.inner.problem
    }

    /// The path of the offending value.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Where the offending value stands in the text, if it was read from text.
    pub fn position(&self) -> Option<Position> {
        self.inner.position
    }

    /// The same error, its path taken as standing below `parent`.
    #[must_use]
    pub fn below(mut self, parent: &Path) -> Self {
        self.inner.path = self.inner.path.below(parent);
        self
    }

    pub(crate) fn at(mut self, position: Position) -> Self {
        self.inner.position = Some(position);
        self
    }

    pub(crate) fn from_leaf(problem: Problem, segments: Vec<Segment>) -> Self {
        Self::new(problem, Path::from_leaf(segments))
    }
}

impl fmt::Display for MaterialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.inner.problem, self.inner.path)?;
        match self.inner.position {
            Some(Position { line, column }) => write!(f, " (line {line}, column {column})"),
            None => Ok(()),
        }
    }
}
