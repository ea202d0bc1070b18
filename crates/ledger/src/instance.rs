//! Who a running attempt belongs to, and whether that one is still there.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

use crate::place::{Identity, beside};
use crate::schema::new_id;

/// How often it is tried to make a file that others, who tidy up, may remove before it is locked.
const MOST_TRIES: usize = 100;

/// One open [`LedgerCustody`](crate::LedgerCustody): a file beside the ledger, which the operating
/// system keeps locked for exactly as long as this lives, however it ends.
#[derive(Debug)]
pub(crate) struct Instance {
    name: String,
    directory: PathBuf,
    path: PathBuf,
    access: Access,
    lock: Mutex<File>,
}

impl Instance {
    /// A new instance on the ledger at `path`. What dead ones left behind is tidied up.
    pub(crate) fn begin(ledger: &Path) -> io::Result<Self> {
        let access = Access::to(ledger)?;
        let directory = directory(ledger);
        tidy(&directory);
        let (name, path, lock) = make(&directory, access)?;
        Ok(Self { name, directory, path, access, lock: Mutex::new(lock) })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where the files of all instances are.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether no other instance has a file, not even one that is dead or only just begins.
    pub(crate) fn is_alone(&self) -> bool {
        let own = |entry: io::Result<DirEntry>| entry.is_ok_and(|entry| entry.path() == self.path);
        let mut entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries.map(own).peekable(),
            Err(_) => return false,
        };
        entries.peek().is_some() && entries.all(|own| own)
    }

    /// Makes its file again if somebody has removed it, so that others know that it is there.
    pub(crate) fn stay_listed(&self) -> io::Result<()> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if is_still_at(&self.path, &lock) {
            return Ok(());
        }
        // It has its name only once it is locked: nobody ever takes it for that of a dead one.
        let (_, made, made_lock) = make(&self.directory, self.access)?;
        fs::rename(&made, &self.path).map_err(|error| {
            drop(fs::remove_file(&made));
            about(&self.path, &error)
        })?;
        *lock = made_lock;
        Ok(())
    }

    /// Removes the files of the others that are dead.
    pub(crate) fn tidy(&self) {
        tidy(&self.directory);
    }
}

/// Makes a file under a name that nobody has had, and locks it.
fn make(directory: &Path, access: Access) -> io::Result<(String, PathBuf, File)> {
    for _ in 0..MOST_TRIES {
        let name = new_id();
        let path = directory.join(&name);
        let made = try_to_make(directory, &path, access).map_err(|error| about(directory, &error));
        if let Some(lock) = made? {
            return Ok((name, path, lock));
        }
    }
    let vanishes = "what is made there vanishes; if it is a link, see that it leads to a directory";
    Err(about(directory, &io::Error::other(vanishes)))
}

/// None if the file is gone, because somebody who tidies up came between.
fn try_to_make(directory: &Path, path: &Path, access: Access) -> io::Result<Option<File>> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Ok(()) => access.give_directory(directory)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let lock = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    access.give(&lock, access.mode)?;
    // Until it is locked, it looks like that of a dead one.
    match lock.try_lock() {
        Ok(()) if path.try_exists()? => Ok(Some(lock)),
        Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
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
        // Only the last one finds it empty.
        drop(fs::remove_dir(&self.directory));
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

/// Whether any instance lives.
pub(crate) fn any_is_alive(ledger: &Path) -> io::Result<bool> {
    let directory = directory(ledger);
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(about(&directory, &error)),
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(OsStr::to_str).filter(|name| is_name(name));
        if name.is_some() && is_locked(&path).map_err(|error| about(&directory, &error))? {
            return Ok(true);
        }
    }
    Ok(false)
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
        if file.try_lock_shared().is_ok() && is_still_at(&path, &file) {
            drop(fs::remove_file(&path));
        }
    }
}

/// Whether a file has not been replaced by another one since it was opened.
fn is_still_at(path: &Path, file: &File) -> bool {
    let identities = [fs::metadata(path), file.metadata()].map(|found| found.ok());
    matches!(identities, [Some(there), Some(opened)] if Identity::of(&there) == Identity::of(&opened))
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
    use std::os::unix::fs::symlink;
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
    fn an_instance_whose_file_is_made_again_while_others_tidy_up_is_alive() {
        let home = TempDir::new().unwrap();
        let ledger = home.path().join("ledger");
        File::create(&ledger).unwrap();
        let instance = Instance::begin(&ledger).unwrap();
        let done = AtomicBool::new(false);
        let dead = thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::SeqCst) {
                        tidy(&directory(&ledger));
                    }
                });
            }
            let dead = (0..2_000).filter(|_| {
                fs::remove_file(&instance.path).unwrap();
                instance.stay_listed().unwrap();
                // Whoever began to tidy up before it was made again may come to it only now.
                (0..10).any(|_| !is_alive(&ledger, instance.name()).unwrap())
            });
            let dead = dead.count();
            done.store(true, Ordering::SeqCst);
            dead
        });
        assert_eq!(dead, 0);
    }

    #[test]
    fn where_no_file_can_be_made_again_it_is_said_and_where_one_can_it_is_made() {
        let home = TempDir::new().unwrap();
        let ledger = home.path().join("ledger");
        File::create(&ledger).unwrap();
        let instance = Instance::begin(&ledger).unwrap();
        let said = |error: io::Error| {
            let said = error.to_string().replace(&home.path().display().to_string(), "[home]");
            said.replace(instance.name(), "[name]")
        };
        fs::remove_file(&instance.path).unwrap();
        fs::create_dir(&instance.path).unwrap();
        let in_the_way = said(instance.stay_listed().unwrap_err());
        assert_eq!(in_the_way, "`[home]/ledger-instances/[name]`: Is a directory (os error 21)");
        assert_eq!(fs::read_dir(instance.directory()).unwrap().count(), 1, "nothing is left");
        fs::remove_dir_all(instance.directory()).unwrap();
        symlink(home.path().join("nowhere"), instance.directory()).unwrap();
        let nowhere = said(instance.stay_listed().unwrap_err());
        let vanishes =
            "what is made there vanishes; if it is a link, see that it leads to a directory";
        assert_eq!(nowhere, format!("`[home]/ledger-instances`: {vanishes}"));
        fs::remove_file(instance.directory()).unwrap();
        instance.stay_listed().unwrap();
        for other in ["a file", "a link"] {
            fs::remove_file(&instance.path).unwrap();
            match other {
                "a file" => fs::write(&instance.path, "").unwrap(),
                _ => symlink("elsewhere", &instance.path).unwrap(),
            }
            instance.stay_listed().unwrap();
            assert!(is_alive(&ledger, instance.name()).unwrap(), "{other}");
        }
        assert!(instance.is_alone());
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
