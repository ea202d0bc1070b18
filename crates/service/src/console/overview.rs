//! What waits for somebody, and how the last attempts ended.

use maud::{Markup, html};
use swampbox_ledger::Outcome;

use super::shell::{Answered, Visit};
use super::text::{name, time};
use super::{Console, layout, plot};
use crate::api::{APPROVER, App, Problem, Query, waiting};

/// How many requests are counted at the most: each is read for that.
const OPEN: usize = 20;

/// How many of the last attempts are in the plot, and how many in the list.
const PLOTTED: usize = 1_000;
const LISTED: usize = 10;

pub(super) fn show(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    Query::of(&visit.query)?.finish()?;
    let app = &console.app;
    let history = app.parts.ledger.history();
    let outcomes = history.outcomes(PLOTTED)?;
    let now = app.parts.clock.now()?;
    let counts = history.counts()?;
    let (quarantined, unresolved) = (counts.quarantined.to_string(), counts.unresolved.to_string());
    const UNRESOLVED: &str = "UNCERTAIN, not explained";
    let content = html! {
        div #overview data-live="" {
            ul.counts {
                @if let Some(open) = open(app, visit)? {
                    li { (count("/decide", &open, "to decide")) }
                }
                li { (count("/quarantine", &quarantined, "quarantined")) }
                li { (count("/consequences?state=UNCERTAIN", &unresolved, UNRESOLVED)) }
            }
            section.card {
                h2 { "Attempts in the last 24 hours" }
                (plot::figure(&outcomes, now, PLOTTED))
            }
            section.card {
                h2 { "Last attempts" }
                @if outcomes.is_empty() { p.empty { "Nothing was released yet." } }
                @else { (last(&outcomes)) }
            }
        }
    };
    Ok(layout::page(visit, "/", "Overview", content))
}

fn count(place: &str, number: &str, of: &str) -> Markup {
    html! {
        a.count href=(place) { strong.waits[number != "0"] { (number) } " " span { (of) } }
    }
}

/// How many requests wait, for those who may know.
fn open(app: &App, visit: &Visit) -> Result<Option<String>, Problem> {
    if !visit.may(APPROVER) || app.parts.approvals.is_none() {
        return Ok(None);
    }
    let page = waiting(app, 0, OPEN)?;
    let number = page.requests.len() + page.malformed.len();
    let more = if page.next.is_some() { "+" } else { "" };
    Ok(Some(format!("{number}{more}")))
}

fn last(outcomes: &[Outcome]) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Consequence" } th scope="col" { "Ended as" }
                th scope="col" { "Actuator" } th scope="col" { "At" }
            } }
            tbody {
                @for outcome in outcomes.iter().take(LISTED) {
                    tr {
                        td data-label="Consequence" { (layout::consequence(outcome.consequence.as_str())) }
                        td data-label="Ended as" {
                            @match outcome.settlement {
                                Some(settlement) => (layout::state(settlement.state(), false)),
                                None => span.state.releasing { "going on" },
                            }
                        }
                        td data-label="Actuator" { (name(&outcome.actuator)) }
                        td data-label="At" { (time(&outcome.admitted_at)) }
                    }
                }
            }
        }
    }
}
