//! The custody side of a release before its outcome: request, recheck, mark.

use insta::assert_snapshot;
use swampbox_custody::{AttemptRecord, Custody, Settlement, Submission};

use crate::fixture::{
    CONSEQUENCES, EXECUTIONS, attempt, changes, held, id, inhabited, life, root, table,
};

#[test]
fn a_release_is_asked_for_by_the_custodian_of_what_is_contained_and_unmarked() {
    let answers = table(&CONSEQUENCES, &EXECUTIONS, |consequence, execution| {
        held(attempt(|store| store.request_release(&id(execution), &id(consequence))))
    });
    assert_snapshot!(answers);
}

/// A release in progress is looked for last here: who lost custody meanwhile learns that.
#[test]
fn after_the_evaluation_the_consequence_must_still_be_there_for_the_same_custodian() {
    let answers = table(&CONSEQUENCES, &EXECUTIONS, |consequence, execution| {
        held(attempt(|store| store.recheck_release(&id(execution), &id(consequence))))
    });
    assert_snapshot!(answers);
}

#[test]
fn a_mark_is_set_exactly_where_the_recheck_passes() {
    for consequence in CONSEQUENCES {
        for execution in EXECUTIONS {
            let (who, it) = (id(execution), id(consequence));
            let rechecked = attempt(|store| store.recheck_release(&who, &it)).map(drop);
            let marked =
                attempt(|store| store.mark(&who, &it, &AttemptRecord::default())).map(drop);
            let code = |answer: Result<(), swampbox_custody::CustodyError>| {
                answer.err().map(|error| error.code())
            };
            assert_eq!(code(rechecked), code(marked), "{execution} {consequence}");
        }
    }
}

#[test]
fn a_mark_hides_nothing_and_lets_no_second_release_be_asked_for() {
    let changed = changes(|store| {
        store.mark(&id("bob"), &id("bobs"), &AttemptRecord::default()).unwrap();
    });
    assert_snapshot!(changed);
}

#[test]
fn while_the_mark_stands_the_consequence_stays_where_it_is() {
    let (ann, bob, it) = (&id("ann"), &id("bob"), &id("releasing"));
    let child = Submission { parent: Some(id("releasing")), ..root("ann", "new") };
    let refused = [
        ("transfer", held(attempt(|store| store.transfer(ann, bob, it)))),
        ("adopt", held(attempt(|store| store.adopt(bob, it)))),
        ("derive", held(attempt(|store| store.submit(child)))),
        ("release", held(attempt(|store| store.request_release(ann, it)))),
        (
            "mark",
            attempt(|store| store.mark(ann, it, &AttemptRecord::default()))
                .unwrap_err()
                .code()
                .to_string(),
        ),
        ("end", life(attempt(|store| store.end(ann)))),
        ("read", held(attempt(|store| store.read(ann, it)))),
    ];
    let lines = refused.map(|(operation, answer)| format!("{operation}: {answer}"));
    let answers = lines.join("\n");
    assert_snapshot!(answers);
}

#[test]
fn while_a_mark_stands_its_custodian_does_everything_else() {
    let store = inhabited();
    let ann = &id("ann");
    store.submit(root("ann", "new")).unwrap();
    store.transfer(ann, &id("bob"), &id("anns")).unwrap();
    store.adopt(ann, &id("quarantined")).unwrap();
    store.mark(ann, &id("new"), &AttemptRecord::default()).unwrap();
}

#[test]
fn a_mark_names_its_attempt_its_custodian_and_its_consequence() {
    let store = inhabited();
    let mark = store.mark(&id("bob"), &id("bobs"), &AttemptRecord::default()).unwrap();
    assert_eq!(mark.execution(), &id("bob"));
    assert_eq!(mark.consequence(), &id("bobs"));
    assert_eq!(mark.attempt().as_str(), format!("box-{}", mark.fence()));
}

#[test]
fn attempts_are_numbered_across_all_consequences_of_a_store() {
    let store = inhabited();
    store.submit(root("bob", "new")).unwrap();
    let first = store.mark(&id("bob"), &id("bobs"), &AttemptRecord::default()).unwrap();
    store.mark(&id("bob"), &id("bobs"), &AttemptRecord::default()).unwrap_err();
    let second = store.mark(&id("bob"), &id("new"), &AttemptRecord::default()).unwrap();
    let third = store.mark(&id("ann"), &id("anns"), &AttemptRecord::default()).unwrap();
    assert!(first.fence() < second.fence() && second.fence() < third.fence());
    assert_ne!(first.attempt(), second.attempt());
    assert_ne!(second.attempt(), third.attempt());
}

#[test]
fn a_decision_that_may_be_used_once_marks_one_attempt_whatever_becomes_of_it() {
    let store = inhabited();
    let once = |decision| AttemptRecord { consumes: vec![id(decision)], ..Default::default() };
    let mark = store.mark(&id("bob"), &id("bobs"), &once("approval")).unwrap();
    let refused = store.mark(&id("ann"), &id("anns"), &once("approval")).unwrap_err();
    assert_eq!(refused.code().as_str(), "authority_consumed");
    assert_eq!(held(store.request_release(&id("ann"), &id("anns"))), "CONTAINED by ann");
    store.settle(mark, Settlement::NotEntered, "").unwrap();
    let again = store.mark(&id("bob"), &id("bobs"), &once("approval")).unwrap_err();
    assert_eq!(again.code().as_str(), "authority_consumed");
    assert!(store.mark(&id("bob"), &id("bobs"), &once("another")).is_ok());
}

/// What custody says of the consequence comes first.
#[test]
fn a_mark_that_is_refused_uses_up_nothing() {
    let store = inhabited();
    let record = AttemptRecord { consumes: vec![id("approval")], ..Default::default() };
    let refused = store.mark(&id("bob"), &id("anns"), &record).unwrap_err();
    assert_eq!(refused.code().as_str(), "custody_changed_before_release");
    assert!(store.mark(&id("ann"), &id("anns"), &record).is_ok());
}
