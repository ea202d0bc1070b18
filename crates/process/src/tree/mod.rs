//! Kills a process with everything below it.

mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, getpid, kill_process, pidfd_open,
    pidfd_send_signal, waitid,
};

use crate::group;
use table::{Row, Table};

/// How long a tree may take until all of it stands still.
const UNTIL_IT_STANDS: Duration = Duration::from_secs(5);

/// How long the killed may take until all of them have ended.
const UNTIL_IT_ENDS: Duration = Duration::from_secs(5);

/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(1);

/// Asks the child of this id, which is not reaped yet, and its process group to end, and waits as long
/// for the child. What descends from them is killed afterwards by [`Tree::kill`], even if it is an orphan
/// by then.
pub(crate) fn ask_to_end(child: u32, grace: Duration) -> Option<Tree> {
    let root = group::pid(child)?;
    let mut tree = Tree { root, members: BTreeMap::new() };
    tree.stop(None);
    group::signal(root, Signal::TERM);
    tree.signal(Signal::CONT);
    if let Ok(held) = pidfd_open(root, PidfdFlags::empty()) {
        wait_for_end(&held, grace);
    }
    Some(tree)
}

/// Kills the child of this id, which is not reaped yet, its process group, and what descends from
/// them; given the children that were there `before` it, also what has come to this process since.
pub(crate) fn kill(child: u32, asked: Option<Tree>, before: Option<&Children>) {
    let Some(root) = group::pid(child) else { return };
    let mut tree = asked.unwrap_or(Tree { root, members: BTreeMap::new() });
    tree.stop(before);
    tree.signal(Signal::KILL);
    // What it leaves comes to its next parent once it has ended, and can be reaped then.
    drop(group::wait_without_reaping(child));
    tree.wait_and_reap();
}

/// Whether something is there that the ended child of this id, which is not reaped yet, did not wait for:
/// in its process group, or, given the children that were there `before` it, among what has come to this
/// process since. It is taken to be there where nobody can look.
pub(crate) fn is_outlived(child: u32, before: Option<&Children>) -> bool {
    let (Some(table), Some(root)) = (Table::read(), group::pid(child)) else { return true };
    let root = root.as_raw_pid();
    table.rows().any(|row| row.id != root && (row.group == root || is_orphan(row, before)))
}

/// Reaps every child of this process that has ended.
pub(crate) fn reap_ended_children() {
    let own = getpid().as_raw_pid();
    for row in Table::read().iter().flat_map(Table::rows) {
        if row.parent == own && row.ended {
            reap(row.pid().map(WaitId::Pid));
        }
    }
}

/// The children of this process at one moment, by id and start.
pub(crate) struct Children(BTreeSet<(i32, u64)>);

impl Children {
    pub(crate) fn now() -> Self {
        let own = getpid().as_raw_pid();
        let table = Table::read();
        let rows = table.iter().flat_map(Table::rows).filter(|row| row.parent == own);
        Self(rows.map(|row| (row.id, row.started)).collect())
    }
}

/// A child with what is below it.
pub(crate) struct Tree {
    root: Pid,
    /// All but the root, by their ids.
    members: BTreeMap<i32, Member>,
}

/// A process that is held by a descriptor, so that no signal hits another that has been given its id
/// since.
struct Member {
    started: u64,
    /// None if it is out of reach.
    held: Option<OwnedFd>,
}

impl Tree {
    /// Stops it again and again until nothing of it moves and nothing is new. Given the children of this
    /// process that there were `before`, whatever else has come to it since belongs to the tree.
    fn stop(&mut self, before: Option<&Children>) {
        self.signal(Signal::STOP);
        let begun = Instant::now();
        loop {
            // Asked first: what stands still before the table is read has no child that isn't in it.
            let stands_still = self.stands_still();
            let Some(table) = Table::read() else { break };
            let new = self.new_in(&table, before);
            if stands_still && new.is_empty() || begun.elapsed() > UNTIL_IT_STANDS {
                break;
            }
            for row in new {
                self.add(row);
            }
            thread::sleep(PAUSE);
        }
    }

    /// What belongs to it and was not seen before.
    fn new_in<'table>(&self, table: &'table Table, before: Option<&Children>) -> Vec<&'table Row> {
        let root = self.root.as_raw_pid();
        let mut found = table.below(|row| {
            row.id == root || row.group == root || self.has(row) || is_orphan(row, before)
        });
        found.retain(|row| row.id != root && !row.ended && !self.has(row));
        found
    }

    fn has(&self, row: &Row) -> bool {
        self.members.get(&row.id).is_some_and(|member| member.started == row.started)
    }

    /// Stops what is new, and holds it.
    fn add(&mut self, row: &Row) {
        let opened = row.pid().ok_or(Errno::SRCH);
        let held = match opened.and_then(|pid| pidfd_open(pid, PidfdFlags::empty())) {
            // It has ended, or another has its id by now.
            Err(Errno::SRCH) => return,
            Ok(_) if !row.is_there() => return,
            Ok(held) => pidfd_send_signal(&held, Signal::STOP).ok().map(|()| held),
            Err(_) => None,
        };
        self.members.insert(row.id, Member { started: row.started, held });
    }

    fn stands_still(&self) -> bool {
        let reachable = self.members.iter().filter(|(_, member)| member.held.is_some());
        let mut ids = reachable.map(|(id, _)| *id).chain([self.root.as_raw_pid()]);
        ids.all(table::stands_still)
    }

    /// Those that have ended already can't be signalled, and need not be.
    fn signal(&self, signal: Signal) {
        let _ = kill_process(self.root, signal);
        group::signal(self.root, signal);
        for held in self.held() {
            let _ = pidfd_send_signal(held, signal);
        }
    }

    fn wait_and_reap(&self) {
        let begun = Instant::now();
        for held in self.held() {
            wait_for_end(held, UNTIL_IT_ENDS.saturating_sub(begun.elapsed()));
        }
        for held in self.held() {
            reap(Some(WaitId::PidFd(held.as_fd())));
        }
    }

    fn held(&self) -> impl Iterator<Item = &OwnedFd> {
        self.members.values().filter_map(|member| member.held.as_ref())
    }
}

/// Whether it has come to this process since those were its children.
fn is_orphan(row: &Row, before: Option<&Children>) -> bool {
    let known = |before: &Children| before.0.contains(&(row.id, row.started));
    row.parent == getpid().as_raw_pid() && before.is_some_and(|before| !known(before))
}

/// Waits that long at most.
fn wait_for_end(held: &OwnedFd, at_most: Duration) {
    // It is readable once it has ended.
    let mut ended = [PollFd::new(held, PollFlags::IN)];
    let left = Timespec::try_from(at_most).ok();
    let _ = retry_on_intr(|| poll(&mut ended, left.as_ref()));
}

/// Takes note that it has ended, if it has and is a child of this process. For another it fails.
fn reap(id: Option<WaitId<'_>>) {
    if let Some(id) = id {
        let _ = waitid(id, WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}
