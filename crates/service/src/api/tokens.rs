//! Tokens of executions that were found good before.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Caller;
use crate::principal::KeyHash;

/// How many are kept. When there are as many, they are found anew.
const MOST: usize = 100_000;

/// Who showed which token. A token that acts as an execution does so for as long as the service runs: the
/// ledger keeps its hash, and puts no other one in its place once the execution is there, and who is an
/// agent is settled when the service begins. So it need not be looked up each time.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    known: Mutex<HashMap<KeyHash, Caller>>,
}

impl Tokens {
    pub(super) fn caller(&self, shown: &str) -> Option<Caller> {
        self.known().get(&KeyHash::of(shown)).cloned()
    }

    pub(super) fn keep(&self, shown: &str, caller: &Caller) {
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(KeyHash::of(shown), caller.clone());
    }

    fn known(&self) -> MutexGuard<'_, HashMap<KeyHash, Caller>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
