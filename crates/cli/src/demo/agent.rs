//! The agent of the story, as a process of its own.

use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use swampbox_custody::{ConsequenceId, Custody, ExecutionId, Submission};
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::{Binding, LedgerCustody, Process};

use super::proposal::proposal;
use super::story::Interrupted;

/// What the agent says when its proposal is on disk.
const SUBMITTED: &str = "submitted";

/// Does what the agent does: proposes X in the name of A, says so, and waits for the end of its
/// input, which does not come.
pub(crate) fn act(ledger: &Path, origin: &str) -> Result<(), Interrupted> {
    let custody = LedgerCustody::open(ledger, Box::new(SystemClock))?;
    let (execution, consequence): (ExecutionId, ConsequenceId) = ("exec-A".parse()?, "X".parse()?);
    custody.register_bound(&execution, Binding::Process(Process::running(std::process::id())?))?;
    let material = proposal(origin, "Rotate the staging key")?;
    custody.submit(Submission { execution, consequence, material, parent: None })?;
    writeln!(io::stdout(), "{SUBMITTED}")?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// The running agent. Dropped, it is killed.
pub(super) struct Agent {
    process: Child,
}

impl Agent {
    /// Starts the agent, and waits until it says that its proposal is on disk.
    pub(super) fn start(ledger: &Path, origin: &str) -> Result<Self, Interrupted> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("demo-agent").arg(ledger).arg(origin);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut agent = Self { process: command.spawn()? };
        let said = agent.process.stdout.take().map(BufReader::new);
        let said = said.and_then(|said| said.lines().next()).transpose()?;
        match said.as_deref() {
            Some(SUBMITTED) => Ok(agent),
            _ => Err("the agent ended before it had proposed anything".into()),
        }
    }

    /// Kills it: with SIGKILL, which no process can refuse or prepare for.
    pub(super) fn kill(mut self) -> Result<(), Interrupted> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // Both fail only for a process that is gone already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
