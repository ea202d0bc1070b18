//! What waits for somebody, and how the last attempts ended.

use maud::{Markup, html};
use swampbox_custody::ReleaseState;
use swampbox_ledger::{ConsequenceFilter, Outcome};
use swampbox_policy::approvals::MAX_PAGE;

use super::shell::{Answered, Visit};
use super::text::{name, time};
use super::{Console, layout, plot};
use crate::api::{APPROVER, App, Problem, Query, approvals};

/// How many are counted at the most.
const COUNTED: usize = 100;

/// How many of the last attempts are in the plot, and how many in the list.
const PLOTTED: usize = 1_000;
const LISTED: usize = 10;

pub(super) fn show(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    Query::of(&visit.query)?.finish()?;
    let app = &console.app;
    let history = app.parts.ledger.history();
    let outcomes = history.outcomes(PLOTTED)?;
    let now = app.parts.clock.now()?;
    let quarantined =
        ConsequenceFilter { quarantined: true, limit: COUNTED + 1, ..ConsequenceFilter::default() };
    let quarantined = history.consequences(&quarantined)?.len();
    let content = html! {
        div #overview data-live="" {
            ul.counts {
                @if let Some(open) = open(app, visit)? {
                    li { (count("/decide", open, "to decide")) }
                }
                li { (count("/quarantine", quarantined, "quarantined")) }
                li { (count("/consequences?state=UNCERTAIN", unexplained(app)?, "UNCERTAIN, not explained")) }
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

fn count(place: &str, number: usize, of: &str) -> Markup {
    html! {
        a.count href=(place) {
            strong.waits[number > 0] { @if number > COUNTED { (COUNTED) "+" } @else { (number) } }
            " " span { (of) }
        }
    }
}

/// How many requests wait, for those who may know.
fn open(app: &App, visit: &Visit) -> Result<Option<usize>, Problem> {
    if !visit.may(APPROVER) || app.parts.approvals.is_none() {
        return Ok(None);
    }
    let page = approvals(app)?.waiting(0, MAX_PAGE)?;
    let more = usize::from(page.next.is_some());
    Ok(Some(page.requests.len() + page.malformed.len() + more))
}

/// How many consequences are UNCERTAIN and have no resolution, among the first of those that are.
fn unexplained(app: &App) -> Result<usize, Problem> {
    let history = app.parts.ledger.history();
    let mut filter = ConsequenceFilter {
        state: Some(ReleaseState::Uncertain),
        limit: COUNTED,
        ..ConsequenceFilter::default()
    };
    let mut number = 0;
    // As many pages as it takes to count so many, but not through a ledger of nothing else.
    for _ in 0..10 {
        let found = history.consequences(&filter)?;
        for one in &found {
            number += usize::from(history.resolutions(&one.snapshot.consequence_id)?.is_empty());
        }
        match found.last().filter(|_| found.len() == COUNTED && number <= COUNTED) {
            Some(last) => filter.after = Some(last.snapshot.consequence_id.clone()),
            None => break,
        }
    }
    Ok(number)
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
