//! One consequence, the question about it, and what becomes of it under some authority.

use std::fmt::Debug;
use std::str::FromStr;

use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, ClockError, Timestamp,
    ValidityWindow, Verdict,
};
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorReport, Admission, ReleaseBoundary, ReleaseResult,
};
use swampbox_custody::{Custody, MemoryCustody, ReleaseState, Snapshot, Submission};
use swampbox_material::Material;

/// The minute at which everything here is asked and released.
pub(crate) const NOW: i64 = 7;

/// An identifier, a pattern or another thing that is read from text.
pub(crate) fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// The moment some minutes after noon.
pub(crate) fn minute(minute: i64) -> Timestamp {
    let noon: Timestamp = parsed("2026-01-01T12:00:00Z");
    noon.moved_by(i128::from(minute) * 60_000_000_000).unwrap()
}

/// From one minute up to another.
pub(crate) fn window(from: i64, until: i64) -> ValidityWindow {
    ValidityWindow::new(minute(from), minute(until)).unwrap()
}

/// X, a note to the inbox, in the custody of exec-A.
pub(crate) fn held() -> Snapshot {
    Snapshot {
        consequence_id: parsed("X"),
        origin_execution_id: parsed("exec-A"),
        current_execution_id: Some(parsed("exec-A")),
        parent_consequence_id: None,
        material: Material::new("note", "inbox", "hello".into()),
        release_state: ReleaseState::Contained,
    }
}

/// The question whether X may be released.
pub(crate) fn asked() -> AuthorityRequest {
    AuthorityRequest { snapshot: held(), evaluated_at: minute(NOW) }
}

/// A decision about X, for ten minutes.
pub(crate) fn decision(verdict: Verdict) -> AuthorityDecision {
    let id = parsed("decision-1");
    AuthorityDecision::about(&held(), id, verdict, window(0, 10)).unwrap()
}

/// An ALLOW of X as JSON text.
pub(crate) fn allows() -> String {
    decision(Verdict::Allow).to_document().to_string()
}

/// Releases X under this authority, with a clock that stands still and an actuator that succeeds.
pub(crate) fn released(authority: impl AuthorityProvider) -> ReleaseResult {
    let Snapshot { consequence_id, origin_execution_id, material, .. } = held();
    let custody = MemoryCustody::new(parsed("store"));
    custody.register(&origin_execution_id).unwrap();
    let submission = Submission {
        execution: origin_execution_id.clone(),
        consequence: consequence_id.clone(),
        material,
        parent: None,
    };
    custody.submit(submission).unwrap();
    let boundary = ReleaseBoundary::new(custody, authority, Succeeds, Still);
    boundary.release(&origin_execution_id, &consequence_id)
}

/// The same in words: the code, and the reason.
pub(crate) fn outcome(authority: impl AuthorityProvider) -> String {
    let result = released(authority);
    format!("{}, {}: {}", result.status(), result.reason().code(), result.reason())
}

/// One line for each case.
pub(crate) fn lines<C>(
    cases: impl IntoIterator<Item = C>,
    line: impl FnMut(C) -> String,
) -> String {
    cases.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Result<Timestamp, ClockError> {
        Ok(minute(NOW))
    }
}

struct Succeeds;

impl Actuator for Succeeds {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        Ok(ActuatorReport::succeeded("it was done"))
    }
}
