//! The scenario files, through a service: what is played in the library is asked for over HTTP.

mod door;
mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use insta::assert_snapshot;
use swampbox::scenario::{self, Scenario};
use swampbox_material::json::Json;

use crate::scenarios::{files, read, store, trace};
use door::Door;

/// Where HTTP says something else than the library is shown, line by line: first the library, then HTTP.
/// It is what HTTP can't be asked, or answers otherwise on purpose:
///
/// - no token was ever made for what is no id of an execution;
/// - who makes an execution that is there already gets no second token.
#[test]
fn every_scenario_leaves_the_same_trace_through_http_but_for_these_lines() {
    let mut differences = Vec::new();
    for file in files() {
        let scenario = read(&file);
        let there = by_step(trace(&scenario, &store()));
        let here = by_step(through_http(&scenario));
        let steps: BTreeSet<&String> = there.keys().chain(here.keys()).collect();
        for step in steps.into_iter().filter(|step| there.get(*step) != here.get(*step)) {
            let name = file.file_name().map(Path::new).unwrap();
            let [there, here] = [&there, &here].map(|lines| match lines.get(step) {
                Some(line) => line.as_str(),
                None => "nothing",
            });
            differences.push(format!("{}\n  {there}\n  {here}", name.display()));
        }
    }
    assert_snapshot!(differences.join("\n"));
}

fn through_http(scenario: &Scenario) -> Vec<String> {
    let mut lines = Vec::new();
    let door = Door::open();
    scenario::run_on(scenario, &door, |played| {
        lines.extend(played.trace_line().map(|line| line.to_string()));
    });
    lines
}

/// The lines of a trace by their steps, which are in their order.
fn by_step(lines: Vec<String>) -> BTreeMap<String, String> {
    let step = |line: &str| {
        let line = Json::read(line.as_bytes()).unwrap();
        line.as_object().unwrap().get("step").unwrap().as_str().unwrap().to_owned()
    };
    let count = lines.len();
    let by_step: BTreeMap<_, _> = lines.into_iter().map(|line| (step(&line), line)).collect();
    assert_eq!(by_step.len(), count, "some step is there twice");
    by_step
}
