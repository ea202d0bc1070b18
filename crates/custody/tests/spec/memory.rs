//! The store in memory, and whatever points to it.

use std::sync::Arc;

use swampbox_custody::{
    AttemptRecord, Custody, MemoryCustody, RefusedRelease, Settlement, StdLocks, Submission,
};
use swampbox_material::Code;

use crate::fixture::{changes, empty, held, id, life, root, state};

/// Every operation once, and what it answered.
fn story(store: impl Custody) -> Vec<String> {
    let (ann, bob) = (&id("ann"), &id("bob"));
    let mut told = vec![life(store.register(ann)), life(store.register(bob))];
    told.push(held(store.submit(root("ann", "X"))));
    told.push(held(store.submit(Submission { parent: Some(id("X")), ..root("ann", "Y") })));
    told.push(held(store.transfer(ann, bob, &id("Y"))));
    told.push(held(store.read(bob, &id("Y"))));
    told.push(life(store.end(ann)));
    told.push(held(store.inspect(&id("X"))));
    told.push(held(store.adopt(bob, &id("X"))));
    told.push(held(store.request_release(bob, &id("X"))));
    told.push(held(store.recheck_release(bob, &id("X"))));
    let mark = store.mark(bob, &id("X"), &AttemptRecord::default()).unwrap();
    told.push(mark.attempt().to_string());
    told.push(format!("{:?}", store.settle(mark, Settlement::Released, "")));
    told.push(state(store.state(&id("X"))));
    told
}

#[test]
fn one_story_told_by_every_operation() {
    let answers = story(empty()).join("\n");
    insta::assert_snapshot!(answers);
}

#[test]
fn a_reference_an_arc_and_a_box_are_the_store_that_they_point_to() {
    let told = story(empty());
    let store = empty();
    assert_eq!(story(&store), told);
    assert_eq!(story(Arc::new(empty())), told);
    assert_eq!(story(Box::new(empty()) as Box<dyn Custody>), told);
    assert_eq!(story(Arc::new(empty()) as Arc<dyn Custody>), told);
}

#[test]
fn the_number_of_shards_changes_nothing_that_can_be_seen() {
    for shards in [0, 1, 2, 1_000] {
        let store = MemoryCustody::<StdLocks>::with_locks(id("box"), shards);
        assert_eq!(story(store), story(empty()), "{shards} shards");
    }
}

#[test]
fn stores_know_nothing_of_each_other() {
    let (one, other) = (empty(), empty());
    one.register(&id("ann")).unwrap();
    one.submit(root("ann", "X")).unwrap();
    assert_eq!(held(other.read(&id("ann"), &id("X"))), "execution_not_registered");
}

#[test]
fn what_a_store_may_keep_of_an_attempt_changes_nothing_that_can_be_seen() {
    let settlements = [Settlement::NotExecuted, Settlement::Released, Settlement::Uncertain];
    for settlement in settlements {
        let changed = |record: &AttemptRecord, detail: &str| {
            changes(|store| {
                let mark = store.mark(&id("bob"), &id("bobs"), record).unwrap();
                store.settle(mark, settlement, detail).unwrap();
            })
        };
        let record = AttemptRecord {
            decision: "ALLOW".into(),
            admitted_at: "2026-01-01T12:00:00Z".into(),
            provider: "the policy".into(),
            actuator: "the post".into(),
            basis: Some("{}".into()),
            consumes: Vec::new(),
        };
        assert_eq!(changed(&record, "delivered"), changed(&AttemptRecord::default(), ""));
    }
}

#[test]
fn a_refusal_that_is_noted_changes_nothing_that_can_be_seen() {
    let changed = changes(|store| {
        for (execution, consequence) in [("ann", "anns"), ("unknown", "absent")] {
            let refusal = RefusedRelease {
                execution: id(execution),
                consequence: id(consequence),
                reason: Code::AuthorityNotAllowed,
                decision: Some("DENY".into()),
                basis: None,
            };
            store.note_refusal(&refusal).unwrap();
        }
    });
    assert_eq!(changed, "");
}
