//! A started process, followed to its end.

use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// Whether something that it had started was [still there](crate#what-outlives-a-program).
    pub is_outlived: bool,
}

/// What there is to tell of a process, however it ended.
#[derive(Debug)]
pub struct Transcript {
    /// How it ended, or why it was cut off.
    pub end: Result<ExitStatus, RunError>,
    /// What it wrote to standard output, up to the bound.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error, up to the bound.
    pub stderr: Vec<u8>,
    /// Whether that is all that was written to either of them.
    pub is_whole: bool,
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
    /// How long it may take to end when it is asked to, if it is asked before it is killed.
    grace: Option<Duration>,
    reaped: bool,
    looks_for_others: bool,
    is_outlived: bool,
    stdout: Output,
    stderr: Output,
}

/// One of its two streams.
#[derive(Default)]
struct Output {
    read: Arc<Mutex<Vec<u8>>>,
    has_ended: bool,
    /// Held so that a flood that nobody reads any more blocks the process. Were it closed, the process
    /// would be ended by that, and its children could no longer be told for its own.
    held_open: Option<OwnedFd>,
}

enum Event {
    Ended(io::Result<()>),
    Fed(io::Result<()>),
    Stdout(io::Result<()>),
    Stderr(io::Result<()>),
}

/// How long is waited for the rest of what was written by a process that was cut off. One that has
/// escaped may hold the stream open.
const UNTIL_ALL_IS_READ: Duration = Duration::from_secs(2);

impl Running {
    /// `child`, which leads its process group.
    pub(crate) fn new(child: Child, turn: Turn, reads_all: bool, grace: Option<Duration>) -> Self {
        let (stdout, stderr) = (Output::default(), Output::default());
        Self {
            child,
            turn,
            reads_all,
            grace,
            reaped: false,
            looks_for_others: false,
            is_outlived: false,
            stdout,
            stderr,
        }
    }

    pub(crate) fn finish(
        mut self,
        input: Option<&[u8]>,
        started: Instant,
        limits: Limits,
    ) -> Result<Finished, RunError> {
        let events = self.watch(input, limits.max_output_bytes).map_err(RunError::Lost)?;
        self.looks_for_others = true;
        let status = self.follow(&events, input.is_some(), started, limits)?;
        let (stdout, stderr) = (self.stdout.take(), self.stderr.take());
        Ok(Finished { status, stdout, stderr, is_outlived: self.is_outlived })
    }

    pub(crate) fn transcribe(
        mut self,
        input: Option<&[u8]>,
        started: Instant,
        limits: Limits,
    ) -> Transcript {
        let watched = self.watch(input, limits.max_output_bytes).map_err(RunError::Lost);
        let end = watched.and_then(|events| {
            let end = self.follow(&events, input.is_some(), started, limits);
            if end.is_err() {
                self.cut_off();
                self.read_the_rest(&events);
            }
            end
        });
        let outputs = [&self.stdout, &self.stderr];
        let max = limits.max_output_bytes;
        let is_whole = outputs.iter().all(|output| output.has_ended && output.fits(max));
        let [stdout, stderr] = outputs.map(|output| {
            let mut bytes = output.take();
            bytes.truncate(max);
            bytes
        });
        Transcript { end, stdout, stderr, is_whole }
    }

    /// Starts a thread for each thing that can block, so that one deadline covers them all.
    fn watch(&mut self, input: Option<&[u8]>, max: usize) -> io::Result<Receiver<Event>> {
        let (sender, events) = channel();
        if let (Some(mut stdin), Some(input)) = (self.child.stdin.take(), input) {
            let input = input.to_owned();
            report(&sender, move || Event::Fed(stdin.write_all(&input)))?;
        }
        if let Some(stdout) = self.child.stdout.take() {
            let into = self.stdout.hold(&stdout)?;
            report(&sender, move || Event::Stdout(read_up_to(stdout, max, &into)))?;
        }
        if let Some(stderr) = self.child.stderr.take() {
            let into = self.stderr.hold(&stderr)?;
            report(&sender, move || Event::Stderr(read_up_to(stderr, max, &into)))?;
        }
        let id = self.child.id();
        report(&sender, move || Event::Ended(group::wait_without_reaping(id)))?;
        Ok(events)
    }

    fn follow(
        &mut self,
        events: &Receiver<Event>,
        feeds: bool,
        started: Instant,
        limits: Limits,
    ) -> Result<ExitStatus, RunError> {
        let (mut ended, mut fed) = (false, !feeds);
        while !(ended && fed && self.stdout.has_ended && self.stderr.has_ended) {
            let left = limits.deadline.saturating_sub(started.elapsed());
            let event =
                events.recv_timeout(left).map_err(|_| RunError::TimedOut(limits.deadline))?;
            match event {
                Event::Stdout(read) => self.stdout.ended(read, limits)?,
                Event::Stderr(read) => self.stderr.ended(read, limits)?,
                Event::Fed(result) => {
                    if self.reads_all {
                        result.map_err(RunError::InputNotRead)?;
                    }
                    fed = true;
                }
                Event::Ended(result) => {
                    result.map_err(RunError::Lost)?;
                    ended = true;
                    let id = self.child.id();
                    self.is_outlived = self.looks_for_others && self.turn.is_outlived(id);
                    // What the process left behind may hold its output open; it has no say any more.
                    group::kill(id);
                }
            }
        }
        let status = self.child.wait().map_err(RunError::Lost)?;
        self.reaped = true;
        self.turn.reap_orphans();
        Ok(status)
    }

    fn cut_off(&mut self) {
        self.turn.kill(self.child.id(), self.grace);
        // Both fail only for a process that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.reaped = true;
        self.turn.reap_orphans();
    }

    fn read_the_rest(&mut self, events: &Receiver<Event>) {
        let begun = Instant::now();
        while !(self.stdout.has_ended && self.stderr.has_ended) {
            let left = UNTIL_ALL_IS_READ.saturating_sub(begun.elapsed());
            match events.recv_timeout(left) {
                Ok(Event::Stdout(read)) => self.stdout.has_ended = read.is_ok(),
                Ok(Event::Stderr(read)) => self.stderr.has_ended = read.is_ok(),
                Ok(Event::Fed(_) | Event::Ended(_)) => {}
                Err(_) => return,
            }
        }
    }
}

impl Output {
    fn hold(&mut self, stream: &impl AsFd) -> io::Result<Arc<Mutex<Vec<u8>>>> {
        self.held_open = Some(stream.as_fd().try_clone_to_owned()?);
        Ok(self.read.clone())
    }

    fn ended(&mut self, read: io::Result<()>, limits: Limits) -> Result<(), RunError> {
        read.map_err(RunError::Lost)?;
        self.has_ended = true;
        if self.fits(limits.max_output_bytes) {
            Ok(())
        } else {
            Err(RunError::OutputTooLarge(limits.max_output_bytes))
        }
    }

    fn fits(&self, max: usize) -> bool {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).len() <= max
    }

    fn take(&self) -> Vec<u8> {
        mem::take(&mut *self.read.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Once it is reaped its id, and its group's, may be another process's.
        if !self.reaped {
            self.cut_off();
        }
    }
}

fn report(sender: &Sender<Event>, work: impl FnOnce() -> Event + Send + 'static) -> io::Result<()> {
    let sender = sender.clone();
    // A receiver that is gone has its answer already.
    thread::Builder::new().spawn(move || drop(sender.send(work())))?;
    Ok(())
}

/// Reads one byte more than allowed at most, so that too much can be told from exactly enough.
fn read_up_to(stream: impl Read, max: usize, into: &Mutex<Vec<u8>>) -> io::Result<()> {
    let cap = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    let mut stream = stream.take(cap);
    let mut part = vec![0; PART];
    loop {
        let read = match stream.read(&mut part) {
            Ok(read) => part.get(..read).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if read.is_empty() {
            return Ok(());
        }
        into.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(read);
    }
}

/// How many bytes are read at once.
const PART: usize = 16 << 10;
