//! SQLite alone, with the rows of a ledger.

use std::time::Duration;

use rusqlite::types::Value;
use rusqlite::{Connection, TransactionBehavior, params_from_iter};

use crate::Failure;
use crate::ledger_world::Home;
use crate::measure::timed;

/// The rows of a ledger in which consequences were submitted, and then released, in the order in
/// which they were stored.
pub(crate) struct Rows {
    executions: Vec<Operation>,
    submits: Vec<Operation>,
    /// For each release its mark and its settlement.
    releases: Vec<Operation>,
}

/// What is stored as a whole.
type Operation = Vec<Write>;

struct Write {
    sql: &'static str,
    values: Vec<Value>,
}

const EVENT: &str =
    "INSERT OR FAIL INTO events (sequence, at, kind, execution, recipient, consequence, body,
    previous, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

const EXECUTION: &str = "INSERT INTO executions (id, state) VALUES (?1, ?2)";

const CONSEQUENCE: &str = "INSERT OR FAIL INTO consequences
    (id, origin, custodian, parent, material, state, fence, latest, told, custody_changed)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, ?7, 1, ?7)";

const UPDATE: &str =
    "UPDATE OR FAIL consequences SET state = ?2, fence = ?3, latest = ?4, told = told + 1
    WHERE id = ?1";

const ATTEMPT: &str = "INSERT INTO attempts
    (fence, id, instance, execution, consequence, decision, decision_digest, admitted_at, provider,
     actuator)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

const SETTLEMENT: &str =
    "UPDATE OR FAIL attempts SET settlement = ?2, detail = ?3 WHERE fence = ?1";

impl Rows {
    /// Reads them from a ledger that nobody has open.
    pub(crate) fn of(home: &Home) -> Result<Self, Failure> {
        let connection = home.sql()?;
        let writes = |sql, select: &str| writes(&connection, sql, select);
        let events = |kind: &str| {
            let all =
                "SELECT sequence, at, kind, execution, recipient, consequence, body, previous,
                       hash FROM events";
            writes(EVENT, &format!("{all} WHERE kind = '{kind}' ORDER BY sequence"))
        };
        let executions = writes(EXECUTION, "SELECT id, state FROM executions")?;
        let consequences = writes(
            CONSEQUENCE,
            "SELECT id, origin, origin, parent, material, 'CONTAINED', custody_changed
             FROM consequences ORDER BY rowid",
        )?;
        let marked = writes(
            UPDATE,
            "SELECT consequence, 'CONTAINED', fence, sequence
             FROM attempts JOIN events USING (consequence)
             WHERE kind = 'attempt_marked' ORDER BY fence",
        )?;
        let attempts = writes(
            ATTEMPT,
            "SELECT fence, id, instance, execution, consequence, decision, decision_digest,
                 admitted_at, provider, actuator FROM attempts ORDER BY fence",
        )?;
        let settled = "FROM events JOIN attempts USING (consequence)
                       WHERE kind = 'attempt_settled' ORDER BY sequence";
        let released = format!("SELECT consequence, settlement, NULL, sequence {settled}");
        let released = writes(UPDATE, &released)?;
        let settlements = format!("SELECT fence, settlement, detail {settled}");
        let settlements = writes(SETTLEMENT, &settlements)?;

        let marks = operations([marked, attempts, events("attempt_marked")?]);
        let settles = operations([released, settlements, events("attempt_settled")?]);
        let mut releases: Vec<Operation> = marks.into_iter().chain(settles).collect();
        releases.sort_by_key(sequence);
        Ok(Self {
            executions: operations([executions]),
            submits: operations([consequences, events("consequence_submitted")?]),
            releases,
        })
    }

    /// How long it takes on the average to store a submit, and a release, with so many operations to
    /// a commit. Of each kind it stores `most` at the most.
    pub(crate) fn store(&self, together: usize, most: usize) -> Result<[Duration; 2], Failure> {
        let home = Home::new()?;
        drop(home.create()?);
        let mut connection = home.sql()?;
        let mut store = |operations: &[Operation], together| {
            let took = timed(|| commit(&mut connection, operations, together))?;
            Ok::<_, Failure>(took / u32::try_from(operations.len().max(1))?)
        };
        store(&self.executions, self.executions.len())?;
        let (submits, others) = self.submits.split_at(self.submits.len().min(most));
        let submit = store(submits, together)?;
        store(others, others.len().max(1))?;
        let releases = self.releases.iter().take(most.saturating_mul(2)).len();
        let (releases, _) = self.releases.split_at(releases);
        Ok([submit, 2 * store(releases, together)?])
    }
}

fn commit(
    connection: &mut Connection,
    operations: &[Operation],
    together: usize,
) -> Result<(), Failure> {
    for operations in operations.chunks(together) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for Write { sql, values } in operations.iter().flatten() {
            transaction.prepare_cached(sql)?.execute(params_from_iter(values))?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// One for each row that is selected.
fn writes(connection: &Connection, sql: &'static str, select: &str) -> Result<Vec<Write>, Failure> {
    let mut select = connection.prepare(select)?;
    let columns = select.column_count();
    let rows = select.query_map([], |row| {
        let values = (0..columns).map(|column| row.get(column)).collect::<Result<_, _>>()?;
        Ok(Write { sql, values })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The first of each, the second of each, and so on.
fn operations<const N: usize>(writes: [Vec<Write>; N]) -> Vec<Operation> {
    let mut writes = writes.map(Vec::into_iter);
    let mut operations = Vec::new();
    loop {
        let operation: Operation = writes.iter_mut().filter_map(Iterator::next).collect();
        if operation.is_empty() {
            return operations;
        }
        operations.push(operation);
    }
}

/// Of the event, which is the last that is written.
fn sequence(operation: &Operation) -> Option<i64> {
    match operation.last()?.values.first()? {
        Value::Integer(sequence) => Some(*sequence),
        _ => None,
    }
}
