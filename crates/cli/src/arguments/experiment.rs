use std::path::PathBuf;

use clap::{Args, Subcommand};

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
