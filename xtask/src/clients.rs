//! The tests of the clients in other languages, on a service that is just built.

use std::path::PathBuf;
use std::process::Command;

use crate::process;
use crate::report::Report;
use crate::workspace::Workspace;

/// Where the tests find the command that serves.
const PROGRAM: &str = "SWAMPBOX";

/// Tests each client whose language is there.
pub(crate) fn clients(workspace: &Workspace, report: &mut Report) -> Result<(), String> {
    let old = "import sys; sys.exit(sys.version_info < (3, 9))";
    if process::succeeds(Command::new("python3").args(["-c", old])) {
        report.step("the Python client", || python(workspace))?;
    } else {
        report.leave_out("the tests of the Python client", "Python 3.9 (python3)")?;
    }
    if !process::succeeds(Command::new("node").arg("--version")) {
        return report.leave_out("the tests of the TypeScript client", "Node.js (node)");
    }
    if !has_compiler(workspace) {
        return report.leave_out("the tests of the TypeScript client", "its compiler (npm ci)");
    }
    report.step("the TypeScript client", || typescript(workspace))
}

fn python(workspace: &Workspace) -> Result<(), String> {
    let mut tests = Command::new("python3");
    tests.args(["-W", "error", "-m", "unittest", "discover", "-s", "tests", "-t", "."]);
    tests.env(PROGRAM, program(workspace)?).env("PYTHONDONTWRITEBYTECODE", "1");
    process::run(tests.current_dir(directory(workspace, "python")))
}

fn typescript(workspace: &Workspace) -> Result<(), String> {
    let mut tests = Command::new("npm");
    tests.args(["run", "--silent", "test"]).env(PROGRAM, program(workspace)?);
    process::run(tests.current_dir(directory(workspace, "typescript")))
}

/// Whether the compiler is there, which npm fetches as the lock file says.
fn has_compiler(workspace: &Workspace) -> bool {
    let directory = directory(workspace, "typescript");
    let mut fetch = Command::new("npm");
    fetch.args(["ci", "--no-audit", "--no-fund", "--silent"]).current_dir(&directory);
    directory.join("node_modules/.bin/tsc").exists() || process::succeeds(&mut fetch)
}

/// The command, built.
fn program(workspace: &Workspace) -> Result<PathBuf, String> {
    workspace.cargo("build --quiet --locked --package=swampbox")?;
    Ok(workspace.target.join("debug/swampbox"))
}

fn directory(workspace: &Workspace, language: &str) -> PathBuf {
    workspace.root.join("crates/service/clients").join(language)
}
