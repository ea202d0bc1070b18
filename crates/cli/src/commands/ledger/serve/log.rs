//! The log of the service. It goes to standard error.

use std::env;
use std::io::stderr;

use clap::ValueEnum;
use swampbox_material::{Code, Shown};
use tracing::Level;

use crate::arguments::{LogForm, LogLevel};
use crate::failure::Failure;

/// The variable that says what is logged, if no argument does.
const VARIABLE: &str = "SWAMPBOX_LOG";

/// Begins the log of this process.
pub(super) fn begin(form: LogForm, level: Option<LogLevel>) -> Result<(), Failure> {
    let level = match level {
        Some(level) => level,
        None => of_the_environment()?,
    };
    let log = tracing_subscriber::fmt()
        .with_max_level(level.level())
        .with_writer(stderr)
        .with_ansi(false)
        .with_target(false);
    let begun = match form {
        LogForm::Text => log.try_init(),
        LogForm::Json => log.json().flatten_event(true).try_init(),
    };
    begun.map_err(|error| Failure::plain(Code::InvalidArguments, error))
}

fn of_the_environment() -> Result<LogLevel, Failure> {
    let Some(word) = env::var_os(VARIABLE).filter(|word| !word.is_empty()) else {
        return Ok(LogLevel::Info);
    };
    let word = word.to_string_lossy();
    LogLevel::from_str(&word, true).map_err(|_| {
        let word = Shown::brief(&word);
        let message = format!("{VARIABLE} is {word}; it is error, warn, info, debug or trace");
        Failure::plain(Code::InvalidArguments, message)
    })
}

impl LogLevel {
    fn level(self) -> Level {
        match self {
            LogLevel::Error => Level::ERROR,
            LogLevel::Warn => Level::WARN,
            LogLevel::Info => Level::INFO,
            LogLevel::Debug => Level::DEBUG,
            LogLevel::Trace => Level::TRACE,
        }
    }
}
