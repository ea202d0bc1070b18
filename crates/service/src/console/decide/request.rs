//! One request, a page at a time. What it takes to decide is on the last page alone, once every other
//! was shown.

use maud::{Markup, html};
use swampbox_authority::Verdict;
use swampbox_custody::ConsequenceId;
use swampbox_material::Code;
use swampbox_policy::approvals::{MAX_REASON_BYTES, Request, State};

use super::{as_it_is, evidence};
use crate::api::{Problem, Query, Sheet};
use crate::console::session::Reading;
use crate::console::shell::{Answered, Visit};
use crate::console::text::{message, name, place, time};
use crate::console::{Console, layout};

/// For how many seconds a decision holds if nobody says and it may be as long.
const USUAL_WINDOW: u64 = 300;

pub(in crate::console) fn show(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let app = &console.app;
    let id: ConsequenceId = visit.id()?;
    let mut query = Query::of(&visit.query)?;
    let page: usize = query.number("page", "a number that is counted from one")?.unwrap_or(1);
    query.finish()?;
    let sheet = Sheet::of(app, &id)?;
    let request = &sheet.request;
    if request.state() != State::Open {
        let content = as_it_is(&id, Some(request));
        return Ok(layout::page(visit, "/decide", "Request", content));
    }
    let session = &visit.visitor.session;
    let digest = request.digest();
    let known = console.sessions.reading(session, &digest);
    let beside = match &known {
        Some(reading) => reading.beside.clone(),
        None => evidence::last_released(app, request)?,
    };
    let history = app.parts.ledger.history();
    let last = beside.as_ref().map(|id| history.consequence(id)).transpose()?.flatten();
    let lines = evidence::lines(&sheet, last.as_ref());
    let pages = lines.pages();
    if !(1..=pages).contains(&page) {
        let message = format!("the parameter `page` is {page}, and has to be from 1 to {pages}");
        return Err(Problem::new(Code::InvalidArguments, message));
    }
    let reading = known.unwrap_or_else(|| Reading::new(digest, beside, pages));
    let reading = match visit.opened {
        true => console.sessions.note(session, reading, page),
        false => reading,
    };
    let content = html! {
        @if page == 1 { (facts(&sheet, &reading)) }
        @else {
            details.card { summary { "Who asks, and what happens" } (facts(&sheet, &reading)) }
        }
        section #material {
            h2 { "Material" @if pages > 1 { " · page " (page) " of " (pages) } }
            (lines.page(page))
        }
        (turning(&id, page, pages))
        @if page == pages { (last_page(visit, &sheet, &reading)) }
    };
    Ok(layout::page(visit, "/decide", "Request", content))
}

/// Who asks for what, and what happens if it is allowed.
fn facts(sheet: &Sheet, reading: &Reading) -> Markup {
    let request = &sheet.request;
    let question = request.question();
    let eligible = question.quorum.eligible();
    html! {
        section.card {
            dl.facts {
                dt { "Consequence" }
                dd { (layout::consequence(question.consequence_id.as_str())) }
                dt { "Proposed by" }
                dd {
                    @match &sheet.proposed_by {
                        Some(by) => (name(by.as_str())),
                        None => "nobody who is known",
                    }
                    ", as execution " (name(question.origin_execution_id.as_str()))
                }
                dt { "Held by" }
                dd { "execution " (name(question.execution_id.as_str())) }
                dt { "Asked by" }
                dd { (name(question.asked_by.as_str())) " at " (time(&question.asked_at.to_string())) }
                dt { "Void from" }
                dd { (time(&question.expires_at.to_string())) }
                dt { "If it is allowed" }
                dd { (message(&sheet.will)) }
                @if let Some(parent) = &question.parent_consequence_id {
                    dt { "Derived from" }
                    dd { (layout::consequence(parent.as_str())) }
                }
                @if let Some(last) = &reading.beside {
                    dt { "Last released to the same target" }
                    dd { (layout::consequence(last.as_str())) ", when this page was first opened" }
                }
                dt { "Who decides" }
                dd {
                    (question.quorum.needed()) " of "
                    @for (number, one) in eligible.iter().enumerate() {
                        @if number > 0 { ", " }
                        (name(one.as_str()))
                    }
                }
                @if !request.votes().is_empty() {
                    dt { "Votes" }
                    dd { (votes(request)) }
                }
                dt { "Digest" }
                dd { code { (request.digest().to_string()) } }
            }
        }
    }
}

/// The votes so far.
pub(in crate::console) fn votes(request: &Request) -> Markup {
    html! {
        ul {
            @for vote in request.votes() {
                li {
                    (name(vote.approver.as_str()))
                    @if vote.verdict == Verdict::Allow { " allowed it at " } @else { " denied it at " }
                    (time(&vote.at.to_string())) " for " (vote.window.as_secs()) " s: "
                    (message(&vote.reason))
                }
            }
        }
    }
}

/// The way to the pages beside this one.
fn turning(id: &ConsequenceId, page: usize, pages: usize) -> Markup {
    let to = |page: usize| format!("/decide/{}?page={page}#material", place(id.as_str()));
    html! {
        @if pages > 1 {
            nav.pages aria-label="Pages of the material" {
                @if page > 1 { a.button rel="prev" href=(to(page - 1)) { "Page " (page - 1) } }
                @if page < pages {
                    a.button.primary rel="next" href=(to(page + 1)) {
                        "Page " (page + 1) " of " (pages)
                    }
                }
            }
        }
    }
}

/// What stands below the end of the material: the means to decide, or why they are not there.
fn last_page(visit: &Visit, sheet: &Sheet, reading: &Reading) -> Markup {
    let request = &sheet.request;
    let id = &request.question().consequence_id;
    let who = &visit.visitor.holder.name;
    let missing = reading.missing();
    let may = request.question().quorum.eligible().contains(who);
    let voted = request.votes().iter().any(|vote| vote.approver == *who);
    if !missing.is_empty() {
        let to = |page: &usize| format!("/decide/{}?page={page}#material", place(id.as_str()));
        return html! {
            section.card.problem {
                p.what { "Not all of it was shown yet." }
                p {
                    "Before you decide, open " @if missing.len() == 1 { "page " } @else { "pages " }
                    @for (number, page) in missing.iter().enumerate().take(20) {
                        @if number > 0 { ", " }
                        a href=(to(page)) { (page) }
                    }
                    @if missing.len() > 20 { ", and " (missing.len() - 20) " more" }
                    "."
                }
            }
        };
    }
    if voted || !may {
        return html! {
            p.card.note {
                @if voted { "You have decided. Others have to, too." }
                @else { "Others decide about this request." }
            }
        };
    }
    let longest = sheet.longest_window;
    html! {
        form.card.decision method="post" action=(format!("/decide/{}", place(id.as_str()))) {
            h2 { "Decide" }
            // The first button is the one that Enter in a field presses. This one can't be pressed, so
            // nothing is decided by a slip.
            button type="submit" disabled hidden {}
            (layout::token(&visit.visitor))
            input type="hidden" name="digest" value=(request.digest().to_string());
            label for="reason" { "Why" }
            textarea #reason name="reason" rows="3" required maxlength=(MAX_REASON_BYTES) {}
            label for="window" { "For how many seconds the decision holds, at most " (longest) }
            input #window name="window_seconds" type="number" min="1" max=(longest) step="1"
                value=(USUAL_WINDOW.min(longest)) required;
            div.buttons {
                button.allow type="submit" name="verdict" value="ALLOW" { "Allow" }
                button.deny type="submit" name="verdict" value="DENY" { "Deny" }
            }
            p.hint { "If it is allowed, " (message(&sheet.will)) "." }
        }
    }
}
