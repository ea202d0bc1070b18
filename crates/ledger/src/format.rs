//! The formats of a ledger's file: its tables, and how an older format becomes a newer one.

use rusqlite::Connection;

/// The format of a file that is no ledger yet.
pub(crate) const NONE: i32 = 0;

/// The format that this program writes.
pub(crate) const NEWEST: i32 = STEPS.len() as i32;

/// The first in which each event about a consequence leads to the one before it. Whoever knows only older
/// ones can't use it: such a ledger is brought up when nobody has it open.
pub(crate) const LINKED: i32 = 4;

/// Of so many events about one consequence, the last is a landmark. It is in the tables' definition too.
pub(crate) const LANDMARK: u64 = 64;

/// What makes each format out of the one before it.
///
/// But for the one that leads to `LINKED`, whoever has the ledger open while it is brought up goes on, in
/// the older format. So such a step only adds what that one need not know of.
const STEPS: [&str; 4] = [FIRST, SECOND, THIRD, FOURTH];

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

/// The last change of a consequence's custody is found among however many events about it.
const THIRD: &str = "
CREATE INDEX custody_changes ON events (consequence)
    WHERE kind IN ('consequence_submitted', 'consequence_transferred', 'consequence_quarantined',
        'consequence_adopted');
";

/// The events about a consequence are found from its row, which every change of it touches anyway, and not
/// by an index, in which each would touch a page of its own among however many.
///
/// The row has the `latest` of them, and `links` leads from each to the one `before`, or to 0. Among many,
/// `landmarks` are where one can begin. An event about a consequence that is not there, such as a refusal,
/// is a landmark, and has no link.
///
/// Triggers keep all of this, whoever adds an event. Whoever changes a row anyway gives it the number of the
/// event that is to come, and then it is not written again.
const FOURTH: &str = "
CREATE TABLE links (
    sequence INTEGER PRIMARY KEY,
    before INTEGER NOT NULL
) STRICT;

INSERT INTO links (sequence, before)
SELECT sequence, coalesce(lag(sequence) OVER (PARTITION BY consequence ORDER BY sequence), 0)
FROM events JOIN (
    SELECT consequence, sequence AS submitted FROM events WHERE kind = 'consequence_submitted'
) USING (consequence)
WHERE sequence >= submitted
ORDER BY sequence;

CREATE TABLE landmarks (
    consequence TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (consequence, sequence)
) STRICT, WITHOUT ROWID;

INSERT INTO landmarks (consequence, sequence)
SELECT consequence, sequence FROM (
    SELECT consequence, sequence, before,
        count(before) OVER (PARTITION BY consequence ORDER BY sequence) AS told
    FROM events LEFT JOIN links USING (sequence) WHERE consequence IS NOT NULL
)
WHERE before IS NULL OR told % 64 = 0;

CREATE TABLE rearranged (
    id TEXT PRIMARY KEY,
    origin TEXT NOT NULL REFERENCES executions (id),
    custodian TEXT REFERENCES executions (id) DEFERRABLE INITIALLY DEFERRED,
    parent TEXT REFERENCES consequences (id),
    state TEXT NOT NULL CHECK (state IN ('CONTAINED', 'RELEASED', 'UNCERTAIN')),
    fence INTEGER CHECK (fence IS NULL OR state = 'CONTAINED'),
    latest INTEGER NOT NULL DEFAULT 0,
    told INTEGER NOT NULL DEFAULT 0,
    custody_changed INTEGER NOT NULL DEFAULT 0,
    material TEXT NOT NULL
) STRICT;

INSERT INTO rearranged (id, origin, custodian, parent, state, fence, latest, told, custody_changed, material)
SELECT id, origin, custodian, parent, state, fence, coalesce(latest, 0), coalesce(told, 0),
    coalesce(custody_changed, 0), material
FROM consequences LEFT JOIN (
    SELECT consequence AS id, max(sequence) AS latest, count(*) AS told,
        max(iif(kind IN ('consequence_submitted', 'consequence_transferred',
            'consequence_quarantined', 'consequence_adopted'), sequence, 0)) AS custody_changed
    FROM events JOIN links USING (sequence) GROUP BY consequence
) USING (id)
ORDER BY consequences.rowid;

DROP TABLE consequences;
ALTER TABLE rearranged RENAME TO consequences;
CREATE INDEX held ON consequences (custodian, id) WHERE state = 'CONTAINED';
CREATE INDEX children ON consequences (parent, id) WHERE parent IS NOT NULL;
CREATE INDEX uncertain ON consequences (id) WHERE state = 'UNCERTAIN';

DROP INDEX events_about;
DROP INDEX custody_changes;

CREATE TRIGGER told AFTER INSERT ON events WHEN NEW.consequence IS NOT NULL
BEGIN
    UPDATE consequences
    SET latest = NEW.sequence, told = told + 1,
        custody_changed = iif(NEW.kind IN ('consequence_submitted', 'consequence_transferred',
            'consequence_quarantined', 'consequence_adopted'), NEW.sequence, custody_changed)
    WHERE id = NEW.consequence AND latest <> NEW.sequence;

    INSERT INTO landmarks (consequence, sequence)
    SELECT NEW.consequence, NEW.sequence
    WHERE NOT EXISTS (SELECT 1 FROM links WHERE sequence = NEW.sequence);
END;

CREATE TRIGGER begun AFTER INSERT ON consequences WHEN NEW.latest > 0
BEGIN
    INSERT INTO links (sequence, before) VALUES (NEW.latest, 0);
END;

CREATE TRIGGER linked AFTER UPDATE OF latest ON consequences
BEGIN
    INSERT INTO links (sequence, before) VALUES (NEW.latest, OLD.latest);
END;

CREATE TRIGGER marked AFTER UPDATE OF told ON consequences WHEN NEW.told % 64 = 0
BEGIN
    INSERT INTO landmarks (consequence, sequence) VALUES (NEW.id, NEW.latest);
END;
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
