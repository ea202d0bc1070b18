//! Attempts to release, each with its place, and the waiting for decisions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use swampbox_boundary::{ReleaseBoundary, ReleaseResult, Requested};
use swampbox_custody::{
    ConsequenceId, Custody, DecisionId, ExecutionId, RefusedRelease, ReleaseState,
};
use swampbox_material::json::Json;
use swampbox_material::{Code, Material};
use swampbox_policy::approvals::State;
use tokio::time::{Instant, timeout_at};

use crate::api::{App, Call, Problem, Reply, request_about};
use crate::traced::{self, Spanned};
use crate::work::Desk;
use crate::{Limits, NoEffect};

/// The places for attempts.
///
/// A slow actuator takes up its own places and no others. Who needs one of them waits for a while, and is
/// then told that there is none; nothing has happened.
pub(crate) struct Releases {
    all: Desk,
    of_one: u32,
    patience: Duration,
    by_lane: Mutex<HashMap<String, Desk>>,
}

impl Releases {
    pub(crate) fn within(limits: &Limits) -> Self {
        Self {
            all: Desk::with(limits.releases, limits.patience, "releases"),
            of_one: limits.releases_of_one_actuator,
            patience: limits.patience,
            by_lane: Mutex::default(),
        }
    }

    /// Waits until none is at work.
    pub(crate) async fn idle(&self) {
        self.all.idle().await;
    }

    /// How many are at work.
    pub(crate) fn at_work(&self) -> usize {
        self.all.taken()
    }

    /// Runs what may wait for an actuator, off the places of what only needs the ledger.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        self.all.run(work).await
    }

    /// The places of those that go the same way.
    pub(crate) fn of(&self, lane: &str) -> Desk {
        let mut all = self.by_lane.lock().unwrap_or_else(PoisonError::into_inner);
        let places = all.entry(lane.to_owned()).or_insert_with(|| {
            Desk::with(self.of_one, self.patience, &format!("releases by {lane}"))
        });
        places.clone()
    }
}

/// Answers a request for a release. If the decision is pending, it waits for as long as is asked for.
pub(crate) async fn answer(app: &Arc<App>, call: Call) -> Result<Reply, Problem> {
    let execution = call.caller.execution()?.clone();
    let consequence: ConsequenceId = call.id()?;
    let wait = wait_in(&call)?.min(app.parts.limits.wait);
    let until = Instant::now() + wait;
    // From here on every change of the consequence is heard of.
    let watch = (!wait.is_zero()).then(|| app.pump.watch(&consequence));
    let mut ended = attempt(app, &execution, &consequence).await?;
    let Some(watch) = watch else { return Ok(Reply::ok(ended.to_document())) };
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
        match standing(app, &execution, &consequence).await? {
            Standing::Open => {}
            Standing::ToBeTried => ended = attempt(app, &execution, &consequence).await?,
            // One more attempt would ask anew, which nobody asked for.
            Standing::Over(state) => {
                let state = state.as_str();
                ended.message = format!("the decision that it waited for will not come: {state}");
                break;
            }
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

/// What a release that waits finds.
enum Standing {
    /// The request is not decided yet.
    Open,
    /// It is, or nothing is left to wait for.
    ToBeTried,
    /// The request is over, and was never decided, or its decision was used.
    Over(State),
}

async fn standing(
    app: &Arc<App>,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Result<Standing, Problem> {
    let (execution, consequence) = (execution.clone(), consequence.clone());
    app.work(move |app| {
        // The request first: what the rules refuse voids it, so an older request is never taken for the reason.
        let state = request_about(app, &consequence)?.map(|request| request.state());
        if app.parts.ledger.request_release(&execution, &consequence).is_err() {
            // What the rules refuse by now is said by an attempt.
            return Ok(Standing::ToBeTried);
        }
        Ok(match state {
            Some(State::Open) => Standing::Open,
            None | Some(State::Allowed | State::Denied) => Standing::ToBeTried,
            Some(over) => Standing::Over(over),
        })
    })
    .await
}

/// Makes one attempt. Once begun it goes on, whether or not somebody still waits for its result.
pub(crate) async fn attempt(
    app: &Arc<App>,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Result<Ended, Problem> {
    let (execution, consequence) = (execution.clone(), consequence.clone());
    let asked = (app.clone(), execution.clone(), consequence.clone());
    let begun = app.releases.all.run(move || {
        let (app, execution, consequence) = asked;
        let (lane, material) = match Way::of(&app, &execution, &consequence) {
            Way::Ended(ended) => return Ok(Begun::Ended(ended)),
            Way::To(lane, material) => (lane, material),
        };
        let places = app.releases.of(&lane);
        match places.place_now() {
            Ok(_place) => Ok(Begun::Ended(release(&app, &material, &execution, &consequence))),
            Err(_) => Ok(Begun::Waits(places, material)),
        }
    });
    let (places, material) = match begun.await? {
        Begun::Ended(ended) => return Ok(ended),
        Begun::Waits(places, material) => (places, material),
    };
    // Who waits for a slow actuator keeps no other place meanwhile.
    let at_actuator = places.place().await?;
    let at_work = app.clone();
    let work = move || {
        let ended = release(&at_work, &material, &execution, &consequence);
        drop(at_actuator);
        Ok(ended)
    };
    app.releases.all.run(work).await
}

/// How far an attempt got at once.
enum Begun {
    /// To its end.
    Ended(Ended),
    /// Every place of its actuator is taken; these are the places, and this is the material.
    Waits(Desk, Material),
}

/// Where an attempt goes.
enum Way {
    /// It has ended: the rules refuse it, or nothing would carry it out.
    Ended(Ended),
    /// To these places, with this material.
    To(String, Material),
}

impl Way {
    fn of(app: &App, execution: &ExecutionId, consequence: &ConsequenceId) -> Self {
        let ledger = &app.parts.ledger;
        let material = match ledger.request_release(execution, consequence) {
            Ok(snapshot) => snapshot.material,
            // That it is refused has to be noted. If things have changed meanwhile, it goes on.
            Err(_) => match Requested::new(ledger, execution, consequence) {
                Err(refused) => return Way::Ended(Ended::of(app, &refused)),
                Ok(_) => return Way::of(app, execution, consequence),
            },
        };
        match app.parts.effects.lane(&material) {
            Ok(lane) => Way::To(lane, material),
            Err(error) => Way::Ended(unroutable(app, &error, execution, consequence)),
        }
    }
}

fn release(
    app: &App,
    material: &Material,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Ended {
    let parts = &app.parts;
    let ended = match parts.effects.actuator(material) {
        Ok(actuator) => {
            let (ledger, clock) = (&parts.ledger, &parts.clock);
            let (authority, actuator) = (Spanned(&parts.authority), Spanned(actuator));
            let boundary = ReleaseBoundary::new(ledger, authority, actuator, clock);
            let span = traced::attempt(consequence);
            let result = span.in_scope(|| boundary.release(execution, consequence));
            traced::ended(&span, &result);
            Ended::of(app, &result)
        }
        Err(error) => unroutable(app, &error, execution, consequence),
    };
    app.pump.nudge();
    ended
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
    app.metrics.ended(ReleaseState::Contained, error.code());
    Ended {
        consequence: consequence.clone(),
        status: ReleaseState::Contained,
        code: error.code(),
        message: error.to_string(),
        decision: None,
        outcome: None,
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
    fn of(app: &App, result: &ReleaseResult) -> Self {
        app.metrics.ended(result.status(), result.reason().code());
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
