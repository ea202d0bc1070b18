use std::fmt;
use std::io;
use std::process::ExitCode;

use swampbox_material::{Code, MaterialError, Shown};

/// How the command ends. The numbers are part of the interface; those between are the
/// experiments' own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done, and everything was as it should be.
    Done,
    /// 1: done, and the answer is no: a mismatch, or an expectation that did not hold.
    No,
    /// 2: the arguments or the input are not valid; nothing was done.
    Invalid,
    /// 7: the output could not be written.
    Unwritable,
    /// What an experiment says of its end.
    Experiment(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::No => 1,
            Exit::Invalid => 2,
            Exit::Unwritable => 7,
            Exit::Experiment(status) => status,
        })
    }
}

/// Why the command could not do its work: one line for people, with a stable code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: Code,
    /// The file or stream that it is about.
    subject: String,
    message: String,
}

impl Failure {
    pub(crate) fn unreadable(subject: &str, error: &io::Error) -> Self {
        let code = Code::InputUnreadable;
        Self { code, subject: subject.into(), message: format!("it can't be read: {error}") }
    }

    pub(crate) fn unwritable(error: &io::Error) -> Self {
        let code = Code::OutputUnwritable;
        Self {
            code,
            subject: "standard output".into(),
            message: format!("it can't be written: {error}"),
        }
    }

    pub(crate) fn material(subject: &str, error: &MaterialError) -> Self {
        Self { code: error.code(), subject: subject.into(), message: error.to_string() }
    }

    pub(crate) fn new(code: Code, subject: &str, message: impl ToString) -> Self {
        Self { code, subject: subject.into(), message: message.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.code, Shown::text(&self.subject), self.message)
    }
}

impl From<&Failure> for Exit {
    fn from(failure: &Failure) -> Self {
        if failure.code == Code::OutputUnwritable { Exit::Unwritable } else { Exit::Invalid }
    }
}
