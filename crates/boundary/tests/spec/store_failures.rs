//! A store that fails: before the actuator nothing has happened; after it the result says what the
//! actuator knew, and that it was not kept.

use insta::assert_snapshot;
use swampbox_authority::ClockError;
use swampbox_boundary::{ActuatorFailure, ActuatorReport};
use swampbox_custody::{Custody, Mark, Settlement};

use crate::fixture::{NOW, Reported, Script, afterwards, held, json, parsed, told};
use crate::watched::{Fault, Watched};

#[test]
fn a_store_that_fails_before_the_actuator_keeps_it_contained() {
    let answers = [Fault::Request, Fault::Recheck, Fault::Mark].map(|at| {
        let store = held();
        let script = Script::new();
        let result = script.release(&Watched::failing(&store, at), "exec-A", "X");
        let [asked, entered, _] = script.counts();
        format!(
            "at {at:?}\n{}\nbecause: {}\nauthority asked: {asked}\nactuator entered: {entered}\n{}",
            json(&result),
            result.reason(),
            afterwards(&store)
        )
    });
    let answers = answers.join("\n\n");
    assert_snapshot!(answers);
}

fn settled_with(at: Fault, report: impl Fn() -> Reported + Send + Sync) -> String {
    let store = held();
    told(&Watched::failing(&store, at), &Script::new().actuator(|_| report()))
}

#[test]
fn an_outcome_that_cannot_be_stored_is_uncertain_and_the_mark_stays() {
    let reports: [fn() -> Reported; 4] = [
        || Ok(ActuatorReport::succeeded("HTTP status 201")),
        || Ok(ActuatorReport::definite_not_executed("connection refused")),
        || Ok(ActuatorReport::uncertain("no answer within 10 s")),
        || Err(ActuatorFailure::new("connection reset")),
    ];
    let answers = reports.map(|report| settled_with(Fault::Settle, report)).join("\n\n");
    assert_snapshot!(answers);
}

/// What is final in the store is what the result says, even though the store's answer was lost.
#[test]
fn a_final_state_that_was_committed_stands_even_if_the_answer_was_lost() {
    let reports: [fn() -> Reported; 3] = [
        || Ok(ActuatorReport::succeeded("delivered")),
        || Ok(ActuatorReport::uncertain("no answer within 10 s")),
        || Err(ActuatorFailure::new("connection reset")),
    ];
    let answers = reports.map(|report| settled_with(Fault::AfterSettle, report)).join("\n\n");
    assert_snapshot!(answers);
}

/// That it is contained again does not show in its state; so nobody relies on it.
#[test]
fn a_definite_not_executed_whose_answer_was_lost_counts_as_not_stored() {
    let told = settled_with(Fault::AfterSettle, || {
        Ok(ActuatorReport::definite_not_executed("connection refused"))
    });
    assert_snapshot!(told);
}

/// Somebody else settles the attempt while the actuator works, and the actuator then succeeds.
#[test]
fn an_attempt_that_lost_its_mark_cannot_settle_and_what_was_settled_stands() {
    let settlements = [Settlement::Uncertain, Settlement::NotExecuted, Settlement::Released];
    let answers = settlements.map(|settlement| {
        let store = &held();
        let script = Script::new().actuator(|admission| {
            let (attempt, execution) = (admission.attempt_id(), admission.execution_id());
            let (consequence, fence) = (admission.consequence_id(), 1);
            let mark = Mark::issue(attempt.clone(), execution.clone(), consequence.clone(), fence);
            store.settle(mark, settlement, "").unwrap();
            Ok(ActuatorReport::succeeded("delivered"))
        });
        format!("settled as {settlement:?}\n{}", told(store, &script))
    });
    let answers = answers.join("\n\n");
    assert_snapshot!(answers);
}

#[test]
fn a_mark_that_cannot_be_taken_away_stays_and_keeps_the_consequence_still() {
    let store = held();
    let script = Script::new().clock(|number| match number {
        3 => Err(ClockError::new("it stopped")),
        _ => Ok(parsed(NOW)),
    });
    let failing = Watched::failing(&store, Fault::Settle);
    let result = script.release(&failing, "exec-A", "X");
    assert_eq!(result.reason().code().as_str(), "clock_invalid");
    assert_eq!(afterwards(&store), "afterwards: CONTAINED, marked");
}
