//! Writes a file beside its place, and puts it there in one step.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{
    AtFlags, FlockOperation, Mode, OFlags, RenameFlags, fchmod, flock, fsync, openat, renameat,
    renameat_with, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};
use swampbox_custody::AttemptId;

use super::digest::Digest;
use super::present::Present;
use super::request::Request;

/// The file was not written, for this reason.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What stood there before stands there still.
    NotDone(String),
    /// That can't be told, or whether it lasts.
    Unknown(String),
}

use Failure::{NotDone, Unknown};

/// The mode of a file for which nothing else is said and none stood there before.
pub(crate) const NEW_FILE: Mode = Mode::RUSR.union(Mode::WUSR).union(Mode::RGRP).union(Mode::ROTH);

/// How long to wait before asking again for a lock.
const PAUSE: Duration = Duration::from_millis(5);

/// Does it, and waits for at most `patience` for others that write into the same directory.
pub(crate) fn replace(
    request: &Request<'_>,
    attempt: &AttemptId,
    patience: Duration,
) -> Result<(), Failure> {
    let opened = request.root.directory(request.write.path.parents);
    let directory = opened.map_err(|error| before("opening its directory", error))?;
    // Held until the directory is closed. Two that expect the same file can't both replace it.
    lock(&directory, patience)?;
    let present = as_expected(request, directory.as_fd())?;
    let mode = request.write.mode.or(present.map(|present| present.mode)).unwrap_or(NEW_FILE);
    let draft = Draft::create(directory.as_fd(), attempt)?;
    let put = draft
        .write(request.write.content, mode)
        .and_then(|()| as_expected(request, directory.as_fd()).map(drop))
        .and_then(|()| draft.put(request));
    put.map_err(|failure| draft.place.clear(failure))?;
    fsync(&directory).map_err(|error| {
        Unknown(format!(
            "the file stands there, but whether it would outlast a loss of power can't be told: \
             syncing its directory failed: {}",
            io::Error::from(error)
        ))
    })
}

fn before(doing: &str, error: impl Into<io::Error>) -> Failure {
    NotDone(format!("{doing} failed: {}", error.into()))
}

fn lock(directory: &OwnedFd, patience: Duration) -> Result<(), Failure> {
    let begun = Instant::now();
    loop {
        match flock(directory, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK | Errno::INTR) if begun.elapsed() < patience => {
                thread::sleep(PAUSE);
            }
            Err(Errno::WOULDBLOCK) => {
                return Err(NotDone(format!(
                    "another has held the lock of its directory for {patience:?}"
                )));
            }
            locked => return locked.map_err(|error| before("locking its directory", error)),
        }
    }
}

/// What stands at the place, if it is what the request expects.
fn as_expected(
    request: &Request<'_>,
    directory: BorrowedFd<'_>,
) -> Result<Option<Present>, Failure> {
    let present = Present::look(directory, request.write.path.name).map_err(NotDone)?;
    match (&present, request.write.expected) {
        (None, None) => Ok(None),
        (Some(found), Some(expected)) if found.digest == expected => Ok(present),
        (Some(_), Some(_)) => {
            Err(NotDone("the file that stands there has another digest than expected".into()))
        }
        (Some(_), None) => Err(NotDone("a file stands there, and none was expected".into())),
        (None, Some(_)) => Err(NotDone("no file stands there, and one was expected".into())),
    }
}

/// A file that is not in its place yet.
struct Draft<'a> {
    place: Place<'a>,
    file: File,
}

/// Where a draft is. No two attempts have the same id, so none finds the draft of another, and what was
/// left by a process that was killed can be told by its name.
struct Place<'a> {
    directory: BorrowedFd<'a>,
    name: String,
}

impl<'a> Draft<'a> {
    /// An empty one that only its owner may read.
    fn create(directory: BorrowedFd<'a>, attempt: &AttemptId) -> Result<Self, Failure> {
        let name = format!(".swampbox-{}", Digest::of(attempt.as_str().as_bytes()));
        let place = Place { directory, name };
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        match retry_on_intr(|| openat(directory, place.name.as_str(), flags, mode)) {
            Ok(file) => Ok(Self { place, file: file.into() }),
            Err(error) if means_nothing_was_made(error) => {
                Err(before("creating a temporary file", error))
            }
            Err(error) => Err(place.clear(before("creating a temporary file", error))),
        }
    }

    /// All of it is on the disk afterwards.
    fn write(&self, content: &str, mode: Mode) -> Result<(), Failure> {
        (&self.file)
            .write_all(content.as_bytes())
            .map_err(|error| before("writing a temporary file", error))?;
        fchmod(&self.file, mode).map_err(|error| before("setting the mode", error))?;
        fsync(&self.file).map_err(|error| before("syncing a temporary file", error))
    }

    /// Puts it where it belongs, in one step.
    fn put(&self, request: &Request<'_>) -> Result<(), Failure> {
        let Place { directory, name: from } = &self.place;
        let to = request.write.path.name;
        let put = match request.write.expected {
            Some(_) => renameat(directory, from.as_str(), directory, to),
            None => {
                let flags = RenameFlags::NOREPLACE;
                renameat_with(directory, from.as_str(), directory, to, flags)
            }
        };
        put.map_err(|error| {
            if means_nothing_was_renamed(error) {
                before("renaming the temporary file", error)
            } else {
                let cause = io::Error::from(error);
                Unknown(format!("renaming the temporary file may have failed: {cause}"))
            }
        })
    }
}

impl Place<'_> {
    /// Removes what is there after a failure, to which it adds what is worth knowing. If the draft was
    /// renamed after all, nothing is there any more.
    fn clear(&self, failure: Failure) -> Failure {
        match (unlinkat(self.directory, self.name.as_str(), AtFlags::empty()), failure) {
            (Ok(()) | Err(Errno::NOENT), failure) => failure,
            (Err(error), NotDone(detail)) => NotDone(self.left(&detail, error)),
            (Err(error), Unknown(detail)) => Unknown(self.left(&detail, error)),
        }
    }

    fn left(&self, detail: &str, error: Errno) -> String {
        format!("{detail}; `{}` could not be removed: {}", self.name, io::Error::from(error))
    }
}

/// Whether an attempt to create a file that failed like this has surely made none: it was refused, or
/// another one stands there.
fn means_nothing_was_made(error: Errno) -> bool {
    [
        Errno::ACCESS,
        Errno::DQUOT,
        Errno::EXIST,
        Errno::INVAL,
        Errno::LOOP,
        Errno::MFILE,
        Errno::NAMETOOLONG,
        Errno::NFILE,
        Errno::NOENT,
        Errno::NOSPC,
        Errno::NOTDIR,
        Errno::PERM,
        Errno::ROFS,
    ]
    .contains(&error)
}

/// Whether a rename that failed like this has surely changed nothing: it was refused, as opposed to
/// broken off.
fn means_nothing_was_renamed(error: Errno) -> bool {
    [
        Errno::ACCESS,
        Errno::BUSY,
        Errno::DQUOT,
        Errno::EXIST,
        Errno::INVAL,
        Errno::ISDIR,
        Errno::LOOP,
        Errno::MLINK,
        Errno::NAMETOOLONG,
        Errno::NOENT,
        Errno::NOSPC,
        Errno::NOSYS,
        Errno::NOTDIR,
        Errno::NOTEMPTY,
        Errno::PERM,
        Errno::ROFS,
        Errno::XDEV,
    ]
    .contains(&error)
}
