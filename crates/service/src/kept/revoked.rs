use std::sync::Arc;

use swampbox_custody::{DecisionId, StoreFailure};
use swampbox_ledger::{LedgerCustody, NewRecord};
use swampbox_material::json::Json;
use swampbox_policy::LookupFailure;
use swampbox_policy::signed::{KeyId, Revocations};

/// What was revoked, as a ledger keeps it.
#[derive(Clone, Debug)]
pub struct Revoked {
    ledger: Arc<LedgerCustody>,
}

const KEY: &str = "revoked_key";
const DECISION: &str = "revoked_decision";

impl Revoked {
    /// What was revoked in this ledger.
    pub fn of(ledger: Arc<LedgerCustody>) -> Self {
        Self { ledger }
    }

    /// Revokes a key, for this reason and by this person. Says whether it was not revoked before.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    pub fn key(&self, key: &KeyId, by: &str, reason: &str) -> Result<bool, StoreFailure> {
        self.revoke(KEY, key.as_str(), by, reason)
    }

    /// Revokes a decision. Says whether it was not revoked before.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    pub fn decision(
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
        Ok(self.ledger.put_record(record, None)?.is_some())
    }

    fn is_revoked(&self, kind: &str, id: &str) -> Result<bool, LookupFailure> {
        let record = self.ledger.record(kind, id).map_err(LookupFailure::new)?;
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
