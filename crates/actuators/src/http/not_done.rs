use std::collections::BTreeSet;

use crate::outlook::list;

/// The statuses by which a target promises that it did nothing.
///
/// It is the target's owner who has to promise this. A status that only suggests it, such as a 500
/// or a 503 from something in between, does not belong here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotDone {
    // INVARIANT (no success): each is from 300 to 599.
    statuses: BTreeSet<u16>,
}

/// A status that can't mean that nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the status {status} can't mean that nothing was done; one from 300 to 599 can")]
pub struct InvalidNotDone {
    status: u16,
}

impl NotDone {
    /// These statuses.
    ///
    /// # Errors
    ///
    /// If one is not from 300 to 599.
    pub fn statuses(statuses: impl IntoIterator<Item = u16>) -> Result<Self, InvalidNotDone> {
        let statuses = statuses
            .into_iter()
            .map(|status| match status {
                300..=599 => Ok(status),
                _ => Err(InvalidNotDone { status }),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { statuses })
    }

    /// The statuses, in words.
    pub(crate) fn outlook(&self) -> String {
        list(&self.statuses)
    }

    pub(crate) fn covers(&self, status: u16) -> bool {
        self.statuses.contains(&status)
    }
}

impl InvalidNotDone {
    /// The status.
    pub fn status(self) -> u16 {
        self.status
    }
}
