//! Runs the built binary.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The binary, in an environment that decides nothing about its output.
pub(crate) fn swampbox(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swampbox"));
    let decide = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"];
    for variable in decide.into_iter().chain([
        "SWAMPBOX_LEDGER",
        "SWAMPBOX_KEY",
        "SWAMPBOX_LOG",
        "XDG_DATA_HOME",
        "HOME",
    ]) {
        command.env_remove(variable);
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs it with nothing on standard input.
pub(crate) fn run(arguments: &[&str]) -> Ran {
    Ran::of(swampbox(arguments).output().unwrap())
}

/// Runs it with this on standard input.
pub(crate) fn run_with(arguments: &[&str], input: &[u8]) -> Ran {
    fed(swampbox(arguments), input)
}

/// Runs a command with this on standard input.
pub(crate) fn fed(mut command: Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // It may stop reading early, for instance at a text that is too large.
        scope.spawn(move || drop(stdin.write_all(input)));
        Ran::of(child.wait_with_output().unwrap())
    })
}

/// What came of a run: everything that a user can see.
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, stdout, stderr } = self;
        write!(f, "{stdout}")?;
        for line in stderr.lines() {
            writeln!(f, "stderr: {line}")?;
        }
        match status {
            Some(status) => writeln!(f, "exit status {status}"),
            None => writeln!(f, "ended by a signal"),
        }
    }
}

/// Files in a directory of their own. The command runs inside it, so that its messages name them
/// as a user would.
pub(crate) struct Files {
    directory: TempDir,
}

impl Files {
    pub(crate) fn new<const N: usize>(files: [(&str, &[u8]); N]) -> Self {
        let directory = TempDir::new().unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        Self { directory }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(swampbox(arguments).current_dir(self.path()).output().unwrap())
    }
}

/// A scenario file of the project.
pub(crate) fn scenario(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios").join(name)
}
