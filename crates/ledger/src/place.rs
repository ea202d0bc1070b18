//! Where a ledger is, and whether the files there are still those that were opened.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::directory::{self, Unchanged};
use crate::error::Failure;

/// The place of an open ledger.
///
/// SQLite keeps on writing into files that somebody has moved away, removed or cut off, and nobody
/// would find there what was written. So they are looked at before and after each commit, and
/// before each read.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    // INVARIANT (one name): without links and from the root, so that all who open a ledger, by
    // whatever name and from wherever, look for each other in one place.
    path: PathBuf,
    ledger: Identity,
    log: (PathBuf, Identity),
    /// By which those who use the log at the same time know of each other.
    index: (PathBuf, Identity),
    /// The greatest length that the ledger's own file was seen with. It never becomes shorter.
    length: Arc<AtomicU64>,
    /// When the log and the index were found there.
    found: Arc<Mutex<Option<Unchanged>>>,
}

/// What tells a file apart from another of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    file: u64,
}

impl Place {
    /// The place of a ledger to which a connection has been opened.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let path = fs::canonicalize(path)?;
        let found = fs::metadata(&path)?;
        with_one_name(&path, &found)?;
        let [log, index] = ["-wal", "-shm"].map(|suffix| beside(&path, suffix));
        Ok(Self {
            ledger: Identity::of(&found),
            log: (log.clone(), Identity::of(&fs::metadata(log)?)),
            index: (index.clone(), Identity::of(&fs::metadata(index)?)),
            path,
            length: Arc::default(),
            found: Arc::default(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails if a file of the ledger is no longer the one that was opened, or whole.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.check_ledger()?;
        let unchanged = self.path.parent().and_then(directory::unchanged);
        if unchanged.is_some() && *self.found() == unchanged {
            return Ok(());
        }
        self.check_log()?;
        let (path, opened) = &self.index;
        same(path, *opened)?;
        *self.found() = unchanged;
        Ok(())
    }

    /// Whether the log is gone and the ledger's own file is as it was.
    pub(crate) fn lacks_log_alone(&self) -> bool {
        self.check_ledger().is_ok() && self.check_log().is_err()
    }

    fn check_ledger(&self) -> Result<(), Failure> {
        let length = self.length.load(Ordering::SeqCst);
        let found = same(&self.path, self.ledger)?;
        with_one_name(&self.path, &found)?;
        if found.len() < length {
            // For good: what SQLite writes there makes it as long as before, with a hole.
            self.length.store(u64::MAX, Ordering::SeqCst);
            return Err(damaged(&self.path, "cut off"));
        }
        self.length.fetch_max(found.len(), Ordering::SeqCst);
        Ok(())
    }

    fn found(&self) -> MutexGuard<'_, Option<Unchanged>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_log(&self) -> Result<(), Failure> {
        let (path, opened) = &self.log;
        same(path, *opened).map(drop)
    }
}

/// The log and the index are found by name. Who opened the file by another one would have others.
fn with_one_name(path: &Path, found: &Metadata) -> Result<(), Failure> {
    if found.nlink() <= 1 {
        return Ok(());
    }
    Err(Failure::corrupt(format_args!(
        "its file `{}` has more than one name (hard links); leave it one",
        path.display()
    )))
}

fn same(path: &Path, opened: Identity) -> Result<Metadata, Failure> {
    let found = fs::metadata(path).ok().filter(|found| Identity::of(found) == opened);
    found.ok_or_else(|| damaged(path, "removed or replaced"))
}

fn damaged(path: &Path, how: &str) -> Failure {
    Failure::corrupt(format_args!(
        "its file `{}` was {how} while it was open; put it back, close the ledger and verify it",
        path.display()
    ))
}

impl Identity {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), file: metadata.ino() }
    }
}

/// The path with something after its last name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
