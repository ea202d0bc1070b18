//! The log of the service. It goes to standard error.

use std::env;
use std::io::stderr;

use clap::ValueEnum;
use swampbox_material::{Code, Shown};
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, registry};

use crate::arguments::{LogForm, LogLevel};
use crate::failure::Failure;

/// The variable that says what is logged, if no argument does.
const VARIABLE: &str = "SWAMPBOX_LOG";

/// What takes the spans of this process.
pub(super) type SpanLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Begins the log of this process, and hands its spans to what takes them.
pub(super) fn begin(
    form: LogForm,
    level: Option<LogLevel>,
    traces: Option<SpanLayer>,
) -> Result<(), Failure> {
    let level = level.map_or_else(of_the_environment, Ok)?;
    let log = layer().with_writer(stderr).with_ansi(false).with_target(false);
    let log = match form {
        LogForm::Text => log.boxed(),
        LogForm::Json => log.json().flatten_event(true).boxed(),
    };
    // Spans are for traces.
    let level = LevelFilter::from(level.level());
    let entries = filter_fn(move |metadata| metadata.is_event() && *metadata.level() <= level)
        .with_max_level_hint(level);
    let begun = registry().with(traces).with(log.with_filter(entries)).try_init();
    begun.map_err(|error| Failure::plain(Code::InvalidArguments, error))
}

/// What is logged if no argument says it.
///
/// # Errors
///
/// `invalid_arguments` if the environment says something that is no level.
pub(super) fn of_the_environment() -> Result<LogLevel, Failure> {
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
