//! Who a running attempt belongs to, and whether that one is still there.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::place::beside;
use crate::schema::new_id;

/// One open [`LedgerCustody`](crate::LedgerCustody): a file beside the ledger, which the operating
/// system keeps locked for exactly as long as this lives, however it ends.
#[derive(Debug)]
pub(crate) struct Instance {
    name: String,
    path: PathBuf,
    _lock: File,
}

impl Instance {
    /// A new instance on the ledger at `path`. What dead ones left behind is tidied up.
    pub(crate) fn begin(ledger: &Path) -> io::Result<Self> {
        let access = Access::to(ledger)?;
        let directory = directory(ledger);
        tidy(&directory);
        loop {
            let begun = Self::try_begin(&directory, access).map_err(|error| {
                let directory = directory.display();
                io::Error::new(error.kind(), format!("`{directory}`: {error}"))
            })?;
            if let Some(instance) = begun {
                return Ok(instance);
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// None if somebody who tidies up came between; then it is to be tried again.
    fn try_begin(directory: &Path, access: Access) -> io::Result<Option<Self>> {
        match DirBuilder::new().mode(0o700).create(directory) {
            Ok(()) => access.give_directory(directory)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let name = new_id();
        let path = directory.join(&name);
        let lock = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        access.give(&lock, access.mode)?;
        // Until it is locked, it looks like that of a dead one.
        match lock.try_lock() {
            Ok(()) if path.try_exists()? => Ok(Some(Self { name, path, _lock: lock })),
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Who may use a ledger: those who may use its file. What is made beside it is for the same ones,
/// whoever opens it first.
#[derive(Clone, Copy, Debug)]
struct Access {
    mode: u32,
    user: u32,
    group: u32,
}

impl Access {
    fn to(ledger: &Path) -> io::Result<Self> {
        let found = fs::metadata(ledger)?;
        Ok(Self { mode: found.mode() & 0o666, user: found.uid(), group: found.gid() })
    }

    fn give(self, file: &File, mode: u32) -> io::Result<()> {
        let found = file.metadata()?;
        if (found.uid(), found.gid()) != (self.user, self.group) {
            // Only root can give it to another user. A member of the group can give it to that.
            drop(fchown(file, None, Some(self.group)));
            drop(fchown(file, Some(self.user), None));
        }
        file.set_permissions(Permissions::from_mode(mode))
    }

    fn give_directory(self, directory: &Path) -> io::Result<()> {
        // Whoever may read a file beside it may also pass through.
        let through = (self.mode & 0o444) >> 2;
        match File::open(directory) {
            Ok(directory) => self.give(&directory, self.mode | through),
            // Whoever was the last one there has removed it again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // A file that stays behind is unlocked, and says no more than one that is gone.
        drop(fs::remove_file(&self.path));
        if let Some(directory) = self.path.parent() {
            // Only the last one finds it empty.
            drop(fs::remove_dir(directory));
        }
    }
}

/// Whether an instance can have this name. Anything else might be a path to somewhere else.
pub(crate) fn is_name(text: &str) -> bool {
    Uuid::try_parse(text).is_ok_and(|id| id.hyphenated().to_string() == text)
}

/// Whether the instance of this name still lives. It need not be of this process.
pub(crate) fn is_alive(ledger: &Path, name: &str) -> io::Result<bool> {
    if is_name(name) { is_locked(&directory(ledger).join(name)) } else { Ok(false) }
}

/// Whether somebody holds the lock. Looking takes a shared one, so that those who look at the same
/// time don't take each other for the owner.
fn is_locked(path: &Path) -> io::Result<bool> {
    let file = match open_file(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes the files of instances that are dead. One that is only just being made is taken for
/// dead too, and notices.
fn tidy(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let Ok(file) = open_file(&path) else { continue };
        // Held until the file is gone: nobody can lock what is about to be removed.
        if file.try_lock_shared().is_ok() {
            drop(fs::remove_file(&path));
        }
    }
}

/// Opens a file. Anything else, such as a pipe, could keep us waiting.
fn open_file(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path)?.is_file() {
        return File::open(path);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{}` is no file", path.display())))
}

fn directory(ledger: &Path) -> PathBuf {
    beside(ledger, "-instances")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn an_instance_that_begins_while_others_tidy_up_is_alive() {
        let home = TempDir::new().unwrap();
        let ledger = home.path().join("ledger");
        File::create(&ledger).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::SeqCst) {
                        tidy(&directory(&ledger));
                    }
                });
            }
            for _ in 0..2_000 {
                let instance = Instance::begin(&ledger).unwrap();
                let alive = is_alive(&ledger, instance.name()).unwrap();
                if !alive {
                    done.store(true, Ordering::SeqCst);
                }
                assert!(alive, "its file was removed before it was locked");
            }
            done.store(true, Ordering::SeqCst);
        });
    }

    #[test]
    fn those_who_look_at_the_same_time_do_not_take_each_other_for_the_owner() {
        let home = TempDir::new().unwrap();
        let dead = home.path().join("dead");
        File::create(&dead).unwrap();
        let looks = || (0..2_000).filter(|_| is_locked(&dead).unwrap()).count();
        let mistaken: usize = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(looks)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(mistaken, 0);
    }
}
