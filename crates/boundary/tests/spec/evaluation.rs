//! Steps 2 and 3: the authority is asked once, with nothing locked; then custody is looked at again.

use std::sync::Mutex;

use insta::assert_snapshot;
use swampbox_authority::{ClockError, NoDecision};
use swampbox_custody::{AttemptRecord, Custody, MemoryCustody, Settlement};

use crate::fixture::{Script, allows, code, held, note, parsed, told};

#[test]
fn the_authority_is_shown_the_consequence_and_the_time() {
    let seen = Mutex::new(String::new());
    let script = Script::new().authority(|request| {
        *seen.lock().unwrap() =
            format!("{} at {}", request.snapshot.to_document(), request.evaluated_at);
        Ok(allows(request).into())
    });
    drop(script.release(&held(), "exec-A", "X"));
    let seen = seen.lock().unwrap().clone();
    assert_snapshot!(seen);
}

#[test]
fn a_clock_that_fails_at_once_leaves_the_authority_unasked() {
    let script = Script::new().clock(|_| Err(ClockError::new("it stopped")));
    let told = told(&held(), &script);
    assert_snapshot!(told);
}

#[test]
fn an_authority_that_fails_gives_no_decision() {
    let script = Script::new().authority(|_| Err(NoDecision::new("connection refused")));
    let told = told(&held(), &script);
    assert_snapshot!(told);
}

#[test]
fn an_authority_that_panics_gives_no_decision() {
    let script = Script::new().authority(|_| panic!("out of order"));
    let told = told(&held(), &script);
    assert_snapshot!(told);
}

#[test]
fn an_authority_that_fails_is_the_reason_even_if_custody_changed_meanwhile() {
    let store = &held();
    let script = Script::new().authority(|_| {
        store.end(&parsed("exec-A")).unwrap();
        Err(NoDecision::new("connection refused"))
    });
    let told = told(store, &script);
    assert_snapshot!(told);
}

#[test]
fn while_the_authority_decides_everything_else_goes_on() {
    let store = &held();
    let done = Mutex::new(Vec::new());
    let script = Script::new().authority(|request| {
        let (a, b, x) = (&parsed("exec-A"), &parsed("exec-B"), &parsed("X"));
        let answers = [
            ("read it", code(store.read(a, x))),
            ("submit another", code(store.submit(note("exec-A", "Z")))),
            ("transfer it", code(store.transfer(a, b, x))),
            ("and back", code(store.transfer(b, a, x))),
            ("end the other execution", code(store.end(b))),
            ("adopt what that held", code(store.adopt(a, &parsed("Y")))),
            (
                "release that",
                Script::new().release(store, "exec-A", "Y").reason().code().to_string(),
            ),
        ];
        done.lock().unwrap().extend(answers.map(|(what, answer)| format!("{what}: {answer}")));
        Ok(allows(request).into())
    });
    let result = script.release(store, "exec-A", "X");
    let mut done = done.lock().unwrap().clone();
    done.push(format!("and then: {}", result.reason().code()));
    let done = done.join("\n");
    assert_snapshot!(done);
}

/// Lets something happen to X while the authority decides to allow its release.
fn meanwhile(happens: impl Fn(&MemoryCustody) + Send + Sync) -> String {
    let store = &held();
    let script = Script::new().authority(|request| {
        happens(store);
        Ok(allows(request).into())
    });
    told(store, &script)
}

#[test]
fn a_transfer_meanwhile_is_noticed() {
    let told = meanwhile(|store| {
        store.transfer(&parsed("exec-A"), &parsed("exec-B"), &parsed("X")).unwrap();
    });
    assert_snapshot!(told);
}

#[test]
fn an_end_of_the_custodian_meanwhile_is_noticed() {
    let told = meanwhile(|store| {
        store.end(&parsed("exec-A")).unwrap();
    });
    assert_snapshot!(told);
}

#[test]
fn an_adoption_by_another_meanwhile_is_noticed() {
    let told = meanwhile(|store| {
        store.end(&parsed("exec-A")).unwrap();
        store.adopt(&parsed("exec-B"), &parsed("X")).unwrap();
    });
    assert_snapshot!(told);
}

#[test]
fn another_attempt_that_is_under_way_is_noticed() {
    let told = meanwhile(|store| {
        store.mark(&parsed("exec-A"), &parsed("X"), &AttemptRecord::default()).unwrap();
    });
    assert_snapshot!(told);
}

#[test]
fn another_attempt_that_ended_finally_is_noticed() {
    let told = [Settlement::Released, Settlement::Uncertain].map(|settlement| {
        meanwhile(|store| {
            let mark =
                store.mark(&parsed("exec-A"), &parsed("X"), &AttemptRecord::default()).unwrap();
            store.settle(mark, settlement, "").unwrap();
        })
    });
    let told = told.join("\n\n");
    assert_snapshot!(told);
}

#[test]
fn a_transfer_and_one_back_meanwhile_are_not_noticed() {
    let told = meanwhile(|store| {
        for (source, target) in [("exec-A", "exec-B"), ("exec-B", "exec-A")] {
            store.transfer(&parsed(source), &parsed(target), &parsed("X")).unwrap();
        }
    });
    assert_snapshot!(told);
}

#[test]
fn a_release_within_the_evaluation_wins_and_the_outer_one_is_refused() {
    let told = meanwhile(|store| {
        let result = Script::new().release(store, "exec-A", "X");
        assert_eq!(result.reason().code().as_str(), "actuator_succeeded");
    });
    assert_snapshot!(told);
}
