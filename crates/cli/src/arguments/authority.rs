use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::ledger::LedgerArguments;

/// The greatest time that a decision may hold, as far as the command line lets it be asked for.
const MAX_WINDOW: u64 = 24 * 60 * 60;

#[derive(Args, Debug)]
pub(crate) struct Decide {
    /// The consequence; left out, everything that waits is gone through in the terminal
    #[arg(value_name = "CONSEQUENCE")]
    pub(crate) consequence: Option<String>,
    /// List what waits for a decision
    #[arg(long, conflicts_with = "consequence")]
    pub(crate) list: bool,
    /// Allow it
    #[arg(long, requires_all = ["consequence", "digest", "reason"], conflicts_with_all = ["deny", "withdraw"])]
    pub(crate) allow: bool,
    /// Deny it
    #[arg(long, requires_all = ["consequence", "digest", "reason"], conflicts_with = "withdraw")]
    pub(crate) deny: bool,
    /// Take the request back, in the name of who asked or of one who allowed it
    #[arg(long, requires = "consequence")]
    pub(crate) withdraw: bool,
    /// The digest of the request, as it was shown; another request is not decided
    #[arg(long, value_name = "SHA-256")]
    pub(crate) digest: Option<String>,
    /// Why
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// How long the decision holds; 300, or less if the configuration has it so, if nobody says
    #[arg(long, value_name = "SECONDS")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_WINDOW))]
    pub(crate) window: Option<u64>,
    /// Release it at once, if it was allowed by this
    #[arg(long, requires = "allow", conflicts_with = "service")]
    pub(crate) release: bool,
    /// Decide through a service, in the name of whoever has the key
    #[arg(long, value_name = "URL", conflicts_with_all = ["ledger", "config"])]
    pub(crate) service: Option<String>,
    #[command(flatten)]
    pub(crate) link: LinkArguments,
    #[command(flatten)]
    pub(crate) at: LedgerArguments,
}

/// How a service is asked.
#[derive(Args, Debug)]
pub(crate) struct LinkArguments {
    /// The file of the API key, which its owner alone may read; else SWAMPBOX_KEY holds the key
    #[arg(long, value_name = "FILE", requires = "service")]
    pub(crate) key_file: Option<PathBuf>,
    /// Trust the authorities in this PEM file, and no others
    #[arg(long, value_name = "FILE", requires = "service")]
    pub(crate) ca: Option<PathBuf>,
    /// Send the key over http also to another machine, where others could read it
    #[arg(long, requires = "service")]
    pub(crate) allow_plain_http: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Sign {
    /// The consequence, which is shown
    #[arg(value_name = "CONSEQUENCE")]
    pub(crate) consequence: String,
    /// The private key
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// Sign a denial
    #[arg(long)]
    pub(crate) deny: bool,
    /// How long the decision holds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_WINDOW))]
    pub(crate) window: u64,
    #[command(flatten)]
    pub(crate) at: LedgerArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Read what the configuration says of who decides, and say what is wrong with it
    #[command(after_help = "Example:\n  swampbox policy check --config swampbox.toml")]
    Check {
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Say which provider would answer for a consequence, and what
    ///
    /// The providers are asked as a release would ask them, in the same order and as far, but for
    /// people: what they have decided is shown, and nobody is asked. The last line is what a release
    /// would come to before anything is done. Nothing is released. Exit status: 0 if that is ALLOW, 1 if
    /// not.
    #[command(after_help = "Example:\n  swampbox policy explain X")]
    Explain {
        /// The consequence
        #[arg(value_name = "CONSEQUENCE")]
        consequence: String,
        #[command(flatten)]
        at: LedgerArguments,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Read the configuration, and everything that it names, and say what is wrong
    #[command(after_help = "Example:\n  swampbox config check --config swampbox.toml")]
    Check {
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Print a configuration with a comment for each key, in which you are the approver
    #[command(after_help = "Example:\n  swampbox config example > swampbox.toml")]
    Example,
}
