use swampbox_custody::{Custody, Instance, InvalidIdentifier, MemoryCustody};
use swampbox_material::Shown;

use crate::arguments::{ScenarioCommand, Store};
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, Painted};
use crate::scenario::{self, Played, Scenario, StepResult};
use crate::scratch::Scratch;

pub(super) fn run(command: ScenarioCommand, out: &mut Output) -> Result<Exit, Failure> {
    let ScenarioCommand::Run { files, trace, store } = command;
    // Nothing is played unless everything can be.
    let scenarios = files.iter().map(|file| {
        let input = input::read(file)?;
        let scenario = Scenario::read(&input.text);
        let scenario = scenario.map_err(|error| Failure::material(&input.name, &error))?;
        Ok((input.name, scenario))
    });
    let scenarios: Vec<(String, Scenario)> = scenarios.collect::<Result<_, Failure>>()?;

    let mut failed = 0;
    for (name, scenario) in &scenarios {
        if !trace {
            out.line(Painted::title(&Shown::text(&scenario.title).to_string()))?;
        }
        // On a ledger: dropped after it.
        let directory = Scratch::new()?;
        let custody = empty(store, name, &directory)?;
        let mut written = Ok(());
        let mut held = true;
        scenario::run(scenario, &custody, |played| {
            held &= played.mismatch.is_none();
            if written.is_ok() {
                written = show(&played, name, trace, out);
            }
        });
        written?;
        failed += usize::from(!held);
    }
    if !trace {
        let total = scenarios.len();
        let passed = total - failed;
        out.line(format_args!("{passed} of {total} scenarios held"))?;
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::No })
}

/// A store with nothing in it. One on disk lies in `directory`.
fn empty(store: Store, name: &str, directory: &Scratch) -> Result<Box<dyn Custody>, Failure> {
    Ok(match store {
        Store::Memory => Box::new(MemoryCustody::new(instance(name)?)),
        Store::Sqlite => Box::new(directory.ledger()?),
    })
}

/// A store lives for one scenario and reaches nothing outside, so its name need not be unique.
fn instance(name: &str) -> Result<Instance, Failure> {
    let invalid = |error: InvalidIdentifier| Failure::new(error.code(), name, error);
    "scenario".parse().map_err(invalid)
}

fn show(played: &Played, name: &str, trace: bool, out: &mut Output) -> Result<(), Failure> {
    if trace {
        if let Some(line) = played.trace_line() {
            out.json(&line)?;
        }
        if let Some(mismatch) = &played.mismatch {
            let name = Shown::text(name);
            out.remark(format_args!("{name}: step {}: {mismatch}", played.step));
        }
        return Ok(());
    }
    let mark = match (&played.mismatch, played.expected) {
        (Some(_), _) => Painted::bad("failed"),
        (None, true) => Painted::good("ok"),
        (None, false) => Painted::held("-"),
    };
    let ended = match &played.result {
        Some(StepResult::Error { code, .. }) => code.to_string(),
        Some(StepResult::Ok(result)) => summary(result),
        None => "never reached".into(),
    };
    out.line(format_args!("  {mark:<6} {:<16} {:<9} {ended}", played.step, played.op))?;
    if let Some(mismatch) = &played.mismatch {
        out.line(format_args!("         {mismatch}"))?;
    }
    Ok(())
}

/// The part of a result that tells the story.
fn summary(result: &swampbox_material::json::Json) -> String {
    let field = |path: &[&str]| {
        let found = path.iter().try_fold(result, |here, key| here.as_object()?.get(key));
        found.and_then(|found| found.as_str()).map(str::to_owned)
    };
    let release = field(&["release", "status"]).zip(field(&["release", "reason"]));
    if let Some((status, reason)) = release {
        return format!("{status} {reason}");
    }
    if let Some(state) = field(&["consequence", "release_state"]) {
        let holder = field(&["consequence", "current_execution_id"]);
        return match holder {
            Some(holder) => format!("{state}, held by {}", Shown::text(&holder)),
            None => format!("{state}, in quarantine"),
        };
    }
    ["state", "release_state", "clock"].iter().find_map(|key| field(&[key])).unwrap_or_default()
}
