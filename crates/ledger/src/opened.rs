//! A connection that takes no ledger's files away from somebody else when it ends.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::error::Failure;
use crate::place::Place;

/// A connection to a ledger.
///
/// The last one to a ledger brings the log into the ledger's own file and removes it. Which is the
/// last, SQLite learns from the index beside it: once that was removed, those who made it anew and
/// those who have the old one open don't know of each other, and one would take the other's log away.
/// So only a connection that still finds the files which it opened does that.
#[derive(Debug)]
pub(crate) struct Opened {
    connection: Connection,
    place: Place,
}

impl Opened {
    /// A connection to the ledger at `path`, with its log and its index there.
    pub(crate) fn new(connection: Connection, path: &Path) -> Result<Self, Failure> {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        // The index is there once something has been read.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(Self { connection, place: Place::of(path)? })
    }

    /// Where it is.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if self.place.check().is_ok() {
            let leave = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            // If it can't be switched off, the log stays, and is read when the ledger is opened next.
            drop(self.connection.set_db_config(leave, false));
        }
    }
}

impl Deref for Opened {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Opened {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}
