//! The console in a real browser. Pictures of its pages are left in `target/screenshots`.

use std::process::Command;

use crate::process::{self, cargo};
use crate::workspace::Workspace;

/// The browser, by the name under which Debian installs it.
const BROWSER: &str = "/usr/bin/chromium";

/// Where the script is, and what it needs beside it.
const DIRECTORY: &str = "crates/service/tests/browser";

/// The first of the programs that it takes which is not there.
pub(crate) fn missing(workspace: &Workspace) -> Option<&'static str> {
    let driver = workspace.root.join(DIRECTORY).join("node_modules/playwright-core");
    if !process::succeeds(Command::new(BROWSER).arg("--version")) {
        Some("/usr/bin/chromium")
    } else if !process::succeeds(Command::new("node").arg("--version")) {
        Some("node")
    } else if !driver.is_dir() {
        Some("playwright-core (by `npm ci` in crates/service/tests/browser)")
    } else {
        None
    }
}

/// Uses the console as a person does.
pub(crate) fn check(workspace: &Workspace) -> Result<(), String> {
    let words = "test --locked --package=swampbox-service --test=spec console_browser";
    process::run(cargo(&workspace.root, words).env("SWAMPBOX_BROWSER", BROWSER))
}
