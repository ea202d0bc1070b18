//! The product against a naive model of the contract, on random scenarios.

use std::env;

use swampbox::scenario::{self, Scenario};
use swampbox_custody::MemoryCustody;
use swampbox_tests::{model, random};

/// How many scenarios are tried where nothing else is said.
const DEFAULT_COUNT: u64 = 2_000;

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

/// Plays a scenario on both and compares the traces line by line.
fn agree(scenario: &model::Scenario) -> Result<(), String> {
    let file = Scenario::read(random::to_json(scenario).as_bytes()).map_err(|e| e.to_string())?;
    let custody = MemoryCustody::new("random".parse().unwrap());
    let mut lines = Vec::new();
    scenario::run(&file, &custody, |played| {
        lines.extend(played.trace_line().map(|line| line.to_string()));
    });
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

fn number(variable: &str) -> Option<u64> {
    let value = env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable} is not a number: `{value}`")))
}
