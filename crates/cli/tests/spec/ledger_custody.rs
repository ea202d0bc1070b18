//! What is held on a ledger, and in whose hands.

use insta::assert_snapshot;

use crate::ledger::{Ledger, NOTE, steady};

#[test]
fn what_is_submitted_is_held_from_one_run_of_the_command_to_the_next() {
    let ledger = Ledger::with_a_note();
    assert_snapshot!(ledger.story(&["read X --execution A", "read X --execution A --json"]));
}

#[test]
fn a_consequence_is_given_away_left_behind_looked_at_and_taken_up() {
    let ledger = Ledger::with_a_note();
    assert_snapshot!(ledger.story(&[
        "transfer X --from A --to B",
        "read X --execution A",
        "execution end B",
        "read X --execution A",
        "inspect X",
        "inspect X --json",
        "adopt X --execution A",
        "adopt X --execution A",
    ]));
}

#[test]
fn what_is_derived_names_its_parent() {
    let ledger = Ledger::with_a_note();
    ledger.write("note.json", NOTE);
    assert_snapshot!(ledger.story(&[
        "submit note.json --execution A --consequence Y --parent X --json",
        "read Y --execution A",
        "submit note.json --execution B --consequence Z --parent X",
    ]));
}

#[test]
fn an_id_is_made_where_none_is_given() {
    let ledger = Ledger::new();
    let execution = ledger.run("execution start").stdout;
    let submit = format!("submit --execution {}", execution.trim());
    let consequence = ledger.run_with(&submit, NOTE).stdout;
    let read = format!("read {} --execution {}", consequence.trim(), execution.trim());
    assert_snapshot!(steady(&format!("{execution}{consequence}{}", ledger.run(&read))));
}

#[test]
fn a_refusal_by_the_rules_is_one_line_with_its_code_and_the_status_of_no() {
    let ledger = Ledger::with_a_note();
    ledger.write("note.json", NOTE);
    assert_snapshot!(ledger.story(&[
        "submit note.json --execution A --consequence X",
        "submit note.json --execution C",
        "submit note.json --execution A --consequence Y --parent Y",
        "transfer X --from A --to A",
        "transfer X --from B --to A",
        "inspect X",
        "adopt Y --execution A",
        "execution end C --json",
    ]));
}

#[test]
fn what_is_invisible_is_shown_and_never_reaches_the_terminal() {
    let ledger = Ledger::with_executions();
    let material = r#"{"consequence_type": "no\u202ete", "target": "\u001b[2J", "payload": {"\u200b": "\u0000"}}"#;
    let submitted =
        ledger.command_of(&["submit", "--execution", "A", "--consequence", "X \u{202e}$(id)"]);
    let submitted = crate::run::fed(submitted, material.as_bytes());
    let read = ledger.run_of(&["read", "X \u{202e}$(id)", "--execution", "A"]);
    let refused = ledger.run_of(&["read", "X \u{202e}$(id)", "--execution", "B"]);
    assert_snapshot!(format!("{submitted}{read}{refused}"));
}

#[test]
fn as_json_what_a_terminal_would_obey_is_escaped_and_nothing_is_lost() {
    let ledger = Ledger::with_executions();
    let material = "{\"consequence_type\": \"a\u{7f}b\u{9b}31mc\", \"target\": \"\\u001b[2J\", \"payload\": 1}";
    ledger.run_with("submit --execution A --consequence X", material.as_bytes());
    assert_snapshot!(ledger.run("read X --execution A --json"));
}

#[test]
fn material_and_ids_that_can_not_be_are_refused_before_a_ledger_is_opened() {
    let ledger = Ledger::new();
    let other = |words: &str, input: &[u8]| {
        let words = format!("{words} --ledger nowhere.db");
        let shown = words.replace('\u{7f}', "(delete)");
        format!("$ {shown}\n{}\n", ledger.run_with(&words, input))
    };
    let long = "x".repeat(257);
    assert_snapshot!(
        [
            other("submit --execution A", b""),
            other("submit --execution A", br#"{"consequence_type": 1}"#),
            other("submit --execution A", br#"{"payload": 1, "payload": 2}"#),
            other("submit --execution A missing.json", b""),
            other(&format!("submit --execution {long}"), NOTE),
            other("read \u{7f} --execution A", b""),
        ]
        .concat()
    );
}
