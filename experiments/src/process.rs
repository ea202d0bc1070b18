//! Programs run as child processes, bounded in time and in output.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    io::{self, Read, Write},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::{Duration, Instant},
};

/// What one run of a program may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From the start of the process until it has ended and its output was read.
    pub deadline: Duration,
    /// The most bytes of standard output, and of standard error.
    pub max_output_bytes: usize,
}

impl Default for Limits {
    /// A minute, and 64 MiB.
    fn default() -> Self {
        Self { deadline: Duration::from_secs(60), max_output_bytes: 64 * 1024 * 1024 }
    }
}

/// A program and the whole environment that it runs in. No shell takes part in running it.
///
/// The debug output names the variables and not their values, which may be credentials.
#[derive(Clone)]
pub struct Tool {
    program: OsString,
    environment: BTreeMap<OsString, OsString>,
    limits: Limits,
    reads_all: bool,
}

impl Tool {
    /// `program`, looked up in `path` unless it contains a slash, with no other variable set.
    pub fn new(program: impl Into<OsString>, path: impl Into<OsString>, limits: Limits) -> Self {
        let environment = BTreeMap::from([("PATH".into(), path.into())]);
        Self { program: program.into(), environment, limits, reads_all: true }
    }

    /// `program` with PATH and those of the variables `names` that this process has.
    pub fn from_environment(program: impl Into<OsString>, names: &[&str]) -> Self {
        let found = |name: &&str| Some((OsString::from(name), env::var_os(name)?));
        let environment = ["PATH"].iter().chain(names).filter_map(found).collect();
        let limits = Limits::default();
        Self { program: program.into(), environment, limits, reads_all: true }
    }

    /// `program` with every variable that this process has.
    pub fn in_this_environment(program: impl Into<OsString>, limits: Limits) -> Self {
        let environment = env::vars_os().collect();
        Self { program: program.into(), environment, limits, reads_all: true }
    }

    /// The same program with `name` set to `value`.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// The same program, which need not read its input.
    #[must_use]
    pub fn may_leave_input_unread(self) -> Self {
        Self { reads_all: false, ..self }
    }

    /// Runs the program once, with `input` on its standard input.
    ///
    /// When this returns, the process and what it left in its process group are gone.
    ///
    /// # Errors
    ///
    /// If it was not started, was not followed to its end, or broke a limit.
    pub fn run(&self, arguments: &[String], input: Option<&str>) -> Result<Finished, RunError> {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env_clear()
            .envs(&self.environment)
            .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        group::lead(&mut command);
        let started = Instant::now();
        let child = command.spawn().map_err(RunError::NotStarted)?;
        Running { child, reads_all: self.reads_all, reaped: false }.finish(
            input,
            started,
            self.limits,
        )
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool")
            .field("program", &self.program)
            .field("variables", &self.environment.keys())
            .field("limits", &self.limits)
            .finish()
    }
}

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

/// A started process. Dropping it kills its group and reaps it.
struct Running {
    child: Child,
    reads_all: bool,
    reaped: bool,
}

enum Event {
    Ended(io::Result<()>),
    Fed(io::Result<()>),
    Stdout(io::Result<Vec<u8>>),
    Stderr(io::Result<Vec<u8>>),
}

impl Running {
    fn finish(
        mut self,
        input: Option<&str>,
        started: Instant,
        limits: Limits,
    ) -> Result<Finished, RunError> {
        let events = self.watch(input, limits.max_output_bytes).map_err(RunError::Lost)?;
        let collected = self.collect(&events, input.is_some(), started, limits)?;
        let status = self.child.wait().map_err(RunError::Lost)?;
        self.reaped = true;
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
            report(&sender, move || Event::Stdout(read_up_to(stdout, max)))?;
        }
        if let Some(stderr) = self.child.stderr.take() {
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
                return Ok((std::mem::take(out), std::mem::take(err)));
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
                    group::kill(&self.child);
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
        group::kill(&self.child);
        // Both fail only for a process that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
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

/// The child leads a process group of its own, so that its children can be ended with it.
mod group {
    use std::{
        io,
        os::unix::process::CommandExt,
        process::{Child, Command},
    };

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    pub(super) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    /// Waits for the end and leaves the process to be reaped: until it is, no other process can be
    /// given its id, and killing the group hits nobody else.
    pub(super) fn wait_without_reaping(id: u32) -> io::Result<()> {
        let pid = pid(id).ok_or(io::ErrorKind::InvalidInput)?;
        loop {
            match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Err(rustix::io::Errno::INTR) => {}
                result => return result.map(drop).map_err(io::Error::from),
            }
        }
    }

    pub(super) fn kill(child: &Child) {
        if let Some(pid) = pid(child.id()) {
            // It fails only where the group is gone already.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    fn pid(id: u32) -> Option<Pid> {
        i32::try_from(id).ok().and_then(Pid::from_raw)
    }
}
