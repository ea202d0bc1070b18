use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ledger::LedgerArguments;

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Where to listen, in the place of the configuration's `listen`; with port 0, one that is free
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// The form of the log, which goes to standard error
    #[arg(long, value_enum, default_value_t = LogForm::Text)]
    pub(crate) log: LogForm,
    /// What is logged: this and whatever is worse; else SWAMPBOX_LOG, else info
    #[arg(long, value_enum)]
    pub(crate) log_level: Option<LogLevel>,
    #[command(flatten)]
    pub(crate) at: LedgerArguments,
}

/// The form of the log.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LogForm {
    /// A line of text for each entry
    Text,
    /// A line of JSON for each entry
    Json,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LogLevel {
    /// Something failed
    Error,
    /// Something may be wrong
    Warn,
    /// Each request that was answered
    Info,
    /// Each refusal with its code
    Debug,
    /// Everything
    Trace,
}

#[derive(Args, Debug)]
pub(crate) struct NewPrincipal {
    /// Its name, as decisions and executions show it
    pub(crate) name: String,
    /// What it may do; may be given several times
    #[arg(long = "role", value_name = "ROLE", value_enum, required = true)]
    pub(crate) roles: Vec<RoleName>,
    /// Write the key into this file, for its owner alone, and don't show it
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Print one JSON document instead
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a principal of a service may do.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RoleName {
    /// Make executions, and act as those
    Agent,
    /// End executions, adopt what is quarantined, look into what is UNCERTAIN
    Operator,
    /// Decide about requests for approval
    Approver,
    /// Read everything
    Auditor,
}
