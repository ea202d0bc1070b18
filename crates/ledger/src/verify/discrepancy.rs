use std::fmt;

use swampbox_material::Shown;
use swampbox_material::json::Json;

/// The first place where a ledger is not what its history says, or its history not what was signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: expected {expected}, found {found}")]
pub struct Discrepancy {
    location: Location,
    expected: String,
    found: String,
}

/// A place in a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// Somewhere in the file below the tables.
    Storage,
    /// The event of this sequence number.
    Event(u64),
    /// A row of a table.
    Row {
        /// The table.
        table: &'static str,
        /// What tells the row from the others of the table: an id or a number.
        key: String,
    },
    /// A checkpoint from outside that covers this many events.
    Checkpoint(u64),
}

impl Discrepancy {
    pub(crate) fn new(
        location: Location,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self { location, expected: expected.into(), found: found.into() }
    }

    /// Where it is.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// What should be there, in words.
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// What is there, in words.
    pub fn found(&self) -> &str {
        &self.found
    }

    /// The discrepancy as a document.
    pub fn to_document(&self) -> Json {
        Json::object([
            ("location", self.location.to_document()),
            ("expected", Json::from(self.expected.as_str())),
            ("found", Json::from(self.found.as_str())),
        ])
    }
}

impl Location {
    fn to_document(&self) -> Json {
        match self {
            Location::Storage => Json::from("storage"),
            Location::Event(sequence) => Json::object([("event", Json::from(*sequence))]),
            Location::Row { table, key } => {
                Json::object([("table", Json::from(*table)), ("row", Json::from(key.as_str()))])
            }
            Location::Checkpoint(length) => Json::object([("checkpoint", Json::from(*length))]),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Storage => f.write_str("the file"),
            Location::Event(sequence) => write!(f, "event {sequence}"),
            Location::Row { table, key } if key.bytes().all(|byte| byte.is_ascii_digit()) => {
                write!(f, "row {key} of table {table}")
            }
            Location::Row { table, key } => {
                write!(f, "row {} of table {table}", Shown::brief(key))
            }
            Location::Checkpoint(length) => write!(f, "the checkpoint over {length} events"),
        }
    }
}
