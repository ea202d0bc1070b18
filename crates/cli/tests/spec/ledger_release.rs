//! Releasing what a ledger holds.

use std::path::Path;

use insta::assert_snapshot;

use crate::ledger::{Ledger, NOBODY, receiver, steady};

#[test]
fn what_a_decision_allows_is_carried_out_once() {
    let ledger = Ledger::with_a_request(&receiver(204));
    ledger.write("decision.json", ledger.decision());
    assert_snapshot!(ledger.story(&[
        "release X --execution A --decision decision.json",
        "release X --execution A --decision decision.json",
        "read X --execution A",
    ]));
}

#[test]
fn as_json_a_release_has_the_fields_of_the_contract_and_a_sentence() {
    let ledger = Ledger::with_a_request(&receiver(204));
    ledger.write("decision.json", ledger.decision());
    let release = "release X --execution A --decision decision.json --json";
    assert_snapshot!(ledger.story(&[release, release]));
}

#[test]
fn what_nobody_knows_the_outcome_of_is_uncertain_with_a_status_of_its_own() {
    let ledger = Ledger::with_a_request(&receiver(500));
    ledger.write("decision.json", ledger.decision());
    assert_snapshot!(ledger.story(&[
        "release X --execution A --decision decision.json",
        "release X --execution A --decision decision.json",
    ]));
}

#[test]
fn what_surely_did_not_happen_stays_contained_and_can_be_tried_again() {
    let ledger = Ledger::with_a_request(NOBODY);
    let decision = ledger.decision();
    let release = "release X --execution A --decision -";
    let first = ledger.run_with(release, decision.as_bytes());
    let second = ledger.run_with(release, decision.as_bytes());
    assert_snapshot!(format!("{first}{second}"));
}

#[test]
fn a_decision_that_does_not_allow_it_releases_nothing() {
    let ledger = Ledger::with_a_request(NOBODY);
    let decision = ledger.decision();
    let release = |decision: String| {
        ledger.run_with("release X --execution A --decision -", decision.as_bytes()).to_string()
    };
    let seen = [
        release(decision.replace("ALLOW", "DENY")),
        release(decision.replace("GET", "PUT")),
        release(decision.replace("9999", "2001")),
        release(decision.replace("verdict", "verdikt")),
        release("ALLOW \u{202e}".into()),
        release(String::new()),
    ];
    assert_snapshot!(steady(&seen.concat()));
}

#[test]
fn a_command_is_asked_once_with_the_consequence_and_without_a_shell() {
    let ledger = Ledger::with_a_request(&receiver(204));
    ledger.write("decision.json", ledger.decision());
    let script = "cat > asked.$#.json; echo \"$1\" >> arguments; cat decision.json";
    let provider = ["sh", "-c", script, "name", "a b;$(id)"];
    let release = ["release", "X", "--execution", "A", "--provider", "--"];
    let ran = ledger.run_of(&[&release[..], &provider].concat());
    let read = |name: &str| std::fs::read_to_string(ledger.directory().join(name)).unwrap();
    assert_snapshot!(steady(&format!("{ran}{}{}", read("asked.1.json"), read("arguments"))));
}

#[test]
fn a_command_that_gives_no_decision_releases_nothing() {
    let ledger = Ledger::with_a_request(NOBODY);
    let ask = |arguments: &[&str]| {
        let release = ["release", "X", "--execution", "A", "--provider"];
        let ran = ledger.run_of(&[&release[..], arguments].concat());
        format!("$ {}\n{ran}\n", arguments.join(" ").replace('\x1b', "(escape)"))
    };
    let seen = [
        ask(&["--", "./missing"]),
        ask(&["--", "false"]),
        ask(&["--", "sh", "-c", "echo 'no \x1b[31mrule' >&2; exit 3"]),
        ask(&["--", "sh", "-c", "kill -9 $$"]),
        ask(&["--", "true"]),
        ask(&["--", "echo", "ALLOW"]),
        ask(&["--timeout", "1", "--", "sleep", "1000"]),
        ask(&["--", "sh", "-c", "yes '' | head -c 70000000"]),
    ];
    assert_snapshot!(seen.concat());
}

#[test]
fn a_command_that_is_cut_off_takes_the_daemon_with_it_that_it_has_started() {
    let ledger = Ledger::with_a_request(NOBODY);
    // Its parent has ended, and it is in a session of its own.
    let daemon = "echo $$ > daemon.part; mv daemon.part daemon; exec sleep 1000";
    ledger.write("daemon.sh", daemon);
    let script = "sh -c 'setsid sh daemon.sh > daemon.out 2>&1 < /dev/null &'
        until [ -e daemon ]; do :; done; yes";
    let ran = ledger.run_of(&[
        "release",
        "X",
        "--execution",
        "A",
        "--provider",
        "--",
        "sh",
        "-c",
        script,
    ]);
    assert_eq!(ran.status, Some(1), "{ran}");
    let daemon = std::fs::read_to_string(ledger.directory().join("daemon")).unwrap();
    let gone = !Path::new("/proc").join(daemon.trim()).exists();
    assert!(gone, "process {daemon} outlived the command: {ran}");
}

#[test]
fn a_command_need_not_read_what_it_is_asked() {
    let ledger = Ledger::with_a_request(&receiver(204));
    ledger.write("decision.json", ledger.decision());
    assert_snapshot!(ledger.story(&["release X --execution A --provider -- cat decision.json"]));
}

#[test]
fn what_nothing_here_carries_out_is_refused_before_anybody_is_asked() {
    let ledger = Ledger::with_a_note();
    assert_snapshot!(ledger.story(&[
        "release X --execution A --provider -- touch asked",
        "release X --execution A --provider --json -- touch asked",
        "release X --execution B --provider -- touch asked",
        "read X --execution A",
        "execution end A",
    ]));
    assert!(!ledger.directory().join("asked").exists());
}

#[test]
fn a_release_needs_one_authority() {
    let ledger = Ledger::new();
    assert_snapshot!(ledger.story(&[
        "release X --execution A",
        "release X --execution A --provider",
        "release X --execution A --decision a.json --provider -- cat",
        "release X --execution A --decision a.json -- cat",
        "release X --execution A --provider --timeout 0 -- cat",
        "release X --execution A --decision missing.json",
    ]));
}
