//! Ratios, each of two things measured in the same run.
//!
//! `cargo xtask bench [--cedar] [--json] [FILTER...]` prints those whose group has a FILTER in its
//! name. With `--cedar`, `decide` measures Cedar too, which takes a while to build.
//! Absolute figures say little about another machine; a ratio says much. No test depends on either.

mod actuate;
mod custody;
mod decide;
mod decide_approvals;
#[cfg(feature = "cedar")]
mod decide_cedar;
mod decide_outside;
mod json;
mod ledger;
mod ledger_baseline;
mod ledger_filled;
mod ledger_read;
mod ledger_size;
mod ledger_verify;
mod ledger_world;
mod loopback;
mod measure;
mod report;
mod service;
mod service_load;
mod service_world;
mod world;

use std::error::Error;

use report::Line;

/// What can go wrong while measuring; it may come from another thread.
type Failure = Box<dyn Error + Send + Sync>;

/// Measures one group of lines.
type Group = fn() -> Result<Vec<Line>, Failure>;

const GROUPS: [(&str, Group); 14] = [
    ("json", json::reading_and_writing),
    ("equality", json::equality),
    ("throughput", custody::throughput),
    ("read", custody::reads_beside_a_blocked_actuator),
    ("end", custody::ends_among_few_and_many),
    ("threads", custody::two_threads_and_one),
    ("ledger-throughput", ledger::throughput),
    ("ledger-read", ledger_read::reads_beside_many_callers),
    ("ledger-size", ledger_size::a_million_and_a_thousand),
    ("ledger-verify", ledger_verify::verifying_and_hashing),
    ("decide", decide::each_provider),
    ("actuate", actuate::each_actuator),
    ("service", service::beside_the_library),
    ("service-load", service_load::blocked_and_open),
];

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [ledger_size::OPEN, path] = Vec::from_iter(arguments.iter().map(String::as_str))[..] {
        return ledger_size::open_and_tell(path);
    }
    // Cargo says `--bench` when it is to measure; without it, it only wants to see it run.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let as_json = arguments.iter().any(|argument| argument == "--json");
    let filters =
        arguments.iter().filter(|argument| !["--bench", "--json"].contains(&argument.as_str()));
    let filters: Vec<_> = filters.collect();
    if let Some(filter) =
        filters.iter().find(|filter| !GROUPS.iter().any(|(name, _)| name.contains(filter.as_str())))
    {
        let names = GROUPS.map(|(name, _)| name).join(", ");
        return Err(format!(
            "no group of measurements has `{filter}` in its name; there are {names}"
        )
        .into());
    }
    let wanted = |name: &str| {
        filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
    };
    let mut lines = Vec::new();
    for (_, measure) in GROUPS.iter().filter(|(name, _)| wanted(name)) {
        lines.extend(measure()?);
    }
    match as_json {
        true => println!("{}", report::json(&lines)),
        false => print!("{}", report::table(&lines)),
    }
    Ok(())
}
