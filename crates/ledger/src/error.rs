use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use swampbox_custody::StoreFailure;
use swampbox_material::{Code, MaterialError};

use crate::verify::Discrepancy;

/// A ledger can't be opened or read.
#[derive(Debug, thiserror::Error)]
#[error("the ledger `{}` {problem}", path.display())]
pub struct LedgerError {
    path: PathBuf,
    #[source]
    problem: LedgerProblem,
}

/// What is wrong with a ledger.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerProblem {
    /// There is none (`ledger_not_found`).
    #[error("does not exist; `swampbox init` makes one")]
    NotFound,
    /// There is one already (`ledger_exists`).
    #[error("exists already")]
    Exists,
    /// A file of an earlier ledger lies where this one's would (`ledger_exists`).
    #[error("can't be made: `{}` is left of an earlier one; move it away", .0.display())]
    Leftover(PathBuf),
    /// The file is something else (`ledger_invalid`).
    #[error("is not a ledger")]
    NotALedger,
    /// It was written by a newer program (`ledger_newer`).
    #[error(
        "has format {found}, and this program knows formats up to {known}; use a newer program"
    )]
    Newer {
        /// The format of the ledger.
        found: i32,
        /// The newest format that this program knows.
        known: i32,
    },
    /// It has an older format, and somebody has it open who could not go on in a newer one
    /// (`store_unavailable`).
    #[error(
        "has format {found} and is open in a process that may know no newer one; end that process, and try again"
    )]
    InUse {
        /// The format of the ledger.
        found: i32,
    },
    /// It says that it has a format which it has not (`ledger_invalid`).
    #[error(
        "says that it has format {found}, and its tables are not those of that format; `swampbox verify` says where they differ"
    )]
    OtherFormat {
        /// The format that it says it has.
        found: i32,
    },
    /// The export is of a version that only a newer program knows (`ledger_newer`).
    #[error(
        "can't be made from this export: it has version {found}, and this program knows versions up to {known}; use a newer program"
    )]
    NewerExport {
        /// The version of the export.
        found: u64,
        /// The newest version that this program knows.
        known: u64,
    },
    /// It is not what its history says (`ledger_tampered`).
    #[error("is not what its history says: {0}")]
    Tampered(Box<Discrepancy>),
    /// What is to become a ledger is no export (`export_invalid`).
    #[error("can't be made from this export: line {line}: {problem}")]
    InvalidExport {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// What it is made of could not be read (`input_unreadable`).
    #[error("can't be made, since its export can't be read: {0}")]
    Input(std::io::Error),
    /// What it is written to failed (`output_unwritable`).
    #[error("can't be written out: {0}")]
    Output(std::io::Error),
    /// The store failed (`store_unavailable`).
    #[error("can't be used: {0}")]
    Store(#[from] Failure),
}

/// Why the store failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// SQLite failed.
    #[error("{0}{hint}", hint = hint(.0))]
    Sqlite(#[from] rusqlite::Error),
    /// The file system failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// An event would be longer than the ledger keeps.
    #[error("an event may take {0} bytes at most")]
    TooLarge(usize),
    /// A row holds what no row may hold.
    #[error("{0}")]
    Corrupt(String),
}

impl LedgerError {
    pub(crate) fn new(path: &Path, problem: impl Into<LedgerProblem>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    /// What is wrong.
    pub fn problem(&self) -> &LedgerProblem {
        &self.problem
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        match self.problem {
            LedgerProblem::NotFound => Code::LedgerNotFound,
            LedgerProblem::Exists | LedgerProblem::Leftover(_) => Code::LedgerExists,
            LedgerProblem::NotALedger | LedgerProblem::OtherFormat { .. } => Code::LedgerInvalid,
            LedgerProblem::Newer { .. } | LedgerProblem::NewerExport { .. } => Code::LedgerNewer,
            LedgerProblem::Tampered(_) => Code::LedgerTampered,
            LedgerProblem::InvalidExport { .. } => Code::ExportInvalid,
            LedgerProblem::Input(_) => Code::InputUnreadable,
            LedgerProblem::Output(_) => Code::OutputUnwritable,
            LedgerProblem::InUse { .. } | LedgerProblem::Store(_) => Code::StoreUnavailable,
        }
    }
}

impl From<rusqlite::Error> for LedgerProblem {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => LedgerProblem::NotALedger,
            _ => LedgerProblem::Store(error.into()),
        }
    }
}

impl From<Discrepancy> for LedgerProblem {
    fn from(discrepancy: Discrepancy) -> Self {
        LedgerProblem::Tampered(Box::new(discrepancy))
    }
}

impl From<std::io::Error> for LedgerProblem {
    fn from(error: std::io::Error) -> Self {
        LedgerProblem::Store(error.into())
    }
}

impl Failure {
    pub(crate) fn corrupt(what: impl ToString) -> Self {
        Failure::Corrupt(what.to_string())
    }
}

impl From<MaterialError> for Failure {
    fn from(error: MaterialError) -> Self {
        Failure::corrupt(error)
    }
}

impl From<Failure> for StoreFailure {
    fn from(failure: Failure) -> Self {
        StoreFailure::new(failure)
    }
}

/// What SQLite can't tell apart when a file of the ledger can't be made, read or written.
fn hint(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => {
            "; is the disk full, or is a file beside the ledger removed or not to be written?"
        }
        _ => "",
    }
}
