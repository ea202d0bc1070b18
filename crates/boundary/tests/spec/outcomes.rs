//! Step 6 when it is over: what each outcome makes of the consequence.

use std::sync::Arc;

use insta::assert_snapshot;
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorOutcome, ActuatorReport, Admission, Observation,
    ReleaseBoundary,
};
use swampbox_custody::{Custody, Submission};
use swampbox_material::Material;

use crate::fixture::{Reported, Script, code, held, note, parsed, told};

fn ending(report: impl Fn() -> Reported + Send + Sync) -> String {
    told(&held(), &Script::new().actuator(|_| report()))
}

#[test]
fn succeeded_makes_it_released() {
    let told = ending(|| Ok(ActuatorReport::succeeded("HTTP status 201")));
    assert_snapshot!(told);
}

#[test]
fn definite_not_executed_leaves_it_contained() {
    let told = ending(|| Ok(ActuatorReport::definite_not_executed("connection refused")));
    assert_snapshot!(told);
}

#[test]
fn uncertain_makes_it_uncertain() {
    let told = ending(|| Ok(ActuatorReport::uncertain("no answer within 10 s")));
    assert_snapshot!(told);
}

#[test]
fn an_error_makes_it_uncertain() {
    let told = ending(|| Err(ActuatorFailure::new("connection reset")));
    assert_snapshot!(told);
}

#[test]
fn a_panic_makes_it_uncertain() {
    let told = ending(|| panic!("out of order"));
    assert_snapshot!(told);
}

#[test]
fn an_outcome_that_nobody_knows_makes_it_uncertain() {
    let told = ending(|| Ok("succeeded".parse::<ActuatorOutcome>()?.into()));
    assert_snapshot!(told);
}

#[test]
fn an_outcome_is_recognised_by_its_exact_word_only() {
    let words = [
        "SUCCEEDED",
        "DEFINITE_NOT_EXECUTED",
        "UNCERTAIN",
        "Succeeded",
        "SUCCEEDED ",
        "",
        "RELEASED",
    ];
    let answers = words.map(|word| match word.parse::<ActuatorOutcome>() {
        Ok(outcome) => format!("{word:?} is {outcome}"),
        Err(failure) => format!("{word:?}: {failure}"),
    });
    let answers = answers.join("\n");
    assert_snapshot!(answers);
}

#[test]
fn released_and_uncertain_are_final() {
    let finals = [ActuatorReport::succeeded(""), ActuatorReport::uncertain("")];
    let answers = finals.map(|report| {
        let store = held();
        let (a, b, x) = (&parsed("exec-A"), &parsed("exec-B"), &parsed("X"));
        let script = Script::new().actuator(|_| Ok(report.clone()));
        drop(script.release(&store, "exec-A", "X"));
        let child = Submission { parent: Some(parsed("X")), ..note("exec-A", "child") };
        let again = Script::new();
        [
            format!("after {}", store.state(x).unwrap()),
            format!("release again: {}", again.release(&store, "exec-A", "X").reason().code()),
            format!("authority asked again, actuator entered again: {:?}", &again.counts()[..2]),
            format!("transfer: {}", code(store.transfer(a, b, x))),
            format!("derive: {}", code(store.submit(child))),
            format!("end of its custodian: {}", code(store.end(a))),
            format!("inspect after that: {}", code(store.inspect(x))),
            format!("adopt after that: {}", code(store.adopt(b, x))),
            format!("state after all: {}", store.state(x).unwrap()),
        ]
        .join("\n")
    });
    let answers = answers.join("\n\n");
    assert_snapshot!(answers);
}

#[test]
fn after_a_definite_not_executed_each_attempt_is_evaluated_anew_under_a_new_id() {
    let store = held();
    let attempts = std::sync::Mutex::new(Vec::new());
    let script = Script::new().actuator(|admission| {
        let mut attempts = attempts.lock().unwrap();
        attempts.push(admission.attempt_id().to_string());
        if attempts.len() < 3 {
            Ok(ActuatorOutcome::DefiniteNotExecuted.into())
        } else {
            Ok(ActuatorOutcome::Succeeded.into())
        }
    });
    let boundary = ReleaseBoundary::new(&store, &script, &script, &script);
    let statuses = [(); 3].map(|()| {
        let result = boundary.release(&parsed("exec-A"), &parsed("X"));
        result.status().as_str()
    });
    assert_eq!(statuses, ["CONTAINED", "CONTAINED", "RELEASED"]);
    assert_eq!(*attempts.lock().unwrap(), ["box-1", "box-2", "box-3"]);
    assert_eq!(script.counts(), [3, 3, 9], "asked and timed anew each time");
    assert_eq!(code(boundary.custody().read(&parsed("exec-A"), &parsed("X"))), "ok");
}

#[test]
fn after_a_definite_not_executed_it_may_be_transferred_and_released_by_another() {
    let store = held();
    let script = Script::new().actuator(|_| Ok(ActuatorOutcome::DefiniteNotExecuted.into()));
    drop(script.release(&store, "exec-A", "X"));
    store.transfer(&parsed("exec-A"), &parsed("exec-B"), &parsed("X")).unwrap();
    let result = Script::new().release(&store, "exec-B", "X");
    assert_eq!(result.status().as_str(), "RELEASED");
}

/// Sees what it is asked about.
struct Watcher;

impl Actuator for Watcher {
    fn actuate(&self, _admission: Admission<'_>) -> Reported {
        Ok(ActuatorReport::succeeded(""))
    }

    fn observe(&self, material: &Material) -> Observation {
        Observation::present(material.target().to_string())
    }
}

#[test]
fn an_actuator_that_can_not_look_says_so_and_one_that_can_is_asked_through_any_pointer() {
    let material = Material::new("note", "inbox", 1.into());
    let blind = Script::new();
    let actuators: [Box<dyn Actuator + '_>; 4] =
        [Box::new(&blind), Box::new(Watcher), Box::new(Arc::new(Watcher)), Box::new(&Watcher)];
    let seen = actuators.map(|actuator| {
        let observation = actuator.observe(&material);
        format!("{}: {}", observation.sighting().as_str(), observation.evidence())
    });
    assert_snapshot!(seen.join("\n"));
}
