//! One consequence: what it is, what became of it, and what can be found out about it.

use maud::{Markup, html};
use swampbox_custody::{ConsequenceId, ReleaseState};
use swampbox_ledger::{Attached, Attempt, Consequence, Finding, Page};
use swampbox_material::{Code, Value};
use swampbox_policy::approvals::State;

use super::form::field;
use super::sheet::Sheet;
use super::shell::{Answered, Visit};
use super::text::{brief, message, name, place, time};
use super::{Console, decide, layout, lineage, timeline};
use crate::api::{
    APPROVER, OPERATOR, Problem, Query, Sight, Story, attach, look_for, request_about,
};

/// How many events are on a page. Some hold the material, so they are few.
const EVENTS: usize = 20;

pub(super) fn show(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let app = &console.app;
    let id: ConsequenceId = visit.id()?;
    let mut query = Query::of(&visit.query)?;
    let page: usize = query.number("page", "a number that is counted from one")?.unwrap_or(1);
    let from = query.number("from", "a number that is counted from zero")?.unwrap_or(0);
    query.finish()?;
    let story = Story::of(app, &id, from, EVENTS)?;
    let next = story.events.items.last().filter(|_| story.events.more);
    let next = next.map(|last| last.sequence + 1);
    let snapshot = &story.consequence.snapshot;
    let material = Sheet::of(&snapshot.material);
    let page = page.clamp(1, material.pages());
    let request = match visit.may(APPROVER) {
        true => request_about(app, &id)?,
        false => None,
    };
    let content = html! {
        div #consequence data-live="" {
            (facts(&story.consequence))
            @if let Some(request) = &request {
                section.card {
                    h2 { "Request for approval" }
                    p { "It is " strong { (request.state().as_str()) } "." }
                    @if !request.votes().is_empty() { (decide::votes(request)) }
                    @if request.state() == State::Open {
                        p { a.button.primary href=(format!("/decide/{}", place(id.as_str()))) { "Decide" } }
                    }
                    @if request.state() == State::Allowed {
                        p.hint { "It is released when its custodian asks again, or waits already." }
                    }
                }
            }
            (attempts(&story.attempts))
        }
        div #resolution data-live="" {
            @if snapshot.release_state == ReleaseState::Uncertain { (resolution(visit, &id)) }
        }
        div #resolutions data-live="" { (resolutions(&story.resolutions)) }
        @if visit.may(OPERATOR) {
            form.card method="post" action=(format!("/consequences/{}/observe", place(id.as_str()))) {
                h2 { "Look for the effect" }
                (layout::token(&visit.visitor))
                p.hint { "Where the actuator can, it looks whether the effect is there. It changes nothing." }
                button type="submit" { "Look" }
            }
        }
        section #material {
            h2 { "Material" }
            (material.page(page))
            (turning(&id, page, material.pages()))
        }
        div #lineage data-live="" { (lineage::section(app, &story)?) }
        section #history data-live="" {
            h2 { "History" }
            (timeline::list(&story.events.items))
            @if let Some(next) = next {
                nav.pages aria-label="More of the history" {
                    @let later = format!("/consequences/{}?from={next}#history", place(id.as_str()));
                    a.button rel="next" href=(later) { "Later events" }
                }
            }
        }
    };
    Ok(layout::page(visit, "/consequences", "Consequence", content))
}

fn facts(consequence: &Consequence) -> Markup {
    let Consequence { snapshot, releasing, .. } = consequence;
    html! {
        section.card {
            dl.facts {
                dt { "Id" } dd { (name(snapshot.consequence_id.as_str())) }
                dt { "State" } dd { (layout::state(snapshot.release_state, releasing.is_some())) }
                dt { "Type" } dd { (brief(snapshot.material.consequence_type())) }
                dt { "Target" } dd { (brief(snapshot.material.target())) }
                dt { "Origin" } dd { "execution " (name(snapshot.origin_execution_id.as_str())) }
                dt { "Custodian" }
                dd { (layout::holder(snapshot.current_execution_id.as_ref().map(|id| id.as_str()))) }
            }
        }
    }
}

fn turning(id: &ConsequenceId, page: usize, pages: usize) -> Markup {
    let to = |page: usize| format!("/consequences/{}?page={page}#material", place(id.as_str()));
    html! {
        @if pages > 1 {
            nav.pages aria-label="Pages of the material" {
                @if page > 1 { a.button rel="prev" href=(to(page - 1)) { "Page " (page - 1) } }
                @if page < pages {
                    a.button rel="next" href=(to(page + 1)) {
                        "Page " (page + 1) " of " (pages)
                    }
                }
            }
        }
    }
}

fn attempts(attempts: &Page<Attempt>) -> Markup {
    html! {
        @if !attempts.items.is_empty() {
            section.card {
                h2 { "Attempts to release it" }
                ol.plain {
                    @for attempt in &attempts.items {
                        li {
                            p {
                                (time(&attempt.admitted_at)) ", attempt " (attempt.fence) ": "
                                @match &attempt.ended {
                                    None => span.state.releasing { "going on" },
                                    Some((settlement, detail)) => {
                                        (layout::state(settlement.state(), false)) " " (message(detail))
                                    },
                                }
                            }
                            p.hint {
                                "Allowed by " (name(&attempt.provider)) ", carried out by "
                                (name(&attempt.actuator)) ", for execution "
                                (name(attempt.execution.as_str())) ". Decision of digest "
                                code { (attempt.decision_digest) }
                            }
                            @if let Some(basis) = &attempt.basis {
                                (timeline::whole("What the decision rests on", basis))
                            }
                        }
                    }
                }
                (rest(attempts.more))
            }
        }
    }
}

fn resolutions(resolutions: &Page<Attached>) -> Markup {
    html! {
        @if !resolutions.items.is_empty() {
            section.card {
                h2 { "What was found out" }
                ol.plain {
                    @for attached in &resolutions.items {
                        li {
                            p {
                                strong { (attached.resolution.verdict().as_str()) } ", by "
                                (name(attached.resolution.by()))
                                @if let Some(at) = &attached.at { " at " (time(at)) }
                            }
                            (timeline::whole("Evidence", &attached.resolution.evidence().to_json()))
                        }
                    }
                }
                (rest(resolutions.more))
            }
        }
    }
}

/// Where the rest of a list is, if there is more of it.
fn rest(more: bool) -> Markup {
    html! { @if more { p.hint { "There are more, which the history has." } } }
}

fn resolution(visit: &Visit, id: &ConsequenceId) -> Markup {
    let findings = [
        (Finding::ConfirmedExecuted, "happened"),
        (Finding::ConfirmedNotExecuted, "did not happen"),
        (Finding::Unresolved, "could not be found out"),
    ];
    html! {
        @if visit.may(OPERATOR) {
            form.card method="post" action=(format!("/consequences/{}/resolve", place(id.as_str()))) {
                h2 { "Say what became of it" }
                (layout::token(&visit.visitor))
                fieldset {
                    legend { "The effect" }
                    @for (finding, label) in findings {
                        label.choice {
                            input type="radio" name="verdict" value=(finding.as_str()) required;
                            " " (label)
                        }
                    }
                }
                label for="evidence" { "What that rests on" }
                textarea #evidence name="evidence" rows="3" required {}
                p.hint {
                    "The consequence stays UNCERTAIN: what was found out explains it, and never changes it."
                }
                button type="submit" { "Attach" }
            }
        }
    }
}

/// Attaches what an operator found out.
pub(super) fn resolve(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let id: ConsequenceId = visit.id()?;
    let mut form = visit.form()?;
    let verdict: Finding = field(&mut form, "verdict")?
        .parse()
        .map_err(|error: String| Problem::new(Code::InvalidArguments, error))?;
    let evidence = field(&mut form, "evidence")?;
    form.finish()?;
    let evidence = Value::from(evidence.as_str());
    attach(&console.app, &id, verdict, evidence, &visit.visitor.holder.name)?;
    Ok(Answered::See(format!("/consequences/{}", place(id.as_str()))))
}

/// Looks for the effect.
pub(super) fn observe(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let id: ConsequenceId = visit.id()?;
    visit.form()?.finish()?;
    let Sight { state, actuator, observation } = look_for(&console.app, &id)?;
    let content = html! {
        section.card {
            dl.facts {
                dt { "Consequence" } dd { (layout::consequence(id.as_str())) }
                dt { "State" } dd { (layout::state(state, false)) }
                dt { "Seen" } dd { strong { (observation.sighting().as_str()) } }
                dt { "By" } dd { (name(&actuator)) }
                dt { "Evidence" } dd { (message(observation.evidence())) }
            }
            p.hint { "That something is there does not say who made it." }
        }
    };
    Ok(layout::page(visit, "/consequences", "What was seen", content))
}
