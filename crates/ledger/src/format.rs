//! The formats of a ledger's file: its tables, and how an older format becomes a newer one.

use rusqlite::Connection;

/// The format of a file that is no ledger yet.
pub(crate) const NONE: i32 = 0;

/// The format that this program writes.
pub(crate) const NEWEST: i32 = STEPS.len() as i32;

/// What makes each format out of the one before it.
///
/// Whoever has the ledger open while it is brought up goes on, in the older format. So a step only
/// adds what that one need not know of.
const STEPS: [&str; 3] = [FIRST, SECOND, THIRD];

const FIRST: &str = "
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

/// Those that somebody has to look into are found among however many are settled.
const SECOND: &str = "
CREATE INDEX uncertain ON consequences (id) WHERE state = 'UNCERTAIN';
";

/// The last change of a consequence's custody is found among however many events about it. Whoever asks
/// for it has to name the kinds in the same words.
const THIRD: &str = "
CREATE INDEX custody_changes ON events (consequence)
    WHERE kind IN ('consequence_submitted', 'consequence_transferred', 'consequence_quarantined',
        'consequence_adopted');
";

/// The format that a file says it has.
pub(crate) fn of(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Makes the newest format out of the one that it is, in the transaction that the connection is in.
pub(crate) fn bring_up(connection: &Connection, from: i32) -> rusqlite::Result<()> {
    run(connection, from, NEWEST)?;
    connection.pragma_update(None, "user_version", NEWEST)
}

/// Writes what the file says of its format once more, and changes nothing by that.
pub(crate) fn say_again(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", of(connection)?)
}

/// An empty ledger of this format, in memory, to compare the definitions of another with.
pub(crate) fn in_memory(format: i32) -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    run(&connection, NONE, format)?;
    Ok(connection)
}

fn run(connection: &Connection, from: i32, to: i32) -> rusqlite::Result<()> {
    let steps = (1..).zip(STEPS).filter(|(format, _)| *format > from && *format <= to);
    steps.map(|(_, step)| step).try_for_each(|step| connection.execute_batch(step))
}
