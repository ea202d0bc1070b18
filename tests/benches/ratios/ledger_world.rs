use std::path::PathBuf;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use swampbox_custody::{ConsequenceId, Custody, ExecutionId};
use swampbox_ledger::LedgerCustody;
use tempfile::TempDir;

use crate::Failure;
use crate::world::{SystemClock, register};

/// Room for one ledger, on the disk that the build is on. Everything that is compared lies there.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Result<Self, Failure> {
        let build = env!("CARGO_TARGET_TMPDIR");
        Ok(Self(tempfile::Builder::new().prefix("ledger-").tempdir_in(build)?))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("ledger")
    }

    pub(crate) fn create(&self) -> Result<LedgerCustody, Failure> {
        Ok(LedgerCustody::create(self.path(), Box::new(SystemClock))?)
    }

    pub(crate) fn open(&self) -> Result<LedgerCustody, Failure> {
        Ok(LedgerCustody::open(self.path(), Box::new(SystemClock))?)
    }

    /// A plain connection to the ledger's file, as durable as the ledger's own.
    pub(crate) fn sql(&self) -> Result<Connection, Failure> {
        let connection = Connection::open(self.path())?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(connection)
    }
}

/// One thread's share of the work.
pub(crate) struct Share {
    pub(crate) execution: ExecutionId,
    pub(crate) ids: Vec<ConsequenceId>,
}

/// Shares for `callers` threads, each with an active execution and ids that nobody else uses. If all
/// are about as quick, ids come in their order, as those do that the command line makes.
pub(crate) fn shares(
    custody: &impl Custody,
    name: &str,
    callers: usize,
    each: usize,
) -> Result<Vec<Share>, Failure> {
    let id = |number| Ok(format!("{name}-{number:09}").parse()?);
    (0..callers)
        .map(|caller| {
            let numbers = (caller..callers * each).step_by(callers);
            Ok(Share {
                execution: register(custody, &format!("{name}-{caller}"))?,
                ids: numbers.map(id).collect::<Result<_, Failure>>()?,
            })
        })
        .collect()
}

/// How long it takes until all is done, each share by a thread of its own, all beside each other.
pub(crate) fn beside_each_other<T: Sync>(
    shares: &[T],
    work: impl Fn(&T) -> Result<(), Failure> + Sync,
) -> Result<Duration, Failure> {
    let start = Barrier::new(shares.len());
    thread::scope(|scope| {
        let spawn = |share| {
            let (start, work) = (&start, &work);
            scope.spawn(move || {
                start.wait();
                let begun = Instant::now();
                work(share)?;
                Ok::<_, Failure>((begun, Instant::now()))
            })
        };
        let threads: Vec<_> = shares.iter().map(spawn).collect();
        let mut whole: Option<(Instant, Instant)> = None;
        for thread in threads {
            let (begun, ended) = thread.join().map_err(|_| "a thread panicked")??;
            let (first, last) = whole.unwrap_or((begun, ended));
            whole = Some((first.min(begun), last.max(ended)));
        }
        Ok(whole.map_or(Duration::ZERO, |(first, last)| last - first))
    })
}
