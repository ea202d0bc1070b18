//! What nobody holds, and its adoption.

use maud::{Markup, html};
use swampbox_custody::{ConsequenceId, Custody, ExecutionId, ExecutionState, Snapshot};
use swampbox_ledger::{ConsequenceFilter, ExecutionFilter, Page};

use super::form::field;
use super::shell::{Answered, Visit};
use super::text::{brief, name, place};
use super::{Console, layout};
use crate::api::{OPERATOR, PAGE_BYTES, Problem, Query};

/// How many consequences are on a page. Each is read with its material, so they are few.
const PAGE: usize = 20;

/// How many executions there are to choose from. Any other can be typed.
const CHOICES: usize = 100;

pub(super) fn show(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let mut query = Query::of(&visit.query)?;
    let after: Option<ConsequenceId> = query.id("after")?;
    query.finish()?;
    let history = console.app.parts.ledger.history();
    let filter = ConsequenceFilter {
        quarantined: true,
        after: after.clone(),
        limit: PAGE,
        bytes: PAGE_BYTES,
        ..ConsequenceFilter::default()
    };
    let Page { items: found, more, .. } = history.page_of_consequences(&filter)?;
    let last = found.last().filter(|_| more);
    let next = last.map(|last| last.snapshot.consequence_id.as_str());
    let next = next.map(|next| format!("/quarantine?{}", super::form::with("", "after", next)));
    let active = ExecutionFilter {
        state: Some(ExecutionState::Active),
        limit: CHOICES,
        ..ExecutionFilter::default()
    };
    let content = html! {
        @if visit.may(OPERATOR) { (layout::choices("active", &history.executions(&active)?)) }
        div #found data-live="" {
            @if found.is_empty() { p.card.empty { "Nothing is quarantined." } }
            ul.cards {
                @for (number, one) in found.iter().enumerate() {
                    li.card { (card(visit, number, &one.snapshot)) }
                }
            }
            (layout::more(after.as_ref().map(|_| "/quarantine"), next.as_deref()))
        }
    };
    Ok(layout::page(visit, "/quarantine", "Quarantine", content))
}

fn card(visit: &Visit, number: usize, snapshot: &Snapshot) -> Markup {
    let id = snapshot.consequence_id.as_str();
    let field = format!("adopter-{number}");
    html! {
        h2 { (layout::consequence(id)) }
        p { (brief(snapshot.material.consequence_type())) " on " (brief(snapshot.material.target())) }
        p.hint { "Submitted by execution " (name(snapshot.origin_execution_id.as_str())) }
        @if visit.may(OPERATOR) {
            form.inline method="post" action=(format!("/quarantine/{}/adopt", place(id))) {
                (layout::token(&visit.visitor))
                div.field {
                    label for=(field) { "Active execution that is to hold it" }
                    input id=(field) name="execution_id" list="active" required autocomplete="off"
                        spellcheck="false";
                }
                button type="submit" { "Adopt" }
            }
        }
    }
}

/// Adopts for the execution that is named.
pub(super) fn adopt(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let consequence: ConsequenceId = visit.id()?;
    let mut form = visit.form()?;
    let adopter: ExecutionId = field(&mut form, "execution_id")?.parse()?;
    form.finish()?;
    console.app.parts.ledger.adopt(&adopter, &consequence)?;
    Ok(Answered::See(format!("/consequences/{}", place(consequence.as_str()))))
}
