//! Executions whose life hangs on a process or on a lease.

use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;

use crate::ledger::{Ledger, NOTE, steady};

/// A process that does nothing until it is killed.
struct Idle {
    process: Child,
}

impl Idle {
    fn start() -> Self {
        let process = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
        Self { process }
    }

    fn number(&self) -> String {
        self.process.id().to_string()
    }

    fn signal(&self, signal: &str) {
        // The shell's own, since not every machine has the program.
        let kill = ["-c", "kill \"$0\" \"$1\"", signal, &self.number()];
        let sent = Command::new("sh").args(kill).status().unwrap();
        assert!(sent.success());
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[test]
fn an_execution_is_active_until_it_is_ended_and_never_again() {
    let ledger = Ledger::new();
    assert_snapshot!(ledger.story(&[
        "execution start A",
        "execution start A --json",
        "execution end A",
        "execution start A",
        "execution end A",
    ]));
}

#[test]
fn one_whose_process_was_killed_is_reaped_and_what_it_held_is_quarantined() {
    let ledger = Ledger::new();
    let mut process = Idle::start();
    let number = process.number();
    ledger.run(&format!("execution start A --pid {number}"));
    ledger.run_with("submit --execution A --consequence X", NOTE);
    process.kill();
    let told = ledger.story(&["execution reap", "inspect X", "execution reap"]);
    assert_snapshot!(told.replace(&number, "PID"));
}

#[test]
fn one_whose_process_runs_or_is_stopped_is_left_alone() {
    let ledger = Ledger::new();
    let process = Idle::start();
    ledger.run(&format!("execution start A --pid {}", process.number()));
    let running = ledger.run("execution reap").to_string();
    process.signal("-STOP");
    let stopped = ledger.run("execution reap").to_string();
    let submitted = ledger.run_with("submit --execution A --consequence X", NOTE);
    assert_snapshot!(format!("running\n{running}stopped\n{stopped}submit\n{submitted}"));
}

#[test]
fn one_that_ended_and_was_not_waited_for_is_gone() {
    let ledger = Ledger::new();
    let process = Idle::start();
    let number = process.number();
    ledger.run(&format!("execution start A --pid {number}"));
    process.signal("-KILL");
    // It is this process's child, and nobody waits for it: the system still has its number.
    while !ledger.run("execution reap").stdout.contains("ended") {}
    assert_snapshot!(ledger.run("execution end A"));
}

#[test]
fn a_lease_is_kept_by_renewing_it() {
    let ledger = Ledger::new();
    assert_snapshot!(ledger.story(&[
        "execution start A --lease 3600",
        "execution renew A",
        "execution renew A --json",
        "execution reap",
        "execution end A",
        "execution renew A",
    ]));
}

#[test]
fn a_lease_that_ran_out_is_reaped() {
    let ledger = Ledger::new();
    ledger.run("execution start A --lease 1");
    let reaped = loop {
        let ran = ledger.run("execution reap --json");
        if !ran.stdout.is_empty() {
            break ran;
        }
    };
    assert_snapshot!(steady(&reaped.stdout));
}

#[test]
fn one_that_is_bound_to_nothing_is_never_reaped() {
    let ledger = Ledger::with_a_note();
    assert_snapshot!(ledger.story(&["execution reap", "execution renew A", "execution renew C"]));
}

#[test]
fn a_process_that_is_not_there_binds_nothing() {
    let ledger = Ledger::new();
    let mut process = Idle::start();
    process.kill();
    let number = process.number();
    let start = format!("execution start A --pid {number}");
    let told = ledger.story(&[&start, "execution start A --pid 0", "execution end A"]);
    assert_snapshot!(told.replace(&number, "PID"));
}

#[test]
fn an_execution_hangs_on_one_thing_within_bounds() {
    let ledger = Ledger::new();
    assert_snapshot!(ledger.story(&[
        "execution start A --pid 1 --lease 60",
        "execution start A --lease 0",
        "execution start A --lease 31536001",
        "execution start A --pid -1",
    ]));
}
