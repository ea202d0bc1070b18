//! Events in words.

use std::fmt;

use swampbox_ledger::Event;
use swampbox_material::Shown;
use swampbox_material::json::Json;

use crate::display::Name;

/// An event on one line: its number, when it was, and what happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'e>(pub(super) &'e Event);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.0.at.as_deref().unwrap_or("at a time unknown");
        write!(f, "{:>5}  {}  {}", self.0.sequence, Shown::json(at), words(self.0))
    }
}

fn words(event: &Event) -> String {
    // What can't be read is no event of ours; its kind is all that can be said.
    let Ok(body) = Json::read(event.body.as_bytes()) else { return quoted(&event.kind) };
    let id = |name| Name(text(&body, name)).to_string();
    let (execution, consequence) = (id("execution_id"), id("consequence_id"));
    match event.kind.as_str() {
        "execution_registered" => format!("{execution} begins"),
        "execution_bound" => {
            let bound = body.as_object().and_then(|body| body.get("binding")).map(bound);
            format!("{execution} is bound: {}", bound.unwrap_or_default())
        }
        "execution_reaped" => {
            format!("{execution} is gone: {}", Shown::json(text(&body, "found")))
        }
        "execution_ended" => format!("{execution} ends"),
        "consequence_quarantined" => format!("{consequence} is quarantined, left by {execution}"),
        "consequence_submitted" => {
            let origin = id("origin_execution_id");
            match text(&body, "parent_consequence_id") {
                "" => format!("{origin} submits {consequence}"),
                parent => format!("{origin} submits {consequence}, derived from {}", Name(parent)),
            }
        }
        "consequence_transferred" => {
            format!("{} gives {consequence} to {}", id("source"), id("target"))
        }
        "consequence_adopted" => format!("{execution} adopts {consequence}"),
        "release_refused" => {
            let reason = quoted(text(&body, "reason"));
            let basis = match text(&body, "basis") {
                "" => String::new(),
                basis => format!(", resting on {}", Shown::json(basis)),
            };
            format!("{execution} is refused the release of {consequence}: {reason}{basis}")
        }
        "attempt_marked" => {
            let provider = Shown::brief(text(&body, "provider"));
            format!("{execution} releases {consequence}, allowed by {provider}")
        }
        "attempt_settled" => format!("{consequence} {}", settled(&body)),
        "attempt_recovered" => format!("{consequence} {}, as recovery found", settled(&body)),
        "settlement_refused" => {
            format!("an attempt on {consequence} {}, which came too late", settled(&body))
        }
        "resolution_attached" => {
            let verdict = quoted(text(&body, "verdict"));
            format!("{consequence} is resolved by {}: {verdict}", id("by"))
        }
        "record_put" => record(&body, &consequence),
        "checkpoint_signed" => format!("signed by {}", quoted(text(&body, "key"))),
        other => quoted(other),
    }
}

/// What the providers keep.
fn record(body: &Json, consequence: &str) -> String {
    let (kind, status) = (text(body, "record_kind"), text(body, "status"));
    let document = body.as_object().and_then(|body| body.get("document"));
    let field = |name| document.map_or("", |document| text(document, name));
    match kind {
        "approval" => match last_vote(document) {
            Some(vote) => format!("approval of {consequence} is {}; {vote}", quoted(status)),
            None => format!("approval of {consequence} is {}", quoted(status)),
        },
        "revoked_key" | "revoked_decision" => {
            let (id, by) = (quoted(text(body, "record_id")), quoted(field("by")));
            let what = kind.trim_start_matches("revoked_");
            format!("{what} {id} is revoked by {by}: {}", quoted(field("reason")))
        }
        other => {
            format!("{} {}: {}", quoted(other), quoted(text(body, "record_id")), quoted(status))
        }
    }
}

/// Who voted last, and how.
fn last_vote(document: Option<&Json>) -> Option<String> {
    let Json::List(votes) = document?.as_object()?.get("votes")? else { return None };
    let vote = votes.last()?;
    let (who, verdict) = (Name(text(vote, "approver")), quoted(text(vote, "verdict")));
    Some(format!("{who} says {verdict}: {}", quoted(text(vote, "reason"))))
}

/// What the life of an execution hangs on.
pub(super) fn bound(binding: &Json) -> String {
    let part = |name| binding.as_object().and_then(|binding| binding.get(name));
    if let Some(process) = part("process") {
        let number = process.as_object().and_then(|process| process.get("number"));
        return number.map_or_else(String::new, |number| format!("process {number}"));
    }
    part("lease").map_or_else(String::new, |lease| {
        format!("lease until {}", Shown::json(text(lease, "until")))
    })
}

fn settled(body: &Json) -> String {
    let settlement = quoted(text(body, "settlement"));
    match text(body, "detail") {
        "" => format!("ends as {settlement}"),
        detail => format!("ends as {settlement} ({})", Shown::json(detail)),
    }
}

fn text<'b>(body: &'b Json, name: &str) -> &'b str {
    let field = body.as_object().and_then(|body| body.get(name));
    field.and_then(Json::as_str).unwrap_or_default()
}

fn quoted(text: &str) -> String {
    Shown::json(text).to_string()
}
