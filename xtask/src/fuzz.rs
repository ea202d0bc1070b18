//! Searches for input that breaks the reader, and for scenarios on which the product and the
//! naive model of its contract disagree.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::process::{self, cargo};
use crate::workspace::{self, Workspace};

/// What cargo-fuzz tells the compiler for a target with coverage and no sanitizer. It needs no
/// nightly compiler.
const COVERAGE: &str = "--cfg=fuzzing \
    -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Clink-dead-code \
    -Ccodegen-units=1";

/// The test that the product and the model agree.
const AGREEMENT: &str = "random_scenarios_agree";

/// How many random scenarios one run of the test takes, when the budget is a time.
const SCENARIOS_A_BATCH: u64 = 2_000;

/// How long to search, in each of the two searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Budget {
    Runs(u64),
    Seconds(u64),
}

impl Budget {
    pub(crate) fn parse(arguments: &[&str]) -> Result<Self, String> {
        let number = |text: &str| match text.parse() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("`{text}` is not a number above 0")),
        };
        match arguments {
            [] => Ok(Self::Seconds(60)),
            ["--runs", runs] => number(runs).map(Self::Runs),
            ["--seconds", seconds] => number(seconds).map(Self::Seconds),
            _ => Err("the arguments of `fuzz` are `--runs N` or `--seconds N`".to_owned()),
        }
    }
}

/// Runs both searches.
pub(crate) fn fuzz(workspace: &Workspace, budget: Budget) -> Result<(), String> {
    reader(workspace, budget)?;
    scenarios(workspace, budget)
}

/// Feeds the strict JSON reader with input that coverage guides. Needs a C++ compiler.
///
/// What was found interesting is kept below the target directory, and the next run begins with
/// it. An input that breaks the reader is written beside it.
pub(crate) fn reader(workspace: &Workspace, budget: Budget) -> Result<(), String> {
    let scratch = workspace.target.join("fuzz");
    let corpus = scratch.join("corpus");
    workspace::create(&corpus)?;
    let found = scratch.join("found-");
    let limits = match budget {
        Budget::Runs(runs) => [format!("-runs={runs}"), "-verbosity=0".to_owned()],
        Budget::Seconds(seconds) => {
            [format!("-max_total_time={seconds}"), "-verbosity=1".to_owned()]
        }
    };
    // With a target named, build scripts are compiled without the coverage flags.
    let words = "run --quiet --release --locked --manifest-path=tests/fuzz/Cargo.toml \
                 --target=host-tuple";
    let mut command = cargo(&workspace.root, words);
    command
        .env("RUSTFLAGS", COVERAGE)
        .env("CARGO_TARGET_DIR", &scratch)
        .arg("--")
        .args(limits)
        .args(["-print_final_stats=1", "-timeout=10"])
        .arg("-dict=tests/fuzz/json.dict")
        .arg(format!("-artifact_prefix={}", found.display()))
        .args([&corpus, Path::new("tests/scenarios")]);
    process::run(&mut command)
}

/// Runs random scenarios through the product and its model: with a count, those of the seeds from
/// 0; with a time, batches from a seed that differs each time.
fn scenarios(workspace: &Workspace, budget: Budget) -> Result<(), String> {
    let seconds = match budget {
        Budget::Runs(runs) => return batch(workspace, 0, runs),
        Budget::Seconds(seconds) => Duration::from_secs(seconds),
    };
    let begun = Instant::now();
    let mut seed =
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()) << 20;
    while begun.elapsed() < seconds {
        batch(workspace, seed, SCENARIOS_A_BATCH)?;
        seed += SCENARIOS_A_BATCH;
    }
    Ok(())
}

fn batch(workspace: &Workspace, first_seed: u64, count: u64) -> Result<(), String> {
    println!("    {count} scenarios from seed {first_seed}");
    let words =
        format!("test --release --locked --package=swampbox-tests --lib --tests {AGREEMENT}");
    let mut command = cargo(&workspace.root, &words);
    command
        .env("SWAMPBOX_RANDOM_SCENARIOS", count.to_string())
        .env("SWAMPBOX_RANDOM_SEED", first_seed.to_string());
    let output = process::output(&mut command)?;
    print!("{output}");
    if output.contains(AGREEMENT) {
        Ok(())
    } else {
        Err(format!("no test has `{AGREEMENT}` in its name"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_a_count_or_a_time() {
        assert_eq!(Budget::parse(&["--runs", "7"]), Ok(Budget::Runs(7)));
        assert_eq!(Budget::parse(&["--seconds", "7"]), Ok(Budget::Seconds(7)));
        assert_eq!(Budget::parse(&[]), Ok(Budget::Seconds(60)));
    }

    #[test]
    fn a_budget_of_nothing_is_refused() {
        assert!(Budget::parse(&["--runs", "0"]).is_err());
        assert!(Budget::parse(&["--runs", "many"]).is_err());
        assert!(Budget::parse(&["--runs"]).is_err());
    }
}
