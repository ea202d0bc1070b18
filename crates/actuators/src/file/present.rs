//! Looks at what stands at a name.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::{Errno, retry_on_intr};

use super::digest::Digest;

/// A regular file, as it was found.
#[derive(Debug)]
pub(crate) struct Present {
    pub(crate) digest: Digest,
    pub(crate) bytes: u64,
    pub(crate) mode: Mode,
}

/// The largest file that is read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

const OPEN: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    // What was swapped for a pipe or a device since it was looked at makes nobody wait.
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

impl Present {
    /// The regular file of this name in `directory`; none if there is nothing.
    ///
    /// # Errors
    ///
    /// In words, if it can't be read to its end, or is anything else.
    pub(crate) fn look(directory: BorrowedFd<'_>, name: &str) -> Result<Option<Self>, String> {
        let found = match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => regular(&stat)?,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(cannot_be("looked at", error)),
        };
        let opened = retry_on_intr(|| openat(directory, name, OPEN, Mode::empty()));
        let file = File::from(opened.map_err(|error| cannot_be("opened", error))?);
        let stat = fstat(&file).map_err(|error| cannot_be("read", error))?;
        if regular(&stat)? != found {
            return Err("what stands at the path was replaced while it was looked at".into());
        }
        let too_large = Err("what stands at the path has more than 64 MiB".into());
        if u64::try_from(stat.st_size).is_ok_and(|size| size > MAX_BYTES) {
            return too_large;
        }
        // It may grow while it is read.
        let (digest, bytes) = Digest::of_all((&file).take(MAX_BYTES + 1))
            .map_err(|error| cannot_be("read", error))?;
        if bytes > MAX_BYTES {
            return too_large;
        }
        let mode = Mode::from_raw_mode(stat.st_mode & 0o777);
        Ok(Some(Self { digest, bytes, mode }))
    }
}

fn cannot_be(done: &str, error: impl Into<io::Error>) -> String {
    format!("what stands at the path can't be {done}: {}", error.into())
}

/// What tells a regular file from others.
fn regular(stat: &Stat) -> Result<(u64, u64), String> {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => return Ok((stat.st_dev, stat.st_ino)),
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "a device",
    };
    Err(format!("what stands at the path is {kind} and no regular file"))
}
