//! Looking at a ledger: what happened, and what became of it.

mod about;
mod filter;
mod page;
mod records;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use swampbox_custody::{ConsequenceId, DecisionId, ExecutionId, StoreFailure};

use crate::checkpoint::Checkpoint;
use crate::error::Failure;
use crate::event::{Event, Kind};
use crate::readers::Readers;
use crate::{LedgerCustody, attempts, rows};

use page::Bounds;

pub use filter::{ConsequenceFilter, EventFilter, ExecutionFilter};
pub use page::Page;
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
        Ok(self.page_of_events(filter)?.items)
    }

    /// The same, and whether there are more.
    pub fn page_of_events(&self, filter: &EventFilter) -> Result<Page<Event>, StoreFailure> {
        if let Some(consequence) = &filter.consequence {
            return self.read(|connection| about::page(connection, consequence, filter));
        }
        self.read(|connection| {
            let (wheres, values) = filter.to_sql();
            let columns = Event::COLUMNS;
            let sql = format!("SELECT {columns} FROM events{wheres} ORDER BY sequence LIMIT ?");
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query(params_from_iter(values))?;
            filter.bounds().read(rows, Event::BODY, |row| Ok(Some(Event::read(row)?)))
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
        Ok(self.page_of_consequences(filter)?.items)
    }

    /// The same, and whether there may be more.
    pub fn page_of_consequences(
        &self,
        filter: &ConsequenceFilter,
    ) -> Result<Page<Consequence>, StoreFailure> {
        self.read(|connection| {
            let (wheres, values) = filter.to_sql();
            let columns = rows::COLUMNS;
            let sql = format!("SELECT {columns} FROM consequences{wheres} ORDER BY id");
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query(params_from_iter(values))?;
            filter.bounds().read(rows, rows::MATERIAL, |row| {
                let consequence = Consequence::from(rows::consequence_row(row)?);
                Ok(filter.wants(&consequence).then_some(consequence))
            })
        })
    }

    /// One consequence, if it is there.
    pub fn consequence(&self, id: &ConsequenceId) -> Result<Option<Consequence>, StoreFailure> {
        self.read(|connection| {
            let row = rows::consequence(connection, id)?;
            Ok(row.map(Consequence::from))
        })
    }

    /// The sequence number of the last event that changed the custody of this consequence: it was
    /// submitted, transferred, quarantined or adopted. None if the consequence is not there.
    pub fn last_change_of_custody(&self, id: &ConsequenceId) -> Result<Option<u64>, StoreFailure> {
        self.read(|connection| {
            let sql = "SELECT custody_changed FROM consequences WHERE id = ?1";
            let mut query = connection.prepare_cached(sql)?;
            let found = query.query_row([id.as_str()], |row| row.get(0)).optional()?;
            Ok(found.map(rows::from_integer))
        })
    }

    /// The consequences that were derived from this one, in the order of their ids.
    pub fn children(&self, id: &ConsequenceId) -> Result<Vec<Consequence>, StoreFailure> {
        let parent = Some(id.clone());
        self.consequences(&ConsequenceFilter { parent, ..ConsequenceFilter::default() })
    }

    /// The attempts to release a consequence, in their order.
    pub fn attempts(&self, id: &ConsequenceId) -> Result<Vec<Attempt>, StoreFailure> {
        Ok(self.page_of_attempts(id, usize::MAX)?.items)
    }

    /// The first of them, until the decisions that they were made under have so many bytes.
    pub fn page_of_attempts(
        &self,
        id: &ConsequenceId,
        bytes: usize,
    ) -> Result<Page<Attempt>, StoreFailure> {
        self.read(|connection| {
            let columns = Attempt::COLUMNS;
            let sql = format!("SELECT {columns} WHERE consequence = ?1 ORDER BY fence");
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query([id.as_str()])?;
            let read = |row: &Row<'_>| Attempt::read(row).map(Some);
            Bounds::of_bytes(bytes).read(rows, Attempt::DECISION, read)
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
        Ok(self.page_of_resolutions(id, usize::MAX)?.items)
    }

    /// The first of them, until what they rest on has so many bytes.
    pub fn page_of_resolutions(
        &self,
        id: &ConsequenceId,
        bytes: usize,
    ) -> Result<Page<Attached>, StoreFailure> {
        self.read(|connection| {
            let columns = Attached::COLUMNS;
            let sql =
                format!("SELECT {columns} WHERE resolutions.consequence = ?1 ORDER BY sequence");
            let mut query = connection.prepare_cached(&sql)?;
            let rows = query.query([id.as_str()])?;
            let read = |row: &Row<'_>| Attached::read(row).map(Some);
            Bounds::of_bytes(bytes).read(rows, Attached::EVIDENCE, read)
        })
    }

    /// The checkpoints among the events, the newest first: at most `limit`, after the first `skip`.
    pub fn newest_checkpoints(
        &self,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<Checkpoint>, StoreFailure> {
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        self.read(|connection| {
            let kind = Kind::Checkpoint.as_str();
            let sql = format!(
                "SELECT body FROM events WHERE kind = '{kind}' \
                 ORDER BY sequence DESC LIMIT ? OFFSET ?"
            );
            let mut query = connection.prepare_cached(&sql)?;
            let bounds = [number(limit), number(skip)];
            let rows = query.query_map(bounds, |row| row.get::<_, String>(0))?;
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

/// An id as a parameter.
fn parameter(id: &impl AsRef<str>) -> Value {
    Value::from(id.as_ref().to_owned())
}
