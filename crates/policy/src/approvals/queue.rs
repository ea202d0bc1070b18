//! What a front end does with requests.

use swampbox_authority::Clock;
use swampbox_custody::{ConsequenceId, Principal, Snapshot};

use super::provider::{Sight, read};
use super::rules::{self, Voter};
use super::{ApprovalError, Approvals, Ballot, Digest, Directory, Request, Shelf};

/// The greatest number of requests on one page.
pub const MAX_PAGE: usize = 100;

/// Some of the requests that wait for a decision.
#[derive(Debug)]
pub struct Page {
    /// Those that do, the one that has been as it is for the longest first.
    pub requests: Vec<Request>,
    /// What is wrong with those that can't be read.
    pub malformed: Vec<ApprovalError>,
    /// What the next page begins after; none if there is none.
    pub next: Option<u64>,
}

impl<S: Shelf, C: Clock, P: Directory> Approvals<S, C, P> {
    /// The requests that wait for a decision, at most `limit` of them, and never more than
    /// [`MAX_PAGE`]. `after` is zero for the first page, and the `next` of the page before for another. A request
    /// that changes meanwhile comes again at the end.
    ///
    /// A request that is found to have expired or to be void is closed and left out; so a page may be short, or
    /// empty, and not be the last.
    ///
    /// # Errors
    ///
    /// `clock_invalid`, `store_unavailable`.
    pub fn waiting(&self, after: u64, limit: usize) -> Result<Page, ApprovalError> {
        let now = self.now()?;
        let limit = limit.clamp(1, MAX_PAGE);
        let shelved = self.shelf().open(after, limit)?;
        let last = shelved.last().map(|shelved| shelved.version);
        let next = last.filter(|_| shelved.len() == limit);
        let mut page = Page { requests: Vec::new(), malformed: Vec::new(), next };
        for shelved in shelved {
            match read(&shelved.consequence, &shelved.document) {
                Err(error) => page.malformed.push(error),
                Ok(request) => match self.look(&request, Sight::at(now))? {
                    None => page.requests.push(request),
                    // If somebody changed it first, that comes later in the order.
                    Some(over) => drop(self.put(&over, Some(shelved.version))?),
                },
            }
        }
        Ok(page)
    }

    /// The request about a consequence. One that is found to have expired or to be void is closed first.
    ///
    /// # Errors
    ///
    /// `request_not_found`, `clock_invalid`, `store_unavailable`, or what is wrong with a request that
    /// can't be read.
    pub fn show(&self, consequence: &ConsequenceId) -> Result<Request, ApprovalError> {
        self.change(consequence, Sight::at(self.now()?), |_| Ok(None))
    }

    /// As [`show`](Self::show), and a request is void if the consequence, as `snapshot` has it now, is
    /// not what the request shows.
    ///
    /// # Errors
    ///
    /// Those of [`show`](Self::show).
    pub fn show_beside(&self, snapshot: &Snapshot) -> Result<Request, ApprovalError> {
        let sight = Sight::beside(snapshot, self.now()?);
        self.change(&snapshot.consequence_id, sight, |_| Ok(None))
    }

    /// Counts a vote about the request that was shown with the digest `shown`.
    ///
    /// The name in the ballot is taken as it is: whoever embeds this has authenticated it.
    ///
    /// # Errors
    ///
    /// `request_not_found`, those of [`rules::vote`] in their order, and those of
    /// [`show`](Self::show).
    pub fn decide(
        &self,
        consequence: &ConsequenceId,
        shown: &Digest,
        ballot: &Ballot,
    ) -> Result<Request, ApprovalError> {
        let now = self.now()?;
        let principal = self.known_as(&ballot.approver)?;
        self.change(consequence, Sight::at(now), |present| {
            let Some(present) = present else { return Ok(None) };
            let proposers = &self.proposers(present.question())?;
            let voter = Voter { principal: &principal, proposers };
            rules::vote(present, shown, ballot, voter, self.terms(), now).map(Some)
        })
    }

    /// Takes a request back, in the name of who asked or of one who allowed it. A decision that was
    /// made on it and not used does not stand any more.
    ///
    /// # Errors
    ///
    /// `request_not_found`, those of [`rules::withdraw`] in their order, and those of
    /// [`show`](Self::show).
    pub fn withdraw(
        &self,
        consequence: &ConsequenceId,
        by: &Principal,
    ) -> Result<Request, ApprovalError> {
        let now = self.now()?;
        let by = self.known_as(by)?;
        self.change(consequence, Sight::at(now), |present| match present {
            Some(present) => rules::withdraw(present, &by, now).map(Some),
            None => Ok(None),
        })
    }
}
