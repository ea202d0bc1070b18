//! Attempts to release, each with its place, and the waiting for decisions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use swampbox_boundary::{Actuator, ReleaseBoundary, ReleaseResult};
use swampbox_custody::{
    ConsequenceId, Custody, DecisionId, ExecutionId, RefusedRelease, ReleaseState,
};
use swampbox_material::Code;
use swampbox_material::json::Json;
use swampbox_policy::approvals::State;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::api::{App, Call, Problem, Reply, request_about};
use crate::work::Desk;
use crate::{Limits, NoEffect};

/// The places for attempts.
///
/// A slow actuator takes up its own places and no others; who asks for one more of it is told so, and
/// nothing has happened.
pub(crate) struct Releases {
    desk: Desk,
    of_one: usize,
    by_actuator: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Releases {
    pub(crate) fn within(limits: &Limits) -> Self {
        Self {
            desk: Desk::with(limits.releases, "releases"),
            of_one: limits.releases_of_one_actuator,
            by_actuator: Mutex::default(),
        }
    }

    /// Waits until none is at work.
    pub(crate) async fn idle(&self) {
        self.desk.idle().await;
    }

    /// A place at an actuator.
    fn place(&self, actuator: &str) -> Result<OwnedSemaphorePermit, Problem> {
        let mut all = self.by_actuator.lock().unwrap_or_else(PoisonError::into_inner);
        let places = match all.get(actuator) {
            Some(places) => places.clone(),
            None => {
                let places = Arc::new(Semaphore::new(self.of_one));
                all.insert(actuator.to_owned(), places.clone());
                places
            }
        };
        let taken = |_| Problem::overloaded(&format!("releases by {actuator}"));
        places.try_acquire_owned().map_err(taken)
    }
}

/// Answers a request for a release. If the decision is pending, it waits for as long as is asked for.
pub(crate) async fn answer(app: &Arc<App>, call: Call) -> Result<Reply, Problem> {
    let execution = call.caller.execution()?.clone();
    let consequence: ConsequenceId = call.id()?;
    let wait = wait_in(&call)?.min(app.parts.limits.wait);
    let until = Instant::now() + wait;
    // From here on every change of the consequence is heard of.
    let watch = app.pump.watch(&consequence);
    let mut ended = attempt(app, &execution, &consequence).await?;
    while ended.code == Code::AuthorityPending && !app.stop.is_set() {
        let changed = async {
            tokio::select! {
                () = watch.changed() => {}
                () = app.stop.wait() => {}
            }
        };
        if timeout_at(until, changed).await.is_err() {
            break;
        }
        if !is_open(app, &consequence).await? {
            ended = attempt(app, &execution, &consequence).await?;
        }
    }
    Ok(Reply::ok(ended.to_document()))
}

/// How long the caller would wait.
fn wait_in(call: &Call) -> Result<Duration, Problem> {
    let mut fields = call.fields()?;
    let wait = match fields.optional("wait_seconds") {
        None => Some(0),
        Some(Json::Number(number)) => number.as_str().parse().ok(),
        Some(_) => None,
    };
    fields.finish()?;
    wait.map(Duration::from_secs).ok_or_else(|| {
        let message = "$.wait_seconds: it has to be a number of whole seconds";
        Problem::new(Code::InvalidDocument, message)
    })
}

async fn is_open(app: &Arc<App>, consequence: &ConsequenceId) -> Result<bool, Problem> {
    let consequence = consequence.clone();
    app.work(move |app| {
        let request = request_about(app, &consequence)?;
        Ok(request.is_some_and(|request| request.state() == State::Open))
    })
    .await
}

/// Makes one attempt. Once begun it goes on, whether or not somebody still waits for its result.
pub(crate) async fn attempt(
    app: &Arc<App>,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Result<Ended, Problem> {
    let (execution, consequence, at_work) = (execution.clone(), consequence.clone(), app.clone());
    let work = move || {
        let ended = release(&at_work, &execution, &consequence)?;
        at_work.metrics.ended(ended.status, ended.code);
        at_work.pump.nudge();
        Ok(ended)
    };
    app.releases.desk.run(work).await
}

fn release(
    app: &App,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Result<Ended, Problem> {
    let ledger = &app.parts.ledger;
    // What the rules refuse is left to the boundary, which enters no actuator then.
    let Ok(snapshot) = ledger.request_release(execution, consequence) else {
        return Ok(through(app, &Nothing, execution, consequence));
    };
    match app.parts.effects.actuator(&snapshot.material) {
        Ok(actuator) => {
            let _place = app.releases.place(actuator.name())?;
            Ok(through(app, actuator, execution, consequence))
        }
        Err(error) => Ok(unroutable(app, &error, execution, consequence)),
    }
}

fn through(
    app: &App,
    actuator: &dyn Actuator,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Ended {
    let parts = &app.parts;
    let boundary = ReleaseBoundary::new(&parts.ledger, &parts.authority, actuator, &parts.clock);
    Ended::of(&boundary.release(execution, consequence))
}

/// What can't be carried out is refused before an authority is asked.
fn unroutable(
    app: &App,
    error: &NoEffect,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Ended {
    let refusal = RefusedRelease {
        execution: execution.clone(),
        consequence: consequence.clone(),
        reason: error.code(),
        decision: None,
        basis: None,
    };
    // Like the boundary: a store that can't note it does not make the refusal any less one.
    drop(app.parts.ledger.note_refusal(&refusal));
    Ended {
        consequence: consequence.clone(),
        status: ReleaseState::Contained,
        code: error.code(),
        message: error.to_string(),
        decision: None,
        outcome: None,
    }
}

/// Stands where no actuator is going to be entered. If one were, nothing would be done.
struct Nothing;

impl Actuator for Nothing {
    fn actuate(
        &self,
        _: swampbox_boundary::Admission<'_>,
    ) -> Result<swampbox_boundary::ActuatorReport, swampbox_boundary::ActuatorFailure> {
        let detail = "there is no actuator for it";
        Ok(swampbox_boundary::ActuatorReport::definite_not_executed(detail))
    }

    fn name(&self) -> &str {
        "none"
    }
}

/// How an attempt ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) consequence: ConsequenceId,
    pub(crate) status: ReleaseState,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) decision: Option<DecisionId>,
    pub(crate) outcome: Option<&'static str>,
}

impl Ended {
    fn of(result: &ReleaseResult) -> Self {
        Self {
            consequence: result.consequence_id().clone(),
            status: result.status(),
            code: result.reason().code(),
            message: result.reason().to_string(),
            decision: result.authority_decision_id().cloned(),
            outcome: result.actuator_outcome().map(|outcome| outcome.as_str()),
        }
    }

    pub(crate) fn to_document(&self) -> Json {
        let optional = |text: Option<&str>| text.map_or(Json::Null, Json::from);
        Json::object([
            ("consequence_id", Json::from(self.consequence.as_str())),
            ("status", Json::from(self.status.as_str())),
            ("reason", Json::from(self.code.as_str())),
            ("authority_decision_id", optional(self.decision.as_ref().map(DecisionId::as_str))),
            ("actuator_outcome", optional(self.outcome)),
            ("message", Json::from(self.message.as_str())),
        ])
    }
}
