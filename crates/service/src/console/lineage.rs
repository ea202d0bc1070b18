//! What a consequence was derived from, and what was derived from it.

use maud::{Markup, html};
use swampbox_custody::Snapshot;
use swampbox_ledger::{Consequence, Page};

use super::layout;
use super::text::{brief, name};
use crate::api::{App, Problem, Story};

/// How many generations back are shown, and how many children.
const ANCESTORS: usize = 20;
const CHILDREN: usize = 100;

pub(super) fn section(app: &App, story: &Story) -> Result<Markup, Problem> {
    let this = &story.consequence.snapshot;
    if this.parent_consequence_id.is_none() && story.children.items.is_empty() {
        return Ok(html! {});
    }
    let history = app.parts.ledger.history();
    // Of each only the line that is drawn is kept, and not its material.
    let mut ancestors: Vec<Markup> = Vec::new();
    let mut above = this.parent_consequence_id.clone();
    while let Some(id) = above.take_if(|_| ancestors.len() < ANCESTORS) {
        let Some(found) = history.consequence(&id)? else { break };
        ancestors.push(entry(&found.snapshot));
        above = found.snapshot.parent_consequence_id;
    }
    // Each is drawn around the one that was derived from it.
    let below = html! {
        ul {
            li {
                span aria-current="true" { strong { (name(this.consequence_id.as_str())) } " (this one)" }
                @if !story.children.items.is_empty() { (children(this.consequence_id.as_str(), &story.children)) }
            }
        }
    };
    let tree = ancestors.iter().fold(below, |below, ancestor| {
        html! { ul { li { (ancestor) (below) } } }
    });
    Ok(html! {
        section.card.lineage {
            h2 { "Lineage" }
            @if above.is_some() { p.hint { "There are more generations before these." } }
            (tree)
        }
    })
}

fn children(parent: &str, children: &Page<Consequence>) -> Markup {
    let all =
        form_urlencoded::Serializer::new(String::new()).append_pair("parent", parent).finish();
    html! {
        ul {
            @for child in children.items.iter().take(CHILDREN) { li { (entry(&child.snapshot)) } }
            @if children.more || children.items.len() > CHILDREN {
                li { a href=(format!("/consequences?{all}")) { "and more" } }
            }
        }
    }
}

fn entry(snapshot: &Snapshot) -> Markup {
    html! {
        (layout::consequence(snapshot.consequence_id.as_str())) " "
        (layout::state(snapshot.release_state, false)) " "
        span.hint { (brief(snapshot.material.consequence_type())) " on " (brief(snapshot.material.target())) }
    }
}
