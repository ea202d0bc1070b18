//! Executions, and their end.

use maud::{Markup, html};
use swampbox_custody::{Custody, ExecutionId, ExecutionState};
use swampbox_ledger::{Execution, ExecutionFilter};
use swampbox_material::Code;

use super::form::{filled_in, with};
use super::shell::{Answered, Visit};
use super::text::{name, place};
use super::{Console, layout};
use crate::api::{OPERATOR, Problem, Query};

/// How many executions are on a page.
const PAGE: usize = 50;

pub(super) fn show(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let asked = filled_in(&visit.query);
    let mut query = Query::of(&asked)?;
    let states = [ExecutionState::Active, ExecutionState::Ended];
    let state = match query.text("state") {
        None => None,
        Some(word) => match states.into_iter().find(|state| state.as_str() == word) {
            Some(state) => Some(state),
            None => {
                let message = "the parameter `state` has to be ACTIVE or ENDED";
                return Err(Problem::new(Code::InvalidArguments, message));
            }
        },
    };
    let filter = ExecutionFilter { state, after: query.id("after")?, limit: PAGE + 1 };
    query.finish()?;
    let mut found = console.app.parts.ledger.history().executions(&filter)?;
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let last = found.last().filter(|_| more);
    let next = last.map(|last| format!("/executions?{}", with(&asked, "after", last.id.as_str())));
    let content = html! {
        form.card.search method="get" action="/executions" role="search" {
            div.field {
                label for="state" { "State" }
                select #state name="state" {
                    option value="" { "any" }
                    @for one in states {
                        option value=(one.as_str()) selected[state == Some(one)] { (one.as_str()) }
                    }
                }
            }
            button type="submit" { "Search" }
        }
        div #found data-live="" {
            @if found.is_empty() { p.card.empty { "There is no such execution." } }
            ul.cards { @for execution in &found { li.card { (card(visit, execution)) } } }
            (layout::more(filter.after.as_ref().map(|_| "/executions"), next.as_deref()))
        }
    };
    Ok(layout::page(visit, "/executions", "Executions", content))
}

fn card(visit: &Visit, execution: &Execution) -> Markup {
    let id = execution.id.as_str();
    let held =
        form_urlencoded::Serializer::new(String::new()).append_pair("custodian", id).finish();
    let active = execution.state == ExecutionState::Active;
    let word = execution.state.as_str();
    html! {
        h2 { (name(id)) " " span.state.(word.to_ascii_lowercase()) { (word) } }
        p { a href=(format!("/consequences?{held}")) { "What it holds" } }
        @if active && visit.may(OPERATOR) {
            details {
                summary { "End it" }
                form method="post" action=(format!("/executions/{}/end", place(id))) {
                    (layout::token(&visit.visitor))
                    p.hint { "Nothing acts in its name any more, and what it holds is quarantined." }
                    button.deny type="submit" { "End " (name(id)) }
                }
            }
        }
    }
}

/// Ends an execution.
pub(super) fn end(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let execution: ExecutionId = visit.id()?;
    visit.form()?.finish()?;
    console.app.parts.ledger.end(&execution)?;
    Ok(Answered::See("/executions".to_owned()))
}
