//! Looking at a ledger: what happened, and what became of it.

mod filter;
mod records;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use swampbox_custody::{ConsequenceId, DecisionId, ExecutionId, StoreFailure};

use crate::checkpoint::Checkpoint;
use crate::error::Failure;
use crate::event::{Event, Kind};
use crate::readers::Readers;
use crate::{LedgerCustody, attempts, rows};

pub use filter::{ConsequenceFilter, EventFilter, ExecutionFilter};
pub use records::{Attached, Attempt, Consequence, Counts, Execution, Outcome};

impl LedgerCustody {
    /// What this ledger tells about itself. It grants nothing, and checks nothing: custody is not
    /// asked for, and [`verify`](crate::verify) is a thing of its own.
    pub fn history(&self) -> History<'_> {
        History { readers: &self.readers }
    }
}

/// Reads a ledger. Each call sees one moment of it, and waits for nobody who writes.
///
/// What may be long is given in pages: see the filters.
///
/// # Errors
///
/// `store_unavailable`, with every call.
#[derive(Clone, Copy, Debug)]
pub struct History<'l> {
    readers: &'l Readers,
}

impl History<'_> {
    /// Events, in their order.
    pub fn events(&self, filter: &EventFilter) -> Result<Vec<Event>, StoreFailure> {
        self.read(|connection| {
            let (wheres, values) = filter.to_sql();
            let columns = Event::COLUMNS;
            let sql = format!("SELECT {columns} FROM events{wheres} ORDER BY sequence LIMIT ?");
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query_map(params_from_iter(values), Event::read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The last event, if there is one.
    pub fn last_event(&self) -> Result<Option<Event>, StoreFailure> {
        self.read(|connection| {
            let columns = Event::COLUMNS;
            let sql = format!("SELECT {columns} FROM events ORDER BY sequence DESC LIMIT 1");
            let mut query = connection.prepare_cached(&sql)?;
            Ok(query.query_row([], Event::read).optional()?)
        })
    }

    /// One execution, if it is there.
    pub fn execution(&self, id: &ExecutionId) -> Result<Option<Execution>, StoreFailure> {
        self.read(|connection| {
            let sql = format!("SELECT {} WHERE executions.id = ?1", Execution::COLUMNS);
            let mut query = connection.prepare_cached(&sql)?;
            query.query_row([id.as_str()], |row| Ok(Execution::read(row))).optional()?.transpose()
        })
    }

    /// Executions, in the order of their ids.
    pub fn executions(&self, filter: &ExecutionFilter) -> Result<Vec<Execution>, StoreFailure> {
        self.read(|connection| {
            let (wheres, values) = filter.to_sql();
            let columns = Execution::COLUMNS;
            let sql = format!("SELECT {columns}{wheres} ORDER BY id LIMIT ?");
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query_map(params_from_iter(values), |row| Ok(Execution::read(row)))?;
            rows.map(|row| row?).collect()
        })
    }

    /// Consequences, in the order of their ids.
    pub fn consequences(
        &self,
        filter: &ConsequenceFilter,
    ) -> Result<Vec<Consequence>, StoreFailure> {
        self.read(|connection| {
            let (wheres, values) = filter.to_sql();
            let wanted = |consequence: &Consequence| filter.wants(consequence);
            consequences(connection, &wheres, values, wanted, filter.limit)
        })
    }

    /// One consequence, if it is there.
    pub fn consequence(&self, id: &ConsequenceId) -> Result<Option<Consequence>, StoreFailure> {
        self.read(|connection| {
            let row = rows::consequence(connection, id)?;
            Ok(row.map(Consequence::from))
        })
    }

    /// The consequences that were derived from this one, in the order of their ids.
    pub fn children(&self, id: &ConsequenceId) -> Result<Vec<Consequence>, StoreFailure> {
        self.read(|connection| {
            let parent = vec![Value::from(id.as_str().to_owned())];
            consequences(connection, " WHERE parent = ?", parent, |_| true, usize::MAX)
        })
    }

    /// The attempts to release a consequence, in their order.
    pub fn attempts(&self, id: &ConsequenceId) -> Result<Vec<Attempt>, StoreFailure> {
        self.read(|connection| {
            let columns = Attempt::COLUMNS;
            let sql = format!("SELECT {columns} WHERE consequence = ?1 ORDER BY fence");
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query_map([id.as_str()], |row| Ok(Attempt::read(row)))?;
            rows.map(|row| row?).collect()
        })
    }

    /// The first of these decisions that an attempt has used up, so that another would be refused.
    pub fn first_consumed(
        &self,
        decisions: &[DecisionId],
    ) -> Result<Option<DecisionId>, StoreFailure> {
        self.read(|connection| Ok(attempts::first_consumed(connection, decisions)?.cloned()))
    }

    /// How much waits for somebody to look into it. Reads no material, however much that is.
    pub fn counts(&self) -> Result<Counts, StoreFailure> {
        self.read(|connection| {
            let count = |wheres: &str| -> Result<u64, Failure> {
                let sql = format!("SELECT count(*) FROM consequences WHERE {wheres}");
                let mut query = connection.prepare_cached(&sql)?;
                Ok(rows::from_integer(query.query_row([], |row| row.get(0))?))
            };
            Ok(Counts {
                quarantined: count("custodian IS NULL AND state = 'CONTAINED'")?,
                unresolved: count(
                    "state = 'UNCERTAIN' AND NOT EXISTS
                     (SELECT 1 FROM resolutions WHERE resolutions.consequence = consequences.id)",
                )?,
            })
        })
    }

    /// The last `limit` attempts of all, the newest first.
    pub fn outcomes(&self, limit: usize) -> Result<Vec<Outcome>, StoreFailure> {
        self.read(|connection| {
            let columns = Outcome::COLUMNS;
            let sql = format!("SELECT {columns} ORDER BY fence DESC LIMIT ?1");
            let mut query = connection.prepare_cached(&sql)?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows = query.query_map([limit], |row| Ok(Outcome::read(row)))?;
            rows.map(|row| row?).collect()
        })
    }

    /// The resolutions that were attached to a consequence, in their order.
    pub fn resolutions(&self, id: &ConsequenceId) -> Result<Vec<Attached>, StoreFailure> {
        self.read(|connection| {
            let columns = Attached::COLUMNS;
            let sql =
                format!("SELECT {columns} WHERE resolutions.consequence = ?1 ORDER BY sequence");
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query_map([id.as_str()], |row| Ok(Attached::read(row)))?;
            rows.map(|row| row?).collect()
        })
    }

    /// The checkpoints among the events, in their order.
    pub fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreFailure> {
        self.read(|connection| {
            let kind = Kind::Checkpoint.as_str();
            let sql = format!("SELECT body FROM events WHERE kind = '{kind}' ORDER BY sequence");
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query_map([], |row| row.get::<_, String>(0))?;
            rows.map(|body| Checkpoint::read(body?.as_bytes()).map_err(Failure::corrupt)).collect()
        })
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, StoreFailure> {
        Ok(self.readers.read(read)?)
    }
}

/// The first `limit` consequences that are wanted.
fn consequences(
    connection: &Connection,
    wheres: &str,
    values: Vec<Value>,
    wanted: impl Fn(&Consequence) -> bool,
    limit: usize,
) -> Result<Vec<Consequence>, Failure> {
    let columns = rows::COLUMNS;
    let sql = format!("SELECT {columns} FROM consequences{wheres} ORDER BY id");
    let mut query = connection.prepare_cached(&sql)?;
    let mut rows = query.query(params_from_iter(values))?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        let consequence = Consequence::from(rows::consequence_row(row)?);
        if wanted(&consequence) {
            found.push(consequence);
        }
    }
    Ok(found)
}

/// An id as a parameter.
fn parameter(id: &impl AsRef<str>) -> Value {
    Value::from(id.as_ref().to_owned())
}
