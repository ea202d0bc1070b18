//! At the edge: the authority is asked whether its decision still stands, and a decision that may
//! release once is used up.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use insta::assert_snapshot;
use swampbox_authority::{AuthorityRequest, DecisionDocument, NoDecision};
use swampbox_boundary::{ActuatorReport, ReleaseResult};
use swampbox_custody::{Custody, MemoryCustody};
use swampbox_material::json::Json;

use crate::fixture::{Script, allows, held, note, parsed, told};
use crate::watched::Watched;

#[test]
fn a_decision_that_was_revoked_releases_nothing() {
    let script = Script::new().stands(|_| Err(NoDecision::revoked("the key was lost")));
    assert_snapshot!(told(&held(), &script));
}

#[test]
fn an_authority_that_can_not_tell_means_no() {
    let script = Script::new().stands(|_| Err(NoDecision::new("connection refused")));
    assert_snapshot!(told(&held(), &script));
}

#[test]
fn an_authority_that_panics_at_the_edge_means_no() {
    let script = Script::new().stands(|_| panic!("out of order"));
    assert_snapshot!(told(&held(), &script));
}

#[test]
fn a_decision_that_is_not_made_yet_is_pending() {
    let script = Script::new().authority(|_| Err(NoDecision::pending("request `r-1`")));
    assert_snapshot!(told(&held(), &script));
}

/// The window is checked after the answer, however long that took.
#[test]
fn it_is_asked_with_the_mark_set_and_before_the_clock_is_read_for_the_last_time() {
    let store = &held();
    let told = &Mutex::new(Vec::new());
    let read = &AtomicUsize::new(0);
    let script = Script::new()
        .clock(|number| {
            read.store(number, SeqCst);
            Ok(parsed(crate::fixture::NOW))
        })
        .stands(|decision| {
            let transfer = store.transfer(&parsed("exec-A"), &parsed("exec-B"), &parsed("X"));
            let id = decision.decision_id().unwrap();
            let readings = read.load(SeqCst);
            let marked = transfer.unwrap_err().code();
            told.lock().unwrap().push(format!("{id} after {readings} readings: {marked}"));
            Ok(())
        });
    assert_eq!(script.release(store, "exec-A", "X").status().as_str(), "RELEASED");
    let told = told.lock().unwrap().join("\n");
    assert_eq!(told, "decision-1 after 2 readings: release_in_progress");
}

#[test]
fn a_window_that_ends_while_it_is_asked_releases_nothing() {
    let late = &AtomicUsize::new(0);
    let script = Script::new()
        .clock(|_| {
            let late = late.load(SeqCst) == 1;
            Ok(parsed(if late { "2026-01-01T12:05:00Z" } else { crate::fixture::NOW }))
        })
        .stands(|_| {
            late.store(1, SeqCst);
            Ok(())
        });
    assert_snapshot!(told(&held(), &script));
}

#[test]
fn whose_decision_was_refused_is_not_asked_again() {
    let script = Script::new()
        .authority(|_| Ok(DecisionDocument::read(b"{}")))
        .stands(|_| panic!("nobody asks"));
    assert_eq!(code(&script.release(&held(), "exec-A", "X")), "authority_invalid");
}

fn once(request: &AuthorityRequest) -> DecisionDocument {
    DecisionDocument::from(allows(request)).consuming(parsed("approval-1"))
}

fn two_of_exec_a() -> MemoryCustody {
    let store = held();
    store.submit(note("exec-A", "Z")).unwrap();
    store
}

#[test]
fn a_decision_that_may_release_once_releases_once() {
    let store = two_of_exec_a();
    let script = Script::new().authority(|request| Ok(once(request)));
    assert_eq!(code(&script.release(&store, "exec-A", "X")), "actuator_succeeded");
    let again = script.release(&store, "exec-A", "Z");
    assert_eq!(code(&again), "authority_consumed");
    assert_eq!(
        again.reason().to_string(),
        r#"decision "approval-1" may be used once, and was used"#
    );
    assert_eq!(again.authority_decision_id().unwrap().as_str(), "decision-1");
}

/// Used up is used up: who gave it may have seen the attempt.
#[test]
fn it_is_used_up_by_an_attempt_that_ended_without_an_effect() {
    let scripts = [
        Script::new().stands(|_| Err(NoDecision::revoked("withdrawn"))),
        Script::new().actuator(|_| Ok(ActuatorReport::definite_not_executed("refused"))),
    ];
    for script in scripts {
        let (store, script) = (held(), script.authority(|request| Ok(once(request))));
        assert_eq!(script.release(&store, "exec-A", "X").status().as_str(), "CONTAINED");
        assert_eq!(code(&script.release(&store, "exec-A", "X")), "authority_consumed");
    }
}

#[test]
fn what_a_decision_rests_on_and_uses_up_is_kept_with_the_attempt_and_with_a_refusal() {
    let store = held();
    let store = Watched::new(&store);
    let basis = || Json::object([("approved_by", Json::from("Jane"))]);
    let answer = |request: &AuthorityRequest| {
        let part = DecisionDocument::from(allows(request)).consuming(parsed("approval-2"));
        Ok(once(request).resting_on(basis()).made_of(vec![None, Some(part)]))
    };
    let script = Script::new().authority(answer).stands(|decision| {
        assert_eq!(decision.parts().len(), 2);
        Err(NoDecision::revoked("withdrawn"))
    });
    drop(script.release(&store, "exec-A", "X"));
    let record = store.records().remove(0);
    assert_eq!(record.consumes, [parsed("approval-1"), parsed("approval-2")]);
    let expected = Some(r#"{"approved_by":"Jane"}"#.to_owned());
    assert_eq!(record.basis, expected);
    assert_eq!(store.refusals().remove(0).basis, expected);
}

fn code(result: &ReleaseResult) -> &'static str {
    result.reason().code().as_str()
}
