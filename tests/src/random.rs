//! Random scenarios, made so that their steps collide.
//!
//! [`scenario`] makes one from a seed, the same one for the same seed. [`to_json`] writes it as a
//! scenario file. [`shrink`] makes a smaller one of a scenario on which something fails.

mod authority;
mod cast;
mod json;
mod number;
mod payload;
mod shrink;
mod steps;
#[cfg(test)]
mod tests;

pub use json::to_json;
pub use shrink::shrink;

use crate::model::Scenario;
use cast::Cast;
use number::Numbers;
use steps::Generator;

/// The random scenario of this seed.
///
/// Two to four executions and two to six consequences meet in it, so that conflicts are frequent.
pub fn scenario(seed: u64) -> Scenario {
    let mut numbers = Numbers::from(seed);
    let clock = clock(&mut numbers);
    let cast = Cast::new(&mut numbers);
    let steps = Generator { numbers, cast }.scenario_steps();
    Scenario { title: format!("random scenario {seed}"), clock, steps }
}

fn clock(numbers: &mut Numbers) -> String {
    let start = if numbers.chance(85) {
        "2026-01-01T12:00:00Z"
    } else {
        numbers.pick(&[
            "2026-01-01T12:00:00.25Z",
            "2026-01-01T13:00:00+01:00",
            "2025-12-31T23:59:59.999999999Z",
            "2024-02-29T00:30:00+05:30",
            "1969-12-31T23:59:59.5-00:30",
            "1900-02-28T23:59:59Z",
            "0000-01-01T00:00:05Z",
            "9999-12-31T23:50:00Z",
        ])
    };
    start.to_owned()
}
