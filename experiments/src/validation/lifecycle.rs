//! The story, step by step, through the real custody and the real boundary.

use std::error::Error;

use serde::Serialize;
use swampbox_authority::{AuthorityProvider, Clock};
use swampbox_boundary::{Actuator, ReleaseBoundary, ReleaseResult};
use swampbox_custody::{
    ConsequenceId, Custody, CustodyError, ExecutionId, ExecutionState, MemoryCustody, ReleaseState,
    Snapshot, Submission,
};
use swampbox_material::{Map, Material, MaterialError, Value};

use super::parts::Noting;
use crate::{
    github::IssueConsequence,
    parts::{Deciding, Replaying, SystemClock, allow},
};

/// One step: what is done, what the contract says should come of it, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What is done.
    pub step: &'static str,
    /// What should come of it: a state, or the code of a refusal.
    pub expected: &'static str,
    /// What came of it.
    pub observed: String,
}

impl Step {
    /// Whether it came as it should.
    pub fn holds(&self) -> bool {
        self.observed == self.expected
    }
}

/// The story as far as it was told.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) steps: Vec<Step>,
    /// The consequences for which the actuator was entered, in order.
    pub(super) entered: Vec<String>,
    /// How the one release that should happen ended, if it was reached.
    pub(super) release: Option<ReleaseResult>,
    /// Why the story could not be told to its end.
    broken: Option<String>,
}

impl Told {
    /// Whether every step came as it should and the actuator was entered once, for C.
    pub(super) fn holds(&self) -> bool {
        self.broken.is_none()
            && self.release.is_some()
            && self.steps.iter().all(Step::holds)
            && self.entered == ["C"]
    }

    /// What is wrong with it, if it does not hold.
    pub(super) fn complaint(&self) -> String {
        match &self.broken {
            Some(cause) => format!("the story could not be told to its end: {cause}"),
            None => "a step did not go as the contract says".to_owned(),
        }
    }
}

/// Tells the story, with C as given and its effect left to `actuator`.
///
/// It stops before the release if anything before came otherwise than it should, and after it if
/// the consequence could be released again.
pub(super) fn tell(consequence: &IssueConsequence, actuator: impl Actuator) -> Told {
    let actuator = Noting::new(actuator);
    let mut told = Told { steps: Vec::new(), entered: Vec::new(), release: None, broken: None };
    told.broken = Story::new(&actuator)
        .and_then(|mut story| {
            let ended = story.tell(consequence, &mut told.release);
            told.steps = story.steps;
            ended
        })
        .err()
        .map(|error| error.to_string());
    told.entered = actuator.entered();
    told
}

type Ended<T> = Result<T, Box<dyn Error>>;

struct Story<'a, A> {
    custody: MemoryCustody,
    actuator: &'a Noting<A>,
    a: ExecutionId,
    b: ExecutionId,
    third: ExecutionId,
    x: ConsequenceId,
    c: ConsequenceId,
    steps: Vec<Step>,
}

impl<'a, A: Actuator> Story<'a, A> {
    fn new(actuator: &'a Noting<A>) -> Ended<Self> {
        let started = SystemClock.now()?;
        let custody = MemoryCustody::new(format!("validation-{started}").parse()?);
        let (a, b, third) = ("exec-A".parse()?, "exec-B".parse()?, "exec-T".parse()?);
        for execution in [&a, &b, &third] {
            custody.register(execution)?;
        }
        let (x, c) = ("X".parse()?, "C".parse()?);
        Ok(Self { custody, actuator, a, b, third, x, c, steps: Vec::new() })
    }

    fn tell(
        &mut self,
        consequence: &IssueConsequence,
        release: &mut Option<ReleaseResult>,
    ) -> Ended<()> {
        let x_material = left_by_a(consequence)?;
        let submitted = self.submit(&self.a, &self.x, x_material, None);
        self.note("A submits X", "held by exec-A", held(&submitted));
        let allowed = allow(&submitted?, "decision-X", SystemClock.now()?)?;
        self.out_of_reach();
        self.inherit();
        let derived = self.submit(&self.b, &self.c, consequence.to_material()?, Some(&self.x));
        self.note("B derives C from X", "held by exec-B", held(&derived));

        let replayed = self.release(&self.b, &self.c, Replaying(allowed.clone()));
        self.note(
            "X's decision is replayed for C",
            "authority_consequence_mismatch",
            result(&replayed),
        );
        let mut relabelled = allowed;
        relabelled.consequence_id = self.c.clone();
        relabelled.execution_id = self.b.clone();
        let relabelled = self.release(&self.b, &self.c, Replaying(relabelled));
        self.note(
            "it is relabelled for C, X's material kept",
            "authority_material_mismatch",
            result(&relabelled),
        );
        self.note("C after both", "CONTAINED", state(self.custody.state(&self.c)));
        if self.steps.iter().all(Step::holds) {
            self.release_once(release);
        }
        Ok(())
    }

    /// A ends with X undone. B, who is active, has no way to it.
    fn out_of_reach(&mut self) {
        let ended = self.custody.end(&self.a);
        self.note("A ends; X was allowed, and is not released", "ENDED", execution(ended));
        let read = self.custody.read(&self.b, &self.x);
        self.note("B reads X", "not_visible", held(&read));
        let transferred = self.custody.transfer(&self.b, &self.third, &self.x);
        self.note("B transfers X", "not_visible", held(&transferred));
        let released = self.release(&self.b, &self.x, Deciding("decision-B"));
        self.note("B releases X", "consequence_not_in_active_custody", result(&released));
        let early = Material::new("note", "nowhere", Value::Null);
        let derived = self.submit(&self.b, &self.c, early, Some(&self.x));
        self.note("B derives from X", "parent_not_in_custody", held(&derived));
    }

    /// Inspection shows X and grants nothing; adoption makes B its custodian and nothing more.
    fn inherit(&mut self) {
        let inspected = self.custody.inspect(&self.x);
        self.note("X is inspected", "held by nobody", held(&inspected));
        let read = self.custody.read(&self.b, &self.x);
        self.note("B reads X after that", "not_visible", held(&read));
        let adopted = self.custody.adopt(&self.b, &self.x);
        self.note("B adopts X", "held by exec-B", held(&adopted));
    }

    fn release_once(&mut self, release: &mut Option<ReleaseResult>) {
        let released = self.release(&self.b, &self.c, Deciding("decision-C"));
        self.note("C has a decision of its own", "actuator_succeeded", result(&released));
        let is_final = released.status() != ReleaseState::Contained;
        *release = Some(released);
        if !is_final {
            return;
        }
        let again = self.release(&self.b, &self.c, Deciding("decision-C-again"));
        self.note("C is released a second time", "consequence_not_releasable", result(&again));
        self.note("C in the end", "RELEASED", state(self.custody.state(&self.c)));
        self.note("X in the end", "CONTAINED", state(self.custody.state(&self.x)));
    }

    fn submit(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        material: Material,
        parent: Option<&ConsequenceId>,
    ) -> Result<Snapshot, CustodyError> {
        self.custody.submit(Submission {
            execution: execution.clone(),
            consequence: consequence.clone(),
            material,
            parent: parent.cloned(),
        })
    }

    fn release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        authority: impl AuthorityProvider,
    ) -> ReleaseResult {
        ReleaseBoundary::new(&self.custody, authority, self.actuator, SystemClock)
            .release(execution, consequence)
    }

    fn note(&mut self, step: &'static str, expected: &'static str, observed: String) {
        self.steps.push(Step { step, expected, observed });
    }
}

/// What A proposed: an issue in the same repository whose title differs from C's in any case.
fn left_by_a(consequence: &IssueConsequence) -> Result<Material, MaterialError> {
    let title = format!("{} (as A left it)", consequence.title());
    let payload = Map::new([("title", Value::from(title)), ("body", Value::Null)])?;
    let target = consequence.repository().as_str();
    Ok(Material::new(IssueConsequence::CONSEQUENCE_TYPE, target, payload.into()))
}

fn held(result: &Result<Snapshot, CustodyError>) -> String {
    match result {
        Ok(snapshot) => match &snapshot.current_execution_id {
            Some(execution) => format!("held by {execution}"),
            None => "held by nobody".to_owned(),
        },
        Err(error) => error.code().to_string(),
    }
}

fn execution(result: Result<ExecutionState, CustodyError>) -> String {
    result.map_or_else(|error| error.code().to_string(), |state| state.to_string())
}

fn state(result: Result<ReleaseState, CustodyError>) -> String {
    result.map_or_else(|error| error.code().to_string(), |state| state.to_string())
}

fn result(result: &ReleaseResult) -> String {
    result.reason().code().to_string()
}
