//! What the providers keep in the ledger.

use std::sync::Arc;

use swampbox_custody::{ConsequenceId, DecisionId, StoreFailure};
use swampbox_ledger::{LedgerCustody, NewRecord, Record};
use swampbox_material::json::Json;
use swampbox_policy::LookupFailure;
use swampbox_policy::approvals::{Entry, Shelf, Shelved, State};
use swampbox_policy::signed::{KeyId, Revocations};

/// The requests for approval of a ledger: a record for each consequence.
#[derive(Clone, Debug)]
pub(crate) struct Requests(pub(crate) Arc<LedgerCustody>);

const APPROVAL: &str = "approval";

impl Shelf for Requests {
    fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure> {
        self.0.record(APPROVAL, consequence.as_str())?.map(shelved).transpose()
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
        self.0.put_record(record, expected)
    }

    fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure> {
        let records = self.0.records(APPROVAL, State::Open.as_str(), after, limit)?;
        records.into_iter().map(shelved).collect()
    }
}

fn shelved(record: Record) -> Result<Shelved, StoreFailure> {
    let consequence = record.id.parse().map_err(StoreFailure::new)?;
    Ok(Shelved { consequence, version: record.version, document: record.document })
}

/// What was revoked, as a ledger keeps it.
#[derive(Clone, Debug)]
pub(crate) struct Revoked(pub(crate) Arc<LedgerCustody>);

const KEY: &str = "revoked_key";
const DECISION: &str = "revoked_decision";

impl Revoked {
    /// Revokes a key, for this reason and by this person. Says whether it was not revoked before.
    pub(crate) fn key(&self, key: &KeyId, by: &str, reason: &str) -> Result<bool, StoreFailure> {
        self.revoke(KEY, key.as_str(), by, reason)
    }

    /// Revokes a decision.
    pub(crate) fn decision(
        &self,
        decision: &DecisionId,
        by: &str,
        reason: &str,
    ) -> Result<bool, StoreFailure> {
        self.revoke(DECISION, decision.as_str(), by, reason)
    }

    fn revoke(&self, kind: &str, id: &str, by: &str, reason: &str) -> Result<bool, StoreFailure> {
        let record = NewRecord {
            kind: kind.into(),
            id: id.into(),
            status: "revoked".into(),
            document: Json::object([("by", Json::from(by)), ("reason", Json::from(reason))]),
            execution: None,
            consequence: None,
        };
        Ok(self.0.put_record(record, None)?.is_some())
    }

    fn is_revoked(&self, kind: &str, id: &str) -> Result<bool, LookupFailure> {
        let record = self.0.record(kind, id).map_err(LookupFailure::new)?;
        Ok(record.is_some())
    }
}

impl Revocations for Revoked {
    fn key_is_revoked(&self, key: &KeyId) -> Result<bool, LookupFailure> {
        self.is_revoked(KEY, key.as_str())
    }

    fn decision_is_revoked(&self, decision: &DecisionId) -> Result<bool, LookupFailure> {
        self.is_revoked(DECISION, decision.as_str())
    }
}
