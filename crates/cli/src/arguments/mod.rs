mod authority;
mod execution;
mod experiment;
mod ledger;
mod release;
mod service;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use authority::{ConfigCommand, Decide, LinkArguments, PolicyCommand, Sign};
pub(crate) use execution::{ExecutionCommand, LifeState, Start};
pub(crate) use experiment::{ExperimentCommand, GithubArguments, ValidationArguments};
pub(crate) use ledger::{
    Drawing, Expect, KeyCommand, LedgerArguments, LedgerCommand, List, State, Submit,
};
pub(crate) use release::{Authority, Release, Resolve, Verdict};
pub(crate) use service::{LogForm, LogLevel, NewPrincipal, RoleName, Serve};

/// Contain what agents set in motion, until an authority releases it.
///
/// An effect that an agent proposes is held as a consequence, in the custody of the execution that
/// proposed it. It stays held when the execution ends, and it happens only under a decision that is
/// bound to exactly it.
#[derive(Debug, Parser)]
#[command(name = "swampbox", version, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done; 1 the answer is no; 2 invalid arguments or input; \
    3 something outside stood in the way, such as a ledger that can't be used; 6 nobody knows \
    whether an effect happened; 7 the output could not be written. Experiments also use 4 and 5.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a real effect that outlives a kill, refused twice and released once
    ///
    /// The agent that proposes it is a process, and is killed with SIGKILL. A receiver on the
    /// loopback interface stands for the outside world. What is shown at the end is what really
    /// arrived there.
    #[command(after_help = "Examples:\n  swampbox demo\n  swampbox demo --json")]
    Demo {
        /// Print one JSON document instead
        #[arg(long)]
        json: bool,
    },
    #[command(flatten)]
    Ledger(LedgerCommand),
    /// Compare a proposed consequence with a declared one
    ///
    /// Prints MATERIAL_MATCH, or MATERIAL_MISMATCH with the paths that differ. Material is compared
    /// type-strictly: 1 is not 1.0, and the order of keys does not matter. Exit status: 0 for a
    /// match, 1 for a mismatch, 2 for invalid input.
    #[command(after_help = "Examples:\n  swampbox compare declared.json proposed.json\n  \
        echo '{\"declaration\": …, \"proposed\": …}' | swampbox compare - --json")]
    Compare {
        /// The declared material, or `-` for a document with both on standard input
        #[arg(value_name = "DECLARATION")]
        declaration: PathBuf,
        /// The proposed material; left out after `-`
        #[arg(value_name = "PROPOSAL")]
        proposal: Option<PathBuf>,
        /// Print one JSON document instead
        #[arg(long)]
        json: bool,
    },
    /// Play scenario files against a custody store
    #[command(subcommand)]
    Scenario(ScenarioCommand),
    /// Run one of the controlled experiments
    #[command(subcommand)]
    Experiment(ExperimentCommand),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  swampbox completions bash > /etc/bash_completion.d/swampbox"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, in roff, or write it and those of the commands into a directory
    #[command(after_help = "Examples:\n  swampbox man > swampbox.1\n  \
        swampbox man /usr/local/share/man/man1")]
    Man {
        /// The directory, which must exist; pages that are there are replaced
        directory: Option<PathBuf>,
    },
    /// The agent of the demo: proposes a consequence, says so, and waits to be killed
    #[command(hide = true)]
    DemoAgent {
        /// The ledger that the demo made
        ledger: PathBuf,
        /// Where the consequence would arrive
        origin: String,
    },
    /// Print a generated page of the documentation, in Markdown
    #[command(hide = true)]
    Docs {
        /// The page
        page: Page,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ScenarioCommand {
    /// Play files in order, each on a store of its own
    ///
    /// Every file is read before the first is played. Exit status: 0 when every expectation held, 1
    /// when one did not, 2 when a file is invalid.
    #[command(after_help = "Examples:\n  swampbox scenario run tests/scenarios/*.json\n  \
        swampbox scenario run --trace FILE")]
    Run {
        /// The scenario files, or `-` for standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Print each step as one JSON object a line
        #[arg(long)]
        trace: bool,
        /// The store to play them on
        #[arg(long, value_enum, default_value_t = Store::Memory)]
        store: Store,
    },
}

/// A custody store.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Store {
    /// In memory
    Memory,
    /// In a ledger on disk, made for the purpose and thrown away
    Sqlite,
}

/// A generated page.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Page {
    /// The list of codes
    Codes,
    /// The command-line reference
    Cli,
}
