//! Whether the ledger can be used.

use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use swampbox_custody::StoreFailure;
use swampbox_ledger::LedgerCustody;

/// How long it is taken to be so. Everybody may ask, and to find out costs a write to the disk.
const LASTS: Duration = Duration::from_secs(1);

/// What was found when it was looked last.
#[derive(Debug, Default)]
pub(crate) struct Readiness {
    found: RwLock<Option<Found>>,
    /// Held by whoever looks.
    looking: Mutex<()>,
}

#[derive(Clone, Debug)]
struct Found {
    at: Instant,
    usable: Result<(), StoreFailure>,
}

impl Readiness {
    /// Whether the ledger can be read and written. While somebody looks, others are told what was found
    /// before.
    ///
    /// # Errors
    ///
    /// `store_unavailable` if it can't.
    pub(crate) fn of(&self, ledger: &LedgerCustody) -> Result<(), StoreFailure> {
        let before = self.found();
        if let Some(found) = before.as_ref().filter(|found| found.at.elapsed() < LASTS) {
            return found.usable.clone();
        }
        let _looking = match (self.looking.try_lock(), before) {
            (Ok(looking), _) => looking,
            (Err(_), Some(found)) => return found.usable,
            (Err(_), None) => self.looking.lock().unwrap_or_else(PoisonError::into_inner),
        };
        if let Some(found) = self.found().filter(|found| found.at.elapsed() < LASTS) {
            return found.usable;
        }
        let usable = ledger.history().last_event().and_then(|_| ledger.check_writable());
        let found = Found { at: Instant::now(), usable: usable.clone() };
        *self.found.write().unwrap_or_else(PoisonError::into_inner) = Some(found);
        usable
    }

    fn found(&self) -> Option<Found> {
        self.found.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
