//! How many files the service may have open, and so how many connections.

use std::fs;

use rustix::process::{Resource, getrlimit, setrlimit};

/// How many are taken to be open where the system does not tell.
const OPEN: usize = 64;

/// Raises the number of files that may be open as far as that goes without a privilege, and gives how many
/// connections may be open: as many as are wanted, and no more than half of what is left. The other half is
/// for the ledger and for what carries consequences out.
pub(super) fn connections(wanted: usize) -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
    let Some(most) = getrlimit(Resource::Nofile).current else { return wanted };
    let open = fs::read_dir("/proc/self/fd").map_or(OPEN, Iterator::count);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let room = (most.saturating_sub(open) / 2).max(1);
    if room < wanted {
        tracing::warn!(
            connections = room,
            wanted,
            "fewer connections are taken in: the system gives this process {most} open files"
        );
    }
    wanted.min(room)
}
