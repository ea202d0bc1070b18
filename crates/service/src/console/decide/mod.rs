//! Deciding: the queue, one request at a time, and the vote.

mod evidence;
mod request;

use std::time::Duration;

use maud::{Markup, html};
use swampbox_authority::Verdict;
use swampbox_custody::ConsequenceId;
use swampbox_material::Code;
use swampbox_policy::approvals::{Ballot, Digest, Request, State};

use super::form::field;
use super::shell::{Answered, Visit};
use super::text::{brief, message, name, place, time};
use super::{Console, layout};
use crate::api::{Problem, Query, request_about, vote, waiting};

pub(super) use request::{show, votes};

/// How many requests the queue has on a page.
const PAGE: usize = 20;

/// The requests that wait.
pub(super) fn queue(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let mut query = Query::of(&visit.query)?;
    let after = query.number("after", "a number that is counted from zero")?.unwrap_or(0);
    query.finish()?;
    let page = waiting(&console.app, after, PAGE)?;
    let next = page.next.map(|next| format!("/decide?after={next}"));
    let content = html! {
        div #queue data-live="" {
            @if page.requests.is_empty() && page.malformed.is_empty() {
                p.card.empty {
                    @if next.is_some() { "What waited here is over." }
                    @else { "Nothing waits for a decision." }
                }
            }
            ol.cards {
                @for request in &page.requests { li.card { (summary(request)) } }
                @for error in &page.malformed { li.card.problem { (message(&error.to_string())) } }
            }
            (layout::more((after > 0).then_some("/decide"), next.as_deref()))
        }
    };
    Ok(layout::page(visit, "/decide", "Decide", content))
}

/// A request in short.
fn summary(request: &Request) -> Markup {
    let question = request.question();
    let place = place(question.consequence_id.as_str());
    html! {
        h2 { a href=(format!("/decide/{place}")) { (name(question.consequence_id.as_str())) } }
        p {
            (brief(question.material.consequence_type())) " on "
            (brief(question.material.target()))
        }
        p.hint {
            "Asked by " (name(question.asked_by.as_str())) " at " (time(&question.asked_at.to_string()))
            "; " (request.allowed_by()) " of " (question.quorum.needed()) " allowed it; until "
            (time(&question.expires_at.to_string()))
        }
    }
}

/// Counts a vote about what was shown to its end in this session.
pub(super) fn decide(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let consequence: ConsequenceId = visit.id()?;
    let mut form = visit.form()?;
    let digest: Digest = field(&mut form, "digest")?.parse()?;
    let verdict = match field(&mut form, "verdict")?.as_str() {
        "ALLOW" => Verdict::Allow,
        "DENY" => Verdict::Deny,
        _ => {
            let message = "the field `verdict` has to be ALLOW or DENY";
            return Err(Problem::new(Code::InvalidArguments, message));
        }
    };
    let reason = field(&mut form, "reason")?;
    let seconds = form.number("window_seconds", "a number of whole seconds")?.unwrap_or(0);
    form.finish()?;
    let approver = visit.visitor.holder.name.clone();
    let ballot = Ballot { approver, verdict, reason, window: Duration::from_secs(seconds) };
    let voted = was_shown(console, visit, &digest)
        .and_then(|()| vote(&console.app, &consequence, &digest, &ballot));
    match voted {
        Ok(_) => Ok(Answered::See(format!("/consequences/{}", place(consequence.as_str())))),
        Err(problem) => {
            let now = request_about(&console.app, &consequence).ok().flatten();
            Ok(layout::refused(visit, &problem, as_it_is(&consequence, now.as_ref())))
        }
    }
}

/// Refuses to decide about what was not shown to its end.
fn was_shown(console: &Console, visit: &Visit, digest: &Digest) -> Result<(), Problem> {
    let reading = console.sessions.reading(&visit.visitor.session, digest);
    let missing = reading.map(|reading| reading.missing());
    if missing.as_ref().is_some_and(Vec::is_empty) {
        return Ok(());
    }
    let message = match missing {
        None => "nothing of what this digest stands for was shown in this session".to_owned(),
        Some(missing) => format!("{} of its pages were not shown in this session", missing.len()),
    };
    Err(Problem::new(Code::MaterialNotShown, message))
}

/// What became of a request about which somebody wanted to decide.
fn as_it_is(consequence: &ConsequenceId, now: Option<&Request>) -> Markup {
    let place = place(consequence.as_str());
    html! {
        section.card {
            h2 { "As it is now" }
            @match now {
                None => p { "There is no request about " (name(consequence.as_str())) "." },
                Some(request) => {
                    p { "The request about " (name(consequence.as_str())) " is "
                        strong { (request.state().as_str()) } "." }
                    p.hint { "Its digest is " code { (request.digest().to_string()) } }
                    @if request.state() == State::Open {
                        p { a.button href=(format!("/decide/{place}")) { "Look at the request" } }
                    }
                },
            }
            p { a.button href=(format!("/consequences/{place}")) { "Look at the consequence" } }
        }
    }
}
