//! One consequence, one decision that allows it, and what becomes of decisions that differ.

use std::fmt::Debug;
use std::str::FromStr;

use swampbox_authority::{DecisionDocument, Timestamp, validate};
use swampbox_custody::{ReleaseState, Snapshot};
use swampbox_material::Material;
use swampbox_material::json::Json;

/// When every decision here is validated.
pub(crate) const NOW: &str = "2026-01-01T12:00:00Z";

/// The decision that allows the consequence of [`held`].
const ALLOWS: &str = r#"{
    "decision_id": "decision-1",
    "verdict": "ALLOW",
    "consequence_id": "X",
    "execution_id": "exec-A",
    "bound_consequence": {"consequence_type": "note", "target": "inbox", "payload": {"n": 1}},
    "issued_at": "2026-01-01T12:00:00Z",
    "valid_until": "2026-01-01T12:05:00Z"
}"#;

/// An identifier or a moment.
pub(crate) fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

pub(crate) fn json(text: &str) -> Json {
    Json::read(text.as_bytes()).unwrap()
}

/// Consequence X, in the custody of exec-A.
pub(crate) fn held() -> Snapshot {
    Snapshot {
        consequence_id: parsed("X"),
        origin_execution_id: parsed("exec-A"),
        current_execution_id: Some(parsed("exec-A")),
        parent_consequence_id: None,
        material: material(r#"{"n": 1}"#),
        release_state: ReleaseState::Contained,
    }
}

/// A note to the inbox with this payload.
pub(crate) fn material(payload: &str) -> Material {
    let text =
        format!(r#"{{"consequence_type": "note", "target": "inbox", "payload": {payload}}}"#);
    Material::from_json(text.as_bytes()).unwrap()
}

/// The allowing decision with some fields replaced or added, each by JSON text.
pub(crate) fn with(fields: &[(&str, &str)]) -> Json {
    let Json::Map(mut decision) = json(ALLOWS) else {
        panic!("a decision is an object");
    };
    for (field, text) in fields {
        decision.insert(*field, json(text));
    }
    Json::Map(decision)
}

/// The allowing decision without one of its fields.
pub(crate) fn without(field: &str) -> Json {
    let decision = json(ALLOWS);
    let rest = decision.as_object().unwrap().iter();
    let rest = rest.filter(|(key, _)| &***key != field);
    Json::object(rest.map(|(key, value)| (key.clone(), value.clone())))
}

/// What is made of an answer: the code and why, and the id that the answer carries.
pub(crate) fn judged(answer: impl Into<DecisionDocument>) -> String {
    judged_of(answer, &held())
}

/// The same for a consequence other than [`held`].
pub(crate) fn judged_of(answer: impl Into<DecisionDocument>, held: &Snapshot) -> String {
    let answer = answer.into();
    let now: Timestamp = parsed(NOW);
    let finding = match validate(&answer, held, &parsed("exec-A"), now) {
        Ok(decision) => format!("allowed by {:?}", decision.decision_id()),
        Err(refusal) => format!("{}, {refusal}", refusal.code()),
    };
    match answer.decision_id() {
        Some(id) => format!("[{id}] {finding}"),
        None => format!("[no id] {finding}"),
    }
}

/// One line for each case.
pub(crate) fn lines<C>(
    cases: impl IntoIterator<Item = C>,
    line: impl FnMut(C) -> String,
) -> String {
    cases.into_iter().map(line).collect::<Vec<_>>().join("\n")
}
