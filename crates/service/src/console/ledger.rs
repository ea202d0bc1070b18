//! The ledger as a whole.

use maud::{Markup, html};
use swampbox_ledger::Checkpoint;

use super::shell::{Answered, Visit};
use super::text::{message, name, time};
use super::{Console, layout};
use crate::api::{OPERATOR, Problem, Query, sign, verification};

/// How many checkpoints are on a page.
const PAGE: usize = 20;

pub(super) fn show(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    let mut query = Query::of(&visit.query)?;
    let skip = query.number("skip", "a number that is counted from zero")?.unwrap_or(0);
    query.finish()?;
    let history = console.app.parts.ledger.history();
    let last = history.last_event()?;
    let mut newest = history.newest_checkpoints(skip, PAGE + 1)?;
    let next = (newest.len() > PAGE).then(|| format!("/ledger?skip={}", skip.saturating_add(PAGE)));
    newest.truncate(PAGE);
    let signs = visit.may(OPERATOR) && console.app.parts.checkpoint_key.is_some();
    let content = html! {
        section.card #last data-live="" {
            h2 { "Last event" }
            @match &last {
                None => p { "There is none yet." },
                Some(event) => dl.facts {
                    dt { "Number" } dd { (event.sequence) }
                    dt { "Kind" } dd { (name(&event.kind)) }
                    dt { "At" } dd { @match &event.at { Some(at) => (time(at)), None => "unknown" } }
                    dt { "Hash" } dd { code { (hex(&event.hash)) } }
                },
            }
        }
        div.buttons {
            (button(visit, "/ledger/verify", "Verify"))
            @if signs { (button(visit, "/ledger/checkpoint", "Sign a checkpoint")) }
        }
        section.card #checkpoints data-live="" {
            h2 { "Checkpoints" }
            @if newest.is_empty() { p { @if skip > 0 { "There are no more." } @else { "None was signed." } } }
            ol.plain { @for checkpoint in &newest { li { (told(checkpoint)) } } }
            (layout::more((skip > 0).then_some("/ledger"), next.as_deref()))
        }
    };
    Ok(layout::page(visit, "/ledger", "Ledger", content))
}

fn button(visit: &Visit, action: &str, label: &str) -> Markup {
    html! {
        form method="post" action=(action) {
            (layout::token(&visit.visitor))
            button type="submit" { (label) }
        }
    }
}

fn told(checkpoint: &Checkpoint) -> Markup {
    html! {
        p {
            (time(checkpoint.at())) ": " (checkpoint.length()) " events, up to "
            code { (checkpoint.head()) }
        }
        p.hint { "Signed with the key " code { (checkpoint.key().to_string()) } }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads all of the ledger, and says whether it is what its history says.
pub(super) fn verify(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    visit.form()?.finish()?;
    let content = match verification(&console.app)? {
        Ok(verified) => html! {
            section.card.good role="status" {
                p.what { "The ledger is what its history says." }
                dl.facts {
                    dt { "Ledger" } dd { code { (verified.ledger_id) } }
                    dt { "Events" }
                    dd { (verified.events) ", of which " (verified.signed_events) " are signed for" }
                    dt { "Last hash" } dd { code { (verified.head) } }
                    dt { "Executions" } dd { (verified.executions) }
                    dt { "Consequences" } dd { (verified.consequences) }
                    dt { "Attempts" } dd { (verified.attempts) }
                    dt { "Resolutions" } dd { (verified.resolutions) }
                    dt { "Checkpoints" } dd { (verified.checkpoints) }
                    @for key in &verified.keys { dt { "Signed by" } dd { code { (key.to_string()) } } }
                }
            }
        },
        Err(tampered) => html! {
            section.card.problem role="alert" {
                p.what { "The ledger is not what its history says." }
                p { (message(&tampered.to_string())) }
                p.hint { "Code: " code { (tampered.code().as_str()) } }
            }
        },
    };
    Ok(layout::page(visit, "/ledger", "Verification", content))
}

/// Signs what the ledger holds now.
pub(super) fn checkpoint(console: &Console, visit: &Visit) -> Result<Answered, Problem> {
    visit.form()?.finish()?;
    sign(&console.app)?;
    Ok(Answered::See("/ledger#checkpoints".to_owned()))
}
