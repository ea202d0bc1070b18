//! A decision made inside the program is judged like one that came as text.

use insta::assert_snapshot;
use swampbox_authority::{AuthorityDecision, DecisionDocument, ValidityWindow, Verdict};
use swampbox_custody::Snapshot;
use swampbox_material::json::Json;

use crate::fixture::{held, judged, lines, material, parsed, with};

/// The decision that allows [`held`].
fn allows() -> AuthorityDecision {
    let window = window("2026-01-01T12:00:00Z", "2026-01-01T12:05:00Z");
    AuthorityDecision::about(&held(), parsed("decision-1"), Verdict::Allow, window).unwrap()
}

fn window(issued_at: &str, valid_until: &str) -> ValidityWindow {
    ValidityWindow::new(parsed(issued_at), parsed(valid_until)).unwrap()
}

#[test]
fn typed_and_written_decisions_are_judged_alike() {
    let decisions = [
        allows(),
        AuthorityDecision { verdict: Verdict::Deny, ..allows() },
        AuthorityDecision { consequence_id: parsed("Y"), ..allows() },
        AuthorityDecision { execution_id: parsed("exec-B"), ..allows() },
        AuthorityDecision { bound_consequence: material(r#"{"n": 1.0}"#), ..allows() },
        AuthorityDecision {
            window: window("2026-01-01T12:00:01Z", "2026-01-01T12:05:00Z"),
            ..allows()
        },
        AuthorityDecision {
            window: window("2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z"),
            ..allows()
        },
    ];
    let answers = lines(decisions, |decision| {
        let written = decision.to_document();
        let sent = DecisionDocument::read(written.to_string().as_bytes());
        let typed = judged(decision);
        assert_eq!(judged(written), typed);
        assert_eq!(judged(sent), typed);
        typed
    });
    assert_snapshot!(answers);
}

#[test]
fn a_decision_is_written_with_its_fields_in_order_and_its_times_in_utc() {
    let mut decision = allows();
    decision.window = window("2026-01-01T14:00:00.50+02:00", "2026-01-01T12:05:00Z");
    decision.bound_consequence = material(r#"{"z": 1.0, "a": [-0.0, 12345678901234567890]}"#);
    let answers = decision.to_document();
    assert_snapshot!(answers);
}

#[test]
fn a_written_decision_reads_back_as_the_same_document() {
    let written = allows().to_document();
    assert_eq!(written, with(&[]));
    assert_eq!(Json::read(written.to_string().as_bytes()).unwrap(), written);
}

#[test]
fn a_typed_decision_is_kept_as_its_document() {
    let document = allows().to_document().to_string();
    assert_eq!(DecisionDocument::from(allows()).as_received(), document);
}

#[test]
fn nothing_is_decided_about_a_consequence_that_nobody_holds() {
    let quarantined = Snapshot { current_execution_id: None, ..held() };
    let window = allows().window;
    let decision =
        AuthorityDecision::about(&quarantined, parsed("decision-1"), Verdict::Allow, window);
    assert_eq!(decision, None);
}

#[test]
fn a_validated_decision_keeps_its_id_and_its_window() {
    let decision = allows();
    let (id, window) = (decision.decision_id.clone(), decision.window);
    let now = window.issued_at();
    let validated =
        swampbox_authority::validate(&decision.into(), &held(), &parsed("exec-A"), now).unwrap();
    assert_eq!(*validated.decision_id(), id);
    assert_eq!(*validated.window(), window);
}
