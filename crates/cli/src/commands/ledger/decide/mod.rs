//! The approver's queue.

mod here;
mod link;
mod page;
mod screen;
mod there;

use std::io::{IsTerminal, stdin, stdout};

use swampbox_authority::Verdict;
use swampbox_custody::ConsequenceId;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};
use swampbox_policy::approvals::{Digest, InvalidDigest, Request};

use super::id;
use crate::arguments::Decide;
use crate::display::Name;
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

use here::LedgerDesk;
use page::{Sheet, summary};
use there::ServiceDesk;

pub(super) use here::failure;

pub(super) fn run(decide: Decide, out: &mut Output) -> Result<Exit, Failure> {
    let desk: Box<dyn Desk> = match &decide.service {
        None => Box::new(LedgerDesk::open(&decide.at)?),
        Some(url) => Box::new(ServiceDesk::at(url, &decide.link)?),
    };
    match &decide.consequence {
        None if decide.list || decide.at.json => list(&*desk, decide.at.json, out),
        None if stdin().is_terminal() && stdout().is_terminal() => screen::go_through(&*desk, out),
        None => {
            let message = "this is no terminal; name a consequence, or take --list";
            Err(Failure::plain(Code::InvalidArguments, message))
        }
        Some(consequence) => {
            let consequence = id(consequence)?;
            if decide.withdraw {
                tell(&desk.withdraw(&consequence)?, decide.at.json, out)
            } else if decide.allow || decide.deny {
                vote(&*desk, &consequence, &decide, out)
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

/// For how many seconds a decision holds if nobody says, where it may hold for so many at the most.
fn usual_window(longest: u64) -> u64 {
    longest.min(300)
}

/// What an approver works with: a ledger of this machine, or a service.
trait Desk {
    /// Some of the requests that wait; `after` is zero, or the `next` of those before.
    fn waiting(&self, after: u64) -> Result<Queue, Failure>;

    /// All that an approver has to see of a request.
    fn sheet(&self, consequence: &ConsequenceId) -> Result<Sheet, Failure>;

    /// Counts a vote about what was shown, for so many seconds.
    fn cast(
        &self,
        consequence: &ConsequenceId,
        shown: &Digest,
        verdict: Verdict,
        reason: &str,
        seconds: u64,
    ) -> Result<Request, Failure>;

    /// For how many seconds a decision about this consequence may hold at the most.
    fn longest_window(&self, consequence: &ConsequenceId) -> Result<u64, Failure>;

    fn withdraw(&self, consequence: &ConsequenceId) -> Result<Request, Failure>;

    /// Releases what has just been decided.
    fn release(&self, request: &Request, json: bool, out: &mut Output) -> Result<Exit, Failure>;
}

/// Some of the requests that wait.
struct Queue {
    requests: Vec<Request>,
    /// What is wrong with those that can't be read.
    malformed: Vec<String>,
    next: Option<u64>,
}

fn list(desk: &dyn Desk, json: bool, out: &mut Output) -> Result<Exit, Failure> {
    let mut after = 0;
    loop {
        let queue = desk.waiting(after)?;
        for request in &queue.requests {
            match json {
                true => out.json(&request.to_document())?,
                false => out.line(summary(request))?,
            }
        }
        for problem in &queue.malformed {
            // A service may say anything.
            out.remark(Shown::json(problem));
        }
        match queue.next {
            Some(next) => after = next,
            None => return Ok(Exit::Done),
        }
    }
}

fn vote(
    desk: &dyn Desk,
    consequence: &ConsequenceId,
    decide: &Decide,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let digest = decide.digest.as_deref().unwrap_or_default();
    let digest: Digest = digest
        .parse()
        .map_err(|error: InvalidDigest| Failure::plain(Code::InvalidArguments, error))?;
    let verdict = if decide.allow { Verdict::Allow } else { Verdict::Deny };
    let reason = decide.reason.as_deref().unwrap_or_default();
    let window = match decide.window {
        Some(window) => window,
        None => usual_window(desk.longest_window(consequence)?),
    };
    let request = desk.cast(consequence, &digest, verdict, reason, window)?;
    let told = tell(&request, decide.at.json, out);
    match decide.release && request.decided().is_some() {
        // Also where nobody reads that it was decided.
        true => desk.release(&request, decide.at.json, out),
        false => told,
    }
}

fn tell(request: &Request, json: bool, out: &mut Output) -> Result<Exit, Failure> {
    let question = request.question();
    if json {
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
