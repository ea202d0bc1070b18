use swampbox_actuators::HttpActuator;
use swampbox_authority::{AuthorityDecision, AuthorityProvider, Clock};
use swampbox_boundary::ReleaseBoundary;
use swampbox_custody::{ConsequenceId, Custody, ExecutionId, ReleaseState, Snapshot, Submission};
use swampbox_experiments::parts::{Deciding, Replaying, SystemClock, allow};
use swampbox_ledger::LedgerCustody;
use swampbox_material::Code;

use super::agent::Agent;
use super::proposal::proposal;
use super::receiver::{Arrival, Receiver};
use crate::scratch::Scratch;

/// What happened, in order, what is held at the end, and what arrived outside.
pub(super) struct Story {
    pub(super) steps: Vec<Step>,
    pub(super) held: Vec<Snapshot>,
    pub(super) arrived: Vec<Arrival>,
}

/// One step, how it ended, and how it should end.
pub(super) struct Step {
    pub(super) text: String,
    pub(super) ended: Ended,
    expected: Ended,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The consequence is held.
    Held(&'static str),
    /// A release was refused.
    Refused(Code),
    /// A release was carried out.
    Released(Code),
    /// The actuator was entered, and the effect did not happen, or nobody knows.
    NotReleased(Code),
}

/// Why the story could not be told to its end.
pub(super) type Interrupted = Box<dyn std::error::Error>;

impl Story {
    /// Tells the story, with a real receiver and a real request.
    pub(super) fn tell() -> Result<Self, Interrupted> {
        let receiver = Receiver::start()?;
        let scratch = Scratch::new()?;
        drop(scratch.ledger()?);
        // A proposes, and an authority decides about it while A lives.
        let agent = Agent::start(&scratch.path(), &receiver.origin())?;
        let mut telling = Telling::begin(&receiver, &scratch)?;
        let decision = telling.a_proposes()?;
        agent.kill()?;
        let Telling { steps, custody, .. } = telling;
        drop(custody);
        // Nobody has the ledger open now. B's side opens what A left behind.
        Telling { steps, ..Telling::begin(&receiver, &scratch)? }.b_inherits(decision)
    }

    /// What did not go as it should; none if every step ended as it should and exactly one request
    /// arrived.
    pub(super) fn complaint(&self) -> Option<String> {
        let mut steps = (1..).zip(&self.steps);
        if let Some((number, _)) = steps.find(|(_, step)| step.ended != step.expected) {
            return Some(format!("step {number} did not end as it should"));
        }
        let arrived = self.arrived.len();
        (arrived != 1).then(|| format!("{arrived} requests arrived outside, and not one"))
    }
}

struct Telling<'r> {
    receiver: &'r Receiver,
    custody: LedgerCustody,
    actuator: HttpActuator,
    steps: Vec<Step>,
    a: ExecutionId,
    b: ExecutionId,
    x: ConsequenceId,
    c: ConsequenceId,
}

impl<'r> Telling<'r> {
    fn begin(receiver: &'r Receiver, scratch: &Scratch) -> Result<Self, Interrupted> {
        Ok(Self {
            receiver,
            custody: LedgerCustody::open(scratch.path(), Box::new(SystemClock))?,
            actuator: HttpActuator::builder().allow_private_addresses().build(),
            steps: Vec::new(),
            a: "exec-A".parse()?,
            b: "exec-B".parse()?,
            x: "X".parse()?,
            c: "C".parse()?,
        })
    }

    /// Looks at what A proposed, and gives a decision that would have allowed it.
    fn a_proposes(&mut self) -> Result<AuthorityDecision, Interrupted> {
        let x = self.x.clone();
        let origin = self.receiver.origin();
        self.held(format!("A proposes X, POST {origin}/issues"), "contained", &x)?;
        let proposed = self.custody.read(&self.a, &x)?;
        Ok(allow(&proposed, "decision-X", SystemClock.now()?)?)
    }

    fn b_inherits(mut self, decision: AuthorityDecision) -> Result<Story, Interrupted> {
        let (b, x, c) = (self.b.clone(), self.x.clone(), self.c.clone());
        self.held("A is killed with SIGKILL; X is on disk".into(), "contained", &x)?;
        self.custody.reap(SystemClock.now()?)?;
        self.held("A is found gone, and X stays behind".into(), "quarantined", &x)?;

        self.custody.register(&b)?;
        self.custody.adopt(&b, &x)?;
        self.submit(&b, &c, Some(&x), "Rotate the production key")?;
        self.held("B adopts X and derives C from it".into(), "contained", &c)?;

        let replayed = Replaying(decision.clone());
        let refusal = Ended::Refused(Code::AuthorityConsequenceMismatch);
        self.release("C, with the decision for X", replayed, refusal);
        let relabelled =
            AuthorityDecision { consequence_id: c.clone(), execution_id: b.clone(), ..decision };
        let refusal = Ended::Refused(Code::AuthorityMaterialMismatch);
        self.release("C, with X's decision relabelled", Replaying(relabelled), refusal);
        let success = Ended::Released(Code::ActuatorSucceeded);
        self.release("C, with a decision of its own", Deciding("decision-C"), success);
        let refusal = Ended::Refused(Code::ConsequenceNotReleasable);
        self.release("C, a second time", Deciding("decision-C2"), refusal);

        let held = vec![self.custody.read(&b, &x)?, self.custody.read(&b, &c)?];
        Ok(Story { steps: self.steps, held, arrived: self.receiver.arrived() })
    }

    fn submit(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        parent: Option<&ConsequenceId>,
        title: &str,
    ) -> Result<Snapshot, Interrupted> {
        Ok(self.custody.submit(Submission {
            execution: execution.clone(),
            consequence: consequence.clone(),
            material: proposal(&self.receiver.origin(), title)?,
            parent: parent.cloned(),
        })?)
    }

    /// Notes where a consequence is held after a step.
    fn held(
        &mut self,
        text: String,
        expected: &'static str,
        consequence: &ConsequenceId,
    ) -> Result<(), Interrupted> {
        let quarantined = self.custody.inspect(consequence).is_ok();
        let state = self.custody.state(consequence)?;
        let ended = match state.as_str() {
            "CONTAINED" if quarantined => "quarantined",
            "CONTAINED" => "contained",
            other => other,
        };
        let (ended, expected) = (Ended::Held(ended), Ended::Held(expected));
        self.steps.push(Step { text, ended, expected });
        Ok(())
    }

    /// Tries to release C in the name of B, and notes how it ended.
    fn release(&mut self, what: &str, authority: impl AuthorityProvider, expected: Ended) {
        let boundary = ReleaseBoundary::new(&self.custody, authority, &self.actuator, SystemClock);
        let result = boundary.release(&self.b, &self.c);
        let code = result.reason().code();
        let ended = match (result.status(), result.actuator_outcome()) {
            (ReleaseState::Released, _) => Ended::Released(code),
            (_, Some(_)) => Ended::NotReleased(code),
            (_, None) => Ended::Refused(code),
        };
        self.steps.push(Step { text: format!("B releases {what}"), ended, expected });
    }
}
