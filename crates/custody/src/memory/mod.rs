//! Custody in memory.

mod lock;
mod table;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

pub use lock::{Lock, LockFamily, StdLocks};
use table::{Rows, Table};

use crate::rules::{self, Item, Party};
use crate::{
    AttemptId, AttemptRecord, ConsequenceId, ConsequenceRow, Custody, CustodyError, ExecutionId,
    ExecutionState, InvalidIdentifier, Mark, MarkRow, ReleaseState, Settlement, Snapshot,
    Submission,
};

/// Custody in memory, for as long as the process lives.
///
/// Executions and consequences lie in tables of separately locked shards. An operation locks the
/// shards of the executions that it names, then those of the consequences, each in ascending
/// order, and for the length of one rule: so there is no deadlock, operations on other rows go
/// on beside it, and no lock is held while a provider or an actuator works. An operation costs
/// in proportion to what it touches, never to the whole store.
///
/// The lock family is a parameter so that a model checker can put its own locks in.
#[derive(Debug)]
pub struct MemoryCustody<L: LockFamily = StdLocks> {
    instance: Instance,
    attempts: AtomicU64,
    executions: Table<ExecutionId, Execution, L>,
    consequences: Table<ConsequenceId, ConsequenceRow, L>,
}

/// The name of one life of one store.
///
/// Attempt ids begin with it, and the outside world may use them to recognise a repeated request:
/// take a name that was never used before, such as one with a random part or the time of start.
/// An identifier of at most 200 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    // INVARIANT (room): short enough for an attempt id to hold a number after it.
    name: AttemptId,
}

/// The longest name of an instance, which leaves an attempt id room for its number.
const MAX_INSTANCE_BYTES: usize = 200;

/// What is kept of an execution.
#[derive(Debug)]
struct Execution {
    state: ExecutionState,
    // INVARIANT (held): exactly the CONTAINED consequences whose custodian this execution is.
    held: BTreeSet<ConsequenceId>,
}

/// More shards than threads that could meet, so that two seldom want the same one.
const SHARDS: usize = 64;

impl MemoryCustody {
    /// An empty store.
    pub fn new(instance: Instance) -> Self {
        Self::with_locks(instance, SHARDS)
    }
}

impl<L: LockFamily> MemoryCustody<L> {
    /// An empty store with locks of another family, and this many shards (at least one) a table.
    pub fn with_locks(instance: Instance, shards: usize) -> Self {
        Self {
            instance,
            attempts: AtomicU64::new(0),
            executions: Table::new(shards),
            consequences: Table::new(shards),
        }
    }
}

impl<L: LockFamily> Custody for MemoryCustody<L> {
    fn register(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        let mut executions = self.executions.lock([execution]);
        let state = rules::register(party(&executions, execution))?;
        if executions.get(execution).is_none() {
            executions.put(execution, Execution { state, held: BTreeSet::new() });
        }
        Ok(state)
    }

    fn end(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        let mut executions = self.executions.lock([execution]);
        let held = || executions.get(execution).into_iter().flat_map(|row| &row.held);
        let mut consequences = self.consequences.lock(held());
        let rows = held().filter_map(|id| consequences.get(id));
        for row in rules::end(party(&executions, execution), rows)? {
            consequences.put_row(row);
        }
        let state = ExecutionState::Ended;
        executions.put(execution, Execution { state, held: BTreeSet::new() });
        Ok(state)
    }

    fn submit(&self, submission: Submission) -> Result<Snapshot, CustodyError> {
        let execution = submission.execution.clone();
        let id = submission.consequence.clone();
        let mut executions = self.executions.lock([&execution]);
        let parent = submission.parent.clone();
        let mut consequences = self.consequences.lock([&id].into_iter().chain(&parent));
        let row = rules::submit(
            party(&executions, &execution).state,
            consequences.get(&id),
            parent.as_ref().and_then(|parent| consequences.get(parent)),
            submission,
        )?;
        executions.hold(&execution, id);
        Ok(consequences.put_row(row))
    }

    fn read(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let executions = self.executions.lock([execution]);
        let consequences = self.consequences.lock([consequence]);
        let row = rules::read(party(&executions, execution), item(&consequences, consequence))?;
        Ok(row.snapshot.clone())
    }

    fn transfer(
        &self,
        source: &ExecutionId,
        target: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let mut executions = self.executions.lock([source, target]);
        let mut consequences = self.consequences.lock([consequence]);
        let row = rules::transfer(
            party(&executions, source),
            party(&executions, target),
            item(&consequences, consequence),
        )?;
        executions.drop_held(source, consequence);
        executions.hold(target, consequence.clone());
        Ok(consequences.put_row(row))
    }

    fn inspect(&self, consequence: &ConsequenceId) -> Result<Snapshot, CustodyError> {
        let consequences = self.consequences.lock([consequence]);
        Ok(rules::inspect(item(&consequences, consequence))?.snapshot.clone())
    }

    fn adopt(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let mut executions = self.executions.lock([execution]);
        let mut consequences = self.consequences.lock([consequence]);
        let row = rules::adopt(party(&executions, execution), item(&consequences, consequence))?;
        executions.hold(execution, consequence.clone());
        Ok(consequences.put_row(row))
    }

    fn state(&self, consequence: &ConsequenceId) -> Result<ReleaseState, CustodyError> {
        let consequences = self.consequences.lock([consequence]);
        Ok(rules::state(item(&consequences, consequence))?)
    }

    fn request_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let executions = self.executions.lock([execution]);
        let consequences = self.consequences.lock([consequence]);
        let (party, item) = (party(&executions, execution), item(&consequences, consequence));
        Ok(rules::request_release(party, item)?.snapshot.clone())
    }

    fn recheck_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let consequences = self.consequences.lock([consequence]);
        Ok(rules::recheck_release(execution, item(&consequences, consequence))?.snapshot.clone())
    }

    fn mark(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        _record: &AttemptRecord,
    ) -> Result<Mark, CustodyError> {
        let mut consequences = self.consequences.lock([consequence]);
        // Numbered under the lock, so that a later attempt on this consequence has a greater number.
        let fence = self.attempts.fetch_add(1, Ordering::Relaxed) + 1;
        let attempt = self.instance.attempt(fence);
        let mark = MarkRow { attempt: attempt.clone(), fence };
        let row = rules::mark(execution, item(&consequences, consequence), mark)?;
        consequences.put_row(row);
        Ok(Mark::issue(attempt, execution.clone(), consequence.clone(), fence))
    }

    fn settle(
        &self,
        mark: Mark,
        settlement: Settlement,
        _detail: &str,
    ) -> Result<(), CustodyError> {
        let mut executions = self.executions.lock([mark.execution()]);
        let mut consequences = self.consequences.lock([mark.consequence()]);
        let row = rules::settle(&mark, consequences.get(mark.consequence()), settlement)?;
        if !row.is_contained() {
            executions.drop_held(mark.execution(), mark.consequence());
        }
        consequences.put_row(row);
        Ok(())
    }
}

impl<L: LockFamily> Rows<'_, ConsequenceId, ConsequenceRow, L> {
    fn put_row(&mut self, row: ConsequenceRow) -> Snapshot {
        let snapshot = row.snapshot.clone();
        self.put(&snapshot.consequence_id, row);
        snapshot
    }
}

impl<L: LockFamily> Rows<'_, ExecutionId, Execution, L> {
    fn hold(&mut self, execution: &ExecutionId, consequence: ConsequenceId) {
        if let Some(row) = self.get_mut(execution) {
            row.held.insert(consequence);
        }
    }

    fn drop_held(&mut self, execution: &ExecutionId, consequence: &ConsequenceId) {
        if let Some(row) = self.get_mut(execution) {
            row.held.remove(consequence);
        }
    }
}

fn party<'a, L: LockFamily>(
    rows: &Rows<'_, ExecutionId, Execution, L>,
    id: &'a ExecutionId,
) -> Party<'a> {
    Party { id, state: rows.get(id).map(|row| row.state) }
}

fn item<'a, L: LockFamily>(
    rows: &'a Rows<'_, ConsequenceId, ConsequenceRow, L>,
    id: &'a ConsequenceId,
) -> Item<'a> {
    Item { id, row: rows.get(id) }
}

impl Instance {
    /// The id of this instance's attempt with this number.
    fn attempt(&self, number: u64) -> AttemptId {
        AttemptId::numbered(self.name.as_str(), number)
    }
}

impl std::str::FromStr for Instance {
    type Err = InvalidIdentifier;

    fn from_str(name: &str) -> Result<Self, InvalidIdentifier> {
        AttemptId::store(name, MAX_INSTANCE_BYTES).map(|name| Self { name })
    }
}
