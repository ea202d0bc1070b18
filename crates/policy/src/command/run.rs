//! Runs one program once, bounded in time and in output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A program, the whole environment in which it runs, and what it may take.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: BTreeMap<OsString, OsString>,
    /// From the start of the process until it has ended and its output was read.
    pub(super) timeout: Duration,
    /// Of standard output, and of standard error.
    pub(super) max_output_bytes: usize,
}

/// A process that ended by itself, within its bounds.
pub(super) struct Finished {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    #[error("could not be started: {0}")]
    NotStarted(io::Error),
    #[error("did not end within {0:?} and was killed")]
    TimedOut(Duration),
    #[error("wrote more than {0} bytes and was killed")]
    OutputTooLarge(usize),
    #[error("could not be followed to its end: {0}")]
    Lost(io::Error),
}

impl Program {
    /// Runs it once with this text on its standard input, which it may leave unread.
    ///
    /// When this returns, the process and what it left in its process group are gone.
    pub(super) fn run(&self, input: String) -> Result<Finished, RunError> {
        let started = Instant::now();
        let child = Command::new(&self.path)
            .args(&self.arguments)
            .env_clear()
            .envs(&self.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(RunError::NotStarted)?;
        let mut running = Running { child, reaped: false };
        let events = running.watch(input, self.max_output_bytes).map_err(RunError::Lost)?;
        let (stdout, stderr) = self.collect(&running, &events, started)?;
        let status = running.child.wait().map_err(RunError::Lost)?;
        running.reaped = true;
        Ok(Finished { status, stdout, stderr })
    }

    /// Waits for the end of the process and of both of its outputs.
    fn collect(
        &self,
        running: &Running,
        events: &Receiver<Event>,
        started: Instant,
    ) -> Result<(Vec<u8>, Vec<u8>), RunError> {
        let (mut stdout, mut stderr, mut ended) = (None, None, false);
        loop {
            let left = self.timeout.saturating_sub(started.elapsed());
            let event = events.recv_timeout(left).map_err(|_| RunError::TimedOut(self.timeout))?;
            match event {
                Event::Stdout(read) => stdout = Some(self.within_bounds(read)?),
                Event::Stderr(read) => stderr = Some(self.within_bounds(read)?),
                Event::Ended(result) => {
                    result.map_err(RunError::Lost)?;
                    ended = true;
                    // What the process left behind may hold its output open; it has no say any more.
                    running.kill_group();
                }
            }
            if ended && stdout.is_some() && stderr.is_some() {
                return Ok((stdout.unwrap_or_default(), stderr.unwrap_or_default()));
            }
        }
    }

    fn within_bounds(&self, read: io::Result<Vec<u8>>) -> Result<Vec<u8>, RunError> {
        let bytes = read.map_err(RunError::Lost)?;
        if bytes.len() > self.max_output_bytes {
            return Err(RunError::OutputTooLarge(self.max_output_bytes));
        }
        Ok(bytes)
    }
}

/// Arguments and values of variables are left out: they may be credentials.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("path", &self.path)
            .field("variables", &self.environment.keys())
            .field("timeout", &self.timeout)
            .field("max_output_bytes", &self.max_output_bytes)
            .finish_non_exhaustive()
    }
}

/// A started process. Dropping it kills its group and reaps it.
struct Running {
    child: Child,
    reaped: bool,
}

enum Event {
    Stdout(io::Result<Vec<u8>>),
    Stderr(io::Result<Vec<u8>>),
    Ended(io::Result<()>),
}

impl Running {
    /// Starts a thread for each thing that can block, so that one timeout covers them all.
    fn watch(&mut self, input: String, max: usize) -> io::Result<Receiver<Event>> {
        let (sender, events) = channel();
        if let Some(mut stdin) = self.child.stdin.take() {
            // A program that doesn't read to the end has its reasons.
            thread::Builder::new().spawn(move || drop(stdin.write_all(input.as_bytes())))?;
        }
        if let Some(stdout) = self.child.stdout.take() {
            report(&sender, move || Event::Stdout(read_up_to(stdout, max)))?;
        }
        if let Some(stderr) = self.child.stderr.take() {
            report(&sender, move || Event::Stderr(read_up_to(stderr, max)))?;
        }
        let pid = self.pid();
        report(&sender, move || Event::Ended(wait_without_reaping(pid)))?;
        Ok(events)
    }

    fn kill_group(&self) {
        if let Some(pid) = self.pid() {
            // It fails only where the group is gone already.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.reaped {
            return; // Its id, and its group's, may be another process's by now.
        }
        self.kill_group();
        // Both fail only for a process that is gone already.
        drop(self.child.kill());
        drop(self.child.wait());
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
    let most = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    stream.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Waits for the end and leaves the process to be reaped: until it is, no other process can be given
/// its id, and killing the group hits nobody else.
fn wait_without_reaping(pid: Option<Pid>) -> io::Result<()> {
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    loop {
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Err(rustix::io::Errno::INTR) => {}
            result => return result.map(drop).map_err(io::Error::from),
        }
    }
}
