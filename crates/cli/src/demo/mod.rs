//! One consequence from proposal to effect, with a real request to a real receiver.

mod agent;
mod proposal;
mod receiver;
mod story;

use std::path::Path;

use swampbox_custody::Snapshot;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};

use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};
use receiver::Arrival;
use story::{Ended, Story};

pub(crate) fn run(json: bool, out: &mut Output) -> Result<Exit, Failure> {
    let story =
        Story::tell().map_err(|error| Failure::new(Code::DemoInterrupted, "demo", error))?;
    if json {
        out.json(&document(&story))?;
    } else {
        show(&story, out)?;
    }
    match story.complaint() {
        None => Ok(Exit::Done),
        Some(complaint) => {
            out.remark(format_args!("{}: {complaint}", Painted::bad("error")));
            Ok(Exit::No)
        }
    }
}

/// Acts as the agent of the story, in a process of its own.
pub(crate) fn agent(ledger: &Path, origin: &str) -> Result<Exit, Failure> {
    let acted = agent::act(ledger, origin);
    acted.map_err(|error| Failure::new(Code::DemoInterrupted, "demo-agent", error))?;
    Ok(Exit::Done)
}

fn show(story: &Story, out: &mut Output) -> Result<(), Failure> {
    for (number, step) in (1..).zip(&story.steps) {
        let (word, code) = words(step.ended);
        let word = match step.ended {
            Ended::Held(_) => Painted::held(word),
            Ended::Refused(_) | Ended::NotReleased(_) => Painted::bad(word),
            Ended::Released(_) => Painted::good(word),
        };
        match code {
            Some(code) => {
                out.line(format_args!("{number}  {:<50} {word:<12} {code}", step.text))?
            }
            None => out.line(format_args!("{number}  {:<50} {word}", step.text))?,
        }
    }
    out.line("")?;
    for snapshot in &story.held {
        let branch = if snapshot.parent_consequence_id.is_some() { "└─ " } else { "" };
        let (id, state) = (&snapshot.consequence_id, snapshot.release_state);
        out.line(format_args!("{:<50}    {state}", format!("{branch}{id}, {}", hands(snapshot))))?;
    }
    out.line("")?;
    let count = story.arrived.len();
    let requests = if count == 1 { "request" } else { "requests" };
    out.line(format_args!("What really arrived outside: {count} {requests}"))?;
    for Arrival { method, path, body, .. } in &story.arrived {
        // What came over a wire may hold anything.
        out.line(format_args!(
            "  {} {}",
            Shown::json(&format!("{method} {path}")),
            Shown::json(body)
        ))?;
    }
    Ok(())
}

fn words(ended: Ended) -> (&'static str, Option<&'static str>) {
    match ended {
        Ended::Held(word) => (word, None),
        Ended::Refused(code) => ("refused", Some(code.as_str())),
        Ended::Released(code) => ("released", Some(code.as_str())),
        Ended::NotReleased(code) => ("not released", Some(code.as_str())),
    }
}

fn hands(snapshot: &Snapshot) -> String {
    let origin = &snapshot.origin_execution_id;
    match &snapshot.current_execution_id {
        Some(current) if current == origin => format!("submitted and held by {origin}"),
        Some(current) => format!("submitted by {origin}, held by {current}"),
        None => format!("submitted by {origin}, quarantined"),
    }
}

fn document(story: &Story) -> Json {
    let steps = (1u64..).zip(&story.steps).map(|(number, step)| {
        let (word, code) = words(step.ended);
        Json::object([
            ("step", Json::from(number)),
            ("what", Json::from(step.text.as_str())),
            ("ended", Json::from(word)),
            ("code", code.map_or(Json::Null, Json::from)),
        ])
    });
    let arrived = story.arrived.iter().map(|arrival| {
        let key = arrival.idempotency_key.as_deref();
        Json::object([
            ("method", Json::from(arrival.method.as_str())),
            ("path", Json::from(arrival.path.as_str())),
            ("idempotency_key", key.map_or(Json::Null, Json::from)),
            ("body", Json::from(arrival.body.as_str())),
        ])
    });
    Json::object([
        ("steps", Json::List(steps.collect())),
        ("consequences", Json::List(story.held.iter().map(Snapshot::to_document).collect())),
        ("arrived", Json::List(arrived.collect())),
        ("as_expected", Json::Bool(story.complaint().is_none())),
    ])
}
