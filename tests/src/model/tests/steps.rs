//! Steps in short, and traces in short.

use crate::model::{
    Authority, Material, Overrides, Release, Scenario, Step, TraceLine, Value, run, write,
};

/// The trace of these steps, a short line for each.
pub(super) fn play(steps: Vec<Step>) -> Vec<String> {
    run(&scenario(steps)).iter().map(short).collect()
}

fn short(line: &TraceLine) -> String {
    let outcome = match &line.outcome {
        Err(code) => (*code).to_owned(),
        Ok(result) => {
            let text =
                |value: &Value, key| value.at(key).and_then(Value::as_text).map(str::to_owned);
            match result.at("release") {
                Some(release) => format!(
                    "{} {} {}/{}",
                    text(release, "status").unwrap(),
                    text(release, "reason").unwrap(),
                    write(result.at("provider_calls").unwrap()),
                    write(result.at("actuator_calls").unwrap()),
                ),
                None => text(result, "release_state")
                    .or_else(|| text(result, "clock"))
                    .unwrap_or_else(|| "ok".to_owned()),
            }
        }
    };
    format!("{} {} {outcome}", line.step, line.op)
}

pub(super) fn scenario(steps: Vec<Step>) -> Scenario {
    Scenario { title: "by hand".to_owned(), clock: "2026-01-01T12:00:00Z".to_owned(), steps }
}

pub(super) fn note(n: i32) -> Material {
    Material {
        consequence_type: "note".to_owned(),
        target: "inbox".to_owned(),
        payload: Value::map([("n", Value::int(n))]),
    }
}

pub(super) fn decision<const N: usize>(fields: [(&str, Value); N]) -> Authority {
    let fields = fields.map(|(name, value)| (name.to_owned(), value)).into();
    Authority::Decision(Overrides { fields, ..Overrides::default() })
}

pub(super) fn register(execution: &str) -> Step {
    Step::Register { execution: execution.to_owned() }
}

pub(super) fn end(execution: &str) -> Step {
    Step::End { execution: execution.to_owned() }
}

pub(super) fn submit(
    execution: &str,
    consequence: &str,
    material: Material,
    parent: Option<&str>,
) -> Step {
    Step::Submit {
        execution: execution.to_owned(),
        consequence: consequence.to_owned(),
        material,
        parent: parent.map(str::to_owned),
    }
}

pub(super) fn transfer(source: &str, target: &str, consequence: &str) -> Step {
    Step::Transfer {
        source: source.to_owned(),
        target: target.to_owned(),
        consequence: consequence.to_owned(),
    }
}

pub(super) fn adopt(execution: &str, consequence: &str) -> Step {
    Step::Adopt { execution: execution.to_owned(), consequence: consequence.to_owned() }
}

pub(super) fn state(consequence: &str) -> Step {
    Step::State { consequence: consequence.to_owned() }
}

pub(super) fn plain(execution: &str, consequence: &str) -> Step {
    Step::Release(Release::plain(execution, consequence))
}
