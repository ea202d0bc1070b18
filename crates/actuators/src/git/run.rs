//! Runs one program to its end, within a time, and leaves no process of it behind.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A program with all that it gets: nothing of our own environment goes to it.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: &'a Path,
    pub(crate) input: &'a [u8],
    pub(crate) deadline: Instant,
}

/// What became of a program that was started. It runs no more, and neither does anything else of its
/// process group.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) end: End,
    pub(crate) output: Vec<u8>,
    /// Whether `output` is all that it wrote.
    pub(crate) whole: bool,
    pub(crate) complaint: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exited(i32),
    Signalled(i32),
    TimedOut,
}

const MAX_OUTPUT_BYTES: u64 = 8 << 20;

/// How long a program may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// Runs it. It gets the input as a file; of what it writes at most 8 MiB are kept of each stream.
///
/// # Errors
///
/// If it could not be started, and only then.
pub(crate) fn run(task: Task<'_>) -> io::Result<Finished> {
    let mut input = tempfile::tempfile()?;
    input.write_all(task.input)?;
    input.rewind()?;
    // All that can fail comes before the start.
    let output = Gathering::prepare()?;
    let complaint = Gathering::prepare()?;
    let end = Ending::prepare()?;
    let mut child = start(&task, input)?;
    let group = group_of(&child);
    output.begin(child.stdout.take());
    complaint.begin(child.stderr.take());
    end.begin(group);
    let in_time = end.before(task.deadline);
    if !in_time {
        // Asked first, so that git takes its lock files along.
        kill(group, Signal::TERM);
        end.before(Instant::now() + GRACE);
    }
    // Its first process has not been waited for, so the number still means this group.
    kill(group, Signal::KILL);
    let status = child.wait();
    let (output, whole) = output.finish();
    let (complaint, _) = complaint.finish();
    let end = match status {
        _ if !in_time => End::TimedOut,
        Ok(status) => end_of(status),
        Err(_) => End::Signalled(0),
    };
    Ok(Finished { end, output, whole, complaint })
}

fn start(task: &Task<'_>, input: File) -> io::Result<Child> {
    Command::new(task.program)
        .args(&task.arguments)
        .env_clear()
        .envs(task.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(task.directory)
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
}

fn end_of(status: std::process::ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;
    match status.code() {
        Some(code) => End::Exited(code),
        None => End::Signalled(status.signal().unwrap_or_default()),
    }
}

fn group_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// That nobody is left to be killed is no failure.
fn kill(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        let _ = kill_process_group(group, signal);
    }
}

/// A thread that says when the program has ended, and leaves it to be waited for.
struct Ending {
    start: Sender<Pid>,
    ended: Receiver<()>,
}

impl Ending {
    fn prepare() -> io::Result<Self> {
        let (start, started) = channel::<Pid>();
        let (end, ended) = channel();
        thread::Builder::new().name("git end".into()).spawn(move || {
            if let Ok(pid) = started.recv() {
                let how = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                while waitid(WaitId::Pid(pid), how).is_err_and(|e| e == rustix::io::Errno::INTR) {}
            }
            let _ = end.send(());
        })?;
        Ok(Self { start, ended })
    }

    fn begin(&self, pid: Option<Pid>) {
        if let Some(pid) = pid {
            let _ = self.start.send(pid);
        }
    }

    fn before(&self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        self.ended.recv_timeout(left) != Err(RecvTimeoutError::Timeout)
    }
}

/// A thread that reads a stream as it comes, so that the program never waits for us.
struct Gathering {
    start: Sender<Box<dyn Read + Send>>,
    ended: Receiver<bool>,
    gathered: Arc<Mutex<Vec<u8>>>,
}

impl Gathering {
    fn prepare() -> io::Result<Self> {
        let (start, started) = channel::<Box<dyn Read + Send>>();
        let (end, ended) = channel();
        let gathered = Arc::new(Mutex::new(Vec::new()));
        let into = gathered.clone();
        thread::Builder::new().name("git output".into()).spawn(move || {
            if let Ok(stream) = started.recv() {
                let _ = end.send(gather(stream, &into));
            }
        })?;
        Ok(Self { start, ended, gathered })
    }

    fn begin(&self, stream: Option<impl Read + Send + 'static>) {
        if let Some(stream) = stream {
            let _ = self.start.send(Box::new(stream));
        }
    }

    /// What was written, and whether that is all. A process that has left the group may still hold
    /// the stream open; nobody waits for it.
    fn finish(self) -> (Vec<u8>, bool) {
        let whole = self.ended.recv_timeout(GRACE).unwrap_or(false);
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut *gathered), whole)
    }
}

/// Reads up to the bound, and says whether that was all.
fn gather(mut stream: Box<dyn Read + Send>, into: &Mutex<Vec<u8>>) -> bool {
    let mut kept = 0;
    let mut part = vec![0; 16 << 10];
    loop {
        let read = match stream.read(&mut part) {
            Ok(0) => return kept <= MAX_OUTPUT_BYTES,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return false,
        };
        kept += read as u64;
        if kept <= MAX_OUTPUT_BYTES
            && let Some(part) = part.get(..read)
        {
            into.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(part);
        }
    }
}
