use std::error::Error;
use std::sync::Arc;

use swampbox_material::{Code, Material};

use crate::{
    AttemptId, ConsequenceId, DecisionId, ExecutionId, ExecutionState, Refusal, ReleaseState,
    Snapshot,
};

/// A proposed consequence, to be held in the custody of its execution.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Who submits it and will hold it.
    pub execution: ExecutionId,
    /// Its id, not used before.
    pub consequence: ConsequenceId,
    /// What it would do.
    pub material: Material,
    /// The consequence that it is derived from, if any.
    pub parent: Option<ConsequenceId>,
}

/// Where executions and consequences are kept.
///
/// An implementation loads rows, asks [`rules`](crate::rules), and commits the change that they
/// give, atomically and before it answers. It has no rule of its own. It is used by many threads
/// at once, and holds no lock between two calls.
///
/// # Errors
///
/// Every operation is refused with the codes of its rule, in the rule's order, or fails with
/// `store_unavailable`. Either way nothing has changed.
pub trait Custody: Send + Sync {
    /// Makes an execution ACTIVE; again for an active one changes nothing.
    fn register(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError>;

    /// Ends an execution and quarantines what it holds. All or nothing.
    fn end(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError>;

    /// Holds a consequence in the custody of the execution that submits it.
    fn submit(&self, submission: Submission) -> Result<Snapshot, CustodyError>;

    /// Shows a consequence to its custodian.
    fn read(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError>;

    /// Gives a consequence from one active execution to another, at once. It releases nothing.
    fn transfer(
        &self,
        source: &ExecutionId,
        target: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError>;

    /// Shows a quarantined consequence. It grants nothing.
    fn inspect(&self, consequence: &ConsequenceId) -> Result<Snapshot, CustodyError>;

    /// Takes a quarantined consequence into the custody of an active execution.
    fn adopt(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError>;

    /// What became of a consequence.
    fn state(&self, consequence: &ConsequenceId) -> Result<ReleaseState, CustodyError>;

    /// Checks that a release may be asked for, and shows what it would release.
    fn request_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError>;

    /// Checks again, after the evaluation, that the consequence is still there to be released.
    fn recheck_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError>;

    /// Makes the check of [`recheck_release`](Custody::recheck_release) once more and marks the
    /// consequence as being released, in one commit. While the mark stands the consequence can't
    /// be released, transferred, adopted or derived from, nor its custodian ended.
    ///
    /// In the same commit the decisions that `record` consumes are used up for ever; one that is used
    /// up already is refused with `authority_consumed`.
    ///
    /// A store that lasts keeps `record` with the mark, so that it is there before the actuator is.
    fn mark(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        record: &AttemptRecord,
    ) -> Result<Mark, CustodyError>;

    /// Ends an attempt and takes its mark away. The only way to a final state.
    ///
    /// `detail` says in words what the outcome rests on; a store that lasts keeps it.
    ///
    /// Refused with `stale_attempt` if the attempt no longer holds the mark.
    fn settle(&self, mark: Mark, settlement: Settlement, detail: &str) -> Result<(), CustodyError>;

    /// Notes that a release was refused. Changes nothing that a rule reads; a store that keeps a
    /// history keeps this in it.
    fn note_refusal(&self, _refusal: &RefusedRelease) -> Result<(), CustodyError> {
        Ok(())
    }
}

/// What is known of an attempt when its consequence is marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptRecord {
    /// The decision that allows it, as the authority gave it.
    pub decision: String,
    /// When that decision was validated, in RFC 3339.
    pub admitted_at: String,
    /// The authority provider, by the name it gives itself.
    pub provider: String,
    /// The actuator, by the name it gives itself.
    pub actuator: String,
    /// What the decision rests on, as the provider tells it in JSON, if it does.
    pub basis: Option<String>,
    /// The decisions that may release once and that this attempt uses up.
    pub consumes: Vec<DecisionId>,
}

/// A release that was asked for and refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRelease {
    /// In whose name it was asked for.
    pub execution: ExecutionId,
    /// What was to be released.
    pub consequence: ConsequenceId,
    /// Why it was refused.
    pub reason: Code,
    /// The authority's answer as it gave it, if it came to that.
    pub decision: Option<String>,
    /// What that rests on, as the provider tells it in JSON, if it does.
    pub basis: Option<String>,
}

/// The mark that one attempt holds on one consequence. Settling consumes it.
///
/// A store gives out one for each mark that it sets. Whoever embeds a store is trusted to leave
/// marks to the release boundary, as it is trusted with the store itself: a program that marks and
/// settles on its own says RELEASED without an authority and without an effect.
#[derive(Debug)]
pub struct Mark {
    attempt: AttemptId,
    execution: ExecutionId,
    consequence: ConsequenceId,
    fence: u64,
}

impl Mark {
    /// For stores: the mark that was just committed under this fencing number.
    pub fn issue(
        attempt: AttemptId,
        execution: ExecutionId,
        consequence: ConsequenceId,
        fence: u64,
    ) -> Self {
        Self { attempt, execution, consequence, fence }
    }

    /// The attempt that holds the mark.
    pub fn attempt(&self) -> &AttemptId {
        &self.attempt
    }

    /// The custodian for whom the consequence is being released.
    pub fn execution(&self) -> &ExecutionId {
        &self.execution
    }

    /// The consequence that is being released.
    pub fn consequence(&self) -> &ConsequenceId {
        &self.consequence
    }

    /// The fencing number: greater than that of every earlier attempt on this consequence.
    pub fn fence(&self) -> u64 {
        self.fence
    }
}

/// How an attempt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The actuator was never entered: CONTAINED.
    NotEntered,
    /// The effect surely did not happen: CONTAINED.
    NotExecuted,
    /// The effect happened: RELEASED.
    Released,
    /// Nobody knows: UNCERTAIN.
    Uncertain,
}

impl Settlement {
    /// What it leaves the consequence in.
    pub fn state(self) -> ReleaseState {
        match self {
            Settlement::NotEntered | Settlement::NotExecuted => ReleaseState::Contained,
            Settlement::Released => ReleaseState::Released,
            Settlement::Uncertain => ReleaseState::Uncertain,
        }
    }
}

/// Why a custody operation was not carried out.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CustodyError {
    /// The rules refuse it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store could not carry it out.
    #[error(transparent)]
    Store(#[from] StoreFailure),
}

/// The store failed (`store_unavailable`).
#[derive(Clone, Debug, thiserror::Error)]
#[error("the custody store failed: {cause}")]
pub struct StoreFailure {
    cause: Arc<dyn Error + Send + Sync>,
}

impl StoreFailure {
    /// A failure with this cause.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { cause: Arc::from(cause.into()) }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        Code::StoreUnavailable
    }
}

impl CustodyError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            CustodyError::Refused(refusal) => refusal.code(),
            CustodyError::Store(failure) => failure.code(),
        }
    }
}

macro_rules! delegate_custody {
    ($($pointer:ty),*) => {$(
        impl<T: Custody + ?Sized> Custody for $pointer {
            fn register(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
                T::register(self, execution)
            }

            fn end(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
                T::end(self, execution)
            }

            fn submit(&self, submission: Submission) -> Result<Snapshot, CustodyError> {
                T::submit(self, submission)
            }

            fn read(
                &self,
                execution: &ExecutionId,
                consequence: &ConsequenceId,
            ) -> Result<Snapshot, CustodyError> {
                T::read(self, execution, consequence)
            }

            fn transfer(
                &self,
                source: &ExecutionId,
                target: &ExecutionId,
                consequence: &ConsequenceId,
            ) -> Result<Snapshot, CustodyError> {
                T::transfer(self, source, target, consequence)
            }

            fn inspect(&self, consequence: &ConsequenceId) -> Result<Snapshot, CustodyError> {
                T::inspect(self, consequence)
            }

            fn adopt(
                &self,
                execution: &ExecutionId,
                consequence: &ConsequenceId,
            ) -> Result<Snapshot, CustodyError> {
                T::adopt(self, execution, consequence)
            }

            fn state(&self, consequence: &ConsequenceId) -> Result<ReleaseState, CustodyError> {
                T::state(self, consequence)
            }

            fn request_release(
                &self,
                execution: &ExecutionId,
                consequence: &ConsequenceId,
            ) -> Result<Snapshot, CustodyError> {
                T::request_release(self, execution, consequence)
            }

            fn recheck_release(
                &self,
                execution: &ExecutionId,
                consequence: &ConsequenceId,
            ) -> Result<Snapshot, CustodyError> {
                T::recheck_release(self, execution, consequence)
            }

            fn mark(
                &self,
                execution: &ExecutionId,
                consequence: &ConsequenceId,
                record: &AttemptRecord,
            ) -> Result<Mark, CustodyError> {
                T::mark(self, execution, consequence, record)
            }

            fn settle(
                &self,
                mark: Mark,
                settlement: Settlement,
                detail: &str,
            ) -> Result<(), CustodyError> {
                T::settle(self, mark, settlement, detail)
            }

            fn note_refusal(&self, refusal: &RefusedRelease) -> Result<(), CustodyError> {
                T::note_refusal(self, refusal)
            }
        }
    )*};
}

delegate_custody!(&T, Arc<T>, Box<T>);
