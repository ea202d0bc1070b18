//! `submit`, with and without a parent.

use insta::assert_snapshot;
use swampbox_custody::{Custody, Submission};

use crate::fixture::{
    CONSEQUENCES, EXECUTIONS, attempt, changes, held, id, inhabited, root, table,
};

fn child(execution: &str, consequence: &str, parent: &str) -> Submission {
    Submission { parent: Some(id(parent)), ..root(execution, consequence) }
}

#[test]
fn the_submitter_is_checked_before_the_id() {
    let answers = table(&["new", "anns", "bobs"], &EXECUTIONS, |consequence, execution| {
        held(attempt(|store| store.submit(root(execution, consequence))))
    });
    assert_snapshot!(answers);
}

#[test]
fn an_id_is_used_once_whatever_became_of_its_consequence() {
    let answers = table(&CONSEQUENCES, &["submit"], |consequence, _| {
        held(attempt(|store| store.submit(root("bob", consequence))))
    });
    assert_snapshot!(answers);
}

/// Each row is a parent; the consequence is new.
#[test]
fn a_parent_exists_is_contained_unmarked_and_held_by_the_submitter() {
    let answers = table(&CONSEQUENCES, &EXECUTIONS, |parent, execution| {
        held(attempt(|store| store.submit(child(execution, "new", parent))))
    });
    assert_snapshot!(answers);
}

#[test]
fn the_checks_of_a_submit_have_an_order() {
    let checks = [
        ("unknown execution, used id", child("unknown", "anns", "anns")),
        ("ended execution, used id", child("ended", "anns", "anns")),
        ("used id, its own parent", child("bob", "anns", "anns")),
        ("used id, absent parent", child("bob", "anns", "absent")),
        ("new id, its own parent", child("bob", "new", "new")),
        ("new id, absent parent", child("bob", "new", "absent")),
        ("marked parent of another", child("bob", "new", "releasing")),
        ("terminal parent of another", child("bob", "new", "released")),
        ("contained parent of another", child("bob", "new", "anns")),
        ("contained parent of its own", child("bob", "new", "bobs")),
    ];
    let lines = checks.map(|(what, submission)| {
        let answer = held(attempt(|store| store.submit(submission)));
        format!("{what}: {answer}")
    });
    let answers = lines.join("\n");
    assert_snapshot!(answers);
}

#[test]
fn a_child_leaves_its_parent_as_it_was() {
    let effect = changes(|store| {
        store.submit(child("ann", "new", "anns")).unwrap();
    });
    assert_eq!(effect, "");
}

#[test]
fn a_submitted_consequence_is_contained_and_the_submitters() {
    let changed = changes(|store| {
        store.submit(child("ann", "absent", "anns")).unwrap();
    });
    assert_snapshot!(changed);
}

#[test]
fn a_refused_submit_reserves_nothing() {
    let store = inhabited();
    store.submit(child("ann", "new", "absent")).unwrap_err();
    store.submit(root("unknown", "new")).unwrap_err();
    assert_eq!(held(store.submit(root("bob", "new"))), "CONTAINED by bob");
}

#[test]
fn a_snapshot_shows_origin_custodian_parent_and_material() {
    let store = inhabited();
    store.submit(child("ann", "new", "anns")).unwrap();
    let moved = store.transfer(&id("ann"), &id("bob"), &id("new")).unwrap();
    let answers = moved.to_document();
    assert_snapshot!(answers);
}

#[test]
fn lineage_stays_when_the_parent_is_released() {
    let store = inhabited();
    store.submit(child("ann", "new", "anns")).unwrap();
    crate::fixture::settled(&store, "ann", "anns", swampbox_custody::Settlement::Released);
    let child = store.read(&id("ann"), &id("new")).unwrap();
    assert_eq!(child.parent_consequence_id, Some(id("anns")));
    assert_eq!(held(Ok(child)), "CONTAINED by ann");
}
