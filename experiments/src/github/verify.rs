//! Whether a second, independent read shows exactly the issue that was reported.

use super::{Created, Issue, IssueConsequence, ReadError};

/// The numbers of the issues with exactly this title and body.
pub(crate) fn identical(issues: &[Issue], consequence: &IssueConsequence) -> Vec<u64> {
    let matching = issues.iter().filter(|issue| is_exactly(issue, consequence));
    matching.map(|issue| issue.number).collect()
}

/// Compares what `gh` reported with the reads before and after.
pub(crate) fn verify(
    created: &Created,
    consequence: &IssueConsequence,
    before: &[Issue],
    after: &Result<Vec<Issue>, ReadError>,
) -> Result<(), Doubt> {
    let number = created.number;
    let after = after.as_ref().map_err(|error| Doubt::NotRead(error.to_string()))?;
    if before.iter().any(|issue| issue.number == number) {
        return Err(Doubt::NotNew { number });
    }
    match after.iter().find(|issue| issue.number == number) {
        None => return Err(Doubt::Missing { number }),
        Some(issue) if !is_exactly(issue, consequence) => return Err(Doubt::Differs { number }),
        Some(_) => {}
    }
    match identical(after, consequence).len() {
        1 => Ok(()),
        count => Err(Doubt::Several { count }),
    }
}

/// Why a reported success is not a verified one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Doubt {
    #[error("the second read failed: {0}")]
    NotRead(String),
    #[error("issue {number} was there before the attempt")]
    NotNew { number: u64 },
    #[error("the second read does not show issue {number}")]
    Missing { number: u64 },
    #[error("issue {number} has another title or body")]
    Differs { number: u64 },
    #[error("{count} issues have exactly this title and body")]
    Several { count: usize },
}

fn is_exactly(issue: &Issue, consequence: &IssueConsequence) -> bool {
    issue.title == consequence.title() && issue.body.as_deref() == consequence.body()
}
