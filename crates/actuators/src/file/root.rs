//! Directories, from an opened root down, with no link followed.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat, openat2};
use rustix::io::{Errno, dup, retry_on_intr};

/// A directory below which files may be written. It is the directory that stood at the path when it
/// was opened, whatever stands there later.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    directory: Arc<OwnedFd>,
    path: PathBuf,
}

/// A root that can't be configured.
#[derive(Debug, thiserror::Error)]
#[error("the root `{name}` can't be the directory `{}`: {cause}", path.display())]
pub struct InvalidRoot {
    name: String,
    path: PathBuf,
    cause: io::Error,
}

impl Root {
    pub(crate) fn open(name: &str, path: &Path) -> Result<Self, InvalidRoot> {
        let opened = if path.is_absolute() {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            retry_on_intr(|| open(path, flags, Mode::empty())).map_err(io::Error::from)
        } else {
            Err(io::Error::other("the path is not absolute"))
        };
        match opened {
            Ok(directory) => Ok(Self { directory: Arc::new(directory), path: path.to_owned() }),
            Err(cause) => Err(InvalidRoot { name: name.to_owned(), path: path.to_owned(), cause }),
        }
    }

    /// Where it stood when it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The directory at these names below it, or itself, opened to be read and synced.
    pub(crate) fn directory(&self, names: Option<&str>) -> Result<OwnedFd, Errno> {
        let names = names.unwrap_or(".");
        match at_once(self.directory.as_fd(), names) {
            // An old kernel doesn't know the call, and a filter of calls may refuse what it doesn't
            // know.
            Err(Errno::NOSYS | Errno::PERM) => step_by_step(self.directory.as_fd(), names),
            opened => opened,
        }
    }
}

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn at_once(root: BorrowedFd<'_>, names: &str) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    retry_on_intr(|| openat2(root, names, DIRECTORY | OFlags::RDONLY, Mode::empty(), resolve))
}

/// The same for names of which none is `..`.
fn step_by_step(root: BorrowedFd<'_>, names: &str) -> Result<OwnedFd, Errno> {
    let open = |directory: BorrowedFd<'_>, name: &str, how: OFlags| {
        retry_on_intr(|| openat(directory, name, DIRECTORY | how, Mode::empty()))
    };
    let (parents, last) = names.rsplit_once('/').unwrap_or((".", names));
    let mut directory = dup(root)?;
    for name in parents.split('/') {
        directory = open(directory.as_fd(), name, OFlags::PATH)?;
    }
    open(directory.as_fd(), last, OFlags::RDONLY)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn both_ways_open_the_same_directories_and_follow_no_link() {
        let home = TempDir::new().unwrap();
        let at = |path: &str| home.path().join("root").join(path);
        fs::create_dir_all(at("a/b/c")).unwrap();
        fs::create_dir(home.path().join("outside")).unwrap();
        fs::write(at("a/file"), "").unwrap();
        symlink("../outside", at("out")).unwrap();
        symlink("b", at("a/link")).unwrap();
        symlink("/proc/self/cwd", at("magic")).unwrap();
        let root = Root::open("root", &at("")).unwrap();
        let root = root.directory.as_fd();
        let answer = |opened: Result<OwnedFd, Errno>| {
            opened.and_then(rustix::fs::fstat).map(|stat| stat.st_ino)
        };
        for path in [".", "a", "a/b", "a/b/c"] {
            let opened = answer(at_once(root, path));
            assert!(opened.is_ok(), "{path}: {opened:?}");
            assert_eq!(opened, answer(step_by_step(root, path)), "{path}");
        }
        let refused = [
            "missing",
            "a/missing/c",
            "a/file",
            "a/file/c",
            "out",
            "out/c",
            "a/link",
            "a/link/c",
            "magic",
            "magic/c",
        ];
        for path in refused {
            assert!(at_once(root, path).is_err(), "{path}");
            assert!(step_by_step(root, path).is_err(), "{path}");
        }
    }
}
