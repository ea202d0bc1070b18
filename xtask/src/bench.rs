//! Measurements.

use crate::process::{self, cargo};
use crate::workspace::Workspace;

/// Asks for Cedar to be built and measured too.
const CEDAR: &str = "--cedar";

/// Runs the benchmark that prints ratios; the arguments are its own, but for [`CEDAR`].
pub(crate) fn bench(workspace: &Workspace, arguments: &[&str]) -> Result<(), String> {
    let mut words = "bench --locked --package=swampbox-tests --bench=ratios".to_owned();
    if arguments.contains(&CEDAR) {
        words.push_str(" --features=cedar");
    }
    words.push_str(" --");
    let own = arguments.iter().filter(|argument| **argument != CEDAR);
    process::run(cargo(&workspace.root, &words).args(own))
}
