//! A scenario written as a scenario file.

use crate::model::{Authority, Overrides, Release, Scenario, Step, Value, write};

/// Writes the scenario as the text of a scenario file, a line for each of its steps. Numbers are
/// written exactly as they are given.
pub fn to_json(scenario: &Scenario) -> String {
    let mut steps = Vec::new();
    for step in &scenario.steps {
        steps.push(format!("\n    {}", self::step(step)));
    }
    format!(
        "{{\n  \"scenario\": {},\n  \"clock\": {},\n  \"steps\": [{}\n  ]\n}}\n",
        text(&scenario.title),
        text(&scenario.clock),
        steps.join(",")
    )
}

fn step(step: &Step) -> String {
    match step {
        Step::Register { execution } => plain("register", &[("execution", execution)]),
        Step::End { execution } => plain("end", &[("execution", execution)]),
        Step::Submit { execution, consequence, material, parent } => {
            let mut members = vec![
                ("op", text("submit")),
                ("execution", text(execution)),
                ("consequence", text(consequence)),
                ("material", write(&material.to_value())),
            ];
            members.extend(parent.iter().map(|parent| ("parent", text(parent))));
            object(&members)
        }
        Step::Read { execution, consequence } => {
            plain("read", &[("execution", execution), ("consequence", consequence)])
        }
        Step::Transfer { source, target, consequence } => plain(
            "transfer",
            &[("source", source), ("target", target), ("consequence", consequence)],
        ),
        Step::Inspect { consequence } => plain("inspect", &[("consequence", consequence)]),
        Step::Adopt { execution, consequence } => {
            plain("adopt", &[("execution", execution), ("consequence", consequence)])
        }
        Step::State { consequence } => plain("state", &[("consequence", consequence)]),
        Step::Advance { by } => object(&[("op", text("advance")), ("by", by.clone())]),
        Step::Release(release) => self::release(release),
    }
}

fn release(release: &Release) -> String {
    let mut members = vec![
        ("op", text("release")),
        ("execution", text(&release.execution)),
        ("consequence", text(&release.consequence)),
    ];
    match &release.authority {
        Authority::Unavailable => members.push(("authority", text("unavailable"))),
        Authority::Panic => members.push(("authority", text("panic"))),
        Authority::Decision(overrides) if overrides.is_empty() => {}
        Authority::Decision(overrides) => members.push(("authority", self::overrides(overrides))),
    }
    if let Some(actuator) = &release.actuator {
        members.push(("actuator", text(actuator)));
    }
    for (name, steps) in [
        ("during_evaluation", &release.during_evaluation),
        ("during_actuation", &release.during_actuation),
    ] {
        if !steps.is_empty() {
            let steps: Vec<String> = steps.iter().map(step).collect();
            members.push((name, format!("[{}]", steps.join(","))));
        }
    }
    for (name, seconds) in [
        ("advance_before_validation", &release.advance_before_validation),
        ("advance_before_actuation", &release.advance_before_actuation),
    ] {
        members.extend(seconds.iter().map(|seconds| (name, seconds.clone())));
    }
    object(&members)
}

fn overrides(overrides: &Overrides) -> String {
    let mut members = Vec::new();
    for (name, value) in &overrides.fields {
        members.push((name.as_str(), write(value)));
    }
    for (name, seconds) in
        [("issued_offset", &overrides.issued_offset), ("valid_for", &overrides.valid_for)]
    {
        members.extend(seconds.iter().map(|seconds| (name, seconds.clone())));
    }
    object(&members)
}

/// A step whose fields are all texts.
fn plain(op: &str, fields: &[(&str, &String)]) -> String {
    let mut members = vec![("op", text(op))];
    members.extend(fields.iter().map(|(name, value)| (*name, text(value))));
    object(&members)
}

/// An object of members whose values are JSON already.
fn object(members: &[(&str, String)]) -> String {
    let mut written = Vec::new();
    for (name, json) in members {
        written.push(format!("{}: {json}", text(name)));
    }
    format!("{{{}}}", written.join(", "))
}

fn text(text: &str) -> String {
    write(&Value::text(text))
}
