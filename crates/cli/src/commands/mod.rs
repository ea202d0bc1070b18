mod compare;
mod experiment;
mod ledger;
mod pages;
mod scenario;

use crate::arguments::{Arguments, Command};
use crate::demo;
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(crate) fn run(arguments: Arguments, out: &mut Output) -> Result<Exit, Failure> {
    match arguments.command {
        Command::Demo { json } => demo::run(json, out),
        Command::DemoAgent { ledger, origin } => demo::agent(&ledger, &origin),
        Command::Ledger(command) => ledger::run(command, out),
        Command::Compare { declaration, proposal, json } => {
            compare::run(&declaration, proposal.as_deref(), json, out)
        }
        Command::Scenario(command) => scenario::run(command, out),
        Command::Experiment(command) => experiment::run(command, out),
        Command::Completions { shell } => pages::completions(shell, out),
        Command::Man { directory: None } => pages::man(out),
        Command::Man { directory: Some(directory) } => pages::manuals(&directory),
        Command::Docs { page } => pages::markdown(page, out),
    }
}
