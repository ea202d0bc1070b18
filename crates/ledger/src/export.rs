//! The whole history as JSON lines.

use std::io::{BufWriter, Write};
use std::path::Path;

use rusqlite::Connection;
use swampbox_material::json::Json;

use crate::error::{LedgerError, LedgerProblem};
use crate::event::{Event, Head};
use crate::{hex, rows, schema};

/// What the first line of an export says it is.
pub(crate) const FORMAT: &str = "swampbox-ledger";

/// The version of the format that is written.
pub(crate) const VERSION: u64 = 1;

/// What was exported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// The id of the ledger.
    pub ledger_id: String,
    /// How many events there are.
    pub events: u64,
    /// The hash of the last of them, in hexadecimal digits.
    pub head: String,
}

impl Exported {
    /// The first line of the export: its format and version, and what is to come.
    pub fn to_document(&self) -> Json {
        Json::object([
            ("format", Json::from(FORMAT)),
            ("version", Json::from(VERSION)),
            ("ledger_id", Json::from(self.ledger_id.as_str())),
            ("events", Json::from(self.events)),
            ("head", Json::from(self.head.as_str())),
        ])
    }
}

/// Writes the history of a ledger, as it is at one moment, as JSON lines: one that says what follows,
/// then one for each event, as it is stored. [`import`](crate::import) makes the same ledger of
/// it. Nothing is verified here.
///
/// # Errors
///
/// `output_unwritable`, `ledger_not_found`, `ledger_invalid`, `ledger_newer`,
/// `store_unavailable`.
pub fn export(path: impl AsRef<Path>, out: impl Write) -> Result<Exported, LedgerError> {
    let path = path.as_ref();
    let exported = schema::open_to_read(path).and_then(|mut connection| {
        let snapshot = connection.transaction()?;
        write(&snapshot, BufWriter::new(out))
    });
    exported.map_err(|problem| LedgerError::new(path, problem))
}

fn write(connection: &Connection, mut out: impl Write) -> Result<Exported, LedgerProblem> {
    let ledger_id = rows::ledger_id(connection)?;
    let head = Head::stored(connection, &ledger_id)?;
    let exported = Exported { ledger_id, events: head.length, head: hex::encode(&head.hash) };
    writeln!(out, "{}", exported.to_document()).map_err(LedgerProblem::Output)?;
    let events = format!("SELECT {} FROM events ORDER BY sequence", Event::COLUMNS);
    let mut events = connection.prepare(&events)?;
    let mut rows = events.query([])?;
    while let Some(row) = rows.next()? {
        let event = Event::read(row)?;
        writeln!(out, "{}", event.to_document()).map_err(LedgerProblem::Output)?;
    }
    out.flush().map_err(LedgerProblem::Output)?;
    Ok(exported)
}
