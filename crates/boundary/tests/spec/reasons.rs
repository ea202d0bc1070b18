//! Every reason, with its code and its words.

use insta::assert_snapshot;
use swampbox_authority::{ClockError, DecisionRefusal, NoDecision};
use swampbox_boundary::{ActuatorFailure, ActuatorReport, Reason};
use swampbox_custody::{CustodyError, Refusal, StoreFailure};

use crate::fixture::{Script, held, note, parsed};

#[test]
fn every_reason_is_displayed_as_a_sentence_and_serialised_as_its_code() {
    let full = || CustodyError::from(StoreFailure::new("the disk is full"));
    let other = swampbox_material::Material::new(
        "note",
        "outbox",
        note("exec-A", "X").material.payload().clone(),
    );
    let reasons = [
        Reason::from(Refusal::NotCurrentCustodian(parsed("X"), parsed("exec-B"))),
        Reason::from(CustodyError::from(Refusal::ReleaseInProgress(parsed("X")))),
        Reason::from(full()),
        Reason::from(ClockError::new("it stopped")),
        Reason::from(NoDecision::new("connection refused")),
        Reason::from(DecisionRefusal::Invalid("the field `verdict` is missing at $".into())),
        Reason::from(DecisionRefusal::NotAllowed),
        Reason::from(DecisionRefusal::ConsequenceMismatch {
            bound: parsed("W"),
            actual: parsed("X"),
        }),
        Reason::from(DecisionRefusal::CustodianMismatch {
            bound: parsed("exec-B"),
            actual: parsed("exec-A"),
        }),
        Reason::from(DecisionRefusal::MaterialMismatch(
            other.differences(&note("exec-A", "X").material),
        )),
        Reason::from(DecisionRefusal::InvalidTimestamp("`noon` is no timestamp".into())),
        Reason::from(DecisionRefusal::NotYetValid {
            issued_at: parsed("2026-01-01T12:00:00Z"),
            now: parsed("2026-01-01T11:00:00Z"),
        }),
        Reason::from(DecisionRefusal::Expired {
            valid_until: parsed("2026-01-01T12:00:00Z"),
            now: parsed("2026-01-01T12:00:00Z"),
        }),
        Reason::Reported(ActuatorReport::succeeded("HTTP status 201")),
        Reason::Reported(ActuatorReport::succeeded("")),
        Reason::Reported(ActuatorReport::definite_not_executed("connection refused")),
        Reason::Reported(ActuatorReport::definite_not_executed("")),
        Reason::Reported(ActuatorReport::uncertain("no answer within 10 s")),
        Reason::Reported(ActuatorReport::uncertain("")),
        Reason::ActuatorFailed(ActuatorFailure::new("connection reset")),
        Reason::NotStored(ActuatorReport::succeeded("HTTP status 201"), full()),
    ];
    let lines = reasons.map(|reason| {
        let serialised = serde_json::to_string(&reason).unwrap();
        assert_eq!(serialised, format!("{:?}", reason.code().as_str()));
        format!("{}: {reason}", reason.code())
    });
    let lines = lines.join("\n");
    assert_snapshot!(lines);
}

#[test]
fn a_result_tells_in_the_program_what_it_tells_in_json() {
    let result = Script::new().release(&held(), "exec-A", "X");
    let told = serde_json::json!({
        "consequence_id": result.consequence_id().as_str(),
        "status": result.status().as_str(),
        "reason": result.reason().code().as_str(),
        "authority_decision_id": result.authority_decision_id().map(|id| id.as_str()),
        "actuator_outcome": result.actuator_outcome().map(|outcome| outcome.as_str()),
    });
    assert_eq!(serde_json::to_value(&result).unwrap(), told);
}

#[test]
fn a_report_keeps_its_outcome_and_its_words() {
    let report = ActuatorReport::definite_not_executed("connection refused");
    assert_eq!(report.outcome().as_str(), "DEFINITE_NOT_EXECUTED");
    assert_eq!(report.detail(), "connection refused");
}
