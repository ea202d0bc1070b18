//! A store that is watched, and that fails at one operation if it is told to.

use std::sync::Mutex;

use swampbox_custody::{
    AttemptRecord, ConsequenceId, Custody, CustodyError, ExecutionId, ExecutionState, Mark,
    MemoryCustody, RefusedRelease, ReleaseState, Settlement, Snapshot, StoreFailure, Submission,
};

/// A store in memory, and what it was given to keep beside its rows.
pub(crate) struct Watched<'s> {
    store: &'s MemoryCustody,
    fails: Option<Fault>,
    records: Mutex<Vec<AttemptRecord>>,
    settlements: Mutex<Vec<String>>,
    refusals: Mutex<Vec<RefusedRelease>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Request,
    Recheck,
    Mark,
    /// Nothing is settled.
    Settle,
    /// It is settled, and the answer is lost.
    AfterSettle,
    /// The refusal is not noted.
    Note,
}

impl<'s> Watched<'s> {
    pub(crate) fn new(store: &'s MemoryCustody) -> Self {
        Self {
            store,
            fails: None,
            records: Mutex::default(),
            settlements: Mutex::default(),
            refusals: Mutex::default(),
        }
    }

    pub(crate) fn failing(store: &'s MemoryCustody, at: Fault) -> Self {
        Self { fails: Some(at), ..Self::new(store) }
    }

    /// The records that came with the marks.
    pub(crate) fn records(&self) -> Vec<AttemptRecord> {
        self.records.lock().unwrap().clone()
    }

    /// Each settlement, and in words what it rests on.
    pub(crate) fn settlements(&self) -> Vec<String> {
        self.settlements.lock().unwrap().clone()
    }

    /// The refusals that were to be noted.
    pub(crate) fn refusals(&self) -> Vec<RefusedRelease> {
        self.refusals.lock().unwrap().clone()
    }

    fn unless(&self, fault: Fault) -> Result<(), CustodyError> {
        if self.fails == Some(fault) {
            Err(StoreFailure::new("the disk is full").into())
        } else {
            Ok(())
        }
    }
}

impl Custody for Watched<'_> {
    fn request_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.unless(Fault::Request)?;
        self.store.request_release(execution, consequence)
    }

    fn recheck_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.unless(Fault::Recheck)?;
        self.store.recheck_release(execution, consequence)
    }

    fn mark(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        record: &AttemptRecord,
    ) -> Result<Mark, CustodyError> {
        self.unless(Fault::Mark)?;
        let mark = self.store.mark(execution, consequence, record)?;
        self.records.lock().unwrap().push(record.clone());
        Ok(mark)
    }

    fn settle(&self, mark: Mark, settlement: Settlement, detail: &str) -> Result<(), CustodyError> {
        self.settlements.lock().unwrap().push(format!("{settlement:?}: {detail}"));
        self.unless(Fault::Settle)?;
        self.store.settle(mark, settlement, detail)?;
        self.unless(Fault::AfterSettle)
    }

    fn note_refusal(&self, refusal: &RefusedRelease) -> Result<(), CustodyError> {
        self.refusals.lock().unwrap().push(refusal.clone());
        self.unless(Fault::Note)
    }

    fn register(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        self.store.register(execution)
    }

    fn end(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        self.store.end(execution)
    }

    fn submit(&self, submission: Submission) -> Result<Snapshot, CustodyError> {
        self.store.submit(submission)
    }

    fn read(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.store.read(execution, consequence)
    }

    fn transfer(
        &self,
        source: &ExecutionId,
        target: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.store.transfer(source, target, consequence)
    }

    fn inspect(&self, consequence: &ConsequenceId) -> Result<Snapshot, CustodyError> {
        self.store.inspect(consequence)
    }

    fn adopt(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.store.adopt(execution, consequence)
    }

    fn state(&self, consequence: &ConsequenceId) -> Result<ReleaseState, CustodyError> {
        self.store.state(consequence)
    }
}
