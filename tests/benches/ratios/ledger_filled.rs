//! A ledger with many rows, made quickly.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior, params};
use swampbox_custody::{ConsequenceId, ExecutionId};

use crate::Failure;
use crate::ledger_world::Home;
use crate::measure::timed;
use crate::world::{Succeeds, boundary_of, note, register, release, submit};

/// How many of the consequences are CONTAINED, spread evenly over all.
pub(crate) const OPEN: u64 = 1_000;

/// A ledger with so many consequences: `OPEN` are CONTAINED, the others RELEASED.
///
/// One of them lived in the ledger itself, and the others are copies of its rows: a consequence, an
/// attempt if it was released, and one event. The events are no chain, and of each decision nothing
/// is kept: neither opening nor writing looks at what is there.
pub(crate) struct Filled {
    pub(crate) home: Home,
    pub(crate) count: u64,
    /// Who holds all of them.
    pub(crate) execution: ExecutionId,
}

impl Filled {
    pub(crate) fn with(count: u64) -> Result<Self, Failure> {
        let home = Home::new()?;
        let boundary = boundary_of(home.create()?, Succeeds);
        let execution = register(boundary.custody(), "holder")?;
        let original = "original".parse()?;
        submit(boundary.custody(), &execution, &original, note("held")?)?;
        release(&boundary, &execution, &original)?;
        drop(boundary);
        let connection = home.sql()?;
        copy(&connection, count)?;
        Ok(Self { home, count, execution })
    }

    /// The id of a consequence, from 0.
    pub(crate) fn id(number: u64) -> Result<ConsequenceId, Failure> {
        Ok(format!("{number:09}").parse()?)
    }

    /// The ids of those that are CONTAINED.
    pub(crate) fn open(&self) -> Result<Vec<ConsequenceId>, Failure> {
        (0..OPEN).map(|number| Self::id(number * (self.count / OPEN))).collect()
    }

    /// Makes each of those that are CONTAINED, or were, one whose release was cut off: with an attempt
    /// of an owner that is gone.
    pub(crate) fn cut_off(&self) -> Result<(), Failure> {
        let mut connection = self.home.sql()?;
        let transaction = connection.transaction()?;
        let last = "SELECT max(fence) FROM attempts";
        let last: i64 = transaction.query_row(last, [], |row| row.get(0))?;
        for (fence, id) in (last + 1..).zip(self.open()?) {
            transaction
                .prepare_cached(
                    "INSERT INTO attempts (fence, id, instance, execution, consequence, decision,
                         decision_digest, admitted_at, provider, actuator)
                     VALUES (?1, 'cut-off-' || ?1, 'gone', ?2, ?3, '', '', '', '', '')",
                )?
                .execute(params![fence, self.execution.as_str(), id.as_str()])?;
            let mark = "UPDATE consequences SET state = 'CONTAINED', fence = ?1 WHERE id = ?2";
            transaction.prepare_cached(mark)?.execute(params![fence, id.as_str()])?;
        }
        Ok(transaction.commit()?)
    }
}

impl Filled {
    /// How long it takes on the average to store what a transfer does, for each that is CONTAINED
    /// there and back again.
    pub(crate) fn store_transfers(&self) -> Result<Duration, Failure> {
        let mut connection = self.home.sql()?;
        connection.execute("INSERT OR IGNORE INTO executions VALUES ('other', 'ACTIVE')", [])?;
        let ids = self.open()?;
        let mut there_and_back = |custodian: &str| {
            timed(|| ids.chunks(64).try_for_each(|ids| transfer(&mut connection, ids, custodian)))
        };
        let took = there_and_back("other")? + there_and_back(self.execution.as_str())?;
        Ok(took / (2 * u32::try_from(ids.len())?))
    }
}

fn transfer(
    connection: &mut Connection,
    ids: &[ConsequenceId],
    custodian: &str,
) -> Result<(), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for id in ids {
        transaction
            .prepare_cached(
                "UPDATE OR FAIL consequences SET custodian = ?2, latest = sequence, told = told + 1,
                     custody_changed = sequence
                 FROM (SELECT max(sequence) + 1 AS sequence FROM events) WHERE id = ?1",
            )?
            .execute([id.as_str(), custodian])?;
        transaction
            .prepare_cached(
                "INSERT OR FAIL INTO events (kind, execution, recipient, consequence, body, previous, hash)
                 SELECT kind, execution, ?2, ?1, body, previous, hash FROM events
                 WHERE sequence = 2",
            )?
            .execute([id.as_str(), custodian])?;
    }
    Ok(transaction.commit()?)
}

/// Nothing is lost if this fails, and so nothing waits for the disk before the end.
fn copy(connection: &Connection, count: u64) -> Result<(), Failure> {
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.pragma_update(None, "cache_size", -(64 << 10))?;
    let (count, apart) = (i64::try_from(count)?, i64::try_from(count / OPEN)?);
    connection.execute_batch("BEGIN")?;
    connection.execute(
        "CREATE TEMP TABLE copies AS
         WITH RECURSIVE copies (number) AS (
             SELECT 0 UNION ALL SELECT number + 1 FROM copies WHERE number + 1 < ?1
         )
         SELECT number, printf('%09d', number) AS id, number % ?2 = 0 AS open FROM copies",
        [count, apart],
    )?;
    connection.execute_batch(
        "INSERT INTO consequences (id, origin, custodian, parent, state, fence, material)
         SELECT copies.id, origin, custodian, parent, iif(open, 'CONTAINED', state), fence, material
         FROM copies CROSS JOIN (SELECT * FROM consequences WHERE id = 'original');

         INSERT INTO attempts (fence, id, instance, execution, consequence, decision,
             decision_digest, admitted_at, provider, actuator, settlement, detail)
         SELECT fence + 1 + number, 'attempt-' || copies.id, instance, execution, copies.id, '',
             decision_digest, admitted_at, provider, actuator, settlement, detail
         FROM copies CROSS JOIN (SELECT * FROM attempts) WHERE NOT open;

         INSERT INTO events (sequence, at, kind, execution, recipient, consequence, body, previous,
             hash)
         SELECT last + 1 + number, at, kind, execution, recipient, copies.id,
             replace(body, 'original', copies.id), previous, hash
         FROM copies CROSS JOIN (SELECT * FROM events WHERE kind = 'consequence_submitted')
             CROSS JOIN (SELECT max(sequence) AS last FROM events);

         COMMIT;",
    )?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(())
}
