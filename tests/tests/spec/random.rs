//! The product against a naive model of the contract, and one store against the other, on random
//! scenarios.

use std::env;

use swampbox::scenario::Scenario;
use swampbox_custody::MemoryCustody;
use swampbox_tests::{model, random};
use tempfile::TempDir;

use crate::scenarios::{ledger, trace};

/// How many scenarios are tried where nothing else is said.
const DEFAULT_COUNT: u64 = 2_000;

/// And how many on a ledger, which has to be made for each.
const DEFAULT_COUNT_ON_LEDGER: u64 = 150;

#[test]
fn random_scenarios_agree_with_the_model() {
    let count = number("SWAMPBOX_RANDOM_SCENARIOS").unwrap_or(DEFAULT_COUNT);
    let first = number("SWAMPBOX_RANDOM_SEED").unwrap_or(0);
    for seed in first..first.saturating_add(count) {
        let scenario = random::scenario(seed);
        if let Err(difference) = agree(&scenario) {
            let small = random::shrink(&scenario, |smaller| agree(smaller).is_err());
            let why = agree(&small).err().unwrap_or(difference);
            panic!("seed {seed}: {why}\n{}", random::to_json(&small));
        }
    }
}

#[test]
fn random_scenarios_leave_the_same_trace_on_the_ledger() {
    let count = number("SWAMPBOX_RANDOM_SCENARIOS").unwrap_or(DEFAULT_COUNT_ON_LEDGER);
    let first = number("SWAMPBOX_RANDOM_SEED").unwrap_or(0);
    for seed in first..first.saturating_add(count) {
        let scenario = random::scenario(seed);
        if let Err(difference) = same_on_the_ledger(&scenario) {
            let small = random::shrink(&scenario, |smaller| same_on_the_ledger(smaller).is_err());
            let why = same_on_the_ledger(&small).err().unwrap_or(difference);
            panic!("seed {seed}: {why}\n{}", random::to_json(&small));
        }
    }
}

/// Plays a scenario on both stores and compares the traces byte by byte.
fn same_on_the_ledger(scenario: &model::Scenario) -> Result<(), String> {
    let file = read(scenario)?;
    let home = TempDir::new().unwrap();
    let on_ledger = trace(&file, &ledger(&home));
    let in_memory = trace(&file, &memory());
    if on_ledger == in_memory {
        return Ok(());
    }
    Err(format!("  ledger:\n{}\n  memory:\n{}", on_ledger.join("\n"), in_memory.join("\n")))
}

/// Plays a scenario on both and compares the traces line by line.
fn agree(scenario: &model::Scenario) -> Result<(), String> {
    let lines = trace(&read(scenario)?, &memory());
    let expected = model::run(scenario);
    for (expected, line) in expected.iter().zip(&lines) {
        expected
            .matches_json(line)
            .map_err(|why| format!("{why}\n  product: {line}\n  model:   {expected}"))?;
    }
    if expected.len() == lines.len() {
        return Ok(());
    }
    Err(format!("the model has {} lines, the product {}", expected.len(), lines.len()))
}

fn read(scenario: &model::Scenario) -> Result<Scenario, String> {
    Scenario::read(random::to_json(scenario).as_bytes()).map_err(|error| error.to_string())
}

fn memory() -> MemoryCustody {
    MemoryCustody::new("random".parse().unwrap())
}

fn number(variable: &str) -> Option<u64> {
    let value = env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable} is not a number: `{value}`")))
}
