use std::fmt::Display;

use swampbox_experiments::{ExitCode, github, inheritance, validation};

use crate::arguments::{ExperimentCommand, GithubArguments, ValidationArguments};
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

pub(super) fn run(command: ExperimentCommand, out: &mut Output) -> Result<Exit, Failure> {
    match command {
        ExperimentCommand::Inheritance { json } => {
            let matrix = inheritance::run();
            show(&matrix, json.then(|| matrix.to_json()), matrix.exit_code(), out)
        }
        ExperimentCommand::Github(arguments) => {
            let json = arguments.json;
            let report = github::run(&github_options(arguments));
            show(&report, json.then(|| report.to_json()), report.exit_code(), out)
        }
        ExperimentCommand::Validation(arguments) => {
            let json = arguments.json;
            let report = validation::run(&validation_options(arguments));
            show(&report, json.then(|| report.to_json()), report.exit_code(), out)
        }
    }
}

fn show(
    report: &impl Display,
    json: Option<String>,
    exit: ExitCode,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let text = json.unwrap_or_else(|| report.to_string());
    out.line(text.trim_end())?;
    if exit != ExitCode::Ok {
        let (error, name) = (Painted::bad("error"), exit.name());
        out.remark(format_args!("{error}: the experiment ended as {name}"));
    }
    Ok(Exit::Experiment(exit.code()))
}

fn github_options(arguments: GithubArguments) -> github::Options {
    github::Options {
        repository: arguments.repository,
        title: arguments.title,
        body: arguments.body,
        live: arguments.live,
        confirm_disposable_target: arguments.confirm_disposable_target,
        gh: github::Gh::from_environment(),
    }
}

fn validation_options(arguments: ValidationArguments) -> validation::Options {
    let default = validation::Options::offline();
    validation::Options {
        repository: arguments.repository,
        title: arguments.title.unwrap_or(default.title),
        body: arguments.body,
        live: arguments.live,
        confirm_disposable_target: arguments.confirm_disposable_target,
        confirmation: arguments.confirmation,
        expected_head: arguments.expected_head,
        checkout: arguments.checkout,
        gh_user: arguments.gh_user,
        repository_node_id: arguments.repository_node_id,
        budget_file: arguments.budget_file,
        ..default
    }
}
