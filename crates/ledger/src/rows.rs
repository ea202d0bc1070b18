//! Rows of the tables, from and to the types that the rules know.

use std::str::FromStr;

use rusqlite::{Connection, OptionalExtension, Row, RowIndex};
use swampbox_custody::{
    ConsequenceId, ConsequenceRow, ExecutionId, ExecutionState, MarkRow, ReleaseState, Snapshot,
};
use swampbox_material::Material;

use crate::error::Failure;

/// The id of the ledger.
pub(crate) fn ledger_id(connection: &Connection) -> Result<String, Failure> {
    Ok(connection.query_row("SELECT id FROM ledger", [], |row| row.get(0))?)
}

pub(crate) fn execution(
    connection: &Connection,
    id: &ExecutionId,
) -> Result<Option<ExecutionState>, Failure> {
    let mut query = connection.prepare_cached("SELECT state FROM executions WHERE id = ?1")?;
    let state = query.query_row([id.as_str()], |row| row.get::<_, String>(0)).optional()?;
    state.map(|state| execution_state(&state)).transpose()
}

pub(crate) fn put_execution(
    connection: &Connection,
    id: &ExecutionId,
    state: ExecutionState,
) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "INSERT INTO executions (id, state) VALUES (?1, ?2)
             ON CONFLICT (id) DO UPDATE SET state = excluded.state",
        )?
        .execute([id.as_str(), state.as_str()])?;
    Ok(())
}

/// The columns that [`consequence_row`] reads, in its order, with this as the material.
macro_rules! columns {
    ($material:literal) => {
        concat!(
            "consequences.id, origin, custodian, parent, consequences.state, fence,
            (SELECT attempts.id FROM attempts WHERE attempts.fence = consequences.fence), ",
            $material
        )
    };
}

/// What [`consequence_row`] reads.
pub(crate) const COLUMNS: &str = columns!("material");

/// The longest of them.
pub(crate) const MATERIAL: usize = 7;

pub(crate) fn consequence(
    connection: &Connection,
    id: &ConsequenceId,
) -> Result<Option<ConsequenceRow>, Failure> {
    one(
        connection,
        id,
        concat!("SELECT ", columns!("material"), " FROM consequences WHERE id = ?1"),
    )
}

/// A consequence that is to be judged and not to be shown. It is not its material that is in the row,
/// and so it costs the same however large that is: no rule looks at it.
pub(crate) fn without_material(
    connection: &Connection,
    id: &ConsequenceId,
) -> Result<Option<ConsequenceRow>, Failure> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!("'{\"consequence_type\":\"\",\"target\":\"\",\"payload\":null}'"),
        " FROM consequences WHERE id = ?1"
    );
    one(connection, id, SQL)
}

fn one(
    connection: &Connection,
    id: &ConsequenceId,
    sql: &str,
) -> Result<Option<ConsequenceRow>, Failure> {
    let mut query = connection.prepare_cached(sql)?;
    let row = query.query_row([id.as_str()], |row| Ok(consequence_row(row))).optional()?;
    row.transpose()
}

/// A consequence and an execution as they are at one time, each if it is there.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) consequence: Option<ConsequenceRow>,
    /// How long its material is as text, in bytes.
    pub(crate) material: usize,
    pub(crate) execution: Option<ExecutionState>,
}

pub(crate) fn seen(
    connection: &Connection,
    consequence: &ConsequenceId,
    execution: Option<&ExecutionId>,
) -> Result<Seen, Failure> {
    const STATE: usize = MATERIAL + 1;
    // With `?1` in the second join SQLite would prepare the statement anew each time.
    const SQL: &str = concat!(
        "SELECT ",
        columns!("material"),
        ", executions.state FROM (SELECT ?1 AS consequence, ?2 AS execution) AS asked
        LEFT JOIN consequences ON consequences.id = asked.consequence
        LEFT JOIN executions ON executions.id = asked.execution"
    );
    let read = |row: &Row<'_>| {
        let found = optional_text(row, 0)?.is_some();
        let state = optional_text(row, STATE)?;
        Ok(Seen {
            consequence: found.then(|| consequence_row(row)).transpose()?,
            material: optional_text(row, MATERIAL)?.map_or(0, str::len),
            execution: state.map(execution_state).transpose()?,
        })
    };
    let mut query = connection.prepare_cached(SQL)?;
    let asked = (consequence.as_str(), execution.map(ExecutionId::as_str));
    query.query_row(asked, |row| Ok(read(row)))?
}

/// The first that is being released, in the order of the ids, of what an execution holds.
pub(crate) fn first_releasing(
    connection: &Connection,
    execution: &ExecutionId,
) -> Result<Option<ConsequenceId>, Failure> {
    let mut query = connection.prepare_cached(
        "SELECT id FROM consequences
         WHERE custodian = ?1 AND state = 'CONTAINED' AND fence IS NOT NULL ORDER BY id LIMIT 1",
    )?;
    let first = query.query_row([execution.as_str()], |row| Ok(id(row, 0))).optional()?;
    first.transpose()
}

/// What an execution holds in CONTAINED, in the order of the ids.
pub(crate) fn contained(
    connection: &Connection,
    execution: &ExecutionId,
) -> Result<Vec<ConsequenceId>, Failure> {
    let mut query = connection.prepare_cached(
        "SELECT id FROM consequences WHERE custodian = ?1 AND state = 'CONTAINED' ORDER BY id",
    )?;
    query.query_and_then([execution.as_str()], |row| id(row, 0))?.collect()
}

/// Stores a consequence that the event of this number is to be about.
pub(crate) fn insert_consequence(
    connection: &Connection,
    row: &ConsequenceRow,
    material: &str,
    sequence: u64,
) -> Result<(), Failure> {
    let snapshot = &row.snapshot;
    connection
        .prepare_cached(
            "INSERT OR FAIL INTO consequences (id, origin, custodian, parent, material, state, fence,
                 latest, told, custody_changed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, ?7, 1, ?7)",
        )?
        .execute((
            snapshot.consequence_id.as_str(),
            snapshot.origin_execution_id.as_str(),
            snapshot.current_execution_id.as_ref().map(ExecutionId::as_str),
            snapshot.parent_consequence_id.as_ref().map(ConsequenceId::as_str),
            material,
            snapshot.release_state.as_str(),
            to_integer(sequence)?,
        ))?;
    Ok(())
}

/// Stores what became of a consequence, and its mark. The event of this number is to be about that.
///
/// To fail rather than to abort saves SQLite a copy of each page that it changes, for a statement that
/// changes one row and so has nothing to take back.
pub(crate) fn put_release(
    connection: &Connection,
    row: &ConsequenceRow,
    sequence: u64,
) -> Result<(), Failure> {
    let changed = connection
        .prepare_cached(
            "UPDATE OR FAIL consequences SET state = ?2, fence = ?3, latest = ?4, told = told + 1
             WHERE id = ?1",
        )?
        .execute((
            row.snapshot.consequence_id.as_str(),
            row.snapshot.release_state.as_str(),
            row.mark.as_ref().map(|mark| to_integer(mark.fence)).transpose()?,
            to_integer(sequence)?,
        ))?;
    if changed == 1 { Ok(()) } else { Err(vanished()) }
}

/// Stores who has a consequence. The event of this number is to be about that.
pub(crate) fn put_custodian(
    connection: &Connection,
    consequence: &ConsequenceId,
    custodian: Option<&ExecutionId>,
    sequence: u64,
) -> Result<(), Failure> {
    let changed = connection
        .prepare_cached(
            "UPDATE OR FAIL consequences
             SET custodian = ?2, latest = ?3, told = told + 1, custody_changed = ?3 WHERE id = ?1",
        )?
        .execute((
            consequence.as_str(),
            custodian.map(ExecutionId::as_str),
            to_integer(sequence)?,
        ))?;
    if changed == 1 { Ok(()) } else { Err(vanished()) }
}

/// A number that is counted from zero, as SQLite keeps it.
pub(crate) fn to_integer(number: u64) -> Result<i64, Failure> {
    i64::try_from(number).map_err(|_| Failure::corrupt("a number is out of range"))
}

/// A number that was stored. Nobody stores a negative one; to a reader it is as good as none.
pub(crate) fn from_integer(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

pub(crate) fn consequence_row(row: &Row<'_>) -> Result<ConsequenceRow, Failure> {
    let mark = match (row.get::<_, Option<i64>>(5)?, optional_text(row, 6)?) {
        (None, _) => None,
        (Some(fence), Some(attempt)) => {
            let fence = u64::try_from(fence);
            let fence = fence.map_err(|_| Failure::corrupt("a fencing number is negative"))?;
            Some(MarkRow { attempt: parsed(attempt)?, fence })
        }
        (Some(fence), None) => {
            return Err(Failure::corrupt(format!("no attempt has the fencing number {fence}")));
        }
    };
    Ok(ConsequenceRow {
        snapshot: Snapshot {
            consequence_id: id(row, 0)?,
            origin_execution_id: id(row, 1)?,
            current_execution_id: optional_text(row, 2)?.map(parsed).transpose()?,
            parent_consequence_id: optional_text(row, 3)?.map(parsed).transpose()?,
            material: Material::from_json(text(row, MATERIAL)?.as_bytes())?,
            release_state: release_state(text(row, 4)?)?,
        },
        mark,
    })
}

/// An id in a column.
pub(crate) fn id<T: FromStr<Err: ToString>>(
    row: &Row<'_>,
    column: impl RowIndex,
) -> Result<T, Failure> {
    parsed(text(row, column)?)
}

/// An id that was stored, and so is well formed unless somebody else wrote it.
pub(crate) fn parsed<T: FromStr<Err: ToString>>(text: &str) -> Result<T, Failure> {
    text.parse().map_err(Failure::corrupt)
}

/// A text where SQLite has it, not copied.
fn text<'r>(row: &'r Row<'_>, column: impl RowIndex) -> Result<&'r str, Failure> {
    Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
}

fn optional_text<'r>(row: &'r Row<'_>, column: usize) -> Result<Option<&'r str>, Failure> {
    Ok(row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from)?)
}

fn vanished() -> Failure {
    Failure::corrupt("a consequence vanished")
}

pub(crate) fn execution_state(text: &str) -> Result<ExecutionState, Failure> {
    match text {
        "ACTIVE" => Ok(ExecutionState::Active),
        "ENDED" => Ok(ExecutionState::Ended),
        other => Err(Failure::corrupt(format!("no execution is `{other}`"))),
    }
}

pub(crate) fn release_state(text: &str) -> Result<ReleaseState, Failure> {
    match text {
        "CONTAINED" => Ok(ReleaseState::Contained),
        "RELEASED" => Ok(ReleaseState::Released),
        "UNCERTAIN" => Ok(ReleaseState::Uncertain),
        other => Err(Failure::corrupt(format!("no consequence is `{other}`"))),
    }
}
