//! What `gh issue create` prints when it succeeds.

use serde::Serialize;

use super::Repository;

/// The issue that `gh` says it created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Created {
    /// Its number.
    pub number: u64,
    /// Its page.
    pub url: String,
}

impl Created {
    /// Reads standard output: the page of one issue of `repository`, at most a line feed, and
    /// nothing else.
    pub(crate) fn from_stdout(stdout: &[u8], repository: &Repository) -> Option<Self> {
        let text = std::str::from_utf8(stdout).ok()?;
        Self::from_url(text.strip_suffix('\n').unwrap_or(text), repository)
    }

    /// Reads the page of one issue of `repository`.
    pub(crate) fn from_url(url: &str, repository: &Repository) -> Option<Self> {
        let number = url.rsplit('/').next()?.parse().ok().filter(|number| *number > 0)?;
        // Rebuilding the address refuses another repository, `+7`, `007` and whatever else parses.
        (url == repository.issue_url(number)).then(|| Self { number, url: url.to_owned() })
    }
}
