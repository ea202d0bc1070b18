//! Step 6 while it lasts: what the actuator is given, and what the mark keeps still.

use std::sync::Mutex;

use insta::assert_snapshot;
use swampbox_authority::Verdict;
use swampbox_boundary::{ActuatorOutcome, ActuatorReport};
use swampbox_custody::{AttemptRecord, Custody, Submission};
use swampbox_material::Material;

use crate::fixture::{NOW, Script, code, decides, held, note, parsed, told};

#[test]
fn the_actuator_is_given_the_admission_of_exactly_this_release() {
    let store = held();
    let script = Script::new().actuator(|admission| {
        assert_eq!(*admission.consequence_id(), parsed("X"));
        assert_eq!(*admission.execution_id(), parsed("exec-A"));
        assert_eq!(*admission.decision_id(), parsed("decision-1"));
        assert_eq!(*admission.attempt_id(), parsed("box-1"));
        assert_eq!(*admission.material(), note("exec-A", "X").material);
        Ok(ActuatorOutcome::Succeeded.into())
    });
    let told = told(&store, &script);
    assert_snapshot!(told);
}

/// Equal material may be written differently; what was stored is what is done.
#[test]
fn the_actuator_is_given_the_stored_material_not_the_decisions() {
    let store = held();
    let material = |payload| {
        let text =
            format!(r#"{{"consequence_type": "note", "target": "inbox", "payload": {payload}}}"#);
        Material::from_json(text.as_bytes()).unwrap()
    };
    let stored = Submission { material: material(r#"{"a": -0.0, "b": 1}"#), ..note("exec-A", "Z") };
    let mut snapshot = store.submit(stored).unwrap();
    snapshot.material = material(r#"{"b": 1, "a": 0.0}"#);

    let done = Mutex::new(String::new());
    let script = Script::new()
        .authority(|_| Ok(decides(Verdict::Allow, &snapshot, parsed(NOW)).into()))
        .actuator(|admission| {
            *done.lock().unwrap() = admission.material().payload().to_json();
            Ok(ActuatorOutcome::Succeeded.into())
        });
    drop(script.release(&store, "exec-A", "Z"));
    assert_eq!(*done.lock().unwrap(), r#"{"a":-0.0,"b":1}"#);
}

#[test]
fn while_the_actuator_works_the_consequence_is_kept_still_and_all_else_goes_on() {
    let store = &held();
    let seen = Mutex::new(Vec::new());
    let script = Script::new().actuator(|_| {
        let (a, b, x) = (&parsed("exec-A"), &parsed("exec-B"), &parsed("X"));
        let child = |parent| Submission {
            parent: Some(parsed(parent)),
            ..note("exec-A", &format!("child of {parent}"))
        };
        let release = |execution, consequence| {
            let result = Script::new().release(store, execution, consequence);
            result.reason().code().to_string()
        };
        let answers = [
            ("refused:", String::new()),
            ("transfer it", code(store.transfer(a, b, x))),
            ("adopt it", code(store.adopt(b, x))),
            ("end its custodian", code(store.end(a))),
            ("derive from it", code(store.submit(child("X")))),
            ("release it", release("exec-A", "X")),
            ("mark it", code(store.mark(a, x, &AttemptRecord::default()))),
            ("allowed:", String::new()),
            ("read it", code(store.read(a, x))),
            ("see its state", store.state(x).unwrap().to_string()),
            ("register an execution", code(store.register(&parsed("exec-C")))),
            ("its custodian submits another", code(store.submit(note("exec-A", "Z")))),
            ("derives from that", code(store.submit(child("Z")))),
            ("transfers that", code(store.transfer(a, b, &parsed("Z")))),
            ("release another", release("exec-B", "Z")),
            ("end another execution", code(store.end(b))),
            ("inspect what that held", code(store.inspect(&parsed("Y")))),
            ("its custodian adopts that", code(store.adopt(a, &parsed("Y")))),
        ];
        let lines = answers.map(|(what, answer)| format!("{what} {answer}").trim_end().to_owned());
        seen.lock().unwrap().extend(lines);
        Ok(ActuatorReport::succeeded("delivered"))
    });
    let result = script.release(store, "exec-A", "X");
    let mut seen = seen.lock().unwrap().clone();
    seen.push(format!("and then: {}", result.reason().code()));
    let seen = seen.join("\n");
    assert_snapshot!(seen);
}

#[test]
fn a_window_that_ends_while_the_actuator_works_changes_nothing() {
    let store = held();
    let script = Script::new().clock(|number| match number {
        1..=3 => Ok(parsed(NOW)),
        _ => panic!("the clock is read three times"),
    });
    let result = script.release(&store, "exec-A", "X");
    assert_eq!(result.reason().code().as_str(), "actuator_succeeded");
}
