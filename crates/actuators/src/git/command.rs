//! Runs git where nothing but what stands here decides what it does.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use swampbox_material::Shown;
use swampbox_process::{Limits, RunError, Tool, Transcript};

use super::names::GitIdentity;
use super::scratch::Scratch;
use crate::hidden::Hidden;

/// Git, for one attempt or one look: a directory of its own and a time in which all has to be done.
#[derive(Debug)]
pub(crate) struct Git<'a> {
    program: &'a Path,
    identity: &'a GitIdentity,
    scratch: Scratch,
    deadline: Instant,
}

/// One call of git.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    doing: &'static str,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    input: Option<&'a [u8]>,
    hidden: Hidden,
}

/// Settings that win over those of a repository. They keep it from running programs of its choice, and
/// from changing what a command means.
const SETTINGS: [&str; 23] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.fsync=all",
    "apply.whitespace=nowarn",
    "apply.ignoreWhitespace=no",
    "i18n.commitEncoding=UTF-8",
    "commit.gpgSign=false",
    "push.gpgSign=false",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "fetch.recurseSubmodules=no",
    "gc.auto=0",
    "maintenance.auto=false",
    "credential.helper=",
    "http.followRedirects=false",
    "protocol.ext.allow=never",
    // A repository that the operator has named may belong to another user.
    "safe.directory=*",
];

/// Variables that are the same for each call.
const VARIABLES: [(&str, &str); 9] = [
    ("LC_ALL", "C"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ADVICE", "0"),
    ("GIT_ALLOW_PROTOCOL", ""),
];

/// The most bytes that are taken of what git writes to each of its streams.
const MAX_OUTPUT_BYTES: usize = 8 << 20;

/// How long git may take to end after it was asked to, so that it takes its lock files along.
const GRACE: Duration = Duration::from_secs(2);

impl<'a> Git<'a> {
    /// Git that has to be done with everything within `timeout` from now.
    ///
    /// # Errors
    ///
    /// If there is no room for its directory.
    pub(crate) fn within(
        program: &'a Path,
        identity: &'a GitIdentity,
        timeout: Duration,
    ) -> Result<Self, String> {
        let scratch = Scratch::new().map_err(|error| {
            let cause = error.to_string();
            format!("git has no directory to work in: {}", Shown::brief(&cause))
        })?;
        Ok(Self { program, identity, scratch, deadline: Instant::now() + timeout })
    }

    /// A path in the directory that ends with this attempt.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.scratch.path(name)
    }

    /// Makes the call.
    ///
    /// # Errors
    ///
    /// If git could not be started, or the time was over before.
    pub(crate) fn run(&self, call: &Call<'_>) -> Result<Transcript, String> {
        let doing = call.doing;
        if self.deadline <= Instant::now() {
            return Err(format!("the time was over before {doing}"));
        }
        let mut arguments: Vec<OsString> = vec!["--no-pager".into()];
        for setting in SETTINGS {
            arguments.extend(["-c".into(), setting.into()]);
        }
        arguments.extend(call.arguments.iter().cloned());
        self.start(self.program, &arguments, call)
    }

    /// Runs the shell on a script of ours, as git would run a hook.
    pub(crate) fn shell(&self, call: &Call<'_>) -> Result<Transcript, String> {
        self.start(Path::new("/bin/sh"), &call.arguments, call)
    }

    /// Makes the call and gives what git wrote, if it ended well.
    ///
    /// # Errors
    ///
    /// What went wrong, in words.
    pub(crate) fn output(&self, call: &Call<'_>) -> Result<Vec<u8>, String> {
        let finished = self.run(call)?;
        match exit_code(&finished) {
            Some(0) => Ok(finished.stdout),
            _ => Err(call.failed(&finished)),
        }
    }

    fn start(
        &self,
        program: &Path,
        arguments: &[OsString],
        call: &Call<'_>,
    ) -> Result<Transcript, String> {
        let deadline = self.deadline.saturating_duration_since(Instant::now());
        let limits = Limits { deadline, max_output_bytes: MAX_OUTPUT_BYTES };
        let mut tool = Tool::bare(program, limits)
            .in_directory(self.scratch("empty"))
            .may_leave_input_unread()
            .asked_to_end(GRACE);
        for (name, value) in VARIABLES {
            tool = tool.with_variable(name, value);
        }
        // Where git and its parts are found is for whoever started us to say.
        if let Some(path) = std::env::var_os("PATH") {
            tool = tool.with_variable("PATH", path);
        }
        for name in ["HOME", "XDG_CONFIG_HOME", "TMPDIR"] {
            tool = tool.with_variable(name, self.scratch("home"));
        }
        for role in ["AUTHOR", "COMMITTER"] {
            let GitIdentity { name, email } = self.identity;
            tool = tool.with_variable(format!("GIT_{role}_NAME"), &**name);
            tool = tool.with_variable(format!("GIT_{role}_EMAIL"), &**email);
        }
        // A later one wins.
        for (name, value) in &call.environment {
            tool = tool.with_variable(name, value);
        }
        let finished = tool.transcribe(arguments, call.input);
        match finished.end {
            Err(RunError::NotStarted(error)) => Err(format!(
                "{} could not be started: {}",
                call.doing,
                Shown::brief(&error.to_string())
            )),
            _ => Ok(finished),
        }
    }
}

impl<'a> Call<'a> {
    /// A call of git with these arguments; `doing` says in an error what it is for.
    pub(crate) fn new<I: Into<OsString>>(
        doing: &'static str,
        arguments: impl IntoIterator<Item = I>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { doing, arguments, environment: Vec::new(), input: None, hidden: Hidden::default() }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    pub(crate) fn with_all(mut self, variables: &[(OsString, OsString)]) -> Self {
        self.environment.extend_from_slice(variables);
        self
    }

    pub(crate) fn input(mut self, input: &'a [u8]) -> Self {
        self.input = Some(input);
        self
    }

    /// What the call takes along, and no error may repeat.
    pub(crate) fn hiding(mut self, hidden: &Hidden) -> Self {
        self.hidden = hidden.clone();
        self
    }

    /// Why the call is no success, in words.
    pub(crate) fn failed(&self, finished: &Transcript) -> String {
        let doing = self.doing;
        let said = complaint(&finished.stderr);
        let problem = match &finished.end {
            Ok(status) => match (status.code(), status.signal()) {
                (Some(0), _) => format!("{doing} ended with status 0 and did not report it"),
                (Some(code), _) => format!("{doing} failed with status {code}"),
                (None, Some(signal)) => format!("{doing} was ended by signal {signal}"),
                (None, None) => format!("{doing} was ended by a signal"),
            },
            Err(RunError::TimedOut(_)) => return format!("{doing} was not done in time"),
            Err(RunError::OutputTooLarge(_)) => format!("{doing} wrote more than was read"),
            Err(error) => format!("{doing} has no result: {error}"),
        };
        match said {
            Some(said) => format!("{problem}: {}", self.quoted(said)),
            None => problem,
        }
    }

    /// Words that are not ours, in quotes.
    pub(crate) fn quoted(&self, words: &[u8]) -> String {
        self.hidden.quote(words)
    }
}

/// The status with which git ended by itself.
pub(crate) fn exit_code(finished: &Transcript) -> Option<i32> {
    finished.end.as_ref().ok()?.code()
}

/// The line in which git says why it gave up, or else the last in which it says what is wrong. What a
/// server says through it begins otherwise.
fn complaint(said: &[u8]) -> Option<&[u8]> {
    let lines = || {
        let lines = said.split(|byte| *byte == b'\n');
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    };
    let fatal = lines().find_map(|line| line.strip_prefix(b"fatal: "));
    fatal.or_else(|| lines().rev().find_map(|line| line.strip_prefix(b"error: ")))
}
