//! The directory in which git works, for one attempt or one look.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{Mode, OFlags};
use tempfile::TempDir;

/// A directory that goes with it. Where its process is killed it stays, and a later one tidies it up.
#[derive(Debug)]
pub(crate) struct Scratch {
    directory: TempDir,
    /// Locked for as long as its owner lives.
    _lock: File,
}

const PREFIX: &str = "swampbox-git-";
const LOCK: &str = "lock";

/// The age from which one without an owner is tidied up. Nothing that its owner has started runs any more:
/// git gets an hour at most.
const LEFT_BEHIND: Duration = Duration::from_secs(2 * 60 * 60);

impl Scratch {
    /// A new one below the system's directory for such things, from which those that were left behind are
    /// removed.
    ///
    /// # Errors
    ///
    /// If there is no room for it.
    pub(crate) fn new() -> io::Result<Self> {
        let temporary = std::path::absolute(std::env::temp_dir())?;
        tidy_up(&temporary);
        let directory = tempfile::Builder::new().prefix(PREFIX).tempdir_in(temporary)?;
        let lock = File::create_new(directory.path().join(LOCK))?;
        // Where nothing can be locked it fails for whoever tidies up as well, and then nothing is removed.
        let _ = lock.lock();
        for name in ["home", "empty", "objects", "hooks"] {
            fs::create_dir(directory.path().join(name))?;
        }
        Ok(Self { directory, _lock: lock })
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

/// Removes what was left behind. What can't be looked at or removed stays: nothing depends on it.
fn tidy_up(temporary: &Path) {
    for entry in fs::read_dir(temporary).into_iter().flatten().flatten() {
        let is_one = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_one && let Some(_lock) = without_owner(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The lock of a directory of this user's that is old and has no owner.
fn without_owner(directory: &Path) -> Option<File> {
    let found = fs::symlink_metadata(directory).ok()?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return None;
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let lock = rustix::fs::open(directory.join(LOCK), flags, Mode::empty()).ok()?;
    let lock = File::from(lock);
    let made = lock.metadata().and_then(|found| found.modified()).ok()?;
    let age = SystemTime::now().duration_since(made).ok()?;
    (age > LEFT_BEHIND && lock.try_lock().is_ok()).then_some(lock)
}
