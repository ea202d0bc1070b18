//! The project's own commands: `cargo xtask help` lists them.

mod bench;
mod browser;
mod ci;
mod clients;
mod dependencies;
mod docs;
mod fuzz;
mod layers;
mod matrix;
mod page;
mod process;
mod report;
mod snapshots;
mod spec;
mod workspace;

use std::process::ExitCode;

use crate::fuzz::Budget;
use crate::report::Report;
use crate::workspace::Workspace;

const HELP: &str = "\
The project's own commands.

Usage: cargo xtask COMMAND

  ci                               everything that must hold before a commit is taken
  docs [--check]                   write the generated pages (or compare them), check links
                                   and anchors, run the blocks marked `sh run`
  clients                          test the clients in Python and TypeScript on a service
  layers                           check which crate uses which
  matrix                           check each crate alone with each choice of features
  bench [--cedar] [ARGUMENT...]    measure, Cedar's policies too if asked for; the other
                                   arguments go to the benchmark
  fuzz [--runs N | --seconds N]    look for input that breaks the reader, and for scenarios
                                   on which the product and its model disagree

`ci` leaves out what needs a program that is not installed, and says so at the end.
With SWAMPBOX_CI_REQUIRE_ALL=1 it fails instead.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), String> {
    match arguments {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        ["ci"] => ci::ci(&Workspace::load()?),
        ["docs"] => docs::docs(&Workspace::load()?, docs::Pages::Write),
        ["docs", "--check"] => docs::docs(&Workspace::load()?, docs::Pages::Compare),
        ["clients"] => {
            let mut report = Report::begin();
            clients::clients(&Workspace::load()?, &mut report)?;
            report.end();
            Ok(())
        }
        ["layers"] => layers::layers(&Workspace::load()?),
        ["matrix"] => matrix::matrix(&Workspace::load()?),
        ["bench", rest @ ..] => bench::bench(&Workspace::load()?, rest),
        ["fuzz", rest @ ..] => fuzz::fuzz(&Workspace::load()?, Budget::parse(rest)?),
        other => {
            Err(format!("`{}` is not a command; `cargo xtask help` lists them", other.join(" ")))
        }
    }
}
