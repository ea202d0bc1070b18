use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::authority::{ConfigCommand, Decide, PolicyCommand, Sign};
use super::execution::ExecutionCommand;
use super::release::{Release, Resolve};
use super::service::{NewPrincipal, Serve};

/// What every command on a ledger takes.
#[derive(Args, Debug)]
pub(crate) struct LedgerArguments {
    /// The ledger; else SWAMPBOX_LEDGER, else swampbox/ledger.db in the user's data directory
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) ledger: Option<PathBuf>,
    /// The configuration; else SWAMPBOX_CONFIG, else swampbox/config.toml in the user's
    /// configuration directory, if it is there
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON instead: one document, or one line an item
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Make a ledger
    ///
    /// Directories that are missing on the way are made for their owner alone.
    #[command(after_help = "Example:\n  swampbox init --ledger ./ledger.db")]
    Init {
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Begin, end and look after executions
    Execution {
        #[command(flatten)]
        at: LedgerArguments,
        #[command(subcommand)]
        command: ExecutionCommand,
    },
    /// Propose a consequence, to be held in the custody of an execution
    ///
    /// Prints its id.
    #[command(
        after_help = "Example:\n  swampbox submit --execution exec-A --consequence X material.json"
    )]
    Submit(Submit),
    /// List consequences, in the order of their ids
    #[command(after_help = "Example:\n  swampbox list --quarantined --type http.request")]
    List(List),
    /// Show everything that is known of a consequence
    ///
    /// What it would do, in whose hands it was, what was decided and attempted, what was found out,
    /// and what was derived from it. It grants nothing.
    Show {
        /// The consequence
        #[arg(value_name = "CONSEQUENCE")]
        consequence: String,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Draw which consequence was derived from which
    #[command(after_help = "Example:\n  swampbox graph --format dot | dot -Tsvg > graph.svg")]
    Graph {
        /// The kind of drawing
        #[arg(long, value_enum, default_value_t = Drawing::Tree, conflicts_with = "json")]
        format: Drawing,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Show the history, event by event
    #[command(after_help = "Example:\n  swampbox log --consequence X")]
    Log {
        /// Only what is about this consequence
        #[arg(long, value_name = "ID")]
        consequence: Option<String>,
        /// Only what this execution did, or was given
        #[arg(long, value_name = "ID")]
        execution: Option<String>,
        /// Begin with the event of this number
        #[arg(long, value_name = "N", default_value_t = 1)]
        from: u64,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Show a consequence to its custodian
    Read {
        /// The consequence
        #[arg(value_name = "CONSEQUENCE")]
        consequence: String,
        /// Its custodian
        #[arg(long, value_name = "ID")]
        execution: String,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Give a consequence from one execution to another
    Transfer {
        /// The consequence
        #[arg(value_name = "CONSEQUENCE")]
        consequence: String,
        /// Its custodian
        #[arg(long, value_name = "ID")]
        from: String,
        /// Who takes it
        #[arg(long, value_name = "ID")]
        to: String,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Show a consequence in quarantine
    Inspect {
        /// The consequence
        #[arg(value_name = "CONSEQUENCE")]
        consequence: String,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Take a consequence out of quarantine, into the custody of an execution
    Adopt {
        /// The consequence
        #[arg(value_name = "CONSEQUENCE")]
        consequence: String,
        /// Who takes it
        #[arg(long, value_name = "ID")]
        execution: String,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Release a consequence, if an authority allows it
    ///
    /// Who decides is in the configuration. Or else the decision comes from a file, or from a command:
    /// it is given the consequence as JSON on standard input, and answers with a decision on standard
    /// output. It is run without a shell, once. A file may hold an envelope, which is believed if a key
    /// of the configuration signed it.
    ///
    /// Who carries it out is in the configuration too. Without one it is an `http.request`; a
    /// consequence of another type is refused before anybody is asked. Exit status: 0 for RELEASED, 1
    /// for CONTAINED, 6 for UNCERTAIN.
    #[command(after_help = "Examples:\n  \
        swampbox release X --execution exec-B --wait 600\n  \
        swampbox release X --execution exec-B --decision decision.json\n  \
        swampbox release X --execution exec-B --provider -- ./decide --strict")]
    Release(Release),
    /// Look outside whether the effect of a consequence is there
    ///
    /// An independent read, which changes nothing. Most effects leave nothing that could be read:
    /// then the answer is that nobody knows. Exit status: 0 for present, 1 for absent, 6 for
    /// unknown.
    #[command(after_help = "Example:\n  swampbox observe X")]
    Observe {
        /// The consequence
        consequence: String,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Say what was found out about an UNCERTAIN consequence
    ///
    /// It stays UNCERTAIN, and what was found out stands beside it. To try again, submit a new
    /// consequence.
    #[command(after_help = "Example:\n  swampbox resolve X --verdict confirmed_executed \
        --evidence seen.json --by alice")]
    Resolve(Resolve),
    /// Sign how far the history has come
    ///
    /// Prints the checkpoint as JSON. Keep it where those who can write the ledger can't.
    #[command(after_help = "Example:\n  swampbox checkpoint --key key.pem > checkpoint.json")]
    Checkpoint {
        /// The private key
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Read all of a ledger again: its file, its history, its signatures and its tables
    ///
    /// Says the first place where they differ. Exit status: 0 if there is none, 1 if there is one.
    #[command(after_help = "Examples:\n  swampbox verify\n  \
        swampbox verify --key $(cat key.pub) --expect-checkpoint checkpoint.json")]
    Verify {
        #[command(flatten)]
        expect: Expect,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Write the whole history as JSON lines
    #[command(after_help = "Example:\n  swampbox export history.jsonl")]
    Export {
        /// The file, which must not be there; standard output for `-`
        #[arg(value_name = "FILE", default_value = "-")]
        file: PathBuf,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Make a ledger of an export
    ///
    /// It is verified before it is there.
    #[command(after_help = "Example:\n  swampbox import history.jsonl --ledger restored.db")]
    Import {
        /// The export, or `-` for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        expect: Expect,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Copy a ledger while it is in use
    ///
    /// The copy is verified before it is there. Use one of the two only.
    #[command(after_help = "Example:\n  swampbox backup /mnt/backup/ledger.db")]
    Backup {
        /// The copy, which must not be there
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Decide about releases that wait for approval
    ///
    /// Shows all of what would be done, page by page, with everything invisible in it made visible, and
    /// how it differs from what it was derived from. You are the user that you are logged in as; at a
    /// service, whoever it knows by your key.
    #[command(after_help = "Examples:\n  swampbox decide\n  swampbox decide --list\n  \
        swampbox decide X --allow --digest SHA-256 --reason 'as agreed'\n  \
        swampbox decide --service https://box.example.com --key-file my.key")]
    Decide(Decide),
    /// Serve the ledger over HTTP
    ///
    /// Agents propose and ask for releases, people decide, and auditors look. Where it listens, whom it
    /// knows and its bounds are in the configuration. It prints its address on one line when it listens.
    /// SIGTERM, SIGINT and SIGHUP stop it: what is at work is brought to its end first, and a second one
    /// stops it at once. Nothing is read again by a signal. Exit status: 0 when it was stopped, 1 when at once, 3 if it can't listen.
    #[command(after_help = "Examples:\n  swampbox serve --config swampbox.toml\n  \
        swampbox serve --listen 127.0.0.1:0 --log json --log-level warn")]
    Serve(Serve),
    /// Make an API key for a principal of the service
    ///
    /// Prints the lines for the configuration, which hold only the key's hash. The key goes to standard
    /// error, once, or into a file.
    #[command(
        after_help = "Examples:\n  swampbox principal alice --role approver >> swampbox.toml\n  \
        swampbox principal builder --role agent --key-file builder.key >> swampbox.toml"
    )]
    Principal(NewPrincipal),
    /// Sign a decision about a consequence
    ///
    /// Prints an envelope, for `release --decision` or the directory of the configuration.
    #[command(after_help = "Example:\n  swampbox sign X --key key.pem > decision.json")]
    Sign(Sign),
    /// Look into who would decide
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Check a configuration, or begin one
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Say what is wrong with the surroundings, and how to mend it
    ///
    /// Looks at the configuration, the ledger, the keys and the programs that are needed. Changes
    /// nothing. Exit status: 0 if all is well, 1 if something is not.
    Doctor {
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Make, list and revoke keys
    #[command(subcommand)]
    Key(KeyCommand),
}

/// What is known of a ledger from elsewhere.
#[derive(Args, Debug)]
pub(crate) struct Expect {
    /// Trust checkpoints that are signed by this key, and by others so named, alone
    #[arg(long = "key", value_name = "PUBLIC_KEY")]
    pub(crate) keys: Vec<String>,
    /// Expect that what a checkpoint covers is there; may be given several times
    #[arg(long = "expect-checkpoint", value_name = "FILE")]
    pub(crate) checkpoints: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a new key, in a new file that its owner alone can read
    ///
    /// Prints the public half.
    #[command(after_help = "Example:\n  swampbox key generate key.pem > key.pub")]
    Generate {
        /// The file
        file: PathBuf,
        /// Print one JSON document instead
        #[arg(long)]
        json: bool,
    },
    /// List the keys of the configuration whose signatures are believed
    List {
        #[command(flatten)]
        at: LedgerArguments,
    },
    /// Revoke a key, or a decision, for good
    ///
    /// What it signed decides nothing any more, also if it was presented already and has not released
    /// yet.
    #[command(after_help = "Examples:\n  swampbox key revoke KEY_ID --reason 'laptop lost'\n  \
        swampbox key revoke --decision decision-1 --reason 'withdrawn'")]
    Revoke {
        /// The key's id, as `key list` shows it, or its name
        #[arg(
            value_name = "KEY",
            required_unless_present = "decision",
            conflicts_with = "decision"
        )]
        key: Option<String>,
        /// The decision's id
        #[arg(long, value_name = "ID")]
        decision: Option<String>,
        /// Why
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        at: LedgerArguments,
    },
}

#[derive(Args, Debug)]
pub(crate) struct Submit {
    /// The material, as JSON; standard input for `-`
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// Who proposes it
    #[arg(long, value_name = "ID")]
    pub(crate) execution: String,
    /// Its id; one is made if left out
    #[arg(long, value_name = "ID")]
    pub(crate) consequence: Option<String>,
    /// The consequence that it is derived from
    #[arg(long, value_name = "ID")]
    pub(crate) parent: Option<String>,
    #[command(flatten)]
    pub(crate) at: LedgerArguments,
}

#[derive(Args, Debug)]
pub(crate) struct List {
    /// Only those in this state
    #[arg(long, value_enum, ignore_case = true)]
    pub(crate) state: Option<State>,
    /// Only those that this execution holds, or held last
    #[arg(long, value_name = "ID")]
    pub(crate) execution: Option<String>,
    /// Only those that this execution submitted
    #[arg(long, value_name = "ID")]
    pub(crate) origin: Option<String>,
    /// Only those of exactly this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) consequence_type: Option<String>,
    /// Only those with exactly this target
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// Only those in quarantine
    #[arg(long)]
    pub(crate) quarantined: bool,
    #[command(flatten)]
    pub(crate) at: LedgerArguments,
}

/// What became of a consequence.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "UPPER")]
pub(crate) enum State {
    /// It is held
    Contained,
    /// It happened
    Released,
    /// Nobody knows whether it happened
    Uncertain,
}

/// A kind of drawing.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Drawing {
    /// Text
    Tree,
    /// For Graphviz
    Dot,
    /// For Mermaid
    Mermaid,
}
