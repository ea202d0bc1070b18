//! `transfer`.

use insta::assert_snapshot;
use swampbox_custody::Custody;

use crate::fixture::{CONSEQUENCES, EXECUTIONS, attempt, changes, held, id, table};

/// Rows are sources, columns targets.
#[test]
fn the_source_is_checked_first_then_the_target_then_that_they_differ() {
    let answers = table(&EXECUTIONS, &EXECUTIONS, |source, target| {
        held(attempt(|store| store.transfer(&id(source), &id(target), &id("absent"))))
    });
    assert_snapshot!(answers);
}

#[test]
fn only_what_the_source_holds_contained_and_unmarked_is_transferred() {
    let answers = table(&CONSEQUENCES, &["ann to bob", "bob to ann"], |consequence, parties| {
        let (source, target) = parties.split_once(" to ").unwrap();
        held(attempt(|store| store.transfer(&id(source), &id(target), &id(consequence))))
    });
    assert_snapshot!(answers);
}

#[test]
fn custody_moves_at_once_and_nothing_else_changes() {
    let changed = changes(|store| {
        store.transfer(&id("ann"), &id("bob"), &id("anns")).unwrap();
    });
    assert_snapshot!(changed);
}

#[test]
fn a_transfer_and_one_back_change_nothing() {
    let there_and_back = changes(|store| {
        for (source, target) in [("ann", "bob"), ("bob", "ann")] {
            store.transfer(&id(source), &id(target), &id("anns")).unwrap();
        }
    });
    assert_eq!(there_and_back, "");
}
