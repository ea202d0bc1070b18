//! The approver's queue.

mod page;
mod screen;

use std::io::{IsTerminal, stdin, stdout};
use std::sync::Arc;
use std::time::Duration;

use swampbox_authority::Verdict;
use swampbox_custody::{ConsequenceId, Principal};
use swampbox_ledger::LedgerCustody;
use swampbox_material::Code;
use swampbox_material::json::Json;
use swampbox_policy::approvals::{ApprovalError, Ballot, Digest, InvalidDigest, MAX_PAGE, Request};

use super::person::person;
use super::{id, place, release};
use crate::arguments::Decide;
use crate::config::{Config, LedgerApprovals};
use crate::display::Name;
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

use page::{Sheet, summary};

pub(super) fn run(decide: Decide, out: &mut Output) -> Result<Exit, Failure> {
    let config = Config::load(decide.at.config.as_deref())?;
    let ledger = Arc::new(place::open(&decide.at)?);
    let desk = Desk { approvals: config.approvals(&ledger)?, config, ledger, person: person()? };
    match &decide.consequence {
        None if decide.list || decide.at.json => desk.list(decide.at.json, out),
        None if stdin().is_terminal() && stdout().is_terminal() => screen::go_through(&desk, out),
        None => {
            let message = "this is no terminal; name a consequence, or take --list";
            Err(Failure::plain(Code::InvalidArguments, message))
        }
        Some(consequence) => {
            let consequence = id(consequence)?;
            if decide.withdraw {
                let withdrawn = desk.approvals.withdraw(&consequence, &desk.person);
                desk.tell(&withdrawn.map_err(failure)?, &decide, out)
            } else if decide.allow || decide.deny {
                desk.vote(&consequence, &decide, out)
            } else {
                let sheet = desk.sheet(&consequence)?;
                match decide.at.json {
                    true => out.json(&sheet.to_document())?,
                    false => out.bytes(sheet.to_string().as_bytes())?,
                }
                Ok(Exit::Done)
            }
        }
    }
}

/// What an approver works with.
struct Desk {
    approvals: LedgerApprovals,
    config: Config,
    ledger: Arc<LedgerCustody>,
    person: Principal,
}

impl Desk {
    fn list(&self, json: bool, out: &mut Output) -> Result<Exit, Failure> {
        let mut after = 0;
        loop {
            let page = self.approvals.waiting(after, MAX_PAGE).map_err(failure)?;
            for request in &page.requests {
                match json {
                    true => out.json(&request.to_document())?,
                    false => out.line(summary(request))?,
                }
            }
            for error in &page.malformed {
                out.remark(format_args!("{}: {error}", error.code()));
            }
            match page.next {
                Some(next) => after = next,
                None => return Ok(Exit::Done),
            }
        }
    }

    /// All that an approver has to see of a request.
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
        let registry = self.config.registry()?;
        let actuator = registry.actuator_of(&request.question().material);
        let will = match actuator {
            Ok(name) => format!("{name} carries it out, once"),
            Err(error) => format!("nothing: {error}"),
        };
        Ok(Sheet { request, parent, will })
    }

    fn vote(
        &self,
        consequence: &ConsequenceId,
        decide: &Decide,
        out: &mut Output,
    ) -> Result<Exit, Failure> {
        let digest = decide.digest.as_deref().unwrap_or_default();
        let digest: Digest = digest
            .parse()
            .map_err(|error: InvalidDigest| Failure::plain(Code::InvalidArguments, error))?;
        let verdict = if decide.allow { Verdict::Allow } else { Verdict::Deny };
        let reason = decide.reason.clone().unwrap_or_default();
        let request = self.cast(consequence, &digest, verdict, reason, decide.window)?;
        let told = self.tell(&request, decide, out)?;
        match decide.release && request.decided().is_some() {
            true => release::decided(&self.config, &self.ledger, &request, decide.at.json, out),
            false => Ok(told),
        }
    }

    fn cast(
        &self,
        consequence: &ConsequenceId,
        digest: &Digest,
        verdict: Verdict,
        reason: String,
        window: u64,
    ) -> Result<Request, Failure> {
        let window = Duration::from_secs(window);
        let ballot = Ballot { approver: self.person.clone(), verdict, reason, window };
        self.approvals.decide(consequence, digest, &ballot).map_err(failure)
    }

    fn tell(&self, request: &Request, decide: &Decide, out: &mut Output) -> Result<Exit, Failure> {
        let question = request.question();
        if decide.at.json {
            out.json(&Json::object([
                ("consequence_id", Json::from(question.consequence_id.as_str())),
                ("request_id", Json::from(question.id.as_str())),
                ("state", Json::from(request.state().as_str())),
            ]))?;
        } else {
            let state = Painted::held(request.state().as_str());
            out.line(format_args!("{}  {state}", Name(question.consequence_id.as_str())))?;
        }
        Ok(Exit::Done)
    }
}

pub(super) fn failure(error: ApprovalError) -> Failure {
    match error {
        ApprovalError::Clock(_) | ApprovalError::Store(_) => Failure::plain(error.code(), error),
        refused => Failure::refusal(refused.code(), refused),
    }
}
