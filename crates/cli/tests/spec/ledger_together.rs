//! Several processes on one ledger.

use std::process::Stdio;

use insta::assert_snapshot;

use crate::ledger::{Ledger, NOBODY, NOTE, steady};
use crate::run::Ran;

#[test]
fn of_many_processes_that_submit_the_same_id_at_once_one_succeeds() {
    let ledger = Ledger::with_executions();
    ledger.write("note.json", NOTE);
    let start = || {
        let mut command = ledger.command("submit note.json --execution A --consequence X");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(|_| start()).collect();
    let ended = children.into_iter().map(|child| Ran::of(child.wait_with_output().unwrap()));
    let (won, lost): (Vec<Ran>, Vec<Ran>) = ended.partition(|ran| ran.status == Some(0));
    assert_eq!((won.len(), lost.len()), (1, 7));
    for ran in lost {
        assert_eq!(ran.stderr, "error: consequence_exists: consequence \"X\" is there already\n");
        assert_eq!(ran.status, Some(1));
    }
}

#[test]
fn while_one_process_releases_others_read_and_are_refused_what_would_interfere() {
    let ledger = Ledger::with_a_request(NOBODY);
    ledger.write("decision.json", ledger.decision());
    // The authority is asked without a mark; it works on the same ledger meanwhile.
    let binary = env!("CARGO_BIN_EXE_swampbox");
    let script = format!(
        "cat > /dev/null; {binary} transfer X --from A --to B > transferred; cat decision.json"
    );
    let release =
        ["release", "X", "--execution", "A", "--provider", "--", "sh", "-c", script.as_str()];
    let ran = ledger.run_of(&release);
    let read = ledger.run("read X --execution B");
    assert_snapshot!(steady(&format!("{ran}{read}")));
}

#[test]
fn a_process_that_is_killed_while_it_releases_leaves_uncertain_and_not_retried() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let ledger = Ledger::with_a_request(&origin);
    ledger.write("decision.json", ledger.decision());
    let mut release = ledger.command("release X --execution A --decision decision.json");
    let mut release = release.stdout(Stdio::null()).spawn().unwrap();
    // Once its request has arrived, the actuator has been entered.
    let (_connection, _) = listener.accept().unwrap();
    let meanwhile = ledger.story(&["execution end A", "read X --execution A"]);
    release.kill().unwrap();
    release.wait().unwrap();
    let after = ledger.story(&[
        "read X --execution A",
        "release X --execution A --decision decision.json",
        "execution end A",
    ]);
    assert_snapshot!(format!("{meanwhile}\n(killed)\n\n{after}"));
}
