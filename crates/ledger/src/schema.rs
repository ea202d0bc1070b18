//! The tables, and how a ledger's file is made and opened.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, MAIN_DB, OpenFlags, TransactionBehavior};
use uuid::{NoContext, Timestamp, Uuid};

use crate::error::{Failure, LedgerProblem};
use crate::opened::Opened;
use crate::place::beside;

/// Says in the file's header that it is a ledger: `SwBx`.
const APPLICATION: i32 = 0x5377_4278;

/// The format that this program writes.
const FORMAT: i32 = 1;

/// How long a connection waits for another process that is writing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How many pages, of 4 KiB, the log holds before they are brought into the ledger's own file. More of
/// them let a page that changes often be written there once; after a crash, all of them are read.
const PAGES_IN_LOG: u32 = 4_000;

const TABLES: &str = "
CREATE TABLE ledger (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    id TEXT NOT NULL
) STRICT;

CREATE TABLE executions (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('ACTIVE', 'ENDED'))
) STRICT, WITHOUT ROWID;

CREATE TABLE bindings (
    execution TEXT PRIMARY KEY REFERENCES executions (id),
    binding TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE consequences (
    id TEXT PRIMARY KEY,
    origin TEXT NOT NULL REFERENCES executions (id),
    custodian TEXT REFERENCES executions (id) DEFERRABLE INITIALLY DEFERRED,
    parent TEXT REFERENCES consequences (id),
    state TEXT NOT NULL CHECK (state IN ('CONTAINED', 'RELEASED', 'UNCERTAIN')),
    fence INTEGER CHECK (fence IS NULL OR state = 'CONTAINED'),
    material TEXT NOT NULL
) STRICT;

CREATE INDEX held ON consequences (custodian, id) WHERE state = 'CONTAINED';
CREATE INDEX children ON consequences (parent, id) WHERE parent IS NOT NULL;

CREATE TABLE attempts (
    fence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    instance TEXT NOT NULL,
    execution TEXT NOT NULL REFERENCES executions (id),
    consequence TEXT NOT NULL REFERENCES consequences (id),
    decision TEXT NOT NULL,
    decision_digest TEXT NOT NULL,
    admitted_at TEXT NOT NULL,
    provider TEXT NOT NULL,
    actuator TEXT NOT NULL,
    basis TEXT,
    settlement TEXT,
    detail TEXT
) STRICT;

CREATE INDEX open_attempts ON attempts (fence) WHERE settlement IS NULL;
CREATE INDEX attempts_on ON attempts (consequence);

CREATE TABLE consumed (
    decision TEXT PRIMARY KEY,
    fence INTEGER NOT NULL REFERENCES attempts (fence)
) STRICT, WITHOUT ROWID;

CREATE TABLE records (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL REFERENCES events (sequence) DEFERRABLE INITIALLY DEFERRED,
    status TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX records_by_status ON records (kind, status, version);

CREATE TABLE resolutions (
    sequence INTEGER PRIMARY KEY REFERENCES events (sequence),
    consequence TEXT NOT NULL REFERENCES consequences (id),
    verdict TEXT NOT NULL
        CHECK (verdict IN ('confirmed_executed', 'confirmed_not_executed', 'unresolved')),
    resolved_by TEXT NOT NULL CHECK (resolved_by <> ''),
    evidence TEXT NOT NULL
) STRICT;

CREATE INDEX resolutions_of ON resolutions (consequence);

CREATE TABLE events (
    sequence INTEGER PRIMARY KEY,
    at TEXT,
    kind TEXT NOT NULL,
    execution TEXT,
    recipient TEXT,
    consequence TEXT,
    body TEXT NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT;

CREATE INDEX events_by ON events (execution) WHERE execution IS NOT NULL;
CREATE INDEX events_to ON events (recipient) WHERE recipient IS NOT NULL;
CREATE INDEX events_about ON events (consequence) WHERE consequence IS NOT NULL;
CREATE INDEX checkpoints ON events (sequence) WHERE kind = 'checkpoint_signed';
";

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
    write_ahead(&connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(TABLES)?;
    transaction.execute("INSERT INTO ledger (only, id) VALUES (1, ?1)", [id])?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(connection)
}

/// An empty ledger in memory, to compare the definitions of another with.
pub(crate) fn in_memory() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(TABLES)?;
    Ok(connection)
}

/// Opens a connection that only reads.
pub(crate) fn open_to_read(path: &Path) -> Result<Opened, LedgerProblem> {
    let connection = open(path)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Opens a connection to a ledger that is there.
pub(crate) fn open(path: &Path) -> Result<Opened, LedgerProblem> {
    if !path.try_exists()? {
        return Err(LedgerProblem::NotFound);
    }
    let connection = connect(path)?;
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    if number("application_id")? != APPLICATION {
        return Err(LedgerProblem::NotALedger);
    }
    match number("user_version")? {
        FORMAT => {}
        found if found > FORMAT => return Err(LedgerProblem::Newer { found, known: FORMAT }),
        _ => return Err(LedgerProblem::NotALedger),
    }
    write_ahead(&connection)?;
    Ok(Opened::new(connection, path)?)
}

fn connect(path: &Path) -> Result<Connection, LedgerProblem> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    if connection.is_readonly(MAIN_DB)? {
        // SQLite would make the files beside it read-only too, and they would stay so.
        return Err(std::io::Error::from(std::io::ErrorKind::PermissionDenied).into());
    }
    connection.pragma_update(None, "wal_autocheckpoint", PAGES_IN_LOG)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Stays with the file, so it is not done to one that is no ledger.
fn write_ahead(connection: &Connection) -> Result<(), LedgerProblem> {
    Ok(connection.pragma_update(None, "journal_mode", "WAL")?)
}
