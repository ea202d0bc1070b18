//! Whether gh is who, and the repository is what, the caller pinned.

use serde::{Deserialize, de::DeserializeOwned};
use swampbox_material::Shown;

use super::gates::Opened;
use crate::github::{Gh, Issue, api_arguments, identical};

/// Why live mode stops before anything is attempted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Blocked {
    #[error("gh could not be asked for {what}: {detail}")]
    NotAsked { what: &'static str, detail: String },
    #[error("gh is authenticated as {}, not as the pinned user", Shown::brief(found))]
    User { found: String },
    #[error("the repository is {}, with another name or node id than pinned", Shown::brief(found))]
    Repository { found: String },
    #[error("the repository is archived or has no issues")]
    NoIssues,
    #[error("issue {0} has exactly this title and body already")]
    Preexisting(u64),
    #[error("the budget of one attempt is spent")]
    Spent,
}

/// Compares the pins with what gh reports, and returns the issues that exist.
pub(super) fn check(gh: &Gh, opened: &Opened) -> Result<Vec<Issue>, Blocked> {
    let Opened { consequence, user, repository_node_id, budget } = opened;
    if budget.is_spent() {
        return Err(Blocked::Spent);
    }
    let found: User = ask(gh, "the authenticated user", "user")?;
    if found.login != *user {
        return Err(Blocked::User { found: found.login });
    }
    let repository = consequence.repository();
    let found: Found = ask(gh, "the repository", &format!("repos/{repository}"))?;
    if found.full_name != repository.as_str() || found.node_id != *repository_node_id {
        return Err(Blocked::Repository { found: found.full_name });
    }
    if found.archived || !found.has_issues {
        return Err(Blocked::NoIssues);
    }
    let issues = gh
        .read_issues(repository)
        .map_err(|error| Blocked::NotAsked { what: "the issues", detail: error.to_string() })?;
    match identical(&issues, consequence).first() {
        Some(&number) => Err(Blocked::Preexisting(number)),
        None => Ok(issues),
    }
}

#[derive(Deserialize)]
struct User {
    login: String,
}

#[derive(Deserialize)]
struct Found {
    full_name: String,
    node_id: String,
    archived: bool,
    has_issues: bool,
}

fn ask<T: DeserializeOwned>(gh: &Gh, what: &'static str, path: &str) -> Result<T, Blocked> {
    let not_asked = |detail: String| Blocked::NotAsked { what, detail };
    let stdout = gh.read(&api_arguments(&[path])).map_err(|error| not_asked(error.to_string()))?;
    serde_json::from_slice(&stdout).map_err(|error| not_asked(error.to_string()))
}
