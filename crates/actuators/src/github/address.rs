//! Where a GitHub answers, and which repository is meant.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::Origin;

/// The base URL of a GitHub's REST API: an [`Origin`], and a path where GitHub Enterprise Server has
/// one. `https`, or `http` to an address of the loopback interface.
///
/// ```
/// use swampbox_actuators::GitHubApi;
///
/// assert!("https://api.github.com".parse::<GitHubApi>().is_ok());
/// assert!("https://github.example.com/api/v3".parse::<GitHubApi>().is_ok());
/// assert!("http://127.0.0.1:8080".parse::<GitHubApi>().is_ok());
/// assert!("http://github.example.com".parse::<GitHubApi>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHubApi {
    origin: Origin,
    // INVARIANT (plain path): empty, or segments of letters, digits, `-` and `_`, each after a `/`.
    path: Arc<str>,
}

/// Text that is no [`GitHubApi`]. It is not repeated, since it could hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the base URL of a GitHub API can't be used: {problem}")]
pub struct InvalidGitHubApi {
    problem: String,
}

impl GitHubApi {
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The address of a repository in the API.
    pub(crate) fn repository(&self, repository: &RepositoryName) -> String {
        format!("{}{}/repos/{repository}", self.origin, self.path)
    }

    /// The address of a repository's pages for people.
    pub(crate) fn pages(&self, repository: &RepositoryName) -> String {
        match self.origin.as_str() {
            "https://api.github.com" => format!("https://github.com/{repository}"),
            origin => format!("{origin}/{repository}"),
        }
    }
}

impl FromStr for GitHubApi {
    type Err = InvalidGitHubApi;

    fn from_str(text: &str) -> Result<Self, InvalidGitHubApi> {
        let refuse = |problem: &str| Err(InvalidGitHubApi { problem: problem.into() });
        let host = text.find("://").map_or(0, |scheme| scheme + "://".len());
        let slash = text.get(host..).and_then(|rest| rest.find('/'));
        let (origin, path) = text.split_at(slash.map_or(text.len(), |slash| host + slash));
        let origin: Origin = match origin.parse() {
            Ok(origin) => origin,
            Err(error) => return Err(InvalidGitHubApi { problem: format!("{error}") }),
        };
        if !origin.is_confidential() {
            return refuse("`http` is for addresses of the loopback interface only");
        }
        let segment = |segment: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            !segment.is_empty() && segment.chars().all(plain)
        };
        if !path.is_empty() && !path.split('/').skip(1).all(segment) {
            return refuse("its path is not `/` and segments of letters, digits, `-` and `_`");
        }
        Ok(Self { origin, path: path.into() })
    }
}

impl fmt::Display for GitHubApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

/// `owner/repository`, as a target names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RepositoryName {
    // INVARIANT (one slash): both parts are as `FromStr` checks, so neither ends the path or climbs
    // out of it.
    text: Arc<str>,
}

const MAX_OWNER_BYTES: usize = 64;
const MAX_NAME_BYTES: usize = 100;

impl FromStr for RepositoryName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let Some((owner, name)) = text.split_once('/') else {
            return Err("the target is not `owner/repository`");
        };
        let in_owner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !(1..=MAX_OWNER_BYTES).contains(&owner.len()) || !owner.chars().all(in_owner) {
            return Err("the owner in the target is not 1 to 64 letters, digits, `-` and `_`");
        }
        let in_name = |c: char| in_owner(c) || c == '.';
        let dots = name.chars().all(|c| c == '.');
        if name.len() > MAX_NAME_BYTES || dots || !name.chars().all(in_name) {
            return Err(
                "the repository in the target is not 1 to 100 letters, digits, `-`, `_` and `.`",
            );
        }
        Ok(Self { text: text.into() })
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}
