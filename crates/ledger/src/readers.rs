use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::error::{Failure, LedgerProblem};
use crate::opened::Opened;
use crate::place::Place;
use crate::schema;

/// How many connections read at once at the most. One more waits until another has read.
const MOST_AT_ONCE: usize = 16;

/// Connections that only read. They never wait for the writer.
#[derive(Debug)]
pub(crate) struct Readers {
    place: Place,
    pool: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct Pool {
    idle: Vec<Opened>,
    in_use: usize,
}

impl Readers {
    pub(crate) fn of(place: Place) -> Self {
        Self { place, pool: Mutex::default(), returned: Condvar::new() }
    }

    /// Reads one state of the ledger, as it was after some commit. Must not be called from within
    /// `read`.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.place.check()?;
        let mut turn = self.turn();
        let connection = match turn.connection.take() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        connection.prepare_cached("BEGIN DEFERRED")?.execute([])?;
        let result = read(&connection)?;
        connection.prepare_cached("COMMIT")?.execute([])?;
        // One that failed is not kept.
        turn.connection = Some(connection);
        Ok(result)
    }

    fn turn(&self) -> Turn<'_> {
        let pool = self.pool();
        let all_in_use = |pool: &mut Pool| pool.in_use == MOST_AT_ONCE;
        let mut pool =
            self.returned.wait_while(pool, all_in_use).unwrap_or_else(PoisonError::into_inner);
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
        self.readers.returned.notify_one();
    }
}
