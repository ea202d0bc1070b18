//! The `gh` command: what is asked of it, and what counts as an answer.

use std::ffi::OsString;

use swampbox_material::Shown;
use swampbox_process::{Finished, Limits, RunError, Tool};

use super::{
    Created, IssueConsequence, Repository,
    listing::{self, Issue, ListingError},
};

/// The variables that `gh` may need to find its credentials, its settings and the network.
const VARIABLES: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "GH_CONFIG_DIR",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// The `gh` command, always on github.com whatever its settings say.
#[derive(Debug, Clone)]
pub struct Gh(Tool);

impl Gh {
    /// `gh` as this process's PATH finds it, with this user's credentials.
    pub fn from_environment() -> Self {
        Self::prepared(Tool::from_environment("gh", VARIABLES))
    }

    /// `gh` as `path` finds it, with no other variable than those that silence it.
    pub fn on_path(path: impl Into<OsString>, limits: Limits) -> Self {
        Self::prepared(Tool::new("gh", path, limits))
    }

    fn prepared(tool: Tool) -> Self {
        Self(
            tool.with_variable("GH_PROMPT_DISABLED", "1")
                .with_variable("GH_NO_UPDATE_NOTIFIER", "1")
                .with_variable("NO_COLOR", "1"),
        )
    }

    /// Every issue of `repository`, open and closed, from one fresh and complete read.
    pub(crate) fn read_issues(&self, repository: &Repository) -> Result<Vec<Issue>, ReadError> {
        let stdout = self.read(&list_arguments(repository))?;
        Ok(listing::parse(&stdout, repository)?)
    }

    /// What `gh api` prints for `arguments`, if it ended well.
    pub(crate) fn read(&self, arguments: &[String]) -> Result<Vec<u8>, ReadError> {
        match self.0.run(arguments, None) {
            Ok(finished) if finished.status.success() => Ok(finished.stdout),
            Ok(finished) => Err(ReadError::Refused(ending(&finished))),
            Err(error @ RunError::NotStarted(_)) => Err(ReadError::NotStarted(error.to_string())),
            Err(error) => Err(ReadError::Broken(error.to_string())),
        }
    }

    /// Runs `gh issue create` once. Whatever is not an exact success after the start is doubt.
    pub(crate) fn create_issue(
        &self,
        consequence: &IssueConsequence,
    ) -> Result<Created, CreateError> {
        let finished = match self.0.run(&create_arguments(consequence), consequence.body()) {
            Ok(finished) => finished,
            Err(error @ RunError::NotStarted(_)) => {
                return Err(CreateError::NotStarted(error.to_string()));
            }
            Err(error) => return Err(CreateError::Broken(error.to_string())),
        };
        if !finished.status.success() {
            return Err(CreateError::Broken(ending(&finished)));
        }
        Created::from_stdout(&finished.stdout, consequence.repository())
            .ok_or(CreateError::NotAnAddress)
    }

    /// The commands of a whole attempt, in order.
    pub(crate) fn plan(&self, consequence: &IssueConsequence) -> Vec<Vec<String>> {
        let read = list_arguments(consequence.repository());
        [read.clone(), create_arguments(consequence), read]
            .into_iter()
            .map(|arguments| [vec!["gh".to_owned()], arguments].concat())
            .collect()
    }
}

/// Why a read gave nothing to go by.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("{0}")]
    NotStarted(String),
    #[error("the read did not come to its end: {0}")]
    Broken(String),
    #[error("the read was refused: {0}")]
    Refused(String),
    #[error("the read can't be believed: {0}")]
    Listing(#[from] ListingError),
}

/// Why a creation is not an exact success.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CreateError {
    /// Nothing was started, so nothing was created.
    #[error("{0}")]
    NotStarted(String),
    #[error("gh was started and did not report success: {0}")]
    Broken(String),
    #[error("gh reported success without the address of an issue of this repository")]
    NotAnAddress,
}

fn list_arguments(repository: &Repository) -> Vec<String> {
    // Oldest first: an issue created meanwhile can't push another from one page to the next.
    let query = "state=all&sort=created&direction=asc&per_page=100";
    api_arguments(&["--paginate", &format!("repos/{repository}/issues?{query}")])
}

/// The arguments of a read of the API on github.com.
pub(crate) fn api_arguments(rest: &[&str]) -> Vec<String> {
    let fixed = ["api", "--hostname=github.com", "--method=GET"];
    fixed.iter().chain(rest).map(|&argument| argument.to_owned()).collect()
}

fn create_arguments(consequence: &IssueConsequence) -> Vec<String> {
    vec![
        "issue".to_owned(),
        "create".to_owned(),
        format!("--repo=github.com/{}", consequence.repository()),
        format!("--title={}", consequence.title()),
        match consequence.body() {
            Some(_) => "--body-file=-".to_owned(),
            None => "--body=".to_owned(),
        },
    ]
}

/// How a process ended, with the end of what it said about it.
fn ending(finished: &Finished) -> String {
    const SHOWN: usize = 300;
    let said = String::from_utf8_lossy(&finished.stderr);
    let said = said.trim();
    let cut = said.char_indices().rev().nth(SHOWN - 1).map_or(0, |(index, _)| index);
    let tail = said.get(cut..).unwrap_or_default();
    let status = finished.status;
    if tail.is_empty() { status.to_string() } else { format!("{status}: {}", Shown::text(tail)) }
}
