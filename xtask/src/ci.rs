//! `cargo xtask ci`: everything that must hold before a commit is taken.

use std::process::Command;

use crate::docs::{self, Pages};
use crate::fuzz::{self, Budget};
use crate::layers::{self, CORE};
use crate::process::{self, cargo};
use crate::report::Report;
use crate::snapshots::References;
use crate::workspace::Workspace;
use crate::{browser, clients, dependencies, snapshots, spec};

/// How many inputs the reader is given: some seconds.
const FUZZ_INPUTS: u64 = 100_000;

/// Runs every check in order and stops at the first that fails. The cheap ones come first.
pub(crate) fn ci(workspace: &Workspace) -> Result<(), String> {
    let references = References::begin(workspace)?;
    let mut report = Report::begin();

    report.step("layers", || layers::layers(workspace))?;
    report.step("dependencies", || dependencies::check(workspace))?;
    report.step("spec modules", || spec::check(workspace))?;
    if process::succeeds(&mut cargo(&workspace.root, "fmt --version")) {
        report.step("format", || format(workspace))?;
    } else {
        report.leave_out("the format", "rustfmt")?;
    }
    if process::succeeds(&mut cargo(&workspace.root, "clippy --version")) {
        report.step("clippy", || {
            workspace.cargo("clippy --locked --workspace --all-targets -- -Dwarnings")
        })?;
    } else {
        report.leave_out("the lints", "clippy")?;
    }
    if process::succeeds(&mut cargo(&workspace.root, "nextest --version")) {
        report.step("tests, with nextest", || {
            tests(workspace, &references, "nextest run --locked --workspace")
        })?;
    } else {
        report.leave_out("the tests in a process each", "cargo-nextest")?;
    }
    report.step("tests, with cargo", || {
        let words = "test --locked --workspace --lib --bins --tests";
        tests(workspace, &references, words)
    })?;
    report.step("doctests", || workspace.cargo("test --locked --workspace --doc"))?;
    for name in CORE {
        report.step(&format!("swampbox-{name} alone"), || alone(workspace, &references, name))?;
    }
    report.step("cedar and traces, and our JSON beside them", || {
        let features = "--features=swampbox-policy/cedar";
        workspace.cargo(&format!(
            "clippy --locked --package=swampbox-policy --all-targets {features} -- -Dwarnings"
        ))?;
        let packages = "--package=swampbox-policy --package=swampbox-material";
        let words = format!("test --locked {packages} {features} --lib --tests");
        tests(workspace, &references, &words)?;
        workspace.cargo("test --locked --package=swampbox-policy --features=cedar --doc")?;
        let features = "--features=cedar,otlp";
        let words = format!("test --locked --package=swampbox {features} --test=spec");
        tests(workspace, &references, &format!("{words} -- cedar traces"))?;
        let packages = "--package=swampbox --package=swampbox-service";
        workspace.cargo(&format!(
            "clippy --locked {packages} --all-targets --features=otlp -- -Dwarnings"
        ))
    })?;
    match browser::missing(workspace) {
        None => report.step("the console in a browser", || browser::check(workspace))?,
        Some(missing) => report.leave_out("the console in a browser", missing)?,
    }
    report.step("rustdoc", || rustdoc(workspace))?;
    report.step("docs --check", || docs::docs(workspace, Pages::Compare))?;
    clients::clients(workspace, &mut report)?;
    report.step("snapshots", || snapshots::check(workspace, &references))?;
    if process::succeeds(Command::new("c++").arg("--version")) {
        report.step("fuzz", || fuzz::reader(workspace, Budget::Runs(FUZZ_INPUTS)))?;
    } else {
        report.leave_out("fuzzing the reader", "a C++ compiler (c++)")?;
    }
    report.end();
    Ok(())
}

fn format(workspace: &Workspace) -> Result<(), String> {
    workspace.cargo("fmt --all --check")?;
    workspace.cargo("fmt --manifest-path=tests/fuzz/Cargo.toml --check")
}

fn tests(workspace: &Workspace, references: &References, words: &str) -> Result<(), String> {
    process::run(references.record(&mut cargo(&workspace.root, words)))
}

/// Builds and tests one crate with the features that it asks for itself: in the workspace another
/// crate may have switched on what it lacks.
fn alone(workspace: &Workspace, references: &References, name: &str) -> Result<(), String> {
    workspace.cargo(&format!("build --locked --package=swampbox-{name}"))?;
    let words = format!("test --locked --package=swampbox-{name} --lib --tests");
    tests(workspace, references, &words)
}

fn rustdoc(workspace: &Workspace) -> Result<(), String> {
    let mut command = cargo(&workspace.root, "doc --locked --workspace --no-deps");
    process::run(command.env("RUSTDOCFLAGS", "-Dwarnings"))
}
