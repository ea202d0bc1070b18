//! Custody in memory.

mod lock;
mod table;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

pub use lock::{Lock, LockFamily, StdLocks};
use table::{Alone, Rows, Table};

use crate::rules::{self, Item, Party};
use crate::{
    AttemptId, AttemptRecord, ConsequenceId, ConsequenceRow, Custody, CustodyError, DecisionId,
    ExecutionId, ExecutionState, InvalidIdentifier, Mark, MarkRow, ReleaseState, Settlement,
    Snapshot, Submission,
};

/// Custody in memory, for as long as the process lives.
///
/// Executions and consequences lie in tables of separately locked shards. An operation locks the
/// shards of the consequences that it names, then those of the executions that it names and of the
/// consequences' custodians, then those of the decisions that it uses up, each in ascending order, and
/// for the length of one rule: so there is no deadlock, operations on other rows go on beside it, and no lock is held while a provider or
/// an actuator works. An operation costs in proportion to what it touches, never to the whole
/// store; ending an execution costs the same however much it holds.
///
/// The lock family is a parameter so that a model checker can put its own locks in.
#[derive(Debug)]
pub struct MemoryCustody<L: LockFamily = StdLocks> {
    instance: Instance,
    attempts: Alone<AtomicU64>,
    executions: Table<ExecutionId, Execution, L>,
    consequences: Table<ConsequenceId, ConsequenceRow, L>,
    /// Those that may release once, and were used.
    consumed: Table<DecisionId, Consumed, L>,
}

/// Says that a decision was used up.
#[derive(Debug)]
struct Consumed;

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
    // INVARIANT (releasing): exactly the marked consequences whose custodian this execution is.
    releasing: BTreeSet<ConsequenceId>,
}

/// The rows that one operation looks at, locked.
struct Locked<'a, L: LockFamily> {
    executions: Rows<'a, ExecutionId, Execution, L>,
    // INVARIANT (quarantine): no row that the operation names is CONTAINED in the custody of an
    // execution that has ended, as `rules::after_end` wants it.
    consequences: Rows<'a, ConsequenceId, ConsequenceRow, L>,
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
            attempts: Alone(AtomicU64::new(0)),
            executions: Table::new(shards),
            consequences: Table::new(shards),
            consumed: Table::new(shards),
        }
    }
}

impl<L: LockFamily> MemoryCustody<L> {
    fn lock(&self, executions: &[&ExecutionId], consequences: &[&ConsequenceId]) -> Locked<'_, L> {
        let mut rows = self.consequences.lock(consequences.iter().copied());
        // Those whose end may still have to be written down.
        let custodians = consequences.iter().filter_map(|id| {
            let row = rows.get(id).filter(|row| row.is_contained())?;
            row.snapshot.current_execution_id.as_ref()
        });
        let executions = self.executions.lock(executions.iter().copied().chain(custodians));
        for id in consequences {
            if let Some(row) = rows.get_mut(id) {
                executions.keep_quarantine(row);
            }
        }
        Locked { executions, consequences: rows }
    }
}

impl<L: LockFamily> Custody for MemoryCustody<L> {
    fn register(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        let mut executions = self.executions.lock([execution]);
        let state = rules::register(executions.party(execution))?;
        if executions.get(execution).is_none() {
            executions.put(execution, Execution { state, releasing: BTreeSet::new() });
        }
        Ok(state)
    }

    fn end(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        let mut executions = self.executions.lock([execution]);
        let releasing = executions.get(execution).and_then(|row| row.releasing.first());
        let state = rules::end(executions.party(execution), releasing)?;
        if let Some(row) = executions.get_mut(execution) {
            row.state = state;
        }
        Ok(state)
    }

    fn submit(&self, submission: Submission) -> Result<Snapshot, CustodyError> {
        let execution = submission.execution.clone();
        let id = submission.consequence.clone();
        let parent = submission.parent.clone();
        let mut rows = match &parent {
            None => self.lock(&[&execution], &[&id]),
            Some(parent) => self.lock(&[&execution], &[&id, parent]),
        };
        let row = rules::submit(
            rows.executions.party(&execution).state,
            rows.consequences.get(&id),
            parent.as_ref().and_then(|parent| rows.consequences.get(parent)),
            submission,
        )?;
        Ok(rows.consequences.put_row(row))
    }

    fn read(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let rows = self.lock(&[execution], &[consequence]);
        Ok(rules::read(rows.party(execution), rows.item(consequence))?.snapshot.clone())
    }

    fn transfer(
        &self,
        source: &ExecutionId,
        target: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let mut rows = self.lock(&[source, target], &[consequence]);
        let item = rows.item(consequence);
        let row = rules::transfer(rows.party(source), rows.party(target), item)?;
        Ok(rows.consequences.put_row(row))
    }

    fn inspect(&self, consequence: &ConsequenceId) -> Result<Snapshot, CustodyError> {
        let rows = self.lock(&[], &[consequence]);
        Ok(rules::inspect(rows.item(consequence))?.snapshot.clone())
    }

    fn adopt(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let mut rows = self.lock(&[execution], &[consequence]);
        let row = rules::adopt(rows.party(execution), rows.item(consequence))?;
        Ok(rows.consequences.put_row(row))
    }

    fn state(&self, consequence: &ConsequenceId) -> Result<ReleaseState, CustodyError> {
        let rows = self.lock(&[], &[consequence]);
        Ok(rules::state(rows.item(consequence))?)
    }

    fn request_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let rows = self.lock(&[execution], &[consequence]);
        let row = rules::request_release(rows.party(execution), rows.item(consequence))?;
        Ok(row.snapshot.clone())
    }

    fn recheck_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        let rows = self.lock(&[], &[consequence]);
        Ok(rules::recheck_release(execution, rows.item(consequence))?.snapshot.clone())
    }

    fn mark(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        record: &AttemptRecord,
    ) -> Result<Mark, CustodyError> {
        let mut rows = self.lock(&[execution], &[consequence]);
        let mut consumed = self.consumed.lock(&record.consumes);
        // Numbered under the lock, so that a later attempt on this consequence has a greater number.
        let fence = self.attempts.0.fetch_add(1, Ordering::Relaxed) + 1;
        let attempt = self.instance.attempt(fence);
        let mark = MarkRow { attempt: attempt.clone(), fence };
        let used = record.consumes.iter().find(|decision| consumed.get(decision).is_some());
        let row = rules::mark(execution, rows.item(consequence), used, mark)?;
        for decision in &record.consumes {
            consumed.put(decision, Consumed);
        }
        if let Some(execution) = rows.executions.get_mut(execution) {
            execution.releasing.insert(consequence.clone());
        }
        rows.consequences.put_row(row);
        Ok(Mark::issue(attempt, execution.clone(), consequence.clone(), fence))
    }

    fn settle(
        &self,
        mark: Mark,
        settlement: Settlement,
        _detail: &str,
    ) -> Result<(), CustodyError> {
        let mut rows = self.lock(&[mark.execution()], &[mark.consequence()]);
        let row = rules::settle(&mark, rows.item(mark.consequence()).row, settlement)?;
        if let Some(execution) = rows.executions.get_mut(mark.execution()) {
            execution.releasing.remove(mark.consequence());
        }
        rows.consequences.put_row(row);
        Ok(())
    }
}

impl<L: LockFamily> Locked<'_, L> {
    fn party<'i>(&self, id: &'i ExecutionId) -> Party<'i> {
        self.executions.party(id)
    }

    fn item<'i>(&'i self, id: &'i ConsequenceId) -> Item<'i> {
        Item { id, row: self.consequences.get(id) }
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
    fn party<'i>(&self, id: &'i ExecutionId) -> Party<'i> {
        Party { id, state: self.get(id).map(|row| row.state) }
    }

    /// Writes down what the end of its custodian, whose row is locked, has made of a row.
    fn keep_quarantine(&self, row: &mut ConsequenceRow) {
        let custodian = row.snapshot.current_execution_id.as_ref();
        let ended = |id: &&ExecutionId| self.party(id).state == Some(ExecutionState::Ended);
        if let Some(ended) = custodian.filter(ended).cloned() {
            row.snapshot.current_execution_id = rules::after_end(row.state(), ended);
        }
    }
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
