use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use swampbox_process::{Finished, Limits, RunError, Tool};

use super::ExitCodes;
use crate::outlook::{list, path, texts};

/// A command that the operator lets consequences run.
///
/// Its program runs with exactly the variables that are given here, and with none of those of the
/// process around it. The debug output keeps their values.
#[derive(Clone, Debug)]
pub struct DeclaredCommand {
    // INVARIANT (no NUL): nor is there one in `arguments`, so that the system can be given all of it.
    tool: Tool,
    arguments: Vec<String>,
    limits: Limits,
    exit_codes: ExitCodes,
}

/// A command that can't be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the command can't be declared: {problem}")]
pub struct InvalidCommand {
    problem: &'static str,
}

const TIMEOUTS: [Duration; 2] = [Duration::from_millis(1), Duration::from_secs(60 * 60)];

/// The most bytes of output that can be allowed.
const MAX_OUTPUT_BYTES: usize = 64 * 1024 * 1024;

impl DeclaredCommand {
    /// The program at this absolute path, without arguments and variables, in the directory `/`, for
    /// at most 30 seconds and 1 MiB of output.
    ///
    /// # Errors
    ///
    /// If the path is not absolute or holds a NUL. Whether there is such a program is seen when it
    /// is run.
    pub fn new(program: impl Into<PathBuf>, exit_codes: ExitCodes) -> Result<Self, InvalidCommand> {
        let program = program.into();
        check_path(&program, "its program is no absolute path without NUL")?;
        let limits = Limits { deadline: Duration::from_secs(30), max_output_bytes: 1024 * 1024 };
        let tool = Tool::bare(program, limits).in_directory("/").may_leave_input_unread();
        Ok(Self { tool, arguments: Vec::new(), limits, exit_codes })
    }

    /// The same command with these arguments, in place of any earlier ones. Those of the payload
    /// follow them.
    ///
    /// # Errors
    ///
    /// If one holds a NUL.
    pub fn arguments<A: Into<String>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Self, InvalidCommand> {
        self.arguments = arguments.into_iter().map(Into::into).collect();
        if self.arguments.iter().any(|argument| argument.contains('\0')) {
            return Err(InvalidCommand { problem: "an argument holds a NUL" });
        }
        Ok(self)
    }

    /// The same command with this variable.
    ///
    /// # Errors
    ///
    /// If the name is empty or holds a `=`, or one of both a NUL.
    pub fn variable(mut self, name: &str, value: &str) -> Result<Self, InvalidCommand> {
        if name.is_empty() || name.contains(['=', '\0']) {
            let problem = "the name of a variable is empty, or holds a `=` or a NUL";
            return Err(InvalidCommand { problem });
        }
        if value.contains('\0') {
            return Err(InvalidCommand { problem: "the value of a variable holds a NUL" });
        }
        self.tool = self.tool.with_variable(name, value);
        Ok(self)
    }

    /// The same command in this working directory, an absolute path.
    ///
    /// # Errors
    ///
    /// If it is not absolute or holds a NUL.
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Result<Self, InvalidCommand> {
        let directory = directory.into();
        check_path(&directory, "its directory is no absolute path without NUL")?;
        self.tool = self.tool.in_directory(directory);
        Ok(self)
    }

    /// How long it may take, from its start until it has ended and its output was read. From a
    /// millisecond to an hour, and what is outside counts as the nearer of the two.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        let [least, most] = TIMEOUTS;
        let limits = Limits { deadline: timeout.clamp(least, most), ..self.limits };
        self.within(limits)
    }

    /// How many bytes it may write to standard output, and as many to standard error. At most
    /// 64 MiB, and what is above counts as that.
    #[must_use]
    pub fn max_output_bytes(self, bytes: usize) -> Self {
        let limits = Limits { max_output_bytes: bytes.min(MAX_OUTPUT_BYTES), ..self.limits };
        self.within(limits)
    }

    fn within(self, limits: Limits) -> Self {
        Self { tool: self.tool.within(limits), limits, ..self }
    }

    /// What is run, in words, where the payload adds to it.
    pub(crate) fn outlook(&self) -> String {
        let program = path(Path::new(self.tool.program()));
        let arguments = match &self.arguments[..] {
            [] => "the arguments of the payload alone".into(),
            own => format!(
                "the arguments {} and then those of the payload",
                texts(own.iter().map(String::as_str))
            ),
        };
        let directory = self.tool.directory().map_or_else(|| "its own".into(), path);
        let variables = self.tool.variables().map(|name| path(Path::new(name)));
        let variables = match list(variables) {
            none if none.is_empty() => "no variable".into(),
            names => format!("the variables {names} alone"),
        };
        let Limits { deadline, max_output_bytes } = self.limits;
        let codes = self.exit_codes.outlook();
        format!(
            "it runs the program {program} with {arguments}, in the directory {directory}, with \
             {variables}; it is killed after {deadline:?}, or when it has written more than \
             {max_output_bytes} bytes; {codes}"
        )
    }

    pub(crate) fn exit_codes(&self) -> &ExitCodes {
        &self.exit_codes
    }

    pub(crate) fn run(
        &self,
        arguments: &[&str],
        stdin: Option<&str>,
    ) -> Result<Finished, RunError> {
        let own = self.arguments.iter().cloned();
        let all: Vec<String> = own.chain(arguments.iter().map(ToString::to_string)).collect();
        self.tool.run(&all, stdin)
    }
}

fn check_path(path: &Path, problem: &'static str) -> Result<(), InvalidCommand> {
    if path.is_absolute() && !path.as_os_str().as_bytes().contains(&0) {
        Ok(())
    } else {
        Err(InvalidCommand { problem })
    }
}
