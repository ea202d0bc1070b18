//! The controlled GitHub issue: one real effect, attempted at most once and then looked for.
//!
//! The consequence is exactly a repository, a title and a body. [`run`] reads every issue of the
//! repository, creates at most one with the `gh` command, reads once more, and never tries again.
//! What `gh` says about its own success is not proof; only the second read is.
//!
//! Without both `live` and `confirm_disposable_target` no process is started at all.

mod actuator;
mod consequence;
mod created;
mod gh;
mod listing;
mod outcome;
mod report;
mod verify;

pub use actuator::GitHubIssueActuator;
pub use consequence::{InvalidConsequence, IssueConsequence, Repository};
pub use created::Created;
pub use gh::Gh;
pub use outcome::Outcome;
pub use report::Report;

pub(crate) use gh::{CreateError, ReadError, api_arguments};
pub(crate) use listing::Issue;
pub(crate) use verify::{identical, verify};

/// What to attempt, and how far.
#[derive(Debug, Clone)]
pub struct Options {
    /// The repository, `owner/name`, in GitHub's own spelling.
    pub repository: String,
    /// The title.
    pub title: String,
    /// The body; `None` is no body.
    pub body: Option<String>,
    /// Whether processes may be run and an issue created. Takes both this and the next.
    pub live: bool,
    /// The caller says that the repository may be written to and thrown away.
    pub confirm_disposable_target: bool,
    /// The `gh` command to use.
    pub gh: Gh,
}

/// Makes the attempt that `options` describe, or says why there was none.
pub fn run(options: &Options) -> Report {
    let Options { repository, title, body, live, confirm_disposable_target, gh } = options;
    let mut report = Report::new(options);
    let consequence = match IssueConsequence::new(repository, title, body.as_deref()) {
        Ok(consequence) => consequence,
        Err(error) => {
            return report.end(Outcome::NotAttemptedInvalidConsequence, error.to_string());
        }
    };
    report.plan = gh.plan(&consequence);
    if !(*live && *confirm_disposable_target) {
        return report.end(Outcome::NotAttemptedLiveGate, GATE_CLOSED);
    }
    attempt(gh, &consequence, report)
}

const GATE_CLOSED: &str =
    "nothing was run; an attempt takes both --live and --confirm-disposable-target";

fn attempt(gh: &Gh, consequence: &IssueConsequence, mut report: Report) -> Report {
    let before = match gh.read_issues(consequence.repository()) {
        Ok(issues) => issues,
        Err(ReadError::NotStarted(error)) => {
            return report.end(Outcome::NotAttemptedSpawnFailed, error);
        }
        Err(error) => return report.end(Outcome::NotAttemptedPrereadFailed, error.to_string()),
    };
    report.issues_before = Some(before.len());
    if let Some(number) = identical(&before, consequence).first() {
        let detail = format!("issue {number} has exactly this title and body already");
        return report.end(Outcome::NotAttemptedPreexisting, detail);
    }
    let created = gh.create_issue(consequence);
    if let Err(CreateError::NotStarted(error)) = created {
        return report.end(Outcome::NotAttemptedSpawnFailed, error);
    }
    report.create_attempts = 1;
    // The read is made whatever the attempt said, for people to see; it never turns doubt into success.
    let after = gh.read_issues(consequence.repository());
    report.after(&after, consequence);
    match created {
        Err(error) => report.end(Outcome::ExternalResultUncertain, error.to_string()),
        Ok(created) => {
            let verified = verify(&created, consequence, &before, &after);
            report.created = Some(created);
            match verified {
                Ok(()) => {
                    report.end(Outcome::VerifiedSuccess, "the second read shows exactly this issue")
                }
                Err(doubt) => report.end(Outcome::ExternalResultUnverified, doubt.to_string()),
            }
        }
    }
}
