//! A copy of a ledger that is in use.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::Backup;

use crate::error::{LedgerError, LedgerProblem};
use crate::schema;
use crate::verify::{self, Expectations, Verified};

/// Copies the ledger at `path`, as it is at one moment, to a new file at `copy`, while others go on
/// using it. The copy is verified before it is there; if anything is wrong with it, none is.
///
/// It has the same id. Use one of the two only: what is released from one is not known to the other.
/// Attempts that had not ended become UNCERTAIN in the copy when it is opened.
///
/// # Errors
///
/// `ledger_exists` if there is a file at `copy`; `ledger_tampered`, `ledger_not_found`,
/// `ledger_invalid`, `ledger_newer`, `store_unavailable`.
pub fn backup(path: impl AsRef<Path>, copy: impl AsRef<Path>) -> Result<Verified, LedgerError> {
    let (path, copy) = (path.as_ref(), copy.as_ref());
    let source = schema::open_to_read(path).map_err(|problem| LedgerError::new(path, problem))?;
    let made = schema::make(copy, |draft| {
        copy_into(&source, draft)?;
        let mut made = schema::open_to_read(draft)?;
        verify::whole(&*made.transaction()?, &Expectations::default())
    });
    made.map_err(|problem| match problem {
        // What is wrong with the copy was wrong before.
        LedgerProblem::Tampered(_) => LedgerError::new(path, problem),
        problem => LedgerError::new(copy, problem),
    })
}

fn copy_into(source: &Connection, draft: &Path) -> Result<(), LedgerProblem> {
    let mut target = Connection::open(draft)?;
    // In one step: so it is one moment, and never begins again because somebody wrote.
    Ok(Backup::new(source, &mut target)?.run_to_completion(i32::MAX, Duration::ZERO, None)?)
}
