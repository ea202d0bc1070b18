use std::fmt;
use std::io;
use std::process::ExitCode;

use swampbox_custody::{CustodyError, StoreFailure};
use swampbox_ledger::LedgerError;
use swampbox_material::{Code, MaterialError, Shown};

/// How the command ends. The numbers are part of the interface; those between are the
/// experiments' own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done, and everything was as it should be.
    Done,
    /// 1: done, and the answer is no: a mismatch, or an expectation that did not hold.
    No,
    /// 2: the arguments or the input are not valid, or there is no such ledger; nothing was done.
    Invalid,
    /// 7: the output could not be written.
    Unwritable,
    /// 3: something outside stood in the way, and nothing was done.
    Blocked,
    /// 6: an effect was attempted and nobody knows whether it happened.
    Uncertain,
    /// What an experiment says of its end.
    Experiment(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::No => 1,
            Exit::Invalid => 2,
            Exit::Blocked => 3,
            Exit::Uncertain => 6,
            Exit::Unwritable => 7,
            Exit::Experiment(status) => status,
        })
    }
}

/// Why the command could not do its work: one line for people, with a stable code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: Code,
    /// The file or stream that it is about, if the message does not name it.
    subject: Option<String>,
    message: String,
    exit: Exit,
}

impl Failure {
    pub(crate) fn unreadable(subject: &str, error: &io::Error) -> Self {
        Self::new(Code::InputUnreadable, subject, format!("it can't be read: {error}"))
    }

    pub(crate) fn unwritable(subject: &str, error: &io::Error) -> Self {
        let message = format!("it can't be written: {error}");
        Self::new(Code::OutputUnwritable, subject, message)
    }

    pub(crate) fn material(subject: &str, error: &MaterialError) -> Self {
        Self::new(error.code(), subject, error)
    }

    pub(crate) fn new(code: Code, subject: &str, message: impl ToString) -> Self {
        Self { subject: Some(subject.into()), ..Self::plain(code, message) }
    }

    /// A failure whose message names what it is about.
    pub(crate) fn plain(code: Code, message: impl ToString) -> Self {
        let exit = match code {
            Code::OutputUnwritable => Exit::Unwritable,
            Code::StoreUnavailable
            | Code::ClockInvalid
            | Code::DemoInterrupted
            | Code::AddressUnavailable
            | Code::ServiceUnreachable => Exit::Blocked,
            Code::LedgerTampered => Exit::No,
            _ => Exit::Invalid,
        };
        Self { code, subject: None, message: message.to_string(), exit }
    }

    /// The rules refuse it.
    pub(crate) fn refusal(code: Code, message: impl ToString) -> Self {
        Self { exit: Exit::No, ..Self::plain(code, message) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.code)?;
        if let Some(subject) = &self.subject {
            write!(f, "{}: ", Shown::text(subject))?;
        }
        // What the system says may quote a name from anywhere.
        write!(f, "{}", Shown::json(&self.message))
    }
}

impl std::error::Error for Failure {}

impl From<&Failure> for Exit {
    fn from(failure: &Failure) -> Self {
        failure.exit
    }
}

impl From<CustodyError> for Failure {
    fn from(error: CustodyError) -> Self {
        match error {
            CustodyError::Refused(refusal) => Failure::refusal(refusal.code(), refusal),
            CustodyError::Store(failure) => failure.into(),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Failure::plain(error.code(), error)
    }
}

impl From<StoreFailure> for Failure {
    fn from(failure: StoreFailure) -> Self {
        Failure::plain(failure.code(), failure)
    }
}
