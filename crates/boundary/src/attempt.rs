//! One attempt to release a consequence, as states that consume each other.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};

use swampbox_authority::{
    AuthorityRequest, Clock, ClockError, DecisionDocument, NoDecision, Timestamp,
    ValidatedDecision, validate,
};
use swampbox_custody::{
    AttemptRecord, ConsequenceId, Custody, CustodyError, ExecutionId, Mark, RefusedRelease,
    ReleaseState, Settlement, Snapshot,
};

use crate::admission::AdmittedConsequence;
use crate::{ActuatorFailure, ActuatorOutcome, ActuatorReport, Admission, Reason, ReleaseResult};

/// A step either leads to the next state or ends the attempt with its result.
type Step<T> = Result<T, Box<ReleaseResult>>;

/// The release has been checked against custody. Next: ask the authority.
#[derive(Debug)]
pub struct Requested<'c, C: Custody> {
    custody: &'c C,
    execution: ExecutionId,
    snapshot: Snapshot,
}

impl<'c, C: Custody> Requested<'c, C> {
    /// Begins an attempt.
    ///
    /// # Errors
    ///
    /// The result, CONTAINED, if custody refuses.
    pub fn new(custody: &'c C, execution: &ExecutionId, consequence: &ConsequenceId) -> Step<Self> {
        match custody.request_release(execution, consequence) {
            Ok(snapshot) => Ok(Self { custody, execution: execution.clone(), snapshot }),
            Err(error) => Err(refused(custody, execution, consequence, error, None)),
        }
    }

    /// Reads the clock, and gives what the authority is to be asked. No lock is held meanwhile.
    ///
    /// # Errors
    ///
    /// The result, CONTAINED, if the clock fails.
    pub fn request(&self, clock: &impl Clock) -> Step<AuthorityRequest> {
        match now(clock) {
            Ok(evaluated_at) => {
                Ok(AuthorityRequest { snapshot: self.snapshot.clone(), evaluated_at })
            }
            Err(error) => {
                let Self { custody, execution, snapshot } = self;
                Err(refused(*custody, execution, &snapshot.consequence_id, error, None))
            }
        }
    }

    /// Takes the authority's answer.
    ///
    /// # Errors
    ///
    /// The result, CONTAINED, if there is no decision.
    pub fn answered(self, answer: Result<DecisionDocument, NoDecision>) -> Step<Evaluated<'c, C>> {
        let Self { custody, execution, snapshot } = self;
        match answer {
            Ok(document) => {
                let consequence = snapshot.consequence_id;
                Ok(Evaluated { custody, execution, consequence, document })
            }
            Err(error) => Err(refused(custody, &execution, &snapshot.consequence_id, error, None)),
        }
    }
}

/// The authority has answered. Next: admit, if the answer allows it.
#[derive(Debug)]
pub struct Evaluated<'c, C: Custody> {
    custody: &'c C,
    execution: ExecutionId,
    consequence: ConsequenceId,
    document: DecisionDocument,
}

impl<'c, C: Custody> Evaluated<'c, C> {
    /// Checks custody again, validates the decision against it as it is now, and marks the
    /// consequence as being released. The names of provider and actuator go into the record.
    ///
    /// # Errors
    ///
    /// The result, CONTAINED and without a mark, at the first check that fails.
    pub fn admit(
        self,
        clock: &impl Clock,
        provider: &str,
        actuator: &str,
    ) -> Step<Admitted<'c, C>> {
        let Self { custody, execution, consequence, document } = self;
        let end =
            |reason: Reason| refused(custody, &execution, &consequence, reason, Some(&document));
        let current =
            custody.recheck_release(&execution, &consequence).map_err(|error| end(error.into()))?;
        let now = now(clock).map_err(|error| end(error.into()))?;
        let decision =
            validate(&document, &current, &execution, now).map_err(|error| end(error.into()))?;
        // The mark is set only if custody is still as it was when the decision was validated;
        // material never changes.
        let record = AttemptRecord {
            decision: document.as_received(),
            admitted_at: now.to_string(),
            provider: provider.to_owned(),
            actuator: actuator.to_owned(),
            basis: document.basis().map(ToString::to_string),
            consumes: document.consumes().to_vec(),
        };
        let mark = custody.mark(&execution, &consequence, &record);
        let mark = mark.map_err(|error| end(error.into()))?;
        let attempt = mark.attempt().clone();
        let guard = Guard { custody, mark: Some(mark), if_dropped: Settlement::NotEntered };
        Ok(Admitted {
            guard,
            admitted: AdmittedConsequence {
                material: current.material,
                consequence,
                execution,
                attempt,
                decision: decision.decision_id().clone(),
            },
            document,
            decision,
        })
    }
}

/// The decision stands and the consequence is marked. Next: enter the actuator.
///
/// Dropped, it takes the mark away, and the consequence stays CONTAINED.
#[derive(Debug)]
pub struct Admitted<'c, C: Custody> {
    guard: Guard<'c, C>,
    admitted: AdmittedConsequence,
    document: DecisionDocument,
    decision: ValidatedDecision,
}

impl<'c, C: Custody> Admitted<'c, C> {
    /// The answer that the attempt was admitted under, for its provider to say whether it still
    /// stands.
    pub fn decision(&self) -> &DecisionDocument {
        &self.document
    }

    /// Takes the provider's word for whether its decision still stands, and then checks the window
    /// for the last time.
    ///
    /// # Errors
    ///
    /// The result, CONTAINED and without a mark, if the decision does not stand, the clock fails or
    /// the window does not hold.
    pub fn enter(
        self,
        stands: Result<(), NoDecision>,
        clock: &impl Clock,
    ) -> Step<Actuating<'c, C>> {
        let Self { mut guard, admitted, document, decision } = self;
        let in_window = || decision.window().check(now(clock)?).map_err(Reason::from);
        if let Err(reason) = stands.map_err(Reason::from).and_then(|()| in_window()) {
            let custody = guard.custody;
            // If the mark can't be taken away, the release is refused all the same.
            drop(guard.settle(Settlement::NotEntered, &reason.to_string()));
            let AdmittedConsequence { execution, consequence, .. } = &admitted;
            return Err(refused(custody, execution, consequence, reason, Some(&document)));
        }
        guard.if_dropped = Settlement::Uncertain;
        Ok(Actuating { guard, admitted })
    }
}

/// The window holds, and the actuator is entered now.
///
/// Dropped, however that comes about, it makes the consequence UNCERTAIN.
#[derive(Debug)]
pub struct Actuating<'c, C: Custody> {
    guard: Guard<'c, C>,
    admitted: AdmittedConsequence,
}

impl<C: Custody> Actuating<'_, C> {
    /// Enters the actuator with the proof of admission, commits what it reports, and only then says
    /// so. A panic is a failure like any other.
    pub fn act(
        self,
        actuate: impl FnOnce(Admission<'_>) -> Result<ActuatorReport, ActuatorFailure>,
    ) -> ReleaseResult {
        let Self { guard, admitted } = self;
        let reported = caught(|| actuate(Admission::of(&admitted)))
            .unwrap_or_else(|| Err(ActuatorFailure::new("it panicked")));
        let AdmittedConsequence { consequence, decision, .. } = admitted;
        let outcome = reported.as_ref().map_or(ActuatorOutcome::Uncertain, ActuatorReport::outcome);
        let settlement = match outcome {
            ActuatorOutcome::Succeeded => Settlement::Released,
            ActuatorOutcome::DefiniteNotExecuted => Settlement::NotExecuted,
            ActuatorOutcome::Uncertain => Settlement::Uncertain,
        };
        let detail = match &reported {
            Ok(report) => report.detail().to_owned(),
            Err(failure) => failure.to_string(),
        };
        let (status, reason) = match (guard.settle(settlement, &detail), reported) {
            (Ok(()), Ok(report)) => (settlement.state(), Reason::Reported(report)),
            (Ok(()), Err(failure)) => (ReleaseState::Uncertain, Reason::ActuatorFailed(failure)),
            (Err(error), reported) => {
                let report = reported
                    .unwrap_or_else(|failure| ActuatorReport::uncertain(failure.to_string()));
                (ReleaseState::Uncertain, Reason::NotStored(report, error))
            }
        };
        ReleaseResult::entered(&consequence, status, outcome, reason, decision)
    }
}

/// Holds a mark, and settles it even if nobody does.
#[derive(Debug)]
struct Guard<'c, C: Custody> {
    custody: &'c C,
    // INVARIANT (one settlement): there until it is settled.
    mark: Option<Mark>,
    if_dropped: Settlement,
}

impl<C: Custody> Guard<'_, C> {
    fn settle(mut self, settlement: Settlement, detail: &str) -> Result<(), CustodyError> {
        let Some(mark) = self.mark.take() else {
            return Ok(());
        };
        let consequence = mark.consequence().clone();
        match self.custody.settle(mark, settlement, detail) {
            // It may have been committed and only the answer lost. What is final stands.
            Err(_) if self.has_become(&consequence, settlement) => Ok(()),
            answer => answer,
        }
    }

    fn has_become(&self, consequence: &ConsequenceId, settlement: Settlement) -> bool {
        settlement.state() != ReleaseState::Contained
            && self.custody.state(consequence).is_ok_and(|state| state == settlement.state())
    }
}

impl<C: Custody> Drop for Guard<'_, C> {
    fn drop(&mut self) {
        if let Some(mark) = self.mark.take() {
            // Nobody is left to hear of a failure. The mark then stays, and nothing can happen to
            // the consequence until the store is opened again.
            drop(self.custody.settle(mark, self.if_dropped, "the attempt was dropped"));
        }
    }
}

/// Reads the clock. What panics has not told the time.
fn now(clock: &impl Clock) -> Result<Timestamp, ClockError> {
    caught(|| clock.now()).unwrap_or_else(|| Err(ClockError::new("it panicked")))
}

/// Calls a part that is not ours; none if it panicked. What a panic left behind in that part is
/// its own; the attempt's state is not touched by it.
pub(crate) fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    // What was thrown is not dropped: its destructor could panic again.
    catch_unwind(AssertUnwindSafe(call)).map_err(forget).ok()
}

/// Ends an attempt before the actuator was entered, and has the store note it.
fn refused(
    custody: &impl Custody,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
    reason: impl Into<Reason>,
    document: Option<&DecisionDocument>,
) -> Box<ReleaseResult> {
    let reason = reason.into();
    let refusal = RefusedRelease {
        execution: execution.clone(),
        consequence: consequence.clone(),
        reason: reason.code(),
        decision: document.map(DecisionDocument::as_received),
        basis: document.and_then(DecisionDocument::basis).map(ToString::to_string),
    };
    // A store that can't note it does not make the refusal any less one.
    drop(custody.note_refusal(&refusal));
    let decision = document.and_then(DecisionDocument::decision_id);
    Box::new(ReleaseResult::contained(consequence, reason, decision, refusal.basis))
}
