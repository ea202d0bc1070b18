//! What was found out about an UNCERTAIN consequence, attached to it.

use insta::assert_snapshot;
use swampbox_custody::{Custody, Settlement};
use swampbox_ledger::{Finding, LedgerCustody, Resolution, ResolutionError};
use swampbox_material::Value;

use crate::ledgers::{Home, attempt, id, mark};
use crate::lived::{found, told};

/// A ledger in which X is UNCERTAIN.
fn uncertain() -> (Home, LedgerCustody) {
    let home = Home::inhabited();
    let ledger = home.open();
    attempt(&ledger, "A", "X", Settlement::Uncertain).unwrap();
    (home, ledger)
}

/// The resolutions of X, a document a line.
fn resolutions(ledger: &LedgerCustody) -> String {
    let attached = ledger.history().resolutions(&id("X")).unwrap();
    let lines = attached.iter().map(|attached| attached.to_document().to_string());
    lines.collect::<Vec<_>>().join("\n")
}

fn said(answer: Result<(), ResolutionError>) -> String {
    answer.map_or_else(|error| format!("{}: {error}", error.code()), |()| "attached".into())
}

#[test]
fn a_resolution_is_kept_with_its_evidence_and_who_made_it() {
    let (_home, ledger) = uncertain();
    ledger.resolve(&id("X"), found(Finding::ConfirmedNotExecuted)).unwrap();
    assert_snapshot!(resolutions(&ledger));
}

#[test]
fn it_stays_uncertain_whatever_was_found_out() {
    let (home, ledger) = uncertain();
    let before = ledger.read(&id("A"), &id("X")).unwrap();
    for finding in [Finding::Unresolved, Finding::ConfirmedNotExecuted, Finding::ConfirmedExecuted]
    {
        ledger.resolve(&id("X"), found(finding)).unwrap();
        assert_eq!(ledger.read(&id("A"), &id("X")).unwrap(), before);
    }
    drop(ledger);
    assert_eq!(home.open().read(&id("A"), &id("X")).unwrap(), before);
}

#[test]
fn several_stand_beside_each_other_in_their_order() {
    let (home, ledger) = uncertain();
    for finding in [Finding::Unresolved, Finding::ConfirmedExecuted, Finding::Unresolved] {
        ledger.resolve(&id("X"), found(finding)).unwrap();
    }
    let all = resolutions(&ledger);
    drop(ledger);
    assert_eq!(resolutions(&home.open()), all);
    assert_snapshot!(format!("{all}\n{}", told(&home.path())));
}

#[test]
fn only_what_is_uncertain_is_resolved_and_a_refusal_changes_nothing() {
    let (home, ledger) = uncertain();
    for consequence in ["contained", "released", "releasing"] {
        ledger.submit(crate::ledgers::note("A", consequence)).unwrap();
    }
    attempt(&ledger, "A", "released", Settlement::Released).unwrap();
    let mark = mark(&ledger, "A", "releasing");
    let events = home.count("events");
    let answers = ["contained", "released", "releasing", "missing"].map(|consequence| {
        said(ledger.resolve(&id(consequence), found(Finding::ConfirmedExecuted)))
    });
    assert_eq!((home.count("events"), home.count("resolutions")), (events, 0));
    ledger.settle(mark, Settlement::NotEntered, "").unwrap();
    assert_snapshot!(answers.join("\n"));
}

#[test]
fn whoever_resolves_it_has_a_name() {
    let names = ["", " ", "\u{2003}", "a\nb", &"n".repeat(257), "Jane Doe", &"n".repeat(256)];
    let told = names.map(|name| {
        let answer = Resolution::new(Finding::Unresolved, Value::Null, name);
        said(answer.map(drop))
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_finding_is_known_by_its_exact_word_only() {
    let words = [
        "confirmed_executed",
        "confirmed_not_executed",
        "unresolved",
        "Unresolved",
        "executed",
        "",
    ];
    let told = words.map(|word| match word.parse::<Finding>() {
        Ok(finding) => format!("{word:?} is {finding}"),
        Err(error) => error,
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn evidence_is_kept_exactly() {
    let (home, ledger) = uncertain();
    let evidence = r#"{"b":-0.0,"a":100000000000000000000000000001,"\u0000":["é",1.0,{"z":null}]}"#;
    let value = Value::from_json(evidence.as_bytes()).unwrap();
    let resolution = Resolution::new(Finding::Unresolved, value, "Jane").unwrap();
    ledger.resolve(&id("X"), resolution).unwrap();
    let attached = ledger.history().resolutions(&id("X")).unwrap();
    assert_eq!(attached[0].resolution.evidence().to_json(), evidence);
    drop(ledger);
    assert!(told(&home.path()).starts_with('{'));
}

#[test]
fn evidence_that_takes_too_much_room_is_refused() {
    let (home, ledger) = uncertain();
    let value = Value::from("\"".repeat(17 << 20));
    let resolution = Resolution::new(Finding::Unresolved, value, "Jane").unwrap();
    let answer = said(ledger.resolve(&id("X"), resolution));
    assert_eq!(home.count("resolutions"), 0);
    assert_snapshot!(answer);
}
