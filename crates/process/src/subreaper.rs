//! Whether orphans come to this process, and whose they are.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(target_os = "linux")]
use crate::tree::Children;

/// Makes this process the parent of every process below it whose own parent has ended, for as long
/// as it lives. Then not even a daemon that a [`Tool`](crate::Tool) has started escapes when the tool
/// is cut off, unless another tool was running at the same time: it could be that one's.
///
/// An orphan looks like any other child. So this is for a program that starts no children but by
/// tools: one that it starts otherwise while a tool runs may be killed with that tool's orphans, and
/// may be reaped with them when it has ended.
///
/// # Errors
///
/// If the system knows no such thing. Linux does.
pub fn become_subreaper() -> io::Result<()> {
    let mut runs = lock();
    adopt()?;
    runs.adopting = true;
    Ok(())
}

#[cfg(target_os = "linux")]
fn adopt() -> io::Result<()> {
    // Any id will do; it only says that this is wanted.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn adopt() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

static RUNS: Mutex<Runs> = Mutex::new(Runs { adopting: false, begun: 0, under_way: 0 });

/// What is known of the runs of all tools of this process.
struct Runs {
    adopting: bool,
    begun: u64,
    under_way: usize,
}

/// One run of a tool, from before its process is started until after it was reaped.
pub(crate) struct Turn {
    #[cfg(target_os = "linux")]
    number: u64,
    /// The children that there were before, if those that come are this run's while it is alone.
    #[cfg(target_os = "linux")]
    before: Option<Children>,
}

impl Turn {
    pub(crate) fn begin() -> Self {
        let mut runs = lock();
        runs.begun += 1;
        runs.under_way += 1;
        Self {
            #[cfg(target_os = "linux")]
            number: runs.begun,
            #[cfg(target_os = "linux")]
            before: (runs.adopting && runs.under_way == 1).then(Children::now),
        }
    }

    /// Kills the unreaped child of this id with what it started, and with its orphans if they are
    /// known for its own. It is asked first if it has some time to end by itself.
    #[cfg(target_os = "linux")]
    pub(crate) fn kill(&self, child: u32, grace: Option<Duration>) {
        let asked = grace.and_then(|grace| crate::tree::ask_to_end(child, grace));
        // While the lock is held no other tool starts a process, which would look like an orphan.
        let alone = self.alone();
        crate::tree::kill(child, asked, self.before.as_ref().filter(|_| alone.is_some()));
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn kill(&self, child: u32, _grace: Option<Duration>) {
        crate::group::kill(child);
    }

    /// Whether something is there that the ended and unreaped child of this id did not wait for.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_outlived(&self, child: u32) -> bool {
        let alone = self.alone();
        crate::tree::is_outlived(child, self.before.as_ref().filter(|_| alone.is_some()))
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn is_outlived(&self, _child: u32) -> bool {
        true
    }

    /// Reaps the orphans that have ended, whoever's they were. Nobody else will.
    pub(crate) fn reap_orphans(&self) {
        #[cfg(target_os = "linux")]
        if let (Some(_), Some(_alone)) = (&self.before, self.alone()) {
            crate::tree::reap_ended_children();
        }
    }

    /// Holds off other tools, if none has run since this one began.
    #[cfg(target_os = "linux")]
    fn alone(&self) -> Option<MutexGuard<'static, Runs>> {
        let runs = lock();
        (runs.begun == self.number).then_some(runs)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        lock().under_way -= 1;
    }
}

fn lock() -> MutexGuard<'static, Runs> {
    RUNS.lock().unwrap_or_else(PoisonError::into_inner)
}
