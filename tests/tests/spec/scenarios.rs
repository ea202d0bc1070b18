//! The scenario files, on every store.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use swampbox::scenario::{self, Scenario, StepResult};
use swampbox_custody::{Custody, MemoryCustody};
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::LedgerCustody;
use swampbox_material::Code;
use tempfile::TempDir;

#[test]
fn every_scenario_holds_on_the_memory_store() {
    let files = files();
    assert!(files.len() >= 60, "there are only {} scenarios", files.len());
    for file in files {
        let mut expectations = 0;
        scenario::run(&read(&file), &store(), |played| {
            expectations += usize::from(played.expected);
            if let Some(mismatch) = played.mismatch {
                panic!("{}: step {}: {mismatch}", file.display(), played.step);
            }
        });
        assert!(expectations > 0, "{} expects nothing", file.display());
    }
}

#[test]
fn every_scenario_leaves_the_same_trace_on_the_ledger() {
    for file in files() {
        let scenario = read(&file);
        let home = TempDir::new().unwrap();
        assert_eq!(
            trace(&scenario, &ledger(&home)),
            trace(&scenario, &store()),
            "{}",
            file.display()
        );
    }
}

#[test]
fn every_code_is_shown_by_a_scenario_or_can_not_come_up_in_one() {
    let mut shown = Vec::new();
    for file in files() {
        scenario::run(&read(&file), &store(), |played| match played.result {
            Some(StepResult::Error { code, .. }) => shown.push(code.to_string()),
            Some(StepResult::Ok(result)) => shown.extend(reason(&result)),
            None => {}
        });
    }
    let missing =
        Code::ALL.iter().map(|code| code.as_str()).filter(|code| !shown.iter().any(|s| s == code));
    assert_snapshot!(missing.collect::<Vec<_>>().join("\n"));
}

fn reason(result: &swampbox_material::json::Json) -> Option<String> {
    let release = result.as_object()?.get("release")?;
    Some(release.as_object()?.get("reason")?.as_str()?.to_owned())
}

pub(crate) fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files
}

pub(crate) fn read(file: &Path) -> Scenario {
    let scenario = Scenario::read(&fs::read(file).unwrap());
    scenario.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

pub(crate) fn store() -> MemoryCustody {
    MemoryCustody::new("scenario".parse().unwrap())
}

/// An empty ledger in a directory of its own.
pub(crate) fn ledger(home: &TempDir) -> LedgerCustody {
    LedgerCustody::create(home.path().join("ledger"), Box::new(SystemClock)).unwrap()
}

/// The lines of the trace that a scenario leaves on a store.
pub(crate) fn trace(scenario: &Scenario, custody: &impl Custody) -> Vec<String> {
    let mut lines = Vec::new();
    scenario::run(scenario, custody, |played| {
        lines.extend(played.trace_line().map(|line| line.to_string()));
    });
    lines
}
