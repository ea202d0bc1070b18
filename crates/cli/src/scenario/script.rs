//! The scripted clock, authority and actuator of one release.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use swampbox_authority::{
    AuthorityDecision, AuthorityRequest, ClockError, DecisionDocument, InvalidTimestamp,
    NoDecision, Timestamp,
};
use swampbox_boundary::{ActuatorFailure, ActuatorOutcome, ActuatorReport};
use swampbox_material::json::{Json, Object};

use super::file::{Answer, Authority, Release};
use super::surface::Script;

/// The clock of a scenario. It stands still but for the steps that move it.
#[derive(Debug)]
pub(super) struct ScriptedClock {
    now: Mutex<Timestamp>,
}

impl ScriptedClock {
    pub(super) fn starting_at(start: Timestamp) -> Self {
        Self { now: Mutex::new(start) }
    }

    /// Moves the clock, unless it would leave its range.
    pub(super) fn advance(&self, nanoseconds: i128) -> Result<Timestamp, InvalidTimestamp> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.moved_by(nanoseconds)?;
        Ok(*now)
    }
}

/// What plays the steps of a release's `during_…` lists.
pub(super) trait Interlude: Sync {
    fn during_evaluation(&self);
    fn during_actuation(&self);
}

/// One release's view of clock, authority and actuator.
pub(super) struct Scripted<'a, I> {
    pub(super) release: &'a Release,
    pub(super) clock: &'a ScriptedClock,
    pub(super) interlude: I,
    pub(super) readings: AtomicU64,
    pub(super) provider_calls: AtomicU64,
    pub(super) actuator_calls: AtomicU64,
}

impl<'a, I: Interlude> Scripted<'a, I> {
    pub(super) fn new(release: &'a Release, clock: &'a ScriptedClock, interlude: I) -> Self {
        let [readings, provider_calls, actuator_calls] = [const { AtomicU64::new(0) }; 3];
        Self { release, clock, interlude, readings, provider_calls, actuator_calls }
    }
}

impl<I: Interlude + Send> Script for Scripted<'_, I> {
    fn now(&self) -> Result<Timestamp, ClockError> {
        let by = match self.readings.fetch_add(1, Ordering::Relaxed) {
            1 => self.release.advance_before_validation,
            2 => self.release.advance_before_actuation,
            _ => 0,
        };
        self.clock.advance(by).map_err(ClockError::new)
    }

    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        self.provider_calls.fetch_add(1, Ordering::Relaxed);
        self.interlude.during_evaluation();
        match &self.release.authority {
            Authority::Unavailable => Err(NoDecision::new("the scenario says so")),
            // Unwinds as a panic does, without the message of one.
            Authority::Panics => resume_unwind(Box::new("the scenario says so")),
            Authority::Decides { issued_offset, valid_for, overrides } => {
                Ok(decision(request, *issued_offset, *valid_for, overrides).into())
            }
        }
    }

    fn act(&self) -> Result<ActuatorReport, ActuatorFailure> {
        self.actuator_calls.fetch_add(1, Ordering::Relaxed);
        self.interlude.during_actuation();
        match &self.release.actuator {
            Answer::Panics => resume_unwind(Box::new("the scenario says so")),
            Answer::Reports(outcome) => outcome.parse::<ActuatorOutcome>().map(Into::into),
        }
    }
}

fn decision(
    request: &AuthorityRequest,
    issued_offset: i128,
    valid_for: i128,
    overrides: &Object,
) -> Json {
    let AuthorityRequest { snapshot, evaluated_at } = request;
    let custodian = snapshot.current_execution_id.as_ref();
    // A time out of every clock's range is written as one that no decision may have.
    let time = |by: i128| match evaluated_at.moved_by(by) {
        Ok(moment) => Json::from(moment.to_string().as_str()),
        Err(_) => Json::from("out of range"),
    };
    let [decision_id, verdict, consequence_id, execution_id, bound, issued_at, valid_until] =
        AuthorityDecision::FIELDS;
    let decision = [
        (decision_id, Json::from("decision-1")),
        (verdict, Json::from("ALLOW")),
        (consequence_id, Json::from(snapshot.consequence_id.as_str())),
        (execution_id, custodian.map_or(Json::Null, |id| Json::from(id.as_str()))),
        (bound, snapshot.material.to_document()),
        (issued_at, time(issued_offset)),
        (valid_until, time(issued_offset.saturating_add(valid_for))),
    ];
    let decision = decision.map(|(field, value)| (field.into(), value));
    let overrides = overrides.iter().map(|(key, value)| (key.clone(), value.clone()));
    Json::object::<std::sync::Arc<str>>(decision.into_iter().chain(overrides))
}
