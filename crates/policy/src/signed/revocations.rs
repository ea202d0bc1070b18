use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use swampbox_custody::DecisionId;

use super::KeyId;
use crate::LookupFailure;

/// Tells what was revoked. Asked when a decision is made use of, and once more at the edge.
pub trait Revocations: Send + Sync {
    /// Whether this key was revoked: nothing that it ever signed is believed any more.
    ///
    /// # Errors
    ///
    /// If that can't be told. It counts as a no to the release.
    fn key_is_revoked(&self, key: &KeyId) -> Result<bool, LookupFailure>;

    /// Whether the decision of this id was revoked.
    ///
    /// # Errors
    ///
    /// If that can't be told. It counts as a no to the release.
    fn decision_is_revoked(&self, decision: &DecisionId) -> Result<bool, LookupFailure>;
}

/// Revocations that end with the process. What was revoked stays revoked.
#[derive(Debug, Default)]
pub struct MemoryRevocations {
    revoked: Mutex<Revoked>,
}

#[derive(Debug, Default)]
struct Revoked {
    keys: BTreeSet<KeyId>,
    decisions: BTreeSet<DecisionId>,
}

impl MemoryRevocations {
    /// Nothing is revoked.
    pub fn new() -> Self {
        Self::default()
    }

    /// Revokes a key.
    pub fn revoke_key(&self, key: KeyId) {
        self.with(|revoked| revoked.keys.insert(key));
    }

    /// Revokes a decision.
    pub fn revoke_decision(&self, decision: DecisionId) {
        self.with(|revoked| revoked.decisions.insert(decision));
    }

    /// No panic can leave the sets half changed.
    fn with<T>(&self, act: impl FnOnce(&mut Revoked) -> T) -> T {
        act(&mut self.revoked.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Revocations for MemoryRevocations {
    fn key_is_revoked(&self, key: &KeyId) -> Result<bool, LookupFailure> {
        Ok(self.with(|revoked| revoked.keys.contains(key)))
    }

    fn decision_is_revoked(&self, decision: &DecisionId) -> Result<bool, LookupFailure> {
        Ok(self.with(|revoked| revoked.decisions.contains(decision)))
    }
}

macro_rules! delegate_revocations {
    ($($pointer:ty),*) => {$(
        impl<T: Revocations + ?Sized> Revocations for $pointer {
            fn key_is_revoked(&self, key: &KeyId) -> Result<bool, LookupFailure> {
                T::key_is_revoked(self, key)
            }

            fn decision_is_revoked(&self, decision: &DecisionId) -> Result<bool, LookupFailure> {
                T::decision_is_revoked(self, decision)
            }
        }
    )*};
}

delegate_revocations!(&T, Box<T>, Arc<T>);
