//! A started process, followed to its end.

use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::subreaper::Turn;
use crate::{Limits, group};

/// A process that ended by itself, having read the input that it had to read.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No process came to be, so nothing was done.
    #[error("the program could not be started: {0}")]
    NotStarted(io::Error),
    /// It took too long.
    #[error("the program did not end within {0:?} and was killed")]
    TimedOut(Duration),
    /// It wrote too much.
    #[error("the program wrote more than {0} bytes and was killed")]
    OutputTooLarge(usize),
    /// It had to read its input and did not.
    #[error("the program did not read its whole input: {0}")]
    InputNotRead(io::Error),
    /// What became of it can't be found out.
    #[error("the program could not be followed to its end: {0}")]
    Lost(io::Error),
}

/// A started process. Dropping it kills it with what it started, and reaps it.
pub(crate) struct Running {
    child: Child,
    turn: Turn,
    reads_all: bool,
    reaped: bool,
    /// Its output, held so that a flood that nobody reads any more blocks it. Were it closed, the
    /// process would be ended by that, and its children could no longer be told for its own.
    held_open: Vec<OwnedFd>,
}

enum Event {
    Ended(io::Result<()>),
    Fed(io::Result<()>),
    Stdout(io::Result<Vec<u8>>),
    Stderr(io::Result<Vec<u8>>),
}

impl Running {
    /// `child`, which leads its process group.
    pub(crate) fn new(child: Child, turn: Turn, reads_all: bool) -> Self {
        Self { child, turn, reads_all, reaped: false, held_open: Vec::new() }
    }

    pub(crate) fn finish(
        mut self,
        input: Option<&str>,
        started: Instant,
        limits: Limits,
    ) -> Result<Finished, RunError> {
        let events = self.watch(input, limits.max_output_bytes).map_err(RunError::Lost)?;
        let collected = self.collect(&events, input.is_some(), started, limits)?;
        let status = self.child.wait().map_err(RunError::Lost)?;
        self.reaped = true;
        self.turn.reap_orphans();
        Ok(Finished { status, stdout: collected.0, stderr: collected.1 })
    }

    /// Starts a thread for each thing that can block, so that one deadline covers them all.
    fn watch(&mut self, input: Option<&str>, max: usize) -> io::Result<Receiver<Event>> {
        let (sender, events) = channel();
        if let (Some(mut stdin), Some(input)) = (self.child.stdin.take(), input) {
            let input = input.to_owned();
            report(&sender, move || Event::Fed(stdin.write_all(input.as_bytes())))?;
        }
        if let Some(stdout) = self.child.stdout.take() {
            self.held_open.push(stdout.as_fd().try_clone_to_owned()?);
            report(&sender, move || Event::Stdout(read_up_to(stdout, max)))?;
        }
        if let Some(stderr) = self.child.stderr.take() {
            self.held_open.push(stderr.as_fd().try_clone_to_owned()?);
            report(&sender, move || Event::Stderr(read_up_to(stderr, max)))?;
        }
        let id = self.child.id();
        report(&sender, move || Event::Ended(group::wait_without_reaping(id)))?;
        Ok(events)
    }

    fn collect(
        &self,
        events: &Receiver<Event>,
        feeds: bool,
        started: Instant,
        limits: Limits,
    ) -> Result<(Vec<u8>, Vec<u8>), RunError> {
        let (mut stdout, mut stderr, mut ended, mut fed) = (None, None, false, !feeds);
        loop {
            if ended
                && fed
                && let (Some(out), Some(err)) = (&mut stdout, &mut stderr)
            {
                return Ok((mem::take(out), mem::take(err)));
            }
            let left = limits.deadline.saturating_sub(started.elapsed());
            let event =
                events.recv_timeout(left).map_err(|_| RunError::TimedOut(limits.deadline))?;
            match event {
                Event::Stdout(read) => stdout = Some(within(read, limits)?),
                Event::Stderr(read) => stderr = Some(within(read, limits)?),
                Event::Fed(result) => {
                    if self.reads_all {
                        result.map_err(RunError::InputNotRead)?;
                    }
                    fed = true;
                }
                Event::Ended(result) => {
                    result.map_err(RunError::Lost)?;
                    ended = true;
                    // What the process left behind may hold its output open; it has no say any more.
                    group::kill(self.child.id());
                }
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.reaped {
            return; // Its id, and its group's, may be another process's by now.
        }
        self.turn.kill(self.child.id());
        // Both fail only for a process that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.turn.reap_orphans();
    }
}

fn report(sender: &Sender<Event>, work: impl FnOnce() -> Event + Send + 'static) -> io::Result<()> {
    let sender = sender.clone();
    // A receiver that is gone has its answer already.
    thread::Builder::new().spawn(move || drop(sender.send(work())))?;
    Ok(())
}

/// Reads one byte more than allowed at most, so that too much can be told from exactly enough.
fn read_up_to(stream: impl Read, max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let cap = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    stream.take(cap).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn within(read: io::Result<Vec<u8>>, limits: Limits) -> Result<Vec<u8>, RunError> {
    let bytes = read.map_err(RunError::Lost)?;
    if bytes.len() > limits.max_output_bytes {
        return Err(RunError::OutputTooLarge(limits.max_output_bytes));
    }
    Ok(bytes)
}
