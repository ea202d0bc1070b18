//! Rows of the tables, from and to the types that the rules know.

use std::str::FromStr;

use rusqlite::{Connection, OptionalExtension, Row};
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

/// The columns that [`consequence_row`] reads, in its order.
pub(crate) const COLUMNS: &str = "id, origin, custodian, parent, state, fence,
    (SELECT attempts.id FROM attempts WHERE attempts.fence = consequences.fence), material";

/// The longest of them.
pub(crate) const MATERIAL: usize = 7;

/// The same with material that is small, whatever is held. No rule looks at it.
const WITHOUT_MATERIAL: &str = "id, origin, custodian, parent, state, fence,
    (SELECT attempts.id FROM attempts WHERE attempts.fence = consequences.fence),
    '{\"consequence_type\":\"\",\"target\":\"\",\"payload\":null}'";

pub(crate) fn consequence(
    connection: &Connection,
    id: &ConsequenceId,
) -> Result<Option<ConsequenceRow>, Failure> {
    one(connection, id, COLUMNS)
}

/// A consequence that is to be judged and not to be shown. It is not its material that is in the row,
/// and so it costs the same however large that is.
pub(crate) fn without_material(
    connection: &Connection,
    id: &ConsequenceId,
) -> Result<Option<ConsequenceRow>, Failure> {
    one(connection, id, WITHOUT_MATERIAL)
}

fn one(
    connection: &Connection,
    id: &ConsequenceId,
    columns: &str,
) -> Result<Option<ConsequenceRow>, Failure> {
    let sql = format!("SELECT {columns} FROM consequences WHERE id = ?1");
    let mut query = connection.prepare_cached(&sql)?;
    let row = query.query_row([id.as_str()], |row| Ok(consequence_row(row))).optional()?;
    row.transpose()
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
    let first = query.query_row([execution.as_str()], |row| row.get(0)).optional()?;
    first.map(id::<ConsequenceId>).transpose()
}

/// What an execution holds in CONTAINED, in the order of the ids.
pub(crate) fn contained(
    connection: &Connection,
    execution: &ExecutionId,
) -> Result<Vec<ConsequenceId>, Failure> {
    let mut query = connection.prepare_cached(
        "SELECT id FROM consequences WHERE custodian = ?1 AND state = 'CONTAINED' ORDER BY id",
    )?;
    let ids = query.query_map([execution.as_str()], |row| row.get(0))?;
    ids.map(|text| id(text?)).collect()
}

pub(crate) fn insert_consequence(
    connection: &Connection,
    row: &ConsequenceRow,
    material: &str,
) -> Result<(), Failure> {
    let snapshot = &row.snapshot;
    connection
        .prepare_cached(
            "INSERT INTO consequences (id, origin, custodian, parent, material, state, fence)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL)",
        )?
        .execute((
            snapshot.consequence_id.as_str(),
            snapshot.origin_execution_id.as_str(),
            snapshot.current_execution_id.as_ref().map(ExecutionId::as_str),
            snapshot.parent_consequence_id.as_ref().map(ConsequenceId::as_str),
            material,
            snapshot.release_state.as_str(),
        ))?;
    Ok(())
}

/// Stores what became of a consequence, and its mark.
///
/// To fail rather than to abort saves SQLite a copy of each page that it changes, for a statement that
/// changes one row and so has nothing to take back.
pub(crate) fn put_release(connection: &Connection, row: &ConsequenceRow) -> Result<(), Failure> {
    let changed = connection
        .prepare_cached("UPDATE OR FAIL consequences SET state = ?2, fence = ?3 WHERE id = ?1")?
        .execute((
            row.snapshot.consequence_id.as_str(),
            row.snapshot.release_state.as_str(),
            row.mark.as_ref().map(|mark| to_integer(mark.fence)).transpose()?,
        ))?;
    if changed == 1 { Ok(()) } else { Err(vanished()) }
}

/// Stores who has a consequence.
pub(crate) fn put_custodian(
    connection: &Connection,
    consequence: &ConsequenceId,
    custodian: Option<&ExecutionId>,
) -> Result<(), Failure> {
    let changed = connection
        .prepare_cached("UPDATE OR FAIL consequences SET custodian = ?2 WHERE id = ?1")?
        .execute((consequence.as_str(), custodian.map(ExecutionId::as_str)))?;
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
    let mark = match (row.get::<_, Option<i64>>(5)?, row.get::<_, Option<String>>(6)?) {
        (None, _) => None,
        (Some(fence), Some(attempt)) => {
            let fence = u64::try_from(fence);
            let fence = fence.map_err(|_| Failure::corrupt("a fencing number is negative"))?;
            Some(MarkRow { attempt: id(attempt)?, fence })
        }
        (Some(fence), None) => {
            return Err(Failure::corrupt(format!("no attempt has the fencing number {fence}")));
        }
    };
    Ok(ConsequenceRow {
        snapshot: Snapshot {
            consequence_id: id(row.get(0)?)?,
            origin_execution_id: id(row.get(1)?)?,
            current_execution_id: row.get::<_, Option<String>>(2)?.map(id).transpose()?,
            parent_consequence_id: row.get::<_, Option<String>>(3)?.map(id).transpose()?,
            material: Material::from_json(row.get::<_, String>(7)?.as_bytes())?,
            release_state: release_state(&row.get::<_, String>(4)?)?,
        },
        mark,
    })
}

fn vanished() -> Failure {
    Failure::corrupt("a consequence vanished")
}

/// An id that was stored, and so is well formed unless somebody else wrote it.
pub(crate) fn id<T: FromStr<Err: ToString>>(text: String) -> Result<T, Failure> {
    text.parse().map_err(Failure::corrupt)
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
