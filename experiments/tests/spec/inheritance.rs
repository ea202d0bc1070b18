//! The acceptance matrix of the legacy inheritance path.

use insta::assert_snapshot;
use swampbox_experiments::{
    ExitCode,
    inheritance::{
        Artifact, ArtifactStore, Consequence, ExactBoundary, ReceiptReason, SimulatedActuator,
        StoreError, SyntheticAdmission, Verdict, run,
    },
};

#[test]
fn the_eight_cases_hold_and_the_bypass_is_visible() {
    let matrix = run();
    assert_eq!(matrix.exit_code(), ExitCode::Ok);
    assert_snapshot!(matrix);
}

#[test]
fn the_matrix_as_json_lines() {
    assert_snapshot!(run().to_json());
}

#[test]
fn a_case_with_an_effect_too_many_does_not_hold() {
    let mut matrix = run();
    let effect = matrix.cases[0].effects[0].clone();
    matrix.cases[1].effects.push(effect);
    assert!(!matrix.cases[1].holds());
    assert_eq!(matrix.exit_code(), ExitCode::Anomaly);
}

#[test]
fn a_bypass_that_did_not_run_is_an_anomaly() {
    let mut matrix = run();
    matrix.bypass.effects.clear();
    assert_eq!(matrix.exit_code(), ExitCode::Anomaly);
}

#[test]
fn an_allow_that_differs_in_any_one_field_commits_nothing() {
    let other = |consequence_type: &str, target: &str, payload: &str| {
        SyntheticAdmission::AllowOther(Consequence {
            consequence_type: consequence_type.to_owned(),
            target: target.to_owned(),
            payload: payload.to_owned(),
        })
    };
    for answer in [
        other("Note", "inbox", "hello"),
        other("note", "inbox ", "hello"),
        other("note", "inbox", ""),
    ] {
        assert_eq!(present(answer), (ReceiptReason::ConsequenceMismatch, 0));
    }
    assert_eq!(present(other("note", "inbox", "hello")), (ReceiptReason::ExactAllow, 1));
}

#[test]
fn what_is_not_exactly_an_admission_is_malformed() {
    const EXACT: &str = r#"{"consequence_type":"note","target":"inbox","payload":"hello"}"#;
    let answers = [
        String::new(),
        "ALLOW".to_owned(),
        "null".to_owned(),
        format!(r#"{{"verdict":"allow","consequence":{EXACT}}}"#),
        format!(r#"{{"verdict":"ALLOW","consequence":{EXACT},"until":"tomorrow"}}"#),
        format!(r#"{{"verdict":"ALLOW","verdict":"ALLOW","consequence":{EXACT}}}"#),
        format!(r#"{{"verdict":"ALLOW","consequence":{EXACT}}} again"#),
        r#"{"verdict":"ALLOW","consequence":{"target":"inbox","payload":"hello"}}"#.to_owned(),
    ];
    for answer in answers {
        let observed = present(SyntheticAdmission::Raw(answer.clone()));
        assert_eq!(observed, (ReceiptReason::MalformedAdmission, 0), "{answer}");
    }
}

#[test]
fn an_allow_is_asked_for_at_every_presentation_and_not_remembered() {
    let artifact = note();
    let mut actuator = SimulatedActuator::default();
    ExactBoundary::new(SyntheticAdmission::On(Verdict::Allow)).present(&artifact, &mut actuator);
    let again = ExactBoundary::new(SyntheticAdmission::Silent).present(&artifact, &mut actuator);
    assert_eq!((again.reason, actuator.effects().len()), (ReceiptReason::NoAdmission, 1));
}

#[test]
fn an_ended_author_publishes_nothing_and_its_artifact_stays() {
    let mut store = ArtifactStore::default();
    store.publish(note()).unwrap();
    store.end("author-A");
    let later = Artifact { artifact_id: "later".to_owned(), ..note() };
    assert_eq!(store.publish(later).unwrap_err().code(), "author_ended");
    assert_eq!(store.read("artifact-X"), Some(&note()));
    assert_eq!(store.read("later"), None);
}

#[test]
fn an_artifact_is_never_replaced() {
    let mut store = ArtifactStore::default();
    store.publish(note()).unwrap();
    let other = Artifact { author: "author-B".to_owned(), ..note() };
    assert_eq!(store.publish(other), Err(StoreError::ArtifactExists));
    assert_eq!(store.read("artifact-X"), Some(&note()));
}

fn present(answer: SyntheticAdmission) -> (ReceiptReason, usize) {
    let mut actuator = SimulatedActuator::default();
    let receipt = ExactBoundary::new(answer).present(&note(), &mut actuator);
    (receipt.reason, actuator.effects().len())
}

fn note() -> Artifact {
    Artifact {
        artifact_id: "artifact-X".to_owned(),
        author: "author-A".to_owned(),
        consequence: Consequence {
            consequence_type: "note".to_owned(),
            target: "inbox".to_owned(),
            payload: "hello".to_owned(),
        },
        provenance: vec![],
    }
}
