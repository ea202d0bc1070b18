//! Reading the API's list of issues, strictly.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, de::IgnoredAny};

use super::Repository;

/// An issue as the API shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Issue {
    pub(crate) number: u64,
    pub(crate) title: String,
    pub(crate) body: Option<String>,
}

/// Why a listing is not to be believed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListingError {
    #[error("the answer is not a series of JSON lists of issues: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("the answer is empty; even a repository without issues has one page")]
    Empty,
    #[error("item {number} belongs to another repository")]
    Foreign { number: u64 },
    #[error("item {number} appears twice")]
    Repeated { number: u64 },
}

/// Reads every page, leaves out pull requests, and refuses an item of another repository, pull
/// requests included.
pub(crate) fn parse(stdout: &[u8], repository: &Repository) -> Result<Vec<Issue>, ListingError> {
    let mut issues = Vec::new();
    let mut numbers = BTreeSet::new();
    let mut pages = 0_usize;
    // Older versions of gh print a list for each page, newer ones a single list.
    for page in serde_json::Deserializer::from_slice(stdout).into_iter::<Vec<Item>>() {
        pages += 1;
        for item in page? {
            if !item.belongs_to(repository) {
                return Err(ListingError::Foreign { number: item.number });
            }
            if !numbers.insert(item.number) {
                return Err(ListingError::Repeated { number: item.number });
            }
            if item.pull_request.is_none() {
                issues.push(Issue { number: item.number, title: item.title, body: item.body });
            }
        }
    }
    if pages == 0 { Err(ListingError::Empty) } else { Ok(issues) }
}

#[derive(Deserialize)]
struct Item {
    number: u64,
    title: String,
    #[serde(deserialize_with = "present")]
    body: Option<String>,
    html_url: String,
    repository_url: String,
    #[serde(default)]
    pull_request: Option<IgnoredAny>,
}

impl Item {
    fn belongs_to(&self, repository: &Repository) -> bool {
        let kind = if self.pull_request.is_some() { "pull" } else { "issues" };
        self.repository_url == repository.api_url()
            && self.html_url == format!("https://github.com/{repository}/{kind}/{}", self.number)
    }
}

/// Null is no body, but a missing key is not: serde would take both for `None`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}
