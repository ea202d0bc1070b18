use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ledger::LedgerArguments;

/// The greatest time that a provider command may take, in seconds.
const MAX_TIMEOUT: u64 = 3600;

#[derive(Args, Debug)]
pub(crate) struct Release {
    /// The consequence
    #[arg(value_name = "CONSEQUENCE")]
    pub(crate) consequence: String,
    /// Its custodian
    #[arg(long, value_name = "ID")]
    pub(crate) execution: String,
    #[command(flatten)]
    pub(crate) authority: Authority,
    /// Wait for a decision that has been asked for, as long as this at the most
    #[arg(long, value_name = "SECONDS", default_value_t = 0, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=MAX_WAIT))]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) at: LedgerArguments,
}

/// The greatest time that a release waits for a decision, in seconds.
const MAX_WAIT: u64 = 7 * 24 * 60 * 60;

/// Where the decision comes from, if not from the configuration's authority.
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("source").args(["decision", "provider"]))]
pub(crate) struct Authority {
    /// Take the decision from a file, or from standard input for `-`; a plain one, or an envelope
    #[arg(long, value_name = "FILE")]
    pub(crate) decision: Option<PathBuf>,
    /// Ask a command, which stands after `--`
    #[arg(long, requires = "command")]
    pub(crate) provider: bool,
    /// How long the command may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, conflicts_with = "decision")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT))]
    pub(crate) timeout: u64,
    /// The command and its arguments
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "decision")]
    pub(crate) command: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Resolve {
    /// The consequence
    #[arg(value_name = "CONSEQUENCE")]
    pub(crate) consequence: String,
    /// Whether the effect happened
    #[arg(long, value_enum)]
    pub(crate) verdict: Verdict,
    /// What that rests on, as JSON; standard input for `-`
    #[arg(long, value_name = "FILE")]
    pub(crate) evidence: PathBuf,
    /// Who found it out
    #[arg(long, value_name = "WHO")]
    pub(crate) by: String,
    #[command(flatten)]
    pub(crate) at: LedgerArguments,
}

/// Whether an effect happened.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// It happened
    ConfirmedExecuted,
    /// It did not happen
    ConfirmedNotExecuted,
    /// It could not be found out
    Unresolved,
}
