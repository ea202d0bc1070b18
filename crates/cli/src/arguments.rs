use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Contain what agents set in motion, until an authority releases it.
///
/// An effect that an agent proposes is held as a consequence, in the custody of the execution that
/// proposed it. It stays held when the execution ends, and it happens only under a decision that is
/// bound to exactly it.
#[derive(Debug, Parser)]
#[command(name = "swampbox", version, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done; 1 the answer is no; 2 invalid arguments or input; \
    7 the output could not be written. Experiments also use 3 to 6.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a real effect contained, inherited, refused twice and released once
    ///
    /// A receiver on the loopback interface stands for the outside world. What is shown at the end
    /// is what really arrived there.
    #[command(after_help = "Examples:\n  swampbox demo\n  swampbox demo --json")]
    Demo {
        /// Print one JSON document instead
        #[arg(long)]
        json: bool,
    },
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
    /// Print the manual page, in roff
    #[command(after_help = "Example:\n  swampbox man > swampbox.1")]
    Man,
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
}

/// A generated page.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Page {
    /// The list of codes
    Codes,
    /// The command-line reference
    Cli,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExperimentCommand {
    /// Show why a record that outlives its author is not a permission
    #[command(after_help = "Example:\n  swampbox experiment inheritance")]
    Inheritance {
        /// Print JSON instead
        #[arg(long)]
        json: bool,
    },
    /// Create one GitHub issue, at most once, and look whether it is there
    ///
    /// Without --live and --confirm-disposable-target no process is run at all.
    #[command(
        after_help = "Example:\n  swampbox experiment github --repository owner/name --title T"
    )]
    Github(GithubArguments),
    /// Follow one consequence from an execution that ended to one effect
    ///
    /// Offline by default, with a simulated effect. Live mode needs every gate.
    #[command(after_help = "Example:\n  swampbox experiment validation")]
    Validation(ValidationArguments),
}

#[derive(Args, Debug)]
pub(crate) struct GithubArguments {
    /// The repository, as owner/name
    #[arg(long)]
    pub(crate) repository: String,
    /// The title of the issue
    #[arg(long)]
    pub(crate) title: String,
    /// The body of the issue; none if left out
    #[arg(long)]
    pub(crate) body: Option<String>,
    /// Gate: run processes and create the issue
    #[arg(long)]
    pub(crate) live: bool,
    /// Gate: the repository may be written to and thrown away
    #[arg(long)]
    pub(crate) confirm_disposable_target: bool,
    /// Print JSON instead
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ValidationArguments {
    /// The repository, as owner/name
    #[arg(long)]
    pub(crate) repository: Option<String>,
    /// The title of the issue
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The body of the issue; none if left out
    #[arg(long)]
    pub(crate) body: Option<String>,
    /// Gate: create a real issue
    #[arg(long)]
    pub(crate) live: bool,
    /// Gate: the repository may be written to and thrown away
    #[arg(long)]
    pub(crate) confirm_disposable_target: bool,
    /// Gate: the exact confirmation token
    #[arg(long, value_name = "TOKEN")]
    pub(crate) confirmation: Option<String>,
    /// Gate: the full id of the commit that a clean checkout stands at
    #[arg(long, value_name = "COMMIT")]
    pub(crate) expected_head: Option<String>,
    /// The checkout that the head is compared with
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) checkout: PathBuf,
    /// Pin: the login that gh must be authenticated as
    #[arg(long, value_name = "LOGIN")]
    pub(crate) gh_user: Option<String>,
    /// Pin: the node id of the repository
    #[arg(long, value_name = "ID")]
    pub(crate) repository_node_id: Option<String>,
    /// The file that counts the one attempt; it must not exist yet
    #[arg(long, value_name = "FILE")]
    pub(crate) budget_file: Option<PathBuf>,
    /// Print JSON instead
    #[arg(long)]
    pub(crate) json: bool,
}
