//! The child leads a process group of its own, so that its children can be ended with it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

pub(crate) fn lead(command: &mut Command) {
    command.process_group(0);
}

/// Waits for the end and leaves the process to be reaped: until it is, no other process can be
/// given its id, and killing the group hits nobody else.
pub(crate) fn wait_without_reaping(id: u32) -> io::Result<()> {
    let pid = pid(id).ok_or(io::ErrorKind::InvalidInput)?;
    loop {
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Err(Errno::INTR) => {}
            result => return result.map(drop).map_err(io::Error::from),
        }
    }
}

/// Kills the group that an unreaped child of this id leads.
pub(crate) fn kill(id: u32) {
    if let Some(leader) = pid(id) {
        signal(leader, Signal::KILL);
    }
}

/// Sends a signal to the group of an unreaped child.
pub(crate) fn signal(leader: Pid, signal: Signal) {
    // It fails only where the group is gone already.
    let _ = kill_process_group(leader, signal);
}

pub(crate) fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}
