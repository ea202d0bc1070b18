use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use swampbox_process::{Finished, Limits, RunError, Tool};

/// A program, the whole environment in which it runs, and what it may take.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
    /// From the start of the process until it has ended and its output was read.
    pub(super) timeout: Duration,
    /// Of standard output, and of standard error.
    pub(super) max_output_bytes: usize,
}

impl Program {
    /// Runs it once with this text on its standard input, which it may leave unread.
    pub(super) fn run(&self, input: &str) -> Result<Finished, RunError> {
        let limits = Limits { deadline: self.timeout, max_output_bytes: self.max_output_bytes };
        let mut tool = Tool::bare(&self.path, limits).may_leave_input_unread();
        for (name, value) in &self.environment {
            tool = tool.with_variable(name, value);
        }
        tool.run(&self.arguments, Some(input))
    }
}

/// Names the variables and not their values, which may be credentials.
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
