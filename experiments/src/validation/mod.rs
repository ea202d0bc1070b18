//! The lifecycle validation: one consequence, from an execution that ended to one effect.
//!
//! A submits X, has it allowed, and ends. B can do nothing with X until it adopts it, and X's
//! decision releases nothing that B derives from it. Only a decision of its own releases C, once.
//! [`run`] walks this through the real custody and the real boundary, step by step, each with what
//! the contract says should happen. Beside it the same story is told without the model.
//!
//! Offline, which is the default, the effect is simulated. Live it is a GitHub issue, behind every
//! gate, a preflight of pinned identities, and a budget of one attempt.

mod baseline;
mod budget;
mod gates;
mod lifecycle;
mod live;
mod parts;
mod preflight;
mod report;

use std::path::PathBuf;

use crate::{
    ExitCode, Tool,
    github::{Gh, IssueConsequence},
};

pub use baseline::Baseline;
pub use budget::{Budget, BudgetError};
pub use gates::{ClosedGate, confirmation_token};
pub use lifecycle::Step;
pub use report::{Mode, Report};

/// What to validate, and how far.
#[derive(Debug, Clone)]
pub struct Options {
    /// C's repository, `owner/name`. Needed live; offline `owner/name` stands in for it.
    pub repository: Option<String>,
    /// C's title.
    pub title: String,
    /// C's body; `None` is no body.
    pub body: Option<String>,
    /// Gate: live mode is wanted.
    pub live: bool,
    /// Gate: the repository may be written to and thrown away.
    pub confirm_disposable_target: bool,
    /// Gate: exactly [`confirmation_token`] of the repository.
    pub confirmation: Option<String>,
    /// Gate: the full id of the commit that a clean checkout stands at.
    pub expected_head: Option<String>,
    /// The checkout that the head is compared with.
    pub checkout: PathBuf,
    /// Pin: the login that `gh` must be authenticated as.
    pub gh_user: Option<String>,
    /// Pin: the node id of the repository.
    pub repository_node_id: Option<String>,
    /// The file that counts the one attempt. It must not exist yet.
    pub budget_file: Option<PathBuf>,
    /// The `gh` command to use.
    pub gh: Gh,
    /// The `git` command to use.
    pub git: Tool,
}

impl Options {
    /// The offline validation, with the tools of this process's environment for live mode.
    pub fn offline() -> Self {
        Self {
            repository: None,
            title: "A consequence that B derived".to_owned(),
            body: None,
            live: false,
            confirm_disposable_target: false,
            confirmation: None,
            expected_head: None,
            checkout: PathBuf::from("."),
            gh_user: None,
            repository_node_id: None,
            budget_file: None,
            gh: Gh::from_environment(),
            git: Tool::from_environment("git", &["HOME", "XDG_CONFIG_HOME"]),
        }
    }

    /// Whether any gate was asked for. Some of them and not all is a closed gate, not offline.
    fn wants_live(&self) -> bool {
        self.live
            || self.confirm_disposable_target
            || self.confirmation.is_some()
            || self.expected_head.is_some()
            || self.gh_user.is_some()
            || self.repository_node_id.is_some()
            || self.budget_file.is_some()
    }
}

/// Runs the validation that `options` describe.
pub fn run(options: &Options) -> Report {
    if options.wants_live() {
        return match gates::check(options) {
            Ok(opened) => live::run(options, opened),
            Err(closed) => Report::closed(closed),
        };
    }
    let repository = options.repository.as_deref().unwrap_or("owner/name");
    match IssueConsequence::new(repository, &options.title, options.body.as_deref()) {
        Ok(consequence) => offline(&consequence),
        Err(error) => Report::new(Mode::Offline).end(ExitCode::Invalid, error.to_string()),
    }
}

fn offline(consequence: &IssueConsequence) -> Report {
    let told = lifecycle::tell(consequence, parts::Simulated);
    let report = Report::new(Mode::Offline).told(&told);
    if told.holds() && report.baseline.ran() {
        report.end(ExitCode::Ok, "every step went as the contract says")
    } else {
        report.end(ExitCode::Anomaly, told.complaint())
    }
}
