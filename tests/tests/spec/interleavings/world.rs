use std::sync::{Arc, Mutex, PoisonError};

use loom::thread::JoinHandle;
use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument,
    NoDecision, Timestamp, ValidityWindow, Verdict,
};
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorOutcome, ActuatorReport, Admission, Admitted,
    ReleaseBoundary, ReleaseResult, Requested,
};
use swampbox_custody::{
    ConsequenceId, Custody, CustodyError, ExecutionId, MemoryCustody, ReleaseState, Snapshot,
    Submission,
};
use swampbox_material::{Material, Value};

use super::locks::LoomLocks;

/// A boundary over a store that the model checker watches: executions A, B and C are active, and A
/// holds the consequences X and Y.
///
/// The provider and the actuator touch nothing that the checker watches. So it never unwinds
/// through the boundary's guard against their panics, and as far as threads can see, each of
/// them happens at the switch before the next lock is taken.
#[derive(Debug)]
pub(super) struct World {
    boundary: ReleaseBoundary<MemoryCustody<LoomLocks>, Allows, Records, Stopped>,
    effects: Effects,
}

type Effects = Arc<Mutex<Vec<String>>>;

impl World {
    /// One whose actuator succeeds.
    pub(super) fn new() -> Self {
        Self::whose_actuator_reports(ActuatorOutcome::Succeeded)
    }

    pub(super) fn whose_actuator_reports(outcome: ActuatorOutcome) -> Self {
        let effects = Effects::default();
        let actuator = Records { outcome, effects: effects.clone() };
        let custody = MemoryCustody::with_locks("race".parse().unwrap(), 1);
        let world =
            Self { boundary: ReleaseBoundary::new(custody, Allows, actuator, Stopped), effects };
        for execution in ["A", "B", "C"] {
            world.custody().register(&id(execution)).unwrap();
        }
        for consequence in ["X", "Y"] {
            assert_eq!(world.submit("A", consequence, None), "ok");
        }
        world
    }

    pub(super) fn custody(&self) -> &MemoryCustody<LoomLocks> {
        self.boundary.custody()
    }

    /// Lets a second thread do this meanwhile.
    pub(super) fn meanwhile(
        self: &Arc<Self>,
        act: impl FnOnce(&Self) -> String + 'static,
    ) -> JoinHandle<String> {
        let world = self.clone();
        loom::thread::spawn(move || act(&world))
    }

    /// The code with which the release ends, and whether it was refused only after the authority
    /// had been asked.
    pub(super) fn release(&self, execution: &str, consequence: &str) -> String {
        let result = self.boundary.release(&id(execution), &of(consequence));
        let asked = result.authority_decision_id().is_some();
        match (asked, result.actuator_outcome()) {
            (true, None) => format!("{} after evaluation", result.reason().code()),
            _ => result.reason().code().to_string(),
        }
    }

    /// Drops an attempt that has been admitted.
    pub(super) fn give_up_admitted(&self, execution: &str, consequence: &str) -> String {
        given_up(self.admit(execution, consequence).map(drop))
    }

    /// Drops an attempt that was about to enter the actuator.
    pub(super) fn give_up_actuating(&self, execution: &str, consequence: &str) -> String {
        let admitted = self.admit(execution, consequence);
        given_up(admitted.and_then(|admitted| admitted.enter(Ok(()), &Stopped)).map(drop))
    }

    fn admit(
        &self,
        execution: &str,
        consequence: &str,
    ) -> Result<Admitted<'_, MemoryCustody<LoomLocks>>, Box<ReleaseResult>> {
        let requested = Requested::new(self.custody(), &id(execution), &of(consequence))?;
        let answer = Allows.evaluate(&requested.request(&Stopped)?);
        requested.answered(answer)?.admit(&Stopped, "the authority", "the actuator")
    }

    pub(super) fn transfer(&self, source: &str, target: &str, consequence: &str) -> String {
        code(self.custody().transfer(&id(source), &id(target), &of(consequence)))
    }

    pub(super) fn end(&self, execution: &str) -> String {
        code(self.custody().end(&id(execution)))
    }

    pub(super) fn adopt(&self, execution: &str, consequence: &str) -> String {
        code(self.custody().adopt(&id(execution), &of(consequence)))
    }

    pub(super) fn read(&self, execution: &str, consequence: &str) -> String {
        code(self.custody().read(&id(execution), &of(consequence)))
    }

    pub(super) fn submit(&self, execution: &str, name: &str, parent: Option<&str>) -> String {
        code(self.custody().submit(Submission {
            execution: id(execution),
            consequence: of(name),
            material: Material::new("note", name, Value::Null),
            parent: parent.map(of),
        }))
    }

    /// What the actuator has carried out, in order.
    pub(super) fn effects(&self) -> Vec<String> {
        let effects = self.effects.lock();
        effects.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What became of a consequence and who holds it, once the threads have finished.
    ///
    /// Looks behind it as well: no mark is left, and the store's account of what each execution
    /// holds is right.
    pub(super) fn what_became_of(&self, name: &str) -> String {
        let state = self.custody().state(&of(name)).unwrap();
        let holder =
            ["A", "B", "C"].into_iter().find(|execution| self.read(execution, name) == "ok");
        self.nothing_is_left_behind(name, state, holder);
        match (holder, state) {
            (Some(holder), _) => format!("{state} with {holder}"),
            (None, ReleaseState::Contained) => format!("{state} in quarantine"),
            (None, _) => format!("{state}, its custodian ended"),
        }
    }

    /// Brings what is still contained into the hands of a newcomer, which a mark would prevent,
    /// and ends everybody else, which would quarantine it if somebody else still counted it as
    /// theirs.
    fn nothing_is_left_behind(&self, name: &str, state: ReleaseState, holder: Option<&str>) {
        let newcomer = "the newcomer";
        self.custody().register(&id(newcomer)).unwrap();
        let handed_over = match holder {
            Some(holder) => self.transfer(holder, newcomer, name),
            None => self.adopt(newcomer, name),
        };
        if state != ReleaseState::Contained {
            assert!(["not_contained", "not_adoptable"].contains(&handed_over.as_str()));
            return;
        }
        assert_eq!(handed_over, "ok");
        for execution in ["A", "B", "C"] {
            assert!(["ok", "execution_not_active"].contains(&self.end(execution).as_str()));
        }
        assert_eq!(self.read(newcomer, name), "ok");
    }
}

pub(super) fn id(text: &str) -> ExecutionId {
    text.parse().unwrap()
}

pub(super) fn of(text: &str) -> ConsequenceId {
    text.parse().unwrap()
}

fn given_up(attempt: Result<(), Box<ReleaseResult>>) -> String {
    match attempt {
        Ok(()) => "given up".to_owned(),
        Err(refused) => refused.reason().code().to_string(),
    }
}

/// `ok`, or the code of the refusal.
fn code<T>(answer: Result<T, CustodyError>) -> String {
    match answer {
        Ok(_) => "ok".to_owned(),
        Err(error) => error.code().to_string(),
    }
}

/// Allows exactly what it is asked for.
#[derive(Debug)]
pub(super) struct Allows;

impl Allows {
    pub(super) fn decision(snapshot: &Snapshot) -> Option<AuthorityDecision> {
        let decision = "decision".parse().ok()?;
        let begin: Timestamp = "2026-01-01T00:00:00Z".parse().ok()?;
        let window = ValidityWindow::new(begin, begin.moved_by(1).ok()?).ok()?;
        AuthorityDecision::about(snapshot, decision, Verdict::Allow, window)
    }
}

impl AuthorityProvider for Allows {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let decision = Allows::decision(&request.snapshot);
        decision.map(DecisionDocument::from).ok_or_else(|| NoDecision::new("nobody holds it"))
    }
}

/// Remembers each call.
#[derive(Debug)]
struct Records {
    outcome: ActuatorOutcome,
    effects: Effects,
}

impl Actuator for Records {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let mut effects = self.effects.lock().unwrap_or_else(PoisonError::into_inner);
        effects.push(admission.material().target().to_string());
        Ok(self.outcome.into())
    }
}

/// A clock at which it is always the same moment.
#[derive(Debug)]
pub(super) struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Result<Timestamp, ClockError> {
        "2026-01-01T00:00:00Z".parse().map_err(ClockError::new)
    }
}
