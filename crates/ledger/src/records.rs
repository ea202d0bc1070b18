//! What others keep in a ledger beside custody: requests for approval, and what was revoked.

use rusqlite::{Connection, OptionalExtension, Row};
use swampbox_custody::{ConsequenceId, ExecutionId, StoreFailure};
use swampbox_material::json::Json;

use crate::LedgerCustody;
use crate::error::Failure;
use crate::event::Kind;
use crate::rows::{from_integer, to_integer};
use crate::writer::Batch;

/// A document that is kept in a ledger, under a kind and an id. Each change of one is an event, so that
/// its history is there, and is verified like everything else.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// Its id among those of its kind.
    pub id: String,
    /// The sequence number of the event that it was put by. It tells this state of the record from
    /// every other.
    pub version: u64,
    /// A word by which records of its kind can be listed.
    pub status: String,
    /// What it says.
    pub document: Json,
}

/// A record that is to be put into a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRecord {
    /// What kind of record it is, such as `approval`. Without line feeds.
    pub kind: String,
    /// Its id among those of its kind. Without line feeds.
    pub id: String,
    /// A word by which records of its kind can be listed.
    pub status: String,
    /// What it says.
    pub document: Json,
    /// The execution that it is about, by which its events are found.
    pub execution: Option<ExecutionId>,
    /// The consequence that it is about, by which its events are found.
    pub consequence: Option<ConsequenceId>,
}

impl LedgerCustody {
    /// The record of this kind and id, if there is one.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    pub fn record(&self, kind: &str, id: &str) -> Result<Option<Record>, StoreFailure> {
        Ok(self.readers.read(|connection| one(connection, kind, id))?)
    }

    /// The first `limit` records of a kind and status whose version is greater than `after`, in the
    /// order in which they were put.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    pub fn records(
        &self,
        kind: &str,
        status: &str,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Record>, StoreFailure> {
        Ok(self.readers.read(|connection| {
            let mut query = connection.prepare_cached(
                "SELECT id, version, status, document FROM records
                 WHERE kind = ?1 AND status = ?2 AND version > ?3 ORDER BY version LIMIT ?4",
            )?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            // Nothing has a greater version than SQLite can keep.
            let after = i64::try_from(after).unwrap_or(i64::MAX);
            let rows = query.query_map((kind, status, after, limit), |row| Ok(read(row)))?;
            rows.map(|row| row?).collect()
        })?)
    }

    /// Puts a record, if the one that is there has the version `expected`, and none means that none
    /// is there. Gives the new version, or none if another one is there.
    ///
    /// # Errors
    ///
    /// `store_unavailable`; also for a record that is too large for one event.
    pub fn put_record(
        &self,
        record: NewRecord,
        expected: Option<u64>,
    ) -> Result<Option<u64>, StoreFailure> {
        let put = self.writer.run(move |batch| {
            Ok(batch.put_record(&record, expected).map_err(StoreFailure::from)?)
        });
        put.map_err(|error| match error {
            swampbox_custody::CustodyError::Store(failure) => failure,
            swampbox_custody::CustodyError::Refused(refusal) => StoreFailure::new(refusal),
        })
    }
}

impl Batch<'_> {
    fn put_record(
        &mut self,
        record: &NewRecord,
        expected: Option<u64>,
    ) -> Result<Option<u64>, Failure> {
        if [&record.kind, &record.id].into_iter().any(|text| text.contains('\n')) {
            return Err(Failure::corrupt("neither kind nor id of a record may hold a line feed"));
        }
        let present = one(self.connection(), &record.kind, &record.id)?;
        if present.map(|present| present.version) != expected {
            return Ok(None);
        }
        let optional = |id: Option<&str>| id.map_or(Json::Null, Json::from);
        let body = Json::object([
            ("record_kind", Json::from(record.kind.as_str())),
            ("record_id", Json::from(record.id.as_str())),
            ("status", Json::from(record.status.as_str())),
            ("document", record.document.clone()),
            ("execution_id", optional(record.execution.as_ref().map(ExecutionId::as_str))),
            ("consequence_id", optional(record.consequence.as_ref().map(ConsequenceId::as_str))),
        ]);
        self.event(Kind::Recorded, &body)?;
        let version = self.head().length;
        put(self.connection(), record, version)?;
        Ok(Some(version))
    }
}

/// Stores a record in the place of another.
pub(crate) fn put(
    connection: &Connection,
    record: &NewRecord,
    version: u64,
) -> Result<(), Failure> {
    let NewRecord { kind, id, status, document, .. } = record;
    connection
        .prepare_cached(
            "INSERT INTO records (kind, id, version, status, document) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version,
                 status = excluded.status, document = excluded.document",
        )?
        .execute((kind, id, to_integer(version)?, status, document.to_string()))?;
    Ok(())
}

fn one(connection: &Connection, kind: &str, id: &str) -> Result<Option<Record>, Failure> {
    let mut query = connection.prepare_cached(
        "SELECT id, version, status, document FROM records WHERE kind = ?1 AND id = ?2",
    )?;
    query.query_row([kind, id], |row| Ok(read(row))).optional()?.transpose()
}

fn read(row: &Row<'_>) -> Result<Record, Failure> {
    Ok(Record {
        id: row.get(0)?,
        version: from_integer(row.get(1)?),
        status: row.get(2)?,
        document: Json::read(row.get::<_, String>(3)?.as_bytes())?,
    })
}
