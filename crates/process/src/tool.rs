use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::group;
use crate::running::{Finished, RunError, Running, Transcript};
use crate::subreaper::Turn;

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
    directory: Option<PathBuf>,
    limits: Limits,
    reads_all: bool,
    grace: Option<Duration>,
}

impl Tool {
    /// `program`, looked up in `path` unless it contains a slash, with no other variable set.
    pub fn new(program: impl Into<OsString>, path: impl Into<OsString>, limits: Limits) -> Self {
        Self::bare(program, limits).with_variable("PATH", path)
    }

    /// The program at the path `program`, with no variable set at all.
    pub fn bare(program: impl Into<OsString>, limits: Limits) -> Self {
        Self::with_environment(program.into(), BTreeMap::new(), limits)
    }

    /// `program` with PATH and those of the variables `names` that this process has.
    pub fn from_environment(program: impl Into<OsString>, names: &[&str]) -> Self {
        let found = |name: &&str| Some((OsString::from(name), env::var_os(name)?));
        let environment = ["PATH"].iter().chain(names).filter_map(found).collect();
        Self::with_environment(program.into(), environment, Limits::default())
    }

    /// `program` with every variable that this process has.
    pub fn in_this_environment(program: impl Into<OsString>, limits: Limits) -> Self {
        Self::with_environment(program.into(), env::vars_os().collect(), limits)
    }

    fn with_environment(
        program: OsString,
        environment: BTreeMap<OsString, OsString>,
        limits: Limits,
    ) -> Self {
        Self { program, environment, directory: None, limits, reads_all: true, grace: None }
    }

    /// The same program with `name` set to `value`.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// The same program in this working directory, and not in that of this process.
    #[must_use]
    pub fn in_directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    /// The program, as it was given.
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// The directory that it runs in; none for that of this process.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The names of the variables that it has, in order.
    pub fn variables(&self) -> impl Iterator<Item = &OsStr> {
        self.environment.keys().map(|name| &**name)
    }

    /// The same program within these limits.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same program, which need not read its input.
    #[must_use]
    pub fn may_leave_input_unread(self) -> Self {
        Self { reads_all: false, ..self }
    }

    /// The same program, which is asked to end when it breaks a limit, by a SIGTERM to its process
    /// group, and is killed only when it has ended or this time is over. So it can tidy up. On a system other than Linux it is not asked.
    #[must_use]
    pub fn asked_to_end(self, grace: Duration) -> Self {
        Self { grace: Some(grace), ..self }
    }

    /// Runs the program once, with `input` on its standard input, which is empty without one.
    ///
    /// When this returns, the process and what it left in its process group are gone, and after a
    /// failure [more than that](crate#what-is-killed).
    ///
    /// # Errors
    ///
    /// If it was not started, was not followed to its end, or broke a limit.
    pub fn run(&self, arguments: &[String], input: Option<&str>) -> Result<Finished, RunError> {
        let input = input.map(str::as_bytes);
        let (running, started) = self.start(arguments, input)?;
        running.finish(input, started, self.limits)
    }

    /// The same where what was written counts even of a program that was cut off. For what it wrote
    /// last, 2 seconds more may go by.
    pub fn transcribe(&self, arguments: &[OsString], input: Option<&[u8]>) -> Transcript {
        match self.start(arguments, input) {
            Ok((running, started)) => running.transcribe(input, started, self.limits),
            Err(error) => {
                let (stdout, stderr) = (Vec::new(), Vec::new());
                Transcript { end: Err(error), stdout, stderr, is_whole: true }
            }
        }
    }

    fn start(
        &self,
        arguments: &[impl AsRef<OsStr>],
        input: Option<&[u8]>,
    ) -> Result<(Running, Instant), RunError> {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env_clear()
            .envs(&self.environment)
            .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        group::lead(&mut command);
        let turn = Turn::begin();
        let started = Instant::now();
        let child = command.spawn().map_err(RunError::NotStarted)?;
        Ok((Running::new(child, turn, self.reads_all, self.grace), started))
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("program", &self.program)
            .field("variables", &self.environment.keys())
            .field("limits", &self.limits)
            .finish()
    }
}
