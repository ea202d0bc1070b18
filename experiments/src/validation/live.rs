//! Live mode: the same story, with a GitHub issue as C's effect.

use swampbox_boundary::{Reason, ReleaseResult};
use swampbox_custody::ReleaseState;

use super::{Mode, Options, Report, gates::Opened, lifecycle, parts::Budgeted, preflight};
use crate::{
    ExitCode,
    github::{Created, GitHubIssueActuator, Repository, identical, verify},
};

/// Checks what is pinned, tells the story, and looks for the issue once.
pub(super) fn run(options: &Options, opened: Opened) -> Report {
    let report = Report::new(Mode::Live);
    let before = match preflight::check(&options.gh, &opened) {
        Ok(before) => before,
        Err(blocked) => return report.end(ExitCode::Blocked, blocked.to_string()),
    };
    let Opened { consequence, budget, .. } = opened;
    let actuator = Budgeted { budget, actuator: GitHubIssueActuator::new(options.gh.clone()) };
    let told = lifecycle::tell(&consequence, actuator);
    let mut report = report.told(&told);
    let Some(release) = &told.release else {
        return report.end(ExitCode::Anomaly, told.complaint());
    };
    match (release.status(), release.actuator_outcome()) {
        (ReleaseState::Contained, None) => return report.end(ExitCode::Anomaly, told.complaint()),
        (ReleaseState::Contained, Some(_)) => {
            return report.end(ExitCode::Blocked, release.reason().to_string());
        }
        (ReleaseState::Released | ReleaseState::Uncertain, _) => {}
    }
    let after = options.gh.read_issues(consequence.repository());
    report.matching_after = after.as_ref().ok().map(|issues| identical(issues, &consequence));
    if release.status() == ReleaseState::Uncertain {
        return report.end(ExitCode::Uncertain, release.reason().to_string());
    }
    report.created = named(release, consequence.repository());
    let verified = match &report.created {
        Some(created) => {
            verify(created, &consequence, &before, &after).map_err(|doubt| doubt.to_string())
        }
        None => Err("the report of success names no issue".to_owned()),
    };
    match verified {
        Err(doubt) => report.end(ExitCode::Anomaly, doubt),
        Ok(()) if !told.holds() => report.end(ExitCode::Anomaly, told.complaint()),
        Ok(()) => {
            report.end(ExitCode::Ok, "every step went as the contract says, and the issue is there")
        }
    }
}

/// The issue that the actuator's report names.
fn named(release: &ReleaseResult, repository: &Repository) -> Option<Created> {
    match release.reason() {
        Reason::Reported(report) => Created::from_url(report.detail(), repository),
        _ => None,
    }
}
