//! Processes of their own, to be stopped and killed: this very program, run again in a role.

use std::env;
use std::io::{BufRead, BufReader, Write, stdin};
use std::path::{Path, PathBuf};
use std::process::{self, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::{faults, instances, recent};

const ROLE: &str = "SWAMPBOX_LEDGER_ROLE";
const PATH: &str = "SWAMPBOX_LEDGER_PATH";

/// What begins each line that a child says, among all that its test harness says.
const SAYS: &str = "says: ";

/// A process that plays a role. Killed when it is dropped.
pub(crate) struct Child {
    process: process::Child,
    lines: BufReader<ChildStderr>,
}

impl Child {
    /// A process that plays `role` on the ledger at `path`.
    pub(crate) fn start(role: &str, path: &Path) -> Self {
        Self::run(Command::new(env::current_exe().unwrap()), role, path)
    }

    /// As `start`, in an environment that this shell script makes before it runs `"$@"`.
    pub(crate) fn start_in(script: &str, role: &str, path: &Path) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-ec", script, "sh"]).arg(env::current_exe().unwrap());
        Self::run(shell, role, path)
    }

    fn run(mut command: Command, role: &str, path: &Path) -> Self {
        command.args(["--exact", "child::plays_its_role", "--nocapture", "--test-threads=1"]);
        command.env(ROLE, role).env(PATH, path).env_remove("RUST_BACKTRACE");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let lines = BufReader::new(process.stderr.take().unwrap());
        Self { process, lines }
    }

    /// Waits for what it says next.
    pub(crate) fn hear(&mut self) -> String {
        let mut other = String::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "it ended:\n{other}");
            match line.trim_end().strip_prefix(SAYS) {
                Some(said) => return said.to_owned(),
                None => other.push_str(&line),
            }
        }
    }

    /// Lets it go on from where it listens.
    pub(crate) fn tell(&mut self) {
        self.process.stdin.as_mut().unwrap().write_all(b"go on\n").unwrap();
    }

    pub(crate) fn stop(&self) {
        self.signal(Signal::STOP);
    }

    pub(crate) fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        kill_process(pid.unwrap(), signal).unwrap();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// For the child: says a line.
pub(crate) fn say(line: impl std::fmt::Display) {
    eprintln!("{SAYS}{line}");
}

/// For the child: waits until it is told to go on.
pub(crate) fn listen() {
    stdin().read_line(&mut String::new()).unwrap();
}

/// Nothing, unless this process was started to play a role.
#[test]
fn plays_its_role() {
    let (Ok(role), Some(path)) = (env::var(ROLE), env::var_os(PATH)) else { return };
    let path = PathBuf::from(path);
    match role.as_str() {
        "attempt" => instances::attempt_and_wait(&path),
        "crowd" => instances::crowd_and_say(&path),
        "fill" => faults::submit_until_it_fails(&path),
        "fill and free" => faults::fill_the_disk_and_free_it(&path),
        "open" => faults::open_and_say(&path),
        "holds it open" => faults::hold_open(&path),
        "transfers" => recent::transfer_and_say(&path),
        "transfers when told" => recent::wait_and_transfer(&path),
        "makes a key" => faults::make_key(&path),
        _ => panic!("there is no role `{role}`"),
    }
}
