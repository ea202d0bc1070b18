//! Deciding on a ledger of this machine.

use std::sync::Arc;
use std::time::Duration;

use swampbox_authority::Verdict;
use swampbox_custody::{ConsequenceId, Principal};
use swampbox_ledger::LedgerCustody;
use swampbox_policy::approvals::{ApprovalError, Ballot, Digest, MAX_PAGE, Request};
use swampbox_service::{Effects, HeldApprovals};

use super::super::person::person;
use super::super::{place, release};
use super::{Desk, Queue, Sheet};
use crate::arguments::LedgerArguments;
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// The user who is logged in, in front of a ledger.
pub(super) struct LedgerDesk {
    approvals: HeldApprovals,
    config: Config,
    ledger: Arc<LedgerCustody>,
    person: Principal,
}

impl LedgerDesk {
    pub(super) fn open(at: &LedgerArguments) -> Result<Self, Failure> {
        let config = Config::load(at.config.as_deref())?;
        let ledger = Arc::new(place::open(at)?);
        Ok(Self { approvals: config.approvals(&ledger)?, config, ledger, person: person()? })
    }
}

impl Desk for LedgerDesk {
    fn waiting(&self, after: u64) -> Result<Queue, Failure> {
        let page = self.approvals.waiting(after, MAX_PAGE).map_err(failure)?;
        let problem = |error: &ApprovalError| format!("{}: {error}", error.code());
        Ok(Queue {
            malformed: page.malformed.iter().map(problem).collect(),
            requests: page.requests,
            next: page.next,
        })
    }

    fn sheet(&self, consequence: &ConsequenceId) -> Result<Sheet, Failure> {
        let history = self.ledger.history();
        let found = history.consequence(consequence)?;
        let request = match &found {
            Some(found) => self.approvals.show_beside(&found.snapshot),
            None => self.approvals.show(consequence),
        };
        let request = request.map_err(failure)?;
        let parent = match &request.question().parent_consequence_id {
            Some(parent) => history.consequence(parent)?.map(|found| found.snapshot.material),
            None => None,
        };
        let routes = self.config.routes()?;
        let outlook = routes.outlook(&request.question().material);
        let will = outlook.unwrap_or_else(|error| format!("nothing: {error}"));
        let longest_window = self.approvals.terms().longest_window().as_secs();
        let proposed_by = self.approvals.proposed_by(&request).ok().map(|by| by.to_string());
        Ok(Sheet { request, parent, will, longest_window, proposed_by })
    }

    fn cast(
        &self,
        consequence: &ConsequenceId,
        shown: &Digest,
        verdict: Verdict,
        reason: &str,
        seconds: u64,
    ) -> Result<Request, Failure> {
        let (approver, window) = (self.person.clone(), Duration::from_secs(seconds));
        let ballot = Ballot { approver, verdict, reason: reason.to_owned(), window };
        self.approvals.decide(consequence, shown, &ballot).map_err(failure)
    }

    fn longest_window(&self, _: &ConsequenceId) -> Result<u64, Failure> {
        Ok(self.approvals.terms().longest_window().as_secs())
    }

    fn withdraw(&self, consequence: &ConsequenceId) -> Result<Request, Failure> {
        match self.approvals.withdraw(consequence, &self.person) {
            Err(error @ ApprovalError::NotRequester(..)) => {
                let request = self.approvals.show(consequence).map_err(failure)?;
                Err(Failure::refusal(error.code(), format!("{error}; {}", who_may(&request))))
            }
            withdrawn => withdrawn.map_err(failure),
        }
    }

    fn release(&self, request: &Request, json: bool, out: &mut Output) -> Result<Exit, Failure> {
        release::decided(&self.config, &self.ledger, request, json, out)
    }
}

/// Who may withdraw a request, in words.
fn who_may(request: &Request) -> String {
    let asked_by = &request.question().asked_by;
    let allowed = request.votes().iter().filter(|vote| vote.verdict == Verdict::Allow);
    let allowed: Vec<String> = allowed.map(|vote| format!("{:?}", vote.principal)).collect();
    let allowed = match &allowed[..] {
        [] => "each approver who allows it".to_owned(),
        allowed => allowed.join(", "),
    };
    format!(
        "{asked_by:?} asked for it and may withdraw it, and so may {allowed}; in whose name an \
         execution asks, a line under [[principals]] in the configuration says"
    )
}

pub(in super::super) fn failure(error: ApprovalError) -> Failure {
    match error {
        ApprovalError::Clock(_) | ApprovalError::Store(_) => Failure::plain(error.code(), error),
        refused => Failure::refusal(refused.code(), refused),
    }
}
