//! Consequences: proposed, held, handed on, looked at and looked into.

use swampbox_boundary::{Actuator, Observation};
use swampbox_custody::{
    ConsequenceId, Custody, CustodyError, ExecutionId, Principal, Refusal, ReleaseState, Snapshot,
    Submission,
};
use swampbox_ledger::{
    Attached, Attempt, Consequence, ConsequenceFilter, Event, EventFilter, Finding, Page,
    Resolution, new_id,
};
use swampbox_material::json::Json;
use swampbox_material::{Code, Material, Path, Value};
use swampbox_policy::approvals::Directory;

use super::page::{MAX_PAGE, PAGE_BYTES, Query};
use super::shell::App;
use super::{Call, Caller, Problem, Reply};
use crate::secret::sha256;
use crate::traced::Spanned;

/// Submits a consequence. With an idempotency key its id is made of execution and key, so that it is
/// there once however often it is sent, and the ledger alone remembers it.
pub(super) fn submit(app: &App, call: &Call) -> Result<Reply, Problem> {
    let execution = call.caller.execution()?;
    let mut fields = call.fields()?;
    let given = match fields.optional("consequence_id") {
        Some(_) => Some(fields.string("consequence_id")?.parse::<ConsequenceId>()?),
        None => None,
    };
    let consequence = match (given, &call.idempotency_key) {
        (Some(_), Some(_)) => {
            let message = "give `consequence_id` or the header `Idempotency-Key`, not both: an id \
                           of your own is refused when it comes again";
            return Err(Problem::new(Code::InvalidArguments, message));
        }
        (Some(id), None) if is_digest(id.as_str()) => {
            let message = "$.consequence_id: an id of 64 hexadecimal digits is one that is made of an \
                           `Idempotency-Key`; take another";
            return Err(Problem::new(Code::InvalidDocument, message));
        }
        (Some(id), None) => id,
        (None, Some(key)) => sha256(&format!("{execution}\n{key}")).parse()?,
        (None, None) => new_id().parse()?,
    };
    let parent = match fields.optional("parent_consequence_id") {
        None | Some(Json::Null) => None,
        Some(_) => Some(fields.string("parent_consequence_id")?.parse::<ConsequenceId>()?),
    };
    let (kind, target) = (fields.string("consequence_type")?, fields.string("target")?);
    let payload = fields.required("payload")?.to_value(&Path::root().key("payload"))?;
    fields.finish()?;
    let material = Material::new(kind.clone(), target.clone(), payload);
    let submission = Submission { execution: execution.clone(), consequence, material, parent };
    let again = call.idempotency_key.is_some().then(|| submission.clone());
    // What was answered once is answered again, whatever would be said of it today.
    if let Some(before) = again.as_ref().and_then(|again| replayed(app, again).transpose()) {
        return before;
    }
    app.parts.effects.admit(&submission.material)?;
    match (app.parts.ledger.submit(submission), again) {
        (Ok(snapshot), _) => Ok(Reply::created(snapshot.to_document())),
        (Err(error @ CustodyError::Refused(Refusal::ConsequenceExists(_))), Some(again)) => {
            // The same came at the same time.
            replayed(app, &again)?.ok_or_else(|| error.into())
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// Whether a text could be the id that is made of an idempotency key. Nobody else may take that.
fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// What was answered when this was submitted before under its key, if anything was: the consequence as
/// it was then, whoever holds it now and whatever became of it.
fn replayed(app: &App, again: &Submission) -> Result<Option<Reply>, Problem> {
    let found = app.parts.ledger.history().consequence(&again.consequence)?;
    let Some(Consequence { snapshot: now, .. }) = found else { return Ok(None) };
    let is_same = now.origin_execution_id == again.execution
        && now.parent_consequence_id == again.parent
        && now.material == again.material;
    if !is_same {
        let message = "another consequence was submitted under this `Idempotency-Key`";
        return Err(Problem::new(Code::IdempotencyMismatch, message));
    }
    let then = Snapshot {
        current_execution_id: Some(now.origin_execution_id.clone()),
        release_state: ReleaseState::Contained,
        ..now
    };
    Ok(Some(Reply::ok(then.to_document())))
}

pub(super) fn list(app: &App, call: &Call) -> Result<Reply, Problem> {
    let mut query = Query::of(&call.query)?;
    let mut filter = filter_in(&mut query)?;
    query.finish()?;
    if let Caller::Execution { id, .. } = &call.caller {
        if filter.custodian.as_ref().is_some_and(|custodian| custodian != id) || filter.quarantined
        {
            let message = "an execution sees what it holds itself";
            return Err(Problem::new(Code::Forbidden, message));
        }
        filter.custodian = Some(id.clone());
    }
    let page = app.parts.ledger.history().page_of_consequences(&filter)?;
    let last = page.items.last().filter(|_| page.more);
    let next = last.map(|last| &last.snapshot.consequence_id);
    let items = page.items.iter().map(|found| found.snapshot.to_document()).collect();
    Ok(Reply::ok(Json::object([
        ("consequences", Json::List(items)),
        ("next", next.map_or(Json::Null, |next| Json::from(next.as_str()))),
    ])))
}

/// Which consequences a query is about.
pub(crate) fn filter_in(query: &mut Query<'_>) -> Result<ConsequenceFilter, Problem> {
    Ok(ConsequenceFilter {
        state: state_in(query)?,
        custodian: query.id("custodian")?,
        origin: query.id("origin")?,
        consequence_type: query.text("type").map(str::to_owned),
        target: query.text("target").map(str::to_owned),
        quarantined: query.parsed("quarantined", "true or false")?.unwrap_or(false),
        parent: query.id("parent")?,
        after: query.id("after")?,
        limit: query.limit()?,
        bytes: PAGE_BYTES,
    })
}

fn state_in(query: &mut Query<'_>) -> Result<Option<ReleaseState>, Problem> {
    let Some(word) = query.text("state") else { return Ok(None) };
    let states = [ReleaseState::Contained, ReleaseState::Released, ReleaseState::Uncertain];
    let found = states.into_iter().find(|state| state.as_str() == word);
    found.map(Some).ok_or_else(|| {
        let message = "the parameter `state` has to be CONTAINED, RELEASED or UNCERTAIN";
        Problem::new(Code::InvalidArguments, message)
    })
}

pub(super) fn read(app: &App, call: &Call) -> Result<Reply, Problem> {
    let snapshot = app.parts.ledger.read(call.caller.execution()?, &call.id()?)?;
    Ok(Reply::ok(snapshot.to_document()))
}

pub(super) fn state(app: &App, call: &Call) -> Result<Reply, Problem> {
    let consequence: ConsequenceId = call.id()?;
    let state = app.parts.ledger.state(&consequence)?;
    Ok(Reply::ok(Json::object([
        ("consequence_id", Json::from(consequence.as_str())),
        ("release_state", Json::from(state.as_str())),
    ])))
}

pub(super) fn inspect(app: &App, call: &Call) -> Result<Reply, Problem> {
    Ok(Reply::ok(app.parts.ledger.inspect(&call.id()?)?.to_document()))
}

pub(super) fn transfer(app: &App, call: &Call) -> Result<Reply, Problem> {
    let mut fields = call.fields()?;
    let target: ExecutionId = fields.string("target_execution_id")?.parse()?;
    fields.finish()?;
    let source = call.caller.execution()?;
    let snapshot = app.parts.ledger.transfer(source, &target, &call.id()?)?;
    Ok(Reply::ok(snapshot.to_document()))
}

/// Adopts a consequence: an operator for the execution that is named, and an execution for itself what
/// its own principal submitted.
pub(super) fn adopt(app: &App, call: &Call) -> Result<Reply, Problem> {
    let consequence: ConsequenceId = call.id()?;
    let mut fields = call.fields()?;
    let named = match fields.optional("execution_id") {
        Some(_) => Some(fields.string("execution_id")?.parse::<ExecutionId>()?),
        None => None,
    };
    fields.finish()?;
    let adopter = match (&call.caller, named) {
        (Caller::Execution { id, principal }, None) => {
            own_work(app, &consequence, principal)?;
            id.clone()
        }
        (Caller::Execution { .. }, Some(_)) => {
            let message = "an execution adopts for itself; leave `execution_id` out";
            return Err(Problem::new(Code::InvalidArguments, message));
        }
        (_, Some(named)) => named,
        (_, None) => {
            let message = "name the execution that is to have it, as `execution_id`";
            return Err(Problem::new(Code::InvalidArguments, message));
        }
    };
    Ok(Reply::ok(app.parts.ledger.adopt(&adopter, &consequence)?.to_document()))
}

/// What is refused by a rule is left to it.
fn own_work(app: &App, consequence: &ConsequenceId, by: &Principal) -> Result<(), Problem> {
    let Ok(snapshot) = app.parts.ledger.inspect(consequence) else { return Ok(()) };
    let owner = app.parts.principals.behind(&snapshot.origin_execution_id);
    let owner = owner.map_err(|error| Problem::new(error.code(), error))?;
    if owner == *by {
        return Ok(());
    }
    let message = "an execution adopts what its own principal submitted; anything else takes an \
                   operator";
    Err(Problem::new(Code::Forbidden, message))
}

/// Everything that is known of one consequence. Of each list there is the beginning; where the rest is,
/// is said in the documentation of the operation.
pub(crate) struct Story {
    pub(crate) consequence: Consequence,
    /// Some of the events about it, in their order.
    pub(crate) events: Page<Event>,
    pub(crate) attempts: Page<Attempt>,
    pub(crate) resolutions: Page<Attached>,
    pub(crate) children: Page<Consequence>,
}

/// How many bytes a list of a story has, but for the last of its items: together they take no more room
/// than a page.
const LIST_BYTES: usize = PAGE_BYTES / 4;

impl Story {
    /// The story with at most `limit` events from number `from` on.
    pub(crate) fn of(
        app: &App,
        id: &ConsequenceId,
        from: u64,
        limit: usize,
    ) -> Result<Self, Problem> {
        let history = app.parts.ledger.history();
        let about = EventFilter {
            consequence: Some(id.clone()),
            from,
            limit,
            bytes: LIST_BYTES,
            execution: None,
        };
        let derived = ConsequenceFilter {
            parent: Some(id.clone()),
            limit: MAX_PAGE,
            bytes: LIST_BYTES,
            ..ConsequenceFilter::default()
        };
        Ok(Self {
            consequence: found(app, id)?,
            events: history.page_of_events(&about)?,
            attempts: history.page_of_attempts(id, LIST_BYTES)?,
            resolutions: history.page_of_resolutions(id, LIST_BYTES)?,
            children: history.page_of_consequences(&derived)?,
        })
    }
}

pub(super) fn story(app: &App, call: &Call) -> Result<Reply, Problem> {
    let story = Story::of(app, &call.id()?, 0, MAX_PAGE)?;
    let Story { consequence, events, attempts, resolutions, children } = story;
    let more = [
        ("events", events.more),
        ("attempts", attempts.more),
        ("resolutions", resolutions.more),
        ("children", children.more),
    ];
    let more = more.into_iter().filter(|(_, more)| *more).map(|(list, _)| Json::from(list));
    let more = Json::List(more.collect());
    let children = children.items.iter().map(Consequence::to_document).collect();
    Ok(Reply::ok(Json::object([
        ("consequence", consequence.to_document()),
        ("events", Json::List(events.items.iter().map(Event::to_document).collect())),
        ("attempts", Json::List(attempts.items.iter().map(Attempt::to_document).collect())),
        ("resolutions", Json::List(resolutions.items.iter().map(Attached::to_document).collect())),
        ("children", Json::List(children)),
        ("more", more),
    ])))
}

fn found(app: &App, id: &ConsequenceId) -> Result<Consequence, Problem> {
    let found = app.parts.ledger.history().consequence(id)?;
    Ok(found.ok_or_else(|| CustodyError::from(Refusal::ConsequenceNotFound(id.clone())))?)
}

/// What was seen of an effect.
pub(crate) struct Sight {
    pub(crate) state: ReleaseState,
    /// What looked.
    pub(crate) actuator: String,
    pub(crate) observation: Observation,
}

/// Looks for an effect. It changes nothing, neither there nor here.
pub(crate) fn look_for(app: &App, id: &ConsequenceId) -> Result<Sight, Problem> {
    let found = found(app, id)?;
    let material = &found.snapshot.material;
    let actuator: &dyn Actuator = app.parts.effects.actuator(material)?;
    let _place = app.releases.of(&app.parts.effects.lane(material)?).place_now()?;
    Ok(Sight {
        state: found.snapshot.release_state,
        actuator: actuator.name().to_owned(),
        observation: Spanned(actuator).observe(material),
    })
}

pub(super) fn observe(app: &App, call: &Call) -> Result<Reply, Problem> {
    let id: ConsequenceId = call.id()?;
    let Sight { state, actuator, observation } = look_for(app, &id)?;
    Ok(Reply::ok(Json::object([
        ("consequence_id", Json::from(id.as_str())),
        ("release_state", Json::from(state.as_str())),
        ("actuator", Json::from(actuator.as_str())),
        ("sighting", Json::from(observation.sighting().as_str())),
        ("evidence", Json::from(observation.evidence())),
    ])))
}

pub(super) fn resolve(app: &App, call: &Call) -> Result<Reply, Problem> {
    let mut fields = call.fields()?;
    let verdict = fields.string("verdict")?.parse().map_err(|error: String| {
        Problem::new(Code::InvalidDocument, format!("$.verdict: {error}"))
    })?;
    let evidence = fields.required("evidence")?.to_value(&Path::root().key("evidence"))?;
    fields.finish()?;
    let attached = attach(app, &call.id()?, verdict, evidence, call.caller.principal()?)?;
    let attached = attached.iter().map(Attached::to_document).collect();
    Ok(Reply::ok(Json::object([("resolutions", Json::List(attached))])))
}

/// Attaches a resolution, and gives those that are attached now, as many as a page takes.
pub(crate) fn attach(
    app: &App,
    id: &ConsequenceId,
    verdict: Finding,
    evidence: Value,
    by: &Principal,
) -> Result<Vec<Attached>, Problem> {
    app.parts.ledger.resolve(id, Resolution::new(verdict, evidence, by.as_str())?)?;
    Ok(app.parts.ledger.history().page_of_resolutions(id, PAGE_BYTES)?.items)
}
