//! Checks of the generator.

use std::collections::BTreeSet;

use super::steps::MAX_NESTING;
use super::{scenario, shrink, to_json};
use crate::model::{Scenario, Step, TraceLine, Value, read, run};

const SEEDS: u64 = 2_000;

/// Every way in which a step can end, by the contract's tables: the operation and the code; for a
/// release that is refused or settled, the reason and the calls of the provider and the actuator.
///
/// Two rows of the recheck are not there: nothing removes a consequence, and no scenario has
/// another release of the same consequence left in progress when the provider answers.
const OUTCOMES: &str = "
    register: ok invalid_identifier execution_ended
    end: ok invalid_identifier execution_not_registered execution_not_active release_in_progress
    submit: ok invalid_identifier depth_exceeded non_finite_number unsupported_value
    submit: execution_not_registered execution_not_active consequence_exists own_parent
    submit: parent_not_found parent_release_in_progress parent_not_contained parent_not_in_custody
    read: ok invalid_identifier execution_not_registered execution_not_active not_visible
    transfer: ok invalid_identifier execution_not_registered execution_not_active same_execution
    transfer: not_visible release_in_progress not_contained
    inspect: ok invalid_identifier not_quarantined
    adopt: ok invalid_identifier execution_not_registered execution_not_active
    adopt: consequence_not_found release_in_progress not_adoptable not_quarantined
    state: ok invalid_identifier consequence_not_found
    advance: ok clock_invalid
    release: invalid_identifier
    release: execution_not_registered/0/0 execution_not_active/0/0 consequence_not_found/0/0
    release: release_in_progress/0/0 consequence_not_releasable/0/0
    release: consequence_not_in_active_custody/0/0 not_current_custodian/0/0
    release: authority_unavailable/1/0 consequence_not_releasable/1/0
    release: custody_changed_before_release/1/0 clock_invalid/1/0 authority_invalid/1/0
    release: authority_not_allowed/1/0 authority_consequence_mismatch/1/0
    release: authority_custodian_mismatch/1/0 authority_material_mismatch/1/0
    release: authority_invalid_timestamp/1/0 authority_not_yet_valid/1/0 authority_expired/1/0
    release: actuator_succeeded/1/1 actuator_definitely_not_executed/1/1
    release: actuator_outcome_uncertain/1/1
";

#[test]
fn random_scenarios_reach_every_outcome_of_the_contract() {
    let mut reached = BTreeSet::new();
    for seed in 0..SEEDS {
        reached.extend(run(&scenario(seed)).iter().map(outcome));
    }
    let expected: BTreeSet<String> = OUTCOMES
        .lines()
        .filter_map(|line| line.trim().split_once(':'))
        .flat_map(|(op, codes)| codes.split_whitespace().map(move |code| format!("{op} {code}")))
        .collect();
    let missing: Vec<_> = expected.difference(&reached).collect();
    assert!(missing.is_empty(), "never reached: {missing:#?}");
    let unknown: Vec<_> = reached.difference(&expected).collect();
    assert!(unknown.is_empty(), "not in the contract: {unknown:#?}");
}

#[test]
fn a_seed_makes_the_same_scenario_each_time() {
    for seed in 0..20 {
        assert_eq!(to_json(&scenario(seed)), to_json(&scenario(seed)));
    }
    assert_ne!(to_json(&scenario(1)), to_json(&scenario(2)));
}

#[test]
fn every_scenario_file_is_strict_json_within_the_limits() {
    for seed in 0..SEEDS {
        let scenario = scenario(seed);
        let file = read(&to_json(&scenario)).unwrap();
        assert!(depth(&file) <= 128, "seed {seed}");
        assert!(nesting(&scenario.steps) <= MAX_NESTING, "seed {seed}");
    }
}

#[test]
fn some_scenario_is_nested_as_deep_as_is_allowed() {
    let deepest = (0..SEEDS).map(|seed| nesting(&scenario(seed).steps)).max();
    assert_eq!(deepest, Some(MAX_NESTING));
}

#[test]
fn a_line_of_the_model_matches_itself() {
    for seed in 0..200 {
        for line in run(&scenario(seed)) {
            let printed = line.to_string().replace("\"error\":{", "\"error\":{\"message\":\"\",");
            assert_eq!(line.matches_json(&printed), Ok(()), "seed {seed}");
        }
    }
}

#[test]
fn a_failing_scenario_shrinks_to_what_it_needs() {
    let wanted = "release custody_changed_before_release/1/0";
    let fails = |scenario: &Scenario| run(scenario).iter().any(|line| outcome(line) == wanted);
    let failing = (0..SEEDS).map(scenario).find(|scenario| fails(scenario)).unwrap();
    let shrunk = shrink(&failing, fails);
    assert!(fails(&shrunk));
    // Registered, submitted, and released with one step during the evaluation, or with two where a
    // second execution takes over.
    assert!(to_json(&shrunk).matches("\"op\"").count() <= 5, "{}", to_json(&shrunk));
}

#[test]
fn a_scenario_that_does_not_fail_is_not_shrunk() {
    let scenario = scenario(3);
    let shrunk = shrink(&scenario, |_| false);
    assert_eq!(to_json(&shrunk), to_json(&scenario));
}

fn outcome(line: &TraceLine) -> String {
    let code = match &line.outcome {
        Err(code) => (*code).to_owned(),
        Ok(result) => match result.at("release") {
            Some(release) => format!(
                "{}/{}/{}",
                release.at("reason").and_then(Value::as_text).unwrap(),
                crate::model::write(result.at("provider_calls").unwrap()),
                crate::model::write(result.at("actuator_calls").unwrap()),
            ),
            None => "ok".to_owned(),
        },
    };
    format!("{} {code}", line.op)
}

/// How deep steps are nested in releases: 0 where they are not.
fn nesting(steps: &[Step]) -> u64 {
    let nested = |steps: &[Step]| {
        if steps.is_empty() { 0 } else { 1 + nesting(steps) }
    };
    let of_step = |step: &Step| match step {
        Step::Release(release) => {
            nested(&release.during_evaluation).max(nested(&release.during_actuation))
        }
        _ => 0,
    };
    steps.iter().map(of_step).max().unwrap_or(0)
}

fn depth(value: &Value) -> usize {
    match value {
        Value::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Map(pairs) => 1 + pairs.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        _ => 0,
    }
}
