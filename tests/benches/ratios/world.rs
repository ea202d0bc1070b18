use std::time::{Duration, SystemTime};

use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument,
    NoDecision, Timestamp, ValidityWindow, Verdict,
};
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorOutcome, ActuatorReport, Admission, ReleaseBoundary,
};
use swampbox_custody::{
    ConsequenceId, Custody, ExecutionId, MemoryCustody, ReleaseState, Submission,
};
use swampbox_material::{Map, Material, Value};

use crate::Failure;

/// A real boundary whose parts outside the core cost as little as they can.
pub(crate) type Boundary<A, C = MemoryCustody> = ReleaseBoundary<C, Allows, A, SystemClock>;

pub(crate) fn boundary<A: Actuator>(actuator: A) -> Result<Boundary<A>, Failure> {
    Ok(boundary_of(MemoryCustody::new("bench".parse()?), actuator))
}

pub(crate) fn boundary_of<A: Actuator, C: Custody>(custody: C, actuator: A) -> Boundary<A, C> {
    ReleaseBoundary::new(custody, Allows, actuator, SystemClock)
}

/// The execution with this name, now active.
pub(crate) fn register(custody: &impl Custody, name: &str) -> Result<ExecutionId, Failure> {
    let execution = name.parse()?;
    custody.register(&execution)?;
    Ok(execution)
}

/// Ids of `count` consequences that nobody else uses.
pub(crate) fn ids(owner: &str, count: usize) -> Result<Vec<ConsequenceId>, Failure> {
    (0..count).map(|number| Ok(format!("{owner}-{number}").parse()?)).collect()
}

/// A small note, made anew.
pub(crate) fn note(text: &str) -> Result<Material, Failure> {
    let payload = Map::new([("text", Value::from(text)), ("urgent", Value::from(false))])?;
    Ok(Material::new("note", "inbox", Value::Map(payload)))
}

pub(crate) fn submit(
    custody: &impl Custody,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
    material: Material,
) -> Result<(), Failure> {
    custody.submit(Submission {
        execution: execution.clone(),
        consequence: consequence.clone(),
        material,
        parent: None,
    })?;
    Ok(())
}

pub(crate) fn transfer(
    custody: &impl Custody,
    source: &ExecutionId,
    target: &ExecutionId,
    consequence: &ConsequenceId,
) -> Result<(), Failure> {
    custody.transfer(source, target, consequence)?;
    Ok(())
}

pub(crate) fn release<A: Actuator, C: Custody>(
    boundary: &Boundary<A, C>,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Result<(), Failure> {
    let result = boundary.release(execution, consequence);
    match result.status() {
        ReleaseState::Released => Ok(()),
        _ => Err(result.reason().to_string().into()),
    }
}

/// Allows what it is asked for, for a minute.
pub(crate) struct Allows;

impl Allows {
    fn decide(request: &AuthorityRequest) -> Option<AuthorityDecision> {
        let from = request.evaluated_at;
        let until = from.after(Duration::from_secs(60)).ok()?;
        let window = ValidityWindow::new(from, until).ok()?;
        let id = "decision".parse().ok()?;
        AuthorityDecision::about(&request.snapshot, id, Verdict::Allow, window)
    }
}

impl AuthorityProvider for Allows {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        Allows::decide(request)
            .map(DecisionDocument::from)
            .ok_or_else(|| NoDecision::new("no decision could be made"))
    }
}

/// Succeeds at once.
pub(crate) struct Succeeds;

impl Actuator for Succeeds {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        Ok(ActuatorOutcome::Succeeded.into())
    }
}

/// The system's clock.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Result<Timestamp, ClockError> {
        SystemTime::now().try_into().map_err(ClockError::new)
    }
}
