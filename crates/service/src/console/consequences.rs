//! All consequences, to be searched.

use maud::{Markup, html};
use swampbox_custody::ReleaseState;
use swampbox_ledger::{Consequence, ConsequenceFilter, ExecutionFilter, Page};

use super::form::{filled_in, with};
use super::shell::{Answered, Visit};
use super::text::brief;
use super::{Console, layout};
use crate::api::{Problem, Query, filter_in};

/// How many consequences are on a page. Each is read with its material, so they are few.
const PAGE: usize = 20;

/// How many executions there are to choose from.
const CHOICES: usize = 100;

pub(super) fn show(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let asked = filled_in(&visit.query);
    let mut query = Query::of(&asked)?;
    let filter = filter_in(&mut query)?;
    query.finish()?;
    let history = console.app.parts.ledger.history();
    let wanted = ConsequenceFilter { limit: PAGE, ..filter.clone() };
    let Page { items: found, more, .. } = history.page_of_consequences(&wanted)?;
    let last = found.last().filter(|_| more).map(|last| last.snapshot.consequence_id.as_str());
    let next = last.map(|last| format!("/consequences?{}", with(&asked, "after", last)));
    let executions = ExecutionFilter { limit: CHOICES, ..ExecutionFilter::default() };
    let content = html! {
        (search(&filter))
        (layout::choices("executions", &history.executions(&executions)?))
        div #found data-live="" {
            @if found.is_empty() { p.card.empty { "There is no such consequence." } }
            @else { (table(&found)) }
            (layout::more(filter.after.as_ref().map(|_| "/consequences"), next.as_deref()))
        }
    };
    Ok(layout::page(visit, "/consequences", "Consequences", content))
}

/// Consequences, one a row.
pub(super) fn table(consequences: &[Consequence]) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Consequence" } th scope="col" { "State" } th scope="col" { "Type" }
                th scope="col" { "Target" } th scope="col" { "Custodian" } th scope="col" { "Origin" }
            } }
            tbody {
                @for Consequence { snapshot, releasing, .. } in consequences {
                    tr {
                        td data-label="Consequence" {
                            (layout::consequence(snapshot.consequence_id.as_str()))
                        }
                        td data-label="State" {
                            (layout::state(snapshot.release_state, releasing.is_some()))
                        }
                        td data-label="Type" { (brief(snapshot.material.consequence_type())) }
                        td data-label="Target" { (brief(snapshot.material.target())) }
                        td data-label="Custodian" {
                            (layout::holder(snapshot.current_execution_id.as_ref().map(|id| id.as_str())))
                        }
                        td data-label="Origin" {
                            (super::text::name(snapshot.origin_execution_id.as_str()))
                        }
                    }
                }
            }
        }
    }
}

fn search(filter: &ConsequenceFilter) -> Markup {
    let states = [ReleaseState::Contained, ReleaseState::Released, ReleaseState::Uncertain];
    let text = |id: &str, label: &str, value: Option<&str>, list: Option<&str>| {
        html! {
            div.field {
                label for=(id) { (label) }
                input id=(id) name=(id) value=[value] list=[list] autocomplete="off" spellcheck="false";
            }
        }
    };
    let custodian = filter.custodian.as_ref().map(|id| id.as_str());
    let origin = filter.origin.as_ref().map(|id| id.as_str());
    let parent = filter.parent.as_ref().map(|id| id.as_str());
    html! {
        form.card.search method="get" action="/consequences" role="search" {
            div.field {
                label for="state" { "State" }
                select #state name="state" {
                    option value="" { "any" }
                    @for state in states {
                        option value=(state.as_str()) selected[filter.state == Some(state)] { (state.as_str()) }
                    }
                }
            }
            (text("type", "Type", filter.consequence_type.as_deref(), None))
            (text("target", "Target", filter.target.as_deref(), None))
            (text("custodian", "Custodian", custodian, Some("executions")))
            (text("origin", "Origin", origin, Some("executions")))
            (text("parent", "Derived from", parent, None))
            button type="submit" { "Search" }
        }
    }
}
