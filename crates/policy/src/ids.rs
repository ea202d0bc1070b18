use std::time::SystemTime;

use swampbox_custody::{DecisionId, InvalidIdentifier};
use uuid::{NoContext, Timestamp, Uuid};

/// Where a provider takes the ids of its decisions from.
///
/// No id may come twice, whatever the process, the machine or the store: an approver, a revocation
/// and a record of what was used up all name a decision by its id alone.
///
/// A function that gives strings is one too:
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use swampbox_policy::DecisionIds;
///
/// let count = AtomicU64::new(1);
/// let numbered = move || format!("decision-{}", count.fetch_add(1, Ordering::Relaxed));
/// assert_eq!(numbered.fresh()?.as_str(), "decision-1");
/// assert_eq!(numbered.fresh()?.as_str(), "decision-2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait DecisionIds: Send + Sync {
    /// An id that no decision has.
    ///
    /// # Errors
    ///
    /// If the source gives what is no id (`invalid_identifier`). The provider gives no decision
    /// then.
    fn fresh(&self) -> Result<DecisionId, InvalidIdentifier>;
}

impl<F: Fn() -> String + Send + Sync> DecisionIds for F {
    fn fresh(&self) -> Result<DecisionId, InvalidIdentifier> {
        DecisionId::try_from(self().as_str())
    }
}

/// Random ids, the default: UUIDs of version 7, which begin with the time, so that those made later
/// sort after those made earlier.
///
/// They read the system's clock and its randomness. It panics if the system has no randomness, which
/// gives no decision.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl DecisionIds for RandomIds {
    fn fresh(&self) -> Result<DecisionId, InvalidIdentifier> {
        DecisionId::try_from(new_uuid().as_str())
    }
}

/// An id that nobody has had. The order of such ids is that of the times at which they were made, as
/// far as the clock is right; one before 1970 makes no other difference.
pub(crate) fn new_uuid() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let time = Timestamp::from_unix(NoContext, since.as_secs(), since.subsec_nanos());
    Uuid::new_v7(time).to_string()
}
