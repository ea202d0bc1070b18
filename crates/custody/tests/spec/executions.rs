//! `register` and `end`.

use insta::assert_snapshot;
use swampbox_custody::{AttemptRecord, Custody, ReleaseState, Settlement, rules};

use crate::fixture::{
    EXECUTIONS, attempt, changes, empty, held, id, inhabited, life, root, settled, state, table,
};

#[test]
fn an_execution_is_registered_once_and_never_again_after_its_end() {
    let answers = table(&EXECUTIONS, &["register"], |execution, _| {
        life(attempt(|store| store.register(&id(execution))))
    });
    assert_snapshot!(answers);
}

#[test]
fn registering_an_active_execution_again_changes_nothing() {
    let again = changes(|store| {
        store.register(&id("ann")).unwrap();
    });
    assert_eq!(again, "");
}

#[test]
fn an_execution_that_was_registered_again_still_holds_what_it_held() {
    let store = inhabited();
    store.register(&id("bob")).unwrap();
    store.end(&id("bob")).unwrap();
    assert_eq!(held(store.inspect(&id("bobs"))), "CONTAINED by nobody");
}

#[test]
fn only_an_active_execution_without_a_release_in_progress_can_end() {
    let answers = table(&EXECUTIONS, &["end"], |execution, _| {
        life(attempt(|store| store.end(&id(execution))))
    });
    assert_snapshot!(answers);
}

#[test]
fn an_end_that_is_refused_quarantines_nothing() {
    let store = inhabited();
    let refused = store.end(&id("ann")).unwrap_err();
    assert_eq!(refused.to_string(), r#"consequence "releasing" is being released"#);
    assert_eq!(held(store.read(&id("ann"), &id("anns"))), "CONTAINED by ann");
}

#[test]
fn an_end_quarantines_what_the_execution_holds_and_nothing_else() {
    let changed = changes(|store| {
        store.end(&id("bob")).unwrap();
    });
    assert_snapshot!(changed);
}

#[test]
fn an_end_leaves_alone_what_was_transferred_away_and_takes_what_was_received() {
    let store = inhabited();
    store.transfer(&id("bob"), &id("ann"), &id("bobs")).unwrap();
    store.transfer(&id("ann"), &id("bob"), &id("anns")).unwrap();
    store.end(&id("bob")).unwrap();
    assert_eq!(held(store.inspect(&id("anns"))), "CONTAINED by nobody");
    assert_eq!(held(store.read(&id("ann"), &id("bobs"))), "CONTAINED by ann");
}

#[test]
fn an_end_is_possible_again_once_every_release_has_its_outcome() {
    for settlement in [
        Settlement::NotEntered,
        Settlement::NotExecuted,
        Settlement::Released,
        Settlement::Uncertain,
    ] {
        let store = empty();
        store.register(&id("ann")).unwrap();
        store.submit(root("ann", "X")).unwrap();
        settled(&store, "ann", "X", settlement);
        assert_eq!(life(store.end(&id("ann"))), "ENDED");
        assert_eq!(store.state(&id("X")).unwrap(), settlement.state());
    }
}

/// No operation can show this of an execution that has ended, so the rule is asked.
#[test]
fn terminal_consequences_keep_their_last_custodian_at_its_end() {
    let after = |state| rules::after_end(state, id("ann"));
    assert_eq!(after(ReleaseState::Contained), None);
    assert_eq!(after(ReleaseState::Released), Some(id("ann")));
    assert_eq!(after(ReleaseState::Uncertain), Some(id("ann")));
}

#[test]
fn an_end_names_the_first_consequence_whose_release_is_in_progress() {
    let store = empty();
    store.register(&id("ann")).unwrap();
    for consequence in ["X", "Y", "Z"] {
        store.submit(root("ann", consequence)).unwrap();
    }
    for consequence in ["Z", "Y"] {
        store.mark(&id("ann"), &id(consequence), &AttemptRecord::default()).unwrap();
    }
    let refused = store.end(&id("ann")).unwrap_err();
    assert_eq!(refused.to_string(), r#"consequence "Y" is being released"#);
}

#[test]
fn nothing_acts_in_the_name_of_an_execution_that_is_not_active() {
    let answers = table(
        &["submit", "read", "transfer from", "transfer to", "adopt", "release", "end"],
        &["ended", "unknown"],
        |operation, execution| {
            let (it, bob) = (&id(execution), &id("bob"));
            match operation {
                "submit" => held(attempt(|store| store.submit(root(execution, "new")))),
                "read" => held(attempt(|store| store.read(it, &id("quarantined")))),
                "transfer from" => {
                    held(attempt(|store| store.transfer(it, bob, &id("quarantined"))))
                }
                "transfer to" => held(attempt(|store| store.transfer(bob, it, &id("bobs")))),
                "adopt" => held(attempt(|store| store.adopt(it, &id("quarantined")))),
                "release" => held(attempt(|store| store.request_release(it, &id("quarantined")))),
                _ => life(attempt(|store| store.end(it))),
            }
        },
    );
    assert_snapshot!(answers);
}

#[test]
fn a_consequence_outlives_its_origin() {
    let store = inhabited();
    let adopted = store.adopt(&id("bob"), &id("quarantined")).unwrap();
    assert_eq!(adopted.origin_execution_id, id("ended"));
    assert_eq!(state(store.state(&id("quarantined"))), "CONTAINED");
}
