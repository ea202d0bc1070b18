use std::sync::Arc;

use swampbox_custody::{ConsequenceId, ReleaseState, StoreFailure};
use swampbox_ledger::{LedgerCustody, NewRecord, Record};
use swampbox_policy::approvals::{Entry, Shelf, Shelved, State};

/// The requests for approval of a ledger: a record for each consequence.
#[derive(Clone, Debug)]
pub struct KeptRequests {
    ledger: Arc<LedgerCustody>,
}

const APPROVAL: &str = "approval";

impl KeptRequests {
    /// Those of this ledger.
    pub fn of(ledger: Arc<LedgerCustody>) -> Self {
        Self { ledger }
    }
}

impl Shelf for KeptRequests {
    fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure> {
        self.ledger.record(APPROVAL, consequence.as_str())?.map(shelved).transpose()
    }

    fn put(&self, entry: Entry, expected: Option<u64>) -> Result<Option<u64>, StoreFailure> {
        let record = NewRecord {
            kind: APPROVAL.into(),
            id: entry.consequence.to_string(),
            status: entry.state.as_str().into(),
            document: entry.document,
            execution: Some(entry.execution),
            consequence: Some(entry.consequence),
        };
        self.ledger.put_record(record, expected)
    }

    fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure> {
        let records = self.ledger.records(APPROVAL, State::Open.as_str(), after, limit)?;
        records.into_iter().map(shelved).collect()
    }

    fn custody_mark(&self, consequence: &ConsequenceId) -> Result<u64, StoreFailure> {
        // Sequence numbers begin at one.
        Ok(self.ledger.history().last_change_of_custody(consequence)?.unwrap_or(0))
    }

    fn is_there_to_be_released(&self, consequence: &ConsequenceId) -> Result<bool, StoreFailure> {
        let found = self.ledger.history().consequence(consequence)?;
        Ok(found.is_some_and(|found| {
            found.snapshot.release_state == ReleaseState::Contained && found.releasing.is_none()
        }))
    }
}

fn shelved(record: Record) -> Result<Shelved, StoreFailure> {
    let consequence = record.id.parse().map_err(StoreFailure::new)?;
    Ok(Shelved { consequence, version: record.version, document: record.document })
}
