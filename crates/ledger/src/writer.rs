//! The one thread that writes.

use std::iter::once;
use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fmt, io};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use swampbox_authority::Clock;
use swampbox_custody::{ConsequenceRow, CustodyError, StoreFailure};
use swampbox_material::json::Json;

use crate::error::Failure;
use crate::event::{self, Head, Kind, Subjects};
use crate::opened::Opened;
use crate::pending::{Job, job};
use crate::recent::{Changes, Recent};

/// How many operations may wait. One more waits to be let in. What an operation carries is in
/// memory already, in the hands of whoever waits for it.
const QUEUE: usize = 16_384;

/// How many operations are committed together at the most.
const MOST_TOGETHER: usize = 512;

/// How often it is tried again while another process writes. Often, because a busy one leaves only
/// short gaps.
const PAUSE: Duration = Duration::from_micros(500);

/// Runs operations one after the other, and commits those that came together in one go.
#[derive(Debug)]
pub(crate) struct Writer {
    jobs: Option<SyncSender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(desk: Desk) -> io::Result<Self> {
        let (jobs, queue) = sync_channel(QUEUE);
        let thread = thread::Builder::new().name("ledger writer".into());
        let thread = thread.spawn(move || desk.serve(&queue))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs an operation in a transaction, and answers after the commit. It may be run more than
    /// once; what it did before the last time is undone.
    ///
    /// If that fails, nothing has changed; except that, where the disk itself failed in the middle
    /// of the commit, or somebody took away what lies beside the ledger, the operation may still turn
    /// out to be stored, as a whole.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        operation: impl FnMut(&mut Batch<'_>) -> Result<T, CustodyError> + Send + 'static,
    ) -> Result<T, CustodyError> {
        let (job, answer) = job(operation);
        if let Some(jobs) = &self.jobs {
            // If the writer is gone, so is the job, and the answer says so.
            drop(jobs.send(job));
        }
        answer.wait()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // Every operation has been answered; there is nobody to tell how the thread ended.
            drop(thread.join());
        }
    }
}

/// What the writing thread works with.
pub(crate) struct Desk {
    pub(crate) connection: Opened,
    /// The ledger's id.
    pub(crate) ledger: String,
    pub(crate) clock: Box<dyn Clock>,
    /// How long to wait for another process that is writing.
    pub(crate) patience: Duration,
    /// What of the ledger is kept in memory.
    pub(crate) recent: Arc<Recent>,
}

impl Desk {
    fn serve(&self, queue: &Receiver<Box<dyn Job>>) {
        while let Ok(first) = queue.recv() {
            // Whoever comes while others are served is served with them.
            let mut came = once(first).chain(queue.try_iter().take(QUEUE));
            let mut again = self.commit_together(&mut came, Neighbours::Trusted).into_iter();
            while again.len() > 0 {
                self.commit_together(&mut again, Neighbours::KeptApart);
            }
        }
    }

    /// Runs jobs in one transaction, commits it, and answers them. Those that have to be run again
    /// with their neighbours kept apart are given back.
    fn commit_together(
        &self,
        jobs: &mut dyn Iterator<Item = Box<dyn Job>>,
        neighbours: Neighbours,
    ) -> Vec<Box<dyn Job>> {
        let (transaction, head) = match self.begin() {
            Ok(begun) => begun,
            Err(failure) => {
                // Who came meanwhile has waited for the same store. Who comes back from now on
                // has not.
                self.answer(jobs.collect(), Err(failure.into()));
                return Vec::new();
            }
        };
        let mut batch = Batch::begin(&transaction, head, self.now(), neighbours);
        let mut ran = Vec::new();
        for mut job in jobs.take(MOST_TOGETHER) {
            job.run(&mut batch);
            ran.push(job);
            if batch.lost.is_some() || batch.spoilt {
                break;
            }
        }
        let Batch { lost, spoilt, changes, .. } = batch;
        match lost {
            Some(failure) => {
                drop(transaction);
                self.answer(ran, Err(failure));
            }
            None if spoilt => return ran,
            None => {
                let committed = self.recent.change(changes, || self.commit(transaction));
                self.answer(ran, committed.map_err(StoreFailure::from));
            }
        }
        Vec::new()
    }

    fn answer(&self, jobs: Vec<Box<dyn Job>>, committed: Result<(), StoreFailure>) {
        if committed.is_err() {
            self.keep_what_is_committed();
        }
        for job in jobs {
            job.answer(committed.clone());
        }
    }

    fn begin(&self) -> Result<(Transaction<'_>, Head), Failure> {
        self.connection.place().check()?;
        let began = Instant::now();
        let transaction = loop {
            let begun =
                Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate);
            match begun {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                    if began.elapsed() >= self.patience {
                        let waited = self.patience;
                        return Err(Failure::corrupt(format_args!(
                            "another process was writing to it for all of {waited:?}"
                        )));
                    }
                    thread::sleep(PAUSE);
                }
                begun => break begun?,
            }
        };
        // Only now, since that may have taken long.
        self.recent.stay_listed()?;
        let head = Head::stored(&transaction, &self.ledger)?;
        Ok((transaction, head))
    }

    fn commit(&self, transaction: Transaction<'_>) -> Result<(), Failure> {
        self.connection.place().check()?;
        transaction.commit()?;
        // This process may have been stopped since it looked.
        self.recent.stay_listed()?;
        self.connection.place().check()
    }

    /// Once the log has been removed, what is in it would be gone with this process. SQLite still
    /// has it open, and can bring it into the ledger's own file.
    fn keep_what_is_committed(&self) {
        if self.connection.place().lacks_log_alone() {
            drop(self.connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())));
        }
    }

    /// None if the clock fails: an event is not held up by that.
    fn now(&self) -> Option<String> {
        let now = caught(|| self.clock.now())?;
        now.ok().map(|now| now.to_string())
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("place", self.connection.place()).finish_non_exhaustive()
    }
}

/// Whether operations of one transaction can hurt each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Neighbours {
    /// None of them fails after it has written something, as is nearly always so. If one does, all
    /// are run again, kept apart.
    Trusted,
    /// Each has a savepoint of its own.
    KeptApart,
}

/// A transaction in the making: the tables, and the end of the chain of events.
pub(crate) struct Batch<'t> {
    connection: &'t Connection,
    head: Head,
    at: Option<String>,
    neighbours: Neighbours,
    changes: Changes,
    /// Why the transaction can't be committed. SQLite rolls back all of it when the disk is full, for
    /// one, and what came after would then not be part of any.
    lost: Option<StoreFailure>,
    /// Half of an operation that failed stands in it.
    spoilt: bool,
}

impl<'t> Batch<'t> {
    fn begin(
        connection: &'t Connection,
        head: Head,
        at: Option<String>,
        neighbours: Neighbours,
    ) -> Self {
        Self {
            connection,
            head,
            at,
            neighbours,
            changes: Changes::default(),
            lost: None,
            spoilt: false,
        }
    }
}

impl Batch<'_> {
    pub(crate) fn connection(&self) -> &Connection {
        self.connection
    }

    /// The end of the chain, with the events of this batch.
    pub(crate) fn head(&self) -> Head {
        self.head
    }

    /// The number of the next event.
    pub(crate) fn next(&self) -> u64 {
        self.head.length + 1
    }

    /// When the batch began, if the clock could be read.
    pub(crate) fn at(&self) -> Option<&str> {
        self.at.as_deref()
    }

    /// Adds an event.
    pub(crate) fn event(&mut self, kind: Kind, body: &Json) -> Result<(), Failure> {
        let subjects = Subjects::of(kind, body);
        let execution = subjects.execution.filter(|_| kind.changes_executions());
        for id in [execution, subjects.consequence].into_iter().flatten() {
            self.changes.change(id);
        }
        self.head = event::append(self.connection, self.head, self.at.as_deref(), kind, body)?;
        Ok(())
    }

    /// Notes what is there for the first time, once nothing can keep it from being committed but what
    /// keeps all of the transaction from it.
    pub(crate) fn submitted(&mut self, row: &ConsequenceRow, material: usize) {
        self.changes.submit(row, material);
    }

    /// Runs an operation as a whole or, if it fails or panics, not at all; its neighbours do not
    /// notice, or the transaction is marked as lost or spoilt.
    pub(crate) fn run<T>(
        &mut self,
        operation: impl FnMut(&mut Self) -> Result<T, CustodyError>,
    ) -> Result<T, CustodyError> {
        match self.neighbours {
            Neighbours::Trusted => {
                let before = self.connection.total_changes();
                let result = self.attempt(operation);
                self.spoilt = result.is_err() && self.connection.total_changes() != before;
                result
            }
            Neighbours::KeptApart => {
                let head = self.head;
                self.control("SAVEPOINT operation")?;
                let result = self.attempt(operation);
                if self.lost.is_some() {
                    return result;
                }
                if result.is_err() {
                    self.head = head;
                    self.control("ROLLBACK TO operation")?;
                }
                self.control("RELEASE operation")?;
                result
            }
        }
    }

    /// Runs an operation, which may leave half of it in the transaction if it fails.
    fn attempt<T>(
        &mut self,
        mut operation: impl FnMut(&mut Self) -> Result<T, CustodyError>,
    ) -> Result<T, CustodyError> {
        let result = caught(|| operation(self))
            .unwrap_or_else(|| Err(StoreFailure::new("an operation panicked").into()));
        if let Err(error) = &result
            && self.connection.is_autocommit()
        {
            self.lost = Some(match error {
                CustodyError::Store(failure) => failure.clone(),
                CustodyError::Refused(refusal) => StoreFailure::new(refusal.clone()),
            });
        }
        result
    }

    /// Without its savepoint an operation can't be told apart from its neighbours.
    fn control(&mut self, sql: &str) -> Result<(), StoreFailure> {
        let ran = self.connection.prepare_cached(sql).and_then(|mut sql| sql.execute([]));
        ran.map(drop).map_err(|error| {
            let failure = StoreFailure::from(Failure::from(error));
            self.lost = Some(failure.clone());
            failure
        })
    }
}

/// Calls what may panic; none if it did.
fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    // What was thrown is not dropped: its destructor could panic again.
    catch_unwind(AssertUnwindSafe(call)).map_err(forget).ok()
}

#[cfg(test)]
mod tests;
