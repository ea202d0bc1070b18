use clap::{Args, Subcommand, ValueEnum};

/// The greatest length of a lease, in seconds: a year.
const MAX_LEASE: u64 = 365 * 24 * 3600;

#[derive(Debug, Subcommand)]
pub(crate) enum ExecutionCommand {
    /// Make an execution active
    ///
    /// Prints its id. For one that is active already nothing changes but what it is bound to.
    #[command(after_help = "Examples:\n  swampbox execution start exec-A --pid $$\n  \
        swampbox execution start --lease 60")]
    Start(Start),
    /// End an execution, and quarantine what it holds
    End {
        /// The execution
        id: String,
    },
    /// List executions, in the order of their ids
    List {
        /// Only those in this state
        #[arg(long, value_enum, ignore_case = true)]
        state: Option<LifeState>,
    },
    /// Renew the lease of an execution
    Renew {
        /// The execution
        id: String,
    },
    /// End the executions whose process is gone, or whose lease has run out
    ///
    /// One whose process is stopped is alive, and so is one of which nothing can be found out.
    Reap,
}

#[derive(Args, Debug)]
pub(crate) struct Start {
    /// Its id; one is made if left out
    pub(crate) id: Option<String>,
    /// Bind it to a process of this machine: when that is gone, `reap` ends it
    #[arg(long, value_name = "PID", conflicts_with = "lease")]
    pub(crate) pid: Option<u32>,
    /// Bind it to a lease: unless it is renewed within so many seconds, `reap` ends it
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=MAX_LEASE))]
    pub(crate) lease: Option<u64>,
}

/// Whether an execution may act.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "UPPER")]
pub(crate) enum LifeState {
    /// It may
    Active,
    /// It may not any more
    Ended,
}
