//! The service that is killed: this very program, run again.

use std::env;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write, stderr, stdin};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio, exit};
use std::sync::Arc;
use std::thread;

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission};
use swampbox_service::{KeyHash, KeyRing, Limits, Role, Service, Stopper};
use tokio::net::TcpListener;

use crate::effects::{ByName, Lines};
use crate::served::parts;

const HOME: &str = "SWAMPBOX_KILLED_HOME";

/// What begins the line of the process that tells its address.
const SAYS: &str = "| ";

/// The file with the consequences of which the actuator was entered and never left.
pub(super) const ENTERED: &str = "entered";

/// The process, which is killed when it is dropped at the latest.
pub(super) struct Victim {
    pub(super) address: SocketAddr,
    process: Child,
}

impl Victim {
    /// Starts it, and waits until it serves.
    pub(super) fn start(home: &Path) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        let name = "killed::victim::serves_until_it_is_killed";
        command.args(["--exact", name, "--nocapture", "--test-threads=1"]);
        command.env(HOME, home).env_remove("RUST_BACKTRACE");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut said = lines.map(Result::unwrap).inspect(|line| println!("{line}"));
        let address = said.find_map(|line| line.strip_prefix(SAYS)?.parse().ok());
        Self { address: address.expect("the service did not start"), process }
    }

    /// Kills it, as nothing could hinder.
    pub(super) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.end();
    }
}

/// The key of this principal.
pub(super) fn key(name: &str) -> String {
    format!("swk_{name}")
}

/// Nothing, unless this process was started to be killed.
#[test]
fn serves_until_it_is_killed() {
    let Some(home) = env::var_os(HOME).map(PathBuf::from) else { return };
    // If nobody is left to kill it, it ends by itself.
    thread::spawn(|| {
        drop(stdin().read_to_end(&mut Vec::new()));
        exit(1);
    });
    let principals = [("ann", Role::Agent), ("carl", Role::Approver), ("olga", Role::Operator)];
    let keys = principals.into_iter().fold(KeyRing::new(), |ring, (name, role)| {
        ring.with(name.parse().unwrap(), KeyHash::of(&key(name)), [role]).unwrap()
    });
    let mut parts = parts(&home, keys, Limits::default());
    parts.effects = Arc::new(ByName(vec![
        Box::new(Lines::within(&home)),
        Box::new(Halting { home: home.clone(), before: true }),
        Box::new(Halting { home, before: false }),
    ]));
    let (_stopper, stop) = Stopper::new();
    let runtime = swampbox_service::runtime().unwrap();
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let line = format!("{SAYS}{}\n", listener.local_addr().unwrap());
    stderr().write_all(line.as_bytes()).unwrap();
    runtime.block_on(Service::new(parts, stop).serve(listener, None)).unwrap();
}

/// Never comes back: it stops before its effect, or after.
struct Halting {
    home: PathBuf,
    before: bool,
}

impl Actuator for Halting {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let note = |name: &str| {
            let file = OpenOptions::new().create(true).append(true).open(self.home.join(name));
            file.unwrap().write_all(format!("{}\n", admission.consequence_id()).as_bytes())
        };
        if !self.before {
            note("lines").map_err(ActuatorFailure::new)?;
        }
        note(ENTERED).map_err(ActuatorFailure::new)?;
        loop {
            thread::park();
        }
    }

    fn name(&self) -> &str {
        if self.before { "halts before" } else { "halts after" }
    }
}
