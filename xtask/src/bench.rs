//! Measurements.

use crate::process::{self, cargo};
use crate::workspace::Workspace;

/// Runs the benchmark that prints ratios; the arguments are its own.
pub(crate) fn bench(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    let words = "bench --locked --package=swampbox-tests --bench=ratios --";
    process::run(cargo(&workspace.root, words).args(arguments))
}
