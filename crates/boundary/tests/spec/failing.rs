//! A store that fails at one operation.

use swampbox_custody::{
    ConsequenceId, Custody, CustodyError, ExecutionId, ExecutionState, Mark, MemoryCustody,
    ReleaseState, Settlement, Snapshot, StoreFailure, Submission,
};

/// Fails at one operation of a release, and is a store in memory otherwise.
pub(crate) struct Failing<'s> {
    pub(crate) store: &'s MemoryCustody,
    pub(crate) at: Fault,
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
}

impl Failing<'_> {
    fn unless(&self, fault: Fault) -> Result<(), CustodyError> {
        if self.at == fault { Err(StoreFailure::new("the disk is full").into()) } else { Ok(()) }
    }
}

impl Custody for Failing<'_> {
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
    ) -> Result<Mark, CustodyError> {
        self.unless(Fault::Mark)?;
        self.store.mark(execution, consequence)
    }

    fn settle(&self, mark: Mark, settlement: Settlement) -> Result<(), CustodyError> {
        self.unless(Fault::Settle)?;
        self.store.settle(mark, settlement)?;
        self.unless(Fault::AfterSettle)
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
