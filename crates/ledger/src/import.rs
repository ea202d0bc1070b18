//! A ledger made of an export.

use std::io::{BufRead, Read};
use std::path::Path;

use rusqlite::{Connection, ErrorCode};
use swampbox_custody::{ConsequenceId, ConsequenceRow, ExecutionId, ExecutionState};
use swampbox_material::MaterialError;
use swampbox_material::json::{Fields, Json, MAX_DOCUMENT_BYTES};
use uuid::Uuid;

use crate::change::{Change, number};
use crate::error::{Failure, LedgerError, LedgerProblem};
use crate::event::{self, Event, Head, Kind, Subjects};
use crate::export::{Exported, FORMAT, VERSION};
use crate::verify::{self, Expectations, Verified};
use crate::{attempts, binding, hex, records, resolution, rows, schema};

/// Makes a ledger at `path` of an [`export`](crate::export): with the same id and the same events, and
/// the tables that they give. It is verified before it is there; if anything is wrong, none is.
///
/// Attempts that had not ended when it was exported become UNCERTAIN when it is opened.
///
/// # Errors
///
/// `export_invalid` with the line, `ledger_tampered` if the history does not verify or is not what is
/// expected, `ledger_newer`, `ledger_exists`, `input_unreadable`, `store_unavailable`.
pub fn import(
    path: impl AsRef<Path>,
    source: impl BufRead,
    expectations: &Expectations,
) -> Result<Verified, LedgerError> {
    let path = path.as_ref();
    let mut lines = Lines { source, line: 0 };
    let imported = schema::make(path, |draft| {
        let header = lines.header()?;
        let mut connection = schema::fill(draft, &header.ledger_id)?;
        let transaction = connection.transaction()?;
        lines.replay(&transaction, &header)?;
        let verified = verify::whole(&transaction, expectations)?;
        transaction.commit()?;
        Ok(verified)
    });
    imported.map_err(|problem| LedgerError::new(path, problem))
}

struct Lines<R> {
    source: R,
    /// The number of the line that was read last, from 1.
    line: u64,
}

impl<R: BufRead> Lines<R> {
    fn header(&mut self) -> Result<Exported, LedgerProblem> {
        let Some(line) = self.next()? else {
            self.line = 1;
            return Err(self.refused("there is none"));
        };
        let (header, version) = self.read(&line, |fields| {
            let format = fields.string("format")?.to_string();
            let version = fields.required("version")?;
            let header = Exported {
                ledger_id: fields.string("ledger_id")?.to_string(),
                events: number(fields.required("events")?).unwrap_or(u64::MAX),
                head: fields.string("head")?.to_string(),
            };
            Ok((header, (format == FORMAT).then(|| number(version)).flatten()))
        })?;
        match version {
            None => Err(self.refused("it is not the first line of an export")),
            Some(VERSION) if Uuid::parse_str(&header.ledger_id).is_ok() => Ok(header),
            Some(VERSION) => Err(self.refused("its ledger id is no UUID")),
            Some(older) if older < VERSION => Err(self.refused("there is no such version")),
            Some(found) => Err(LedgerProblem::NewerExport { found, known: VERSION }),
        }
    }

    /// Stores every event and applies it to the tables.
    fn replay(&mut self, connection: &Connection, header: &Exported) -> Result<(), LedgerProblem> {
        let mut head = Head::genesis(&header.ledger_id);
        while let Some(line) = self.next()? {
            let event = self.event(&line)?;
            let next = head.after(event.at.as_deref(), &event.kind, &event.body);
            if event.sequence != next.length || event.previous != head.hash {
                return Err(self.refused("it does not follow the event before it"));
            }
            if event.hash != next.hash {
                return Err(self.refused("its hash is not right"));
            }
            self.store(connection, &event)?;
            head = next;
        }
        if head.length != header.events || hex::encode(&head.hash) != header.head {
            let (found, expected) = (head.length, header.events);
            let why = format!("it ends after {found} events, and {expected} were announced");
            return Err(self.refused(why));
        }
        Ok(())
    }

    fn store(&self, connection: &Connection, event: &Event) -> Result<(), LedgerProblem> {
        let kind = Kind::from_name(&event.kind);
        let kind = kind.ok_or_else(|| self.refused("its kind is not known"))?;
        let body = Json::read(event.body.as_bytes()).map_err(|error| self.refused(error))?;
        let change = Change::read(kind, &body).map_err(|why| self.refused(why))?;
        let tell = || event::insert(connection, event, Subjects::of(kind, &body));
        let stored = match change {
            // It is there before its event, which it leads to.
            Change::Submitted(_) => apply(connection, event.sequence, change).and_then(|()| tell()),
            change => tell().and_then(|()| apply(connection, event.sequence, change)),
        };
        stored.map_err(|failure| match failure {
            Failure::Sqlite(error)
                if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) =>
            {
                self.refused("it can't have happened after those before it")
            }
            failure => failure.into(),
        })
    }

    fn event(&self, line: &[u8]) -> Result<Event, LedgerProblem> {
        let (sequence, at, kind, body, previous, hash) = self.read(line, |fields| {
            let sequence = number(fields.required("sequence")?);
            let at = match fields.required("at")? {
                Json::Null => Some(None),
                Json::String(text) => Some(Some(text.to_string())),
                _ => None,
            };
            let kind = fields.string("kind")?.to_string();
            let body = fields.string("body")?.to_string();
            let previous = hex::decode(fields.string("previous")?);
            Ok((sequence, at, kind, body, previous, hex::decode(fields.string("hash")?)))
        })?;
        match (sequence, at, previous, hash) {
            (Some(sequence), Some(at), Some(previous), Some(hash)) => {
                Ok(Event { sequence, at, kind, body, previous, hash })
            }
            _ => Err(self.refused("its number, its time or a hash is not well formed")),
        }
    }

    /// Takes the fields of one line, which has no others.
    fn read<T>(
        &self,
        line: &[u8],
        take: impl FnOnce(&mut Fields<'_>) -> Result<T, MaterialError>,
    ) -> Result<T, LedgerProblem> {
        let document = Json::read(line).map_err(|error| self.refused(error))?;
        let taken =
            Fields::of(&document, &swampbox_material::Path::root()).and_then(|mut fields| {
                let taken = take(&mut fields)?;
                fields.finish()?;
                Ok(taken)
            });
        taken.map_err(|error| self.refused(error))
    }

    /// The next line, none at the end.
    fn next(&mut self) -> Result<Option<Vec<u8>>, LedgerProblem> {
        let mut line = Vec::new();
        let longest = MAX_DOCUMENT_BYTES as u64 + 1;
        let read = self.source.by_ref().take(longest).read_until(b'\n', &mut line);
        if read.map_err(LedgerProblem::Input)? == 0 {
            return Ok(None);
        }
        self.line += 1;
        if line.pop() != Some(b'\n') {
            return Err(self.refused("it is too long, or was cut off"));
        }
        Ok(Some(line))
    }

    fn refused(&self, problem: impl ToString) -> LedgerProblem {
        LedgerProblem::InvalidExport { line: self.line, problem: problem.to_string() }
    }
}

/// Makes the change in the tables that an event tells of.
fn apply(connection: &Connection, sequence: u64, change: Change) -> Result<(), Failure> {
    match change {
        Change::Registered(id) => rows::put_execution(connection, &id, ExecutionState::Active),
        Change::Bound(id, text) => binding::put(connection, &id, &text),
        Change::Ended(id) => {
            rows::put_execution(connection, &id, ExecutionState::Ended)?;
            binding::remove(connection, &id)
        }
        Change::Quarantined(id, _) => set_custodian(connection, &id, None),
        Change::Submitted(snapshot) => {
            let material = snapshot.material.to_document().to_string();
            let row = ConsequenceRow { snapshot: *snapshot, mark: None };
            rows::insert_consequence(connection, &row, &material, sequence)
        }
        Change::Transferred { consequence, target, .. } => {
            set_custodian(connection, &consequence, Some(&target))
        }
        Change::Adopted(id, execution) => set_custodian(connection, &id, Some(&execution)),
        Change::Marked(attempt) => {
            attempts::insert(connection, &attempt)?;
            connection
                .prepare_cached("UPDATE consequences SET fence = ?2 WHERE id = ?1")?
                .execute((attempt.intent.consequence.as_str(), rows::to_integer(attempt.fence)?))?;
            Ok(())
        }
        Change::Settled(settled) => {
            attempts::close(connection, settled.fence, settled.settlement, &settled.detail)?;
            connection
                .prepare_cached("UPDATE consequences SET state = ?2, fence = NULL WHERE id = ?1")?
                .execute((settled.consequence.as_str(), settled.settlement.state().as_str()))?;
            Ok(())
        }
        Change::Resolved(id, resolution) => {
            resolution::insert(connection, sequence, &id, &resolution)
        }
        Change::Recorded(record) => records::put(connection, &record, sequence),
        Change::Reaped(_) | Change::Checkpoint(_) | Change::Nothing => Ok(()),
    }
}

fn set_custodian(
    connection: &Connection,
    id: &ConsequenceId,
    custodian: Option<&ExecutionId>,
) -> Result<(), Failure> {
    connection
        .prepare_cached("UPDATE consequences SET custodian = ?2 WHERE id = ?1")?
        .execute((id.as_str(), custodian.map(ExecutionId::as_str)))?;
    Ok(())
}
