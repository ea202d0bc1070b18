use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use swampbox_custody::{ConsequenceId, ExecutionId, StoreFailure};
use swampbox_material::json::Json;

use super::State;

/// Where requests for approval are kept: one for each consequence.
///
/// Used by many threads, and perhaps by several processes, at once. A shelf has no rule of its own.
pub trait Shelf: Send + Sync {
    /// The request about this consequence.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure>;

    /// Puts a request in the place of the one about the same consequence that has the version
    /// `expected`; none means that there must be none. Gives its version, or none if another one is
    /// there. A version is greater than every earlier one on the shelf.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    fn put(&self, entry: Entry, expected: Option<u64>) -> Result<Option<u64>, StoreFailure>;

    /// The first `limit` of the requests that are open and whose version is greater than `after`, in
    /// the order of their versions.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure>;

    /// Tells the last change of this consequence's custody from every other: that it was submitted,
    /// handed on, quarantined or adopted. So it is another one also once a consequence has come back
    /// to whom it was taken from.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    fn custody_mark(&self, consequence: &ConsequenceId) -> Result<u64, StoreFailure>;

    /// Whether this consequence is still CONTAINED and not being released. A shelf that sees no store
    /// can't tell, and takes it to be.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    fn is_there_to_be_released(&self, _consequence: &ConsequenceId) -> Result<bool, StoreFailure> {
        Ok(true)
    }
}

/// A request that is to be kept.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is about, and what it is found by.
    pub consequence: ConsequenceId,
    /// The custodian that it was made for.
    pub execution: ExecutionId,
    /// Its state, by which those that are open are listed.
    pub state: State,
    /// What it says.
    pub document: Json,
}

/// A request as it is kept.
#[derive(Clone, Debug)]
pub struct Shelved {
    /// What it is about.
    pub consequence: ConsequenceId,
    /// Tells this state of it from every other.
    pub version: u64,
    /// What it says.
    pub document: Json,
}

/// A shelf in memory. What is on it goes with it.
///
/// It sees no store: whoever changes the custody of a consequence [says so](Self::changed_hands).
#[derive(Debug, Default)]
pub struct MemoryShelf {
    requests: Mutex<Requests>,
}

#[derive(Debug, Default)]
struct Requests {
    last_version: u64,
    custody_marks: HashMap<ConsequenceId, u64>,
    kept: HashMap<ConsequenceId, Shelved>,
    // INVARIANT (open): exactly those of `kept` whose state is open, by their versions.
    open: BTreeMap<u64, ConsequenceId>,
}

impl MemoryShelf {
    /// An empty shelf.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes note of a change of a consequence's custody.
    pub fn changed_hands(&self, consequence: &ConsequenceId) {
        self.with(|requests| {
            *requests.custody_marks.entry(consequence.clone()).or_default() += 1;
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut Requests) -> T) -> T {
        // No change can panic halfway, so a poisoned lock still guards whole requests.
        change(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shelf for MemoryShelf {
    fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure> {
        Ok(self.with(|requests| requests.kept.get(consequence).cloned()))
    }

    fn put(&self, entry: Entry, expected: Option<u64>) -> Result<Option<u64>, StoreFailure> {
        Ok(self.with(|requests| requests.put(entry, expected)))
    }

    fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure> {
        Ok(self.with(|requests| {
            let later = requests.open.range(after.saturating_add(1)..);
            let found = later.filter_map(|(_, consequence)| requests.kept.get(consequence));
            found.take(limit).cloned().collect()
        }))
    }

    fn custody_mark(&self, consequence: &ConsequenceId) -> Result<u64, StoreFailure> {
        Ok(self.with(|requests| requests.custody_marks.get(consequence).copied().unwrap_or(0)))
    }
}

impl Requests {
    fn put(&mut self, entry: Entry, expected: Option<u64>) -> Option<u64> {
        let Entry { consequence, state, document, .. } = entry;
        let present = self.kept.get(&consequence).map(|present| present.version);
        if present != expected {
            return None;
        }
        self.last_version += 1;
        let version = self.last_version;
        if let Some(old) = present {
            self.open.remove(&old);
        }
        if state == State::Open {
            self.open.insert(version, consequence.clone());
        }
        self.kept.insert(consequence.clone(), Shelved { consequence, version, document });
        Some(version)
    }
}

macro_rules! delegate_shelf {
    ($($pointer:ty),*) => {$(
        impl<T: Shelf + ?Sized> Shelf for $pointer {
            fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure> {
                T::get(self, consequence)
            }

            fn put(
                &self,
                entry: Entry,
                expected: Option<u64>,
            ) -> Result<Option<u64>, StoreFailure> {
                T::put(self, entry, expected)
            }

            fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure> {
                T::open(self, after, limit)
            }

            fn custody_mark(&self, consequence: &ConsequenceId) -> Result<u64, StoreFailure> {
                T::custody_mark(self, consequence)
            }

            fn is_there_to_be_released(
                &self,
                consequence: &ConsequenceId,
            ) -> Result<bool, StoreFailure> {
                T::is_there_to_be_released(self, consequence)
            }
        }
    )*};
}

delegate_shelf!(&T, Box<T>, Arc<T>);
