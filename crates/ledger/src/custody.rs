use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use swampbox_authority::Clock;
use swampbox_custody::rules::{self, Item, Party};
use swampbox_custody::{
    AttemptRecord, ConsequenceId, ConsequenceRow, Custody, CustodyError, ExecutionId,
    ExecutionState, Mark, Refusal, RefusedRelease, ReleaseState, Settlement, Snapshot,
    StoreFailure, Submission,
};

use crate::attempts::Intent;
use crate::error::{Failure, LedgerError, LedgerProblem};
use crate::event::{Kind, MAX_BODY_BYTES};
use crate::instance::Instance;
use crate::opened::Opened;
use crate::readers::Readers;
use crate::recent::Recent;
use crate::recovery::Owners;
use crate::schema;
use crate::writer::{Desk, Writer};
use crate::{format, room};

/// Custody on disk. Used by many threads at once, and beside other processes on the same ledger.
///
/// Operations that come together are committed together; each is whole or not at all, and is
/// answered when it is on disk. Reading waits for nobody who writes.
#[derive(Debug)]
pub struct LedgerCustody {
    // Dropped in this order: first the work is done, then the instance ends.
    pub(crate) writer: Writer,
    pub(crate) readers: Readers,
    pub(crate) owners: Owners,
    pub(crate) instance: Arc<Instance>,
}

impl LedgerCustody {
    /// Makes a new ledger at `path`, readable by its owner alone, and opens it. `clock` dates the
    /// events.
    ///
    /// # Errors
    ///
    /// `ledger_exists`, `store_unavailable`.
    pub fn create(path: impl AsRef<Path>, clock: Box<dyn Clock>) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        let opened = schema::create(path)
            .and_then(|connection| Self::serve(connection, clock, schema::PATIENCE));
        opened.map_err(|problem| LedgerError::new(path, problem))
    }

    /// Opens the ledger at `path`. One of an older format becomes one of the newest, and attempts whose
    /// owner is gone become UNCERTAIN first. An operation
    /// that finds another process writing waits for ten seconds at the most.
    ///
    /// # Errors
    ///
    /// `ledger_not_found`, `ledger_invalid`, `ledger_newer`, `store_unavailable`.
    pub fn open(path: impl AsRef<Path>, clock: Box<dyn Clock>) -> Result<Self, LedgerError> {
        Self::open_within(path, clock, schema::PATIENCE)
    }

    /// As [`open`](LedgerCustody::open), with another limit to how long an operation waits while
    /// another process is writing.
    ///
    /// # Errors
    ///
    /// Those of `open`.
    pub fn open_within(
        path: impl AsRef<Path>,
        clock: Box<dyn Clock>,
        patience: Duration,
    ) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        let opened = schema::open_to_write(path, patience)
            .and_then(|connection| Self::serve(connection, clock, patience));
        opened.map_err(|problem| LedgerError::new(path, problem))
    }

    /// Stores what is there already once more, as durably as everything else. It fails when nothing can
    /// be stored now, and changes nothing, whoever looks.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    pub fn check_writable(&self) -> Result<(), StoreFailure> {
        let written = self.writer.run(|batch| {
            let again = format::say_again(batch.connection()).map_err(Failure::from);
            Ok(again.map_err(StoreFailure::from)?)
        });
        written.map_err(|error| match error {
            CustodyError::Store(failure) => failure,
            CustodyError::Refused(refusal) => StoreFailure::new(refusal),
        })
    }

    fn serve(
        connection: Opened,
        clock: Box<dyn Clock>,
        patience: Duration,
    ) -> Result<Self, LedgerProblem> {
        let ledger = connection.query_row("SELECT id FROM ledger", [], |row| row.get(0))?;
        connection.busy_timeout(Duration::ZERO)?;
        let place = connection.place().clone();
        let instance = Arc::new(Instance::begin(place.path())?);
        let recent = Arc::new(Recent::of(instance.clone()));
        let readers = Readers::of(place.clone(), recent.clone());
        let owners = Owners::seen_by(instance.name(), place.path().into());
        let desk = Desk { connection, ledger, clock, patience, recent };
        let custody = Self { writer: Writer::start(desk)?, readers, owners, instance };
        custody.recover().map_err(|failure| LedgerProblem::Store(Failure::corrupt(failure)))?;
        Ok(custody)
    }

    /// Shows a consequence to an execution, if the rule lets it be seen.
    fn show_to(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        rule: for<'r> fn(Party<'_>, Item<'r>) -> Result<&'r ConsequenceRow, Refusal>,
    ) -> Result<Snapshot, CustodyError> {
        let seen = self.readers.see(consequence, Some(execution)).map_err(StoreFailure::from)?;
        let item = Item { id: consequence, row: seen.consequence.as_ref() };
        let party = Party { id: execution, state: seen.execution };
        Ok(rule(party, item).map(|row| row.snapshot.clone())?)
    }

    /// Shows what a rule lets be seen of a consequence, whoever asks.
    fn show<T>(
        &self,
        consequence: &ConsequenceId,
        rule: impl FnOnce(Item<'_>) -> Result<T, Refusal>,
    ) -> Result<T, CustodyError> {
        let seen = self.readers.see(consequence, None).map_err(StoreFailure::from)?;
        Ok(rule(Item { id: consequence, row: seen.consequence.as_ref() })?)
    }
}

impl Custody for LedgerCustody {
    fn register(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        let execution = execution.clone();
        self.writer.run(move |batch| batch.register(&execution))
    }

    fn end(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        let execution = execution.clone();
        self.writer.run(move |batch| batch.end(&execution))
    }

    fn submit(&self, submission: Submission) -> Result<Snapshot, CustodyError> {
        if !room::can_be_decided(&submission.material) {
            return Err(Refusal::TooLarge(submission.consequence, MAX_BODY_BYTES).into());
        }
        self.writer.run(move |batch| batch.submit(submission.clone()))
    }

    fn read(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.show_to(execution, consequence, rules::read)
    }

    fn transfer(
        &self,
        source: &ExecutionId,
        target: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let (source, target, consequence) = (source.clone(), target.clone(), consequence.clone());
        self.writer.run(move |batch| batch.transfer(&source, &target, &consequence))
    }

    fn inspect(&self, consequence: &ConsequenceId) -> Result<Snapshot, CustodyError> {
        self.show(consequence, |item| rules::inspect(item).map(|row| row.snapshot.clone()))
    }

    fn adopt(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let (execution, consequence) = (execution.clone(), consequence.clone());
        self.writer.run(move |batch| batch.adopt(&execution, &consequence))
    }

    fn state(&self, consequence: &ConsequenceId) -> Result<ReleaseState, CustodyError> {
        self.show(consequence, rules::state)
    }

    fn request_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.show_to(execution, consequence, rules::request_release)
    }

    fn recheck_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.show(consequence, |item| {
            rules::recheck_release(execution, item).map(|row| row.snapshot.clone())
        })
    }

    fn mark(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        record: &AttemptRecord,
    ) -> Result<Mark, CustodyError> {
        if !room::for_attempt(record) {
            return Err(Refusal::TooLarge(consequence.clone(), MAX_BODY_BYTES).into());
        }
        let instance = self.instance.name().to_owned();
        let (execution, consequence) = (execution.clone(), consequence.clone());
        let intent = Intent::new(instance, execution, consequence, record.clone());
        self.writer.run(move |batch| batch.mark(&intent))
    }

    fn settle(&self, mark: Mark, settlement: Settlement, detail: &str) -> Result<(), CustodyError> {
        let (fence, detail) = (mark.fence(), detail.to_owned());
        let settled = self
            .writer
            .run(move |batch| batch.settle(Kind::Settled, &mark, settlement, &detail))
            .inspect_err(|_| self.owners.give_up(fence, settlement))?;
        Ok(settled?)
    }

    fn note_refusal(&self, refusal: &RefusedRelease) -> Result<(), CustodyError> {
        let refusal = refusal.clone();
        self.writer.run(move |batch| batch.refused(&refusal))
    }
}
