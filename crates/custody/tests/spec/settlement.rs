//! How an attempt ends, and that it ends once.

use insta::assert_snapshot;
use swampbox_custody::{AttemptRecord, Custody, Mark, MemoryCustody, Settlement};

use crate::fixture::{changes, empty, held, id, observed, root, state};

const SETTLEMENTS: [Settlement; 4] =
    [Settlement::NotEntered, Settlement::NotExecuted, Settlement::Released, Settlement::Uncertain];

/// A store in which ann holds X, and the mark of an attempt on it.
fn marked() -> (MemoryCustody, Mark) {
    let store = empty();
    store.register(&id("ann")).unwrap();
    store.submit(root("ann", "X")).unwrap();
    let mark = store.mark(&id("ann"), &id("X"), &AttemptRecord::default()).unwrap();
    (store, mark)
}

/// The mark of an attempt that has been settled already, as a late answer would bring it back.
fn again(mark: &Mark) -> Mark {
    Mark::issue(
        mark.attempt().clone(),
        mark.execution().clone(),
        mark.consequence().clone(),
        mark.fence(),
    )
}

#[test]
fn the_outcome_decides_the_state_and_whether_another_attempt_may_follow() {
    let lines = SETTLEMENTS.map(|settlement| {
        let (store, mark) = marked();
        store.settle(mark, settlement, "").unwrap();
        let state = state(store.state(&id("X")));
        let seen = held(store.read(&id("ann"), &id("X")));
        let next = held(store.request_release(&id("ann"), &id("X")));
        format!("{settlement:?}: {state}, ann reads {seen}, asks for a release {next}")
    });
    let answers = lines.join("\n");
    assert_snapshot!(answers);
}

#[test]
fn settling_changes_one_consequence_only() {
    let changed = changes(|store| {
        let mark = store.mark(&id("bob"), &id("bobs"), &AttemptRecord::default()).unwrap();
        store.settle(mark, Settlement::Released, "").unwrap();
    });
    assert_snapshot!(changed);
}

#[test]
fn an_attempt_that_was_settled_without_effect_leaves_everything_as_it_was() {
    for settlement in [Settlement::NotEntered, Settlement::NotExecuted] {
        let effect = changes(|store| {
            let mark = store.mark(&id("bob"), &id("bobs"), &AttemptRecord::default()).unwrap();
            store.settle(mark, settlement, "").unwrap();
        });
        assert_eq!(effect, "");
    }
}

#[test]
fn a_final_state_is_never_changed_by_a_late_settlement() {
    for first in [Settlement::Released, Settlement::Uncertain] {
        for late in SETTLEMENTS {
            let (store, mark) = marked();
            let late_mark = again(&mark);
            store.settle(mark, first, "").unwrap();
            let before = observed(&store);
            let refused = store.settle(late_mark, late, "").unwrap_err();
            assert_eq!(refused.code().as_str(), "stale_attempt");
            assert_eq!(store.state(&id("X")).unwrap(), first.state());
            assert_eq!(before, observed(&store));
        }
    }
}

#[test]
fn an_attempt_that_lost_its_mark_cannot_settle_the_next_one() {
    let (store, first) = marked();
    let stale = again(&first);
    store.settle(first, Settlement::NotExecuted, "").unwrap();
    let second = store.mark(&id("ann"), &id("X"), &AttemptRecord::default()).unwrap();
    assert!(second.fence() > stale.fence());

    let refused = store.settle(stale, Settlement::Released, "").unwrap_err();
    assert_eq!(refused.to_string(), r#"attempt "box-1" does not hold the mark of consequence "X""#);
    assert_eq!(state(store.state(&id("X"))), "CONTAINED");
    store.settle(second, Settlement::Uncertain, "").unwrap();
    assert_eq!(state(store.state(&id("X"))), "UNCERTAIN");
}

#[test]
fn only_the_very_mark_that_was_set_settles() {
    let (store, mark) = marked();
    store.submit(root("ann", "Y")).unwrap();
    let (attempt, execution, consequence) =
        (|| mark.attempt().clone(), || mark.execution().clone(), || mark.consequence().clone());
    let other_marks = [
        Mark::issue(id("box-2"), execution(), consequence(), mark.fence()),
        Mark::issue(attempt(), id("bob"), consequence(), mark.fence()),
        Mark::issue(attempt(), execution(), id("Y"), mark.fence()),
        Mark::issue(attempt(), execution(), consequence(), mark.fence() + 1),
    ];
    for other in other_marks {
        let told = format!("{other:?}");
        let refused = store.settle(other, Settlement::Released, "").expect_err(&told);
        assert_eq!(refused.code().as_str(), "stale_attempt", "{told}");
    }
    assert_eq!(state(store.state(&id("Y"))), "CONTAINED");
    store.settle(mark, Settlement::Released, "").unwrap();
    assert_eq!(state(store.state(&id("X"))), "RELEASED");
}

#[test]
fn an_attempt_on_a_consequence_that_is_not_there_settles_nothing() {
    let (store, mark) = marked();
    let elsewhere = Mark::issue(mark.attempt().clone(), id("ann"), id("Y"), mark.fence());
    let refused = store.settle(elsewhere, Settlement::Released, "").unwrap_err();
    assert_eq!(refused.code().as_str(), "stale_attempt");
    assert_eq!(state(store.state(&id("Y"))), "consequence_not_found");
}
