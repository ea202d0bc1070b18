use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use swampbox_custody::{ConsequenceId, ExecutionId};

use crate::error::{Failure, LedgerProblem};
use crate::opened::Opened;
use crate::place::Place;
use crate::recent::Recent;
use crate::rows::{self, Seen};
use crate::schema;

/// How many connections read at once at the most. One more waits until another has read.
const MOST_AT_ONCE: usize = 16;

/// Connections that only read. They never wait for the writer.
#[derive(Debug)]
pub(crate) struct Readers {
    place: Place,
    recent: Arc<Recent>,
    pool: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct Pool {
    idle: Vec<Opened>,
    in_use: usize,
    waiting: usize,
}

impl Readers {
    pub(crate) fn of(place: Place, recent: Arc<Recent>) -> Self {
        Self { place, recent, pool: Mutex::default(), returned: Condvar::new() }
    }

    /// Sees a consequence and an execution, in one state of the ledger.
    pub(crate) fn see(
        &self,
        consequence: &ConsequenceId,
        execution: Option<&ExecutionId>,
    ) -> Result<Seen, Failure> {
        self.place.check()?;
        let moment = match self.recent.recall(consequence, execution) {
            Ok(seen) => return Ok(seen),
            Err(moment) => moment,
        };
        // One statement sees one state of the ledger by itself.
        let seen = self.with(|connection| rows::seen(connection, consequence, execution))?;
        if let Some(moment) = moment {
            self.recent.keep(moment, execution, &seen);
        }
        Ok(seen)
    }

    /// Reads one state of the ledger, as it was after some commit. Must not be called from within
    /// `read`.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.place.check()?;
        self.with(|connection| {
            connection.prepare_cached("BEGIN DEFERRED")?.execute([])?;
            let result = read(connection)?;
            connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(result)
        })
    }

    /// Works with one of the connections.
    fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut turn = self.turn();
        let connection = match turn.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let result = work(&connection)?;
        // One that failed is not kept.
        turn.connection = Some(connection);
        Ok(result)
    }

    fn turn(&self) -> Turn<'_> {
        let mut pool = self.pool();
        while pool.in_use == MOST_AT_ONCE {
            pool.waiting += 1;
            pool = self.returned.wait(pool).unwrap_or_else(PoisonError::into_inner);
            pool.waiting -= 1;
        }
        pool.in_use += 1;
        Turn { readers: self, connection: pool.idle.pop() }
    }

    fn connect(&self) -> Result<Opened, Failure> {
        schema::open_once_more(self.place.path()).map_err(|problem| match problem {
            LedgerProblem::Store(failure) => failure,
            other => Failure::corrupt(other),
        })
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of those who read; when it ends, however it does, another one may.
struct Turn<'r> {
    readers: &'r Readers,
    connection: Option<Opened>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.pool();
        pool.idle.extend(self.connection.take());
        pool.in_use -= 1;
        if pool.waiting > 0 {
            self.readers.returned.notify_one();
        }
    }
}
