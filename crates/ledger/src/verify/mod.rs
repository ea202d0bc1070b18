//! Reading a whole ledger again: its file, its chain of events, its checkpoints, and that its tables
//! are what the events give.

mod chain;
mod decisions;
mod discrepancy;
mod replay;
mod storage;
mod tables;

use std::path::Path;

use rusqlite::{Connection, Error, ErrorCode};
use swampbox_material::json::Json;

use crate::checkpoint::Checkpoint;
use crate::error::{Failure, LedgerError, LedgerProblem};
use crate::hex;
use crate::keys::PublicKey;
use crate::schema;

use storage::Storage;

pub(crate) use storage::same_definitions;

pub use discrepancy::{Discrepancy, Location};

/// What is known about a ledger from elsewhere, and is to hold.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    /// If there are any, every checkpoint has to be signed by one of them.
    pub trusted_keys: Vec<PublicKey>,
    /// Checkpoints that were kept elsewhere. Each has to be about this ledger, and what it covers has
    /// to be there as it was.
    pub checkpoints: Vec<Checkpoint>,
}

/// A ledger that is what its history says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The id of the ledger.
    pub ledger_id: String,
    /// How many events there are.
    pub events: u64,
    /// The hash of the last of them, in hexadecimal digits.
    pub head: String,
    /// How many executions there are.
    pub executions: usize,
    /// How many consequences there are.
    pub consequences: usize,
    /// How many attempts there are.
    pub attempts: usize,
    /// How many resolutions there are.
    pub resolutions: usize,
    /// How many checkpoints are among the events.
    pub checkpoints: u64,
    /// How many events a checkpoint covers, from here or from elsewhere. Nobody signed for those that
    /// came after.
    pub signed_events: u64,
    /// Who signed checkpoints, in the order of the first by each.
    pub keys: Vec<PublicKey>,
}

impl Verified {
    /// What was verified, as a document.
    pub fn to_document(&self) -> Json {
        let count = |number: usize| Json::from(number as u64);
        let keys = self.keys.iter().map(|key| Json::from(key.to_string().as_str()));
        Json::object([
            ("ledger_id", Json::from(self.ledger_id.as_str())),
            ("events", Json::from(self.events)),
            ("head", Json::from(self.head.as_str())),
            ("executions", count(self.executions)),
            ("consequences", count(self.consequences)),
            ("attempts", count(self.attempts)),
            ("resolutions", count(self.resolutions)),
            ("checkpoints", Json::from(self.checkpoints)),
            ("signed_events", Json::from(self.signed_events)),
            ("keys", Json::List(keys.collect())),
        ])
    }
}

/// Reads all of a ledger, as it is at one moment, and says where it first differs from its history or
/// from what is expected. Whoever uses the ledger meanwhile is not disturbed.
///
/// Checked are, in this order: the file, with SQLite's own check, and its tables' definitions; the
/// chain of hashes; that each event is one that this program writes and was possible when it
/// happened; the checkpoints; that the tables hold exactly what the events give; and that each attempt
/// was made under a decision that allowed exactly it when it was admitted. Takes memory in proportion
/// to the rows, without what they hold.
///
/// A history that was cut off after the last checkpoint, and one made anew by whoever holds the key,
/// can't be told from a true one.
///
/// # Errors
///
/// `ledger_tampered` with the [`Discrepancy`]; `ledger_not_found`, `ledger_invalid`, `ledger_newer`,
/// `store_unavailable`.
pub fn verify(
    path: impl AsRef<Path>,
    expectations: &Expectations,
) -> Result<Verified, LedgerError> {
    let path = path.as_ref();
    let verified = schema::open_to_read(path).map_err(damaged).and_then(|mut connection| {
        let snapshot = connection.transaction()?;
        whole(&snapshot, expectations)
    });
    verified.map_err(|problem| LedgerError::new(path, problem))
}

/// Verifies what a connection shows inside one transaction.
pub(crate) fn whole(
    connection: &Connection,
    expectations: &Expectations,
) -> Result<Verified, LedgerProblem> {
    checked(connection, expectations).map_err(damaged)
}

fn checked(
    connection: &Connection,
    expectations: &Expectations,
) -> Result<Verified, LedgerProblem> {
    let storage = Storage::check(connection)?;
    let ledger_id = storage.ledger_id.clone();
    let chain = chain::read(connection, &ledger_id, expectations)?;
    let replay = chain.replay;
    let counts = replay.counts();
    tables::compare(connection, replay)?;
    decisions::check(connection)?;
    storage.check_rows(connection)?;
    Ok(Verified {
        ledger_id,
        events: chain.head.length,
        head: hex::encode(&chain.head.hash),
        executions: counts.executions,
        consequences: counts.consequences,
        attempts: counts.attempts,
        resolutions: counts.resolutions,
        checkpoints: chain.checkpoints,
        signed_events: chain.signed_events,
        keys: chain.keys,
    })
}

/// What SQLite finds out by itself while it reads, and what it reads that nothing here wrote.
fn damaged(problem: LedgerProblem) -> LedgerProblem {
    match problem {
        LedgerProblem::Store(Failure::Sqlite(
            error @ (Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..)),
        )) => {
            let readable = "rows that hold what a ledger writes";
            Discrepancy::new(Location::Storage, readable, error.to_string()).into()
        }
        LedgerProblem::Store(Failure::Sqlite(error))
            if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) =>
        {
            let whole = "a whole SQLite file";
            Discrepancy::new(Location::Storage, whole, error.to_string()).into()
        }
        problem => problem,
    }
}
