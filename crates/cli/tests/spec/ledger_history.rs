//! Looking at a ledger as a whole.

use insta::assert_snapshot;

use crate::ledger::{Ledger, NOTE, receiver, steady};

/// A ledger on which something of every kind has happened: B holds X, Y was derived from it, Z is
/// quarantined, and U is UNCERTAIN, with somebody's explanation and tried again as V.
fn eventful() -> Ledger {
    let origin = receiver(500);
    let ledger = Ledger::with_a_note();
    ledger.write("note.json", NOTE);
    let request = format!(
        r#"{{"consequence_type": "http.request", "target": "{origin}",
            "payload": {{"method": "GET", "url": "{origin}/"}}}}"#
    );
    ledger.write("request.json", &request);
    ledger.write("seen.json", r#"{"count": 1}"#);
    let decision = format!(
        r#"{{"decision_id": "decision-U", "verdict": "ALLOW", "consequence_id": "U",
            "execution_id": "B", "bound_consequence": {request},
            "issued_at": "2000-01-01T00:00:00Z", "valid_until": "9999-01-01T00:00:00Z"}}"#
    );
    ledger.write("decision.json", decision);
    for words in [
        "transfer X --from A --to B",
        "submit note.json --execution B --consequence Y --parent X",
        "submit note.json --execution A --consequence Z",
        "execution end A",
        "submit request.json --execution B --consequence U",
        "release Y --execution B --decision decision.json",
        "release U --execution B --decision decision.json",
        "resolve U --verdict confirmed_not_executed --evidence seen.json --by alice",
        "submit request.json --execution B --consequence V",
    ] {
        let ran = ledger.run(words);
        assert!(matches!(ran.status, Some(0 | 1 | 6)), "{words}: {ran}");
    }
    ledger
}

#[test]
fn consequences_are_listed_by_what_is_asked_for() {
    let ledger = eventful();
    assert_snapshot!(ledger.story(&[
        "list",
        "list --state UNCERTAIN",
        "list --state contained --execution B --type note",
        "list --origin A",
        "list --quarantined",
        "list --quarantined --json",
        "list --target nowhere",
    ]));
}

#[test]
fn executions_are_listed_with_what_their_life_hangs_on() {
    let ledger = eventful();
    ledger.run("execution start L --lease 60");
    assert_snapshot!(ledger.story(&[
        "execution list",
        "execution list --state ended",
        "execution list --json",
    ]));
}

#[test]
fn more_than_a_page_is_listed_in_whole() {
    let ledger = Ledger::new();
    let line = |number: usize| format!("{number:03}");
    let all = "ledger.db";
    for number in 0..70 {
        ledger.run(&format!("execution start {} --ledger {all}", line(number)));
    }
    assert_eq!(ledger.run("execution list").stdout.lines().count(), 70);
    assert_eq!(ledger.run("log").stdout.lines().count(), 70);
    assert_eq!(ledger.run("log --from 70").stdout.lines().count(), 1);
}

#[test]
fn everything_that_is_known_of_a_consequence_is_shown() {
    let ledger = eventful();
    assert_snapshot!(ledger.story(&["show X", "show U", "show W"]));
}

#[test]
fn as_json_it_is_one_document() {
    let ledger = eventful();
    assert_snapshot!(ledger.story(&["show Z --json", "show U --json"]));
}

#[test]
fn lineage_is_drawn_in_three_ways() {
    let ledger = eventful();
    assert_snapshot!(ledger.story(&[
        "graph",
        "graph --format dot",
        "graph --format mermaid",
        "graph --json",
        "graph --json --format dot",
    ]));
}

#[test]
fn a_tree_keeps_its_branches_apart() {
    let ledger = Ledger::with_a_note();
    ledger.write("note.json", NOTE);
    for (id, parent) in [("B", "X"), ("C", "B"), ("D", "X"), ("E", "C"), ("F", "D")] {
        ledger.run(&format!("submit note.json --execution A --consequence {id} --parent {parent}"));
    }
    ledger.run("submit note.json --execution A --consequence Y");
    assert_snapshot!(ledger.run("graph"));
}

#[test]
fn no_name_breaks_out_of_a_drawing() {
    let ledger = Ledger::with_executions();
    ledger.write(
        "note.json",
        br#"{"consequence_type": "a\"]; b\\<script>", "target": "", "payload": 1}"#,
    );
    let id = "X\"]\\n;--><b>\u{202e}#`";
    let submit = ["submit", "note.json", "--execution", "A", "--consequence", id];
    assert_eq!(ledger.run_of(&submit).status, Some(0));
    assert_snapshot!(ledger.story(&["graph", "graph --format dot", "graph --format mermaid"]));
}

#[test]
fn the_history_is_told_event_by_event() {
    let ledger = eventful();
    assert_snapshot!(ledger.story(&[
        "log",
        "log --consequence Z",
        "log --execution A --from 4",
        "log --from 9 --consequence Y --json",
        "log --from 1000",
    ]));
}

#[test]
fn only_what_is_uncertain_can_be_resolved_and_it_stays_so() {
    let ledger = eventful();
    let resolve = "resolve U --evidence - --by bob --json --verdict confirmed_executed";
    let again = ledger.run_with(resolve, br#"["seen", 1.0]"#);
    let bad = ledger.run_with(resolve, b"I saw it");
    let other = ledger.story(&[
        "resolve X --verdict unresolved --evidence seen.json --by bob",
        "resolve W --verdict unresolved --evidence seen.json --by bob",
        "resolve U --verdict perhaps --evidence seen.json --by bob",
        "list --state UNCERTAIN",
    ]);
    assert_snapshot!(steady(&format!("{again}{bad}{other}")));
}

#[test]
fn a_look_outside_says_when_there_is_nothing_to_look_at() {
    let ledger = eventful();
    assert_snapshot!(ledger.story(&["observe U", "observe U --json", "observe X", "observe W"]));
}
