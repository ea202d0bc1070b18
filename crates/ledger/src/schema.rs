//! How a ledger's file is made and opened.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, TransactionBehavior};
use uuid::{NoContext, Timestamp, Uuid};

use crate::error::{Failure, LedgerProblem};
use crate::format;
use crate::instance;
use crate::opened::Opened;
use crate::place::beside;
use crate::verify::same_definitions;

/// Says in the file's header that it is a ledger: `SwBx`.
const APPLICATION: i32 = 0x5377_4278;

/// How long a connection waits for another process that is writing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long a page of a new ledger is, in bytes. A page is written as a whole, however little of it
/// changes, and among many rows each change has one to itself. Where pages are shorter still, more of them
/// lie on the way to a row.
const PAGE: u32 = 2 << 10;

/// How many bytes of pages the log holds before they are brought into the ledger's own file. More of
/// them let a page that changes often be written there once; after a crash, all of them are read.
const LOG: u32 = 32 << 20;

/// Makes a new ledger. Its file must not exist.
pub(crate) fn create(path: &Path) -> Result<Opened, LedgerProblem> {
    make(path, |draft| fill(draft, &new_id()).map(drop))?;
    open(path)
}

/// Makes a file at `path`, where none may be, readable by its owner alone. It is made under another
/// name first, so that nobody ever finds half of it; if anything fails, nothing is left.
///
/// What an earlier ledger of this name left beside its file would be taken for a part of the new one.
pub(crate) fn make<T>(
    path: &Path,
    make: impl FnOnce(&Path) -> Result<T, LedgerProblem>,
) -> Result<T, LedgerProblem> {
    if path.try_exists()? {
        return Err(LedgerProblem::Exists);
    }
    for suffix in SIDE_FILES {
        let leftover = beside(path, suffix);
        if leftover.try_exists()? {
            return Err(LedgerProblem::Leftover(leftover));
        }
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = parent.unwrap_or(Path::new("."));
    let draft = tempfile::Builder::new().prefix(".ledger-").tempfile_in(directory)?;
    let draft = draft.into_temp_path();
    let made = make(&draft).and_then(|made| gather(&draft).map(|()| made));
    if made.is_err() {
        for suffix in SIDE_FILES {
            drop(std::fs::remove_file(beside(&draft, suffix)));
        }
    }
    let made = made?;
    draft.persist_noclobber(path).map_err(|failed| match failed.error.kind() {
        std::io::ErrorKind::AlreadyExists => LedgerProblem::Exists,
        _ => failed.error.into(),
    })?;
    // Its name is on disk only when its directory is.
    std::fs::File::open(directory)?.sync_all()?;
    Ok(made)
}

/// What SQLite keeps beside a file.
const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Brings all of a ledger that nobody else has open into its one file, on disk.
fn gather(path: &Path) -> Result<(), LedgerProblem> {
    let connection = connect(path)?;
    let mode = connection
        .pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0))?;
    drop(connection);
    if mode != "delete" || beside(path, "-wal").try_exists()? {
        return Err(Failure::corrupt("its log could not be brought into its file").into());
    }
    Ok(std::fs::File::open(path)?.sync_all()?)
}

/// An id that nobody has had. The order of ids is that of the times at which they were made, if the
/// clock is right; whatever it says, no two are the same.
pub fn new_id() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let time = Timestamp::from_unix(NoContext, since.as_secs(), since.subsec_nanos());
    Uuid::new_v7(time).to_string()
}

/// Makes a ledger of this id out of the empty file at `path`.
pub(crate) fn fill(path: &Path, id: &str) -> Result<Connection, LedgerProblem> {
    let mut connection = connect(path)?;
    connection.pragma_update(None, "page_size", PAGE)?;
    write_ahead(&connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    format::bring_up(&transaction, format::NONE)?;
    transaction.execute("INSERT INTO ledger (only, id) VALUES (1, ?1)", [id])?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.commit()?;
    Ok(connection)
}

/// Opens a connection that only reads.
pub(crate) fn open_to_read(path: &Path) -> Result<Opened, LedgerProblem> {
    reading(open(path)?)
}

/// Opens one more connection that only reads, for somebody who has the ledger open. It may have been
/// brought up to a newer format since, in which whoever has it open goes on.
pub(crate) fn open_once_more(path: &Path) -> Result<Opened, LedgerProblem> {
    let connection = connect(path)?;
    write_ahead(&connection)?;
    reading(Opened::new(connection, path)?)
}

fn reading(connection: Opened) -> Result<Opened, LedgerProblem> {
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Opens a connection that writes. A ledger of an older format becomes one of the newest first, unless
/// somebody has it open who could not go on then. For so long it waits for another process that is
/// writing.
pub(crate) fn open_to_write(path: &Path, patience: Duration) -> Result<Opened, LedgerProblem> {
    let mut connection = open(path)?;
    let found = format::of(&connection)?;
    if found < format::NEWEST {
        connection.busy_timeout(patience)?;
        // A table is made anew to which others refer.
        connection.pragma_update(None, "foreign_keys", false)?;
        let ledger = connection.place().path().to_owned();
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => LedgerProblem::Store(Failure::corrupt(format_args!(
                "another process was writing to it, or bringing it to a newer format, for all of {patience:?}"
            ))),
            _ => error.into(),
        })?;
        // Somebody else may have come first.
        let found = format::of(&transaction)?;
        if found < format::NEWEST {
            bring_up(&transaction, found, &ledger)?;
        }
        transaction.commit()?;
        connection.pragma_update(None, "foreign_keys", true)?;
    }
    Ok(connection)
}

/// Makes the newest format out of the one that was found, if that is what it says it is.
fn bring_up(connection: &Connection, found: i32, ledger: &Path) -> Result<(), LedgerProblem> {
    // What is made anew would hide what somebody has changed in the old.
    same_definitions(connection).map_err(|problem| match problem {
        LedgerProblem::Tampered(_) => LedgerProblem::OtherFormat { found },
        problem => problem,
    })?;
    let left_alone = || match found < format::LINKED && instance::any_is_alive(ledger)? {
        true => Err(LedgerProblem::InUse { found }),
        false => Ok(()),
    };
    left_alone()?;
    format::bring_up(connection, found).map_err(|error| match error.sqlite_error_code() {
        // Rows that no history gives.
        Some(ErrorCode::ConstraintViolation) => LedgerProblem::OtherFormat { found },
        _ => error.into(),
    })?;
    // Somebody may have opened it meanwhile.
    left_alone()
}

/// Opens a connection to a ledger that is there, whatever format that this program knows it has.
pub(crate) fn open(path: &Path) -> Result<Opened, LedgerProblem> {
    if !path.try_exists()? {
        return Err(LedgerProblem::NotFound);
    }
    let connection = connect(path)?;
    let application: i32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    match format::of(&connection)? {
        _ if application != APPLICATION => return Err(LedgerProblem::NotALedger),
        found if found > format::NEWEST => {
            return Err(LedgerProblem::Newer { found, known: format::NEWEST });
        }
        found if found <= format::NONE => return Err(LedgerProblem::NotALedger),
        _ => {}
    }
    write_ahead(&connection)?;
    Ok(Opened::new(connection, path)?)
}

fn connect(path: &Path) -> Result<Connection, LedgerProblem> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // So that none begins like `:memory:` or `file:x`, which SQLite takes for something else.
    let path = Path::new(".").join(path);
    let connection = Connection::open_with_flags(path, flags)?;
    if connection.is_readonly(MAIN_DB)? {
        // SQLite would make the files beside it read-only too, and they would stay so.
        return Err(std::io::Error::from(std::io::ErrorKind::PermissionDenied).into());
    }
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Stays with the file, so it is not done to one that is no ledger.
fn write_ahead(connection: &Connection) -> Result<(), LedgerProblem> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(connection.pragma_update(None, "wal_autocheckpoint", LOG / page)?)
}
