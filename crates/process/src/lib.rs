//! Programs run as child processes, bounded in time and in output.
//!
//! A [`Tool`] is a program with the whole environment that it runs in. [`Tool::run`] runs it once,
//! with an argument vector and no shell, and gives how it ended and what it wrote. One that breaks
//! a [limit](Limits) is killed together with what it has started.
//!
//! # What is killed
//!
//! Each program leads a process group of its own. When it ends by itself, what it left in that group
//! is killed, so that nothing holds up the result; what it has moved out of the group is taken for
//! something that it meant to leave behind.
//!
//! When it is cut off, more is killed: the program, its group, and every descendant of either, whatever
//! group or session that has made for itself. All of them are stopped first, and looked for again
//! until none is new and each stands still, so that none slips away by forking. When [`Tool::run`]
//! has returned they have ended. A program that is [asked to end](Tool::asked_to_end) has its time for
//! that before; what of its tree was there when it was asked is killed even if it is an orphan then.
//!
//! Descendants are found by their parents, in `/proc`. These escape:
//!
//! - one whose parent had ended before the kill, and which is not in the group any more. That is what
//!   a daemon does: it forks twice and calls `setsid`. In a process that has called
//!   [`become_subreaper`] it is found as well, if no other tool was running meanwhile;
//! - one that may not be signalled, because it runs as another user;
//! - one that is born so fast, or is so long in a call which the system doesn't interrupt, that five
//!   seconds aren't enough for the tree to stand still;
//! - all but the group, where `/proc` is not mounted, shows another namespace of processes, or hides
//!   them, and on a system other than Linux 5.3 or newer.
//!
//! # What outlives a program
//!
//! [`Finished::is_outlived`] says whether a program has ended without waiting for all that it had started:
//! something was still in its group, or, in a process that has called [`become_subreaper`] and ran no other
//! tool meanwhile, had come to this process, running or just ended. Elsewhere what has left the group is
//! not seen. Where `/proc` can't be read, and on a system other than Linux, it always says so.

mod group;
mod running;
mod subreaper;
mod tool;
#[cfg(target_os = "linux")]
mod tree;

pub use running::{Finished, RunError, Transcript};
pub use subreaper::become_subreaper;
pub use tool::{Limits, Tool};
