//! Events in words.

use maud::{Markup, html};
use swampbox_ledger::Event;
use swampbox_material::json::{Json, Object};

use super::text::{message, name, time};

/// The longest document that is shown as it is beside its words, in bytes. What it may hold more is
/// material, which has its own place on the page, and the API gives all of it.
const WHOLE: usize = 4 << 10;

/// Events, in their order.
pub(super) fn list(events: &[Event]) -> Markup {
    html! {
        ol.timeline {
            @for event in events {
                li {
                    p {
                        span.hint { "#" (event.sequence) " " @if let Some(at) = &event.at { (time(at)) } }
                        " " (words(event))
                    }
                    (whole("As it is kept", &event.body))
                }
            }
        }
    }
}

/// A document as it is, behind a line to open.
pub(super) fn whole(label: &str, document: &str) -> Markup {
    html! {
        @if document.len() <= WHOLE {
            details { summary { (label) } pre.document { code { (message(document)) } } }
        } @else {
            p.hint { (label) ": " (document.len()) " bytes, which the API gives." }
        }
    }
}

fn words(event: &Event) -> Markup {
    let body = Json::read(event.body.as_bytes()).ok();
    let body = body.as_ref().and_then(Json::as_object);
    let text = |field: &str| text_in(body, field);
    let named = |field: &str| html! { (name(text(field).unwrap_or("?"))) };
    html! {
        @match event.kind.as_str() {
            "consequence_submitted" => { "submitted by " (named("origin_execution_id")) },
            "consequence_transferred" => { "transferred from " (named("source")) " to " (named("target")) },
            "consequence_quarantined" => { "quarantined: " (named("execution_id")) " has ended" },
            "consequence_adopted" => { "adopted by " (named("execution_id")) },
            "release_refused" => { "release refused to " (named("execution_id")) ": " (named("reason")) },
            "attempt_marked" => {
                "attempt begun for " (named("execution_id")) ", allowed by " (named("provider"))
            },
            "attempt_settled" => { "attempt ended: " (named("settlement")) },
            "attempt_recovered" => { "attempt found interrupted: " (named("settlement")) },
            "settlement_refused" => { "a settlement came too late, and changed nothing" },
            "resolution_attached" => { "found out by " (named("by")) ": " (named("verdict")) },
            "record_put" => { (named("record_kind")) " is " (named("status")) },
            other => { (name(other)) },
        }
    }
}

fn text_in<'b>(body: Option<&'b Object>, field: &str) -> Option<&'b str> {
    body?.get(field)?.as_str()
}
