//! `inspect` and `adopt`.

use insta::assert_snapshot;
use swampbox_custody::rules::{self, Item};
use swampbox_custody::{Custody, Refusal, ReleaseState};

use crate::fixture::{CONSEQUENCES, EXECUTIONS, attempt, changes, held, id, inhabited, row, table};

#[test]
fn only_what_is_quarantined_is_inspected() {
    let answers = table(&CONSEQUENCES, &["inspect"], |consequence, _| {
        held(attempt(|store| store.inspect(&id(consequence))))
    });
    assert_snapshot!(answers);
}

#[test]
fn inspection_does_not_say_why_something_is_not_quarantined() {
    let refusal = |consequence: &str| {
        let refused = attempt(|store| store.inspect(&id(consequence))).unwrap_err();
        refused.to_string().replace(consequence, "…")
    };
    assert_eq!(refusal("anns"), refusal("absent"));
    assert_eq!(refusal("released"), refusal("absent"));
}

#[test]
fn inspection_grants_nothing() {
    let effect = changes(|store| {
        store.inspect(&id("quarantined")).unwrap();
    });
    assert_eq!(effect, "");
}

#[test]
fn only_what_is_quarantined_is_adopted_and_only_by_an_active_execution() {
    let answers = table(&CONSEQUENCES, &EXECUTIONS, |consequence, execution| {
        held(attempt(|store| store.adopt(&id(execution), &id(consequence))))
    });
    assert_snapshot!(answers);
}

#[test]
fn adoption_gives_custody_and_nothing_else() {
    let changed = changes(|store| {
        store.adopt(&id("bob"), &id("quarantined")).unwrap();
    });
    assert_snapshot!(changed);
}

#[test]
fn a_consequence_may_be_quarantined_and_adopted_again_and_again() {
    let store = inhabited();
    let it = &id("quarantined");
    for custodian in ["first", "second", "third"] {
        store.register(&id(custodian)).unwrap();
        let adopted = store.adopt(&id(custodian), it).unwrap();
        assert_eq!(held(Ok(adopted)), format!("CONTAINED by {custodian}"));
        store.end(&id(custodian)).unwrap();
        assert_eq!(held(store.inspect(it)), "CONTAINED by nobody");
    }
}

/// No operation leads to such a row, so the rules are asked.
#[test]
fn what_is_final_is_not_quarantined_even_without_a_custodian() {
    for state in [ReleaseState::Released, ReleaseState::Uncertain] {
        let mut row = row("X", state);
        row.snapshot.current_execution_id = None;
        let x = &id("X");
        let found = Item { id: x, row: Some(&row) };
        assert_eq!(rules::inspect(found), Err(Refusal::NotQuarantined(x.clone())));
    }
}
