//! Below the tables: SQLite's own checks, and the tables' definitions.

use rusqlite::{Connection, OptionalExtension};

use super::{Discrepancy, Location};
use crate::error::LedgerProblem;
use crate::format;

/// What SQLite says of a row that breaks a CHECK, without saying which row.
const OF_A_ROW: &str = "CHECK constraint failed";

/// A file that SQLite can read.
pub(super) struct Storage {
    pub(super) ledger_id: String,
    /// What was found out about some row.
    complaint: Option<String>,
}

impl Storage {
    /// Checks what has to be true before the tables can be read.
    pub(super) fn check(connection: &Connection) -> Result<Self, LedgerProblem> {
        let complaint = own_check(connection)?;
        if let Some(found) = complaint.as_ref().filter(|found| !found.starts_with(OF_A_ROW)) {
            return Err(file(WHOLE, found.as_str()));
        }
        same_definitions(connection)?;
        let id = connection.query_row("SELECT id FROM ledger", [], |row| row.get(0)).optional()?;
        let ledger_id = id.ok_or_else(|| {
            let at = Location::Row { table: "ledger", key: "1".into() };
            Discrepancy::new(at, "the row with the id of the ledger", "none")
        })?;
        Ok(Self { ledger_id, complaint })
    }

    /// Checks what is true of rows that are what the events give. Done after they have been compared,
    /// which names the row.
    pub(super) fn check_rows(self, connection: &Connection) -> Result<(), LedgerProblem> {
        if let Some(found) = self.complaint {
            return Err(file(WHOLE, found));
        }
        let dangling = connection
            .query_row("PRAGMA foreign_key_check", [], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(2)?))
            })
            .optional()?;
        match dangling {
            None => Ok(()),
            Some((from, to)) => {
                let found = format!("a row of table {from} that refers to no row of table {to}");
                Err(file("every reference to lead to a row", found))
            }
        }
    }
}

const WHOLE: &str = "a whole SQLite file";

/// The first complaint of SQLite's own check, if it has one.
fn own_check(connection: &Connection) -> Result<Option<String>, LedgerProblem> {
    let found: String = connection.query_row("PRAGMA integrity_check (1)", [], |row| row.get(0))?;
    Ok((found != "ok").then(|| one_line(&found)))
}

/// That the tables are those of the format. A trigger, for one, could change rows while nobody looks.
pub(crate) fn same_definitions(connection: &Connection) -> Result<(), LedgerProblem> {
    let own = definitions(connection)?;
    let fresh = definitions(&format::in_memory(format::of(connection)?)?)?;
    let added = own.iter().find(|definition| !fresh.contains(definition));
    let missing = fresh.iter().find(|definition| !own.contains(definition));
    match (missing, added) {
        (None, None) => Ok(()),
        (Some(missing), added) => {
            Err(file(missing.as_str(), added.map_or("nothing", String::as_str)))
        }
        (None, Some(added)) => Err(file("no such definition", added.as_str())),
    }
}

/// Every table, index, trigger and view, as it was defined.
fn definitions(connection: &Connection) -> Result<Vec<String>, LedgerProblem> {
    let all = "SELECT coalesce(sql, type || ' ' || name) FROM sqlite_schema ORDER BY name";
    let mut all = connection.prepare(all)?;
    let rows = all.query_map([], |row| row.get::<_, String>(0))?;
    Ok(rows.map(|sql| sql.map(|sql| one_line(&sql))).collect::<Result<_, _>>()?)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn file(expected: impl Into<String>, found: impl Into<String>) -> LedgerProblem {
    Discrepancy::new(Location::Storage, expected, found).into()
}
