//! The gates of live mode. Every one must hold, and each that does not is named.

use std::path::PathBuf;

use serde::Serialize;
use swampbox_process::Tool;

use super::{Options, budget::Budget};
use crate::github::{IssueConsequence, Repository};

/// The token that confirms one issue in `repository`, to be given exactly.
pub fn confirmation_token(repository: &str) -> String {
    format!("one-issue-in:{repository}")
}

/// What live mode may do, once every gate holds. Only [`check`] makes one.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) consequence: IssueConsequence,
    pub(super) user: String,
    pub(super) repository_node_id: String,
    pub(super) budget: Budget,
}

/// A gate that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClosedGate {
    /// The gate.
    pub gate: &'static str,
    /// What is missing or wrong.
    pub detail: String,
}

/// Checks every gate. Git is asked only once all that needs no process holds.
pub(super) fn check(options: &Options) -> Result<Opened, Vec<ClosedGate>> {
    let mut closed = Vec::new();
    let mut demand = |holds: bool, gate: &'static str, detail: &str| {
        if !holds {
            closed.push(ClosedGate { gate, detail: detail.to_owned() });
        }
    };
    let Options { live, confirm_disposable_target, confirmation, expected_head, .. } = options;
    let Options { repository, gh_user, repository_node_id, budget_file, .. } = options;
    demand(*live, "live", "--live is missing");
    demand(
        *confirm_disposable_target,
        "disposable_target",
        "--confirm-disposable-target is missing",
    );

    let repository = repository.as_deref().and_then(Repository::parse);
    demand(repository.is_some(), "repository", "the repository must be given as `owner/name`");
    let token = repository.as_ref().map(|repository| confirmation_token(repository.as_str()));
    let confirmed = token.is_some() && *confirmation == token;
    demand(confirmed, "confirmation", "the confirmation must be exactly `one-issue-in:owner/name`");
    let pinned = |pin: &Option<String>| pin.clone().filter(|pin| !pin.is_empty());
    let (user, node_id) = (pinned(gh_user), pinned(repository_node_id));
    demand(user.is_some(), "gh_user", "the login that gh must be authenticated as is missing");
    demand(node_id.is_some(), "repository_node_id", "the node id of the repository is missing");
    demand(budget_file.is_some(), "budget_file", "the file that counts the one attempt is missing");
    let head = expected_head.as_deref().filter(|head| is_commit_id(head));
    demand(
        head.is_some(),
        "expected_head",
        "the expected head must be a full commit id in lower case",
    );

    let title = options.title.as_str();
    let consequence = repository.as_ref().map(|repository| {
        IssueConsequence::new(repository.as_str(), title, options.body.as_deref())
    });
    if let Some(Err(error)) = &consequence {
        demand(false, "consequence", &error.to_string());
    }
    let (Some(Ok(consequence)), Some(user), Some(repository_node_id), Some(file), Some(head), true) =
        (consequence, user, node_id, budget_file, head, closed.is_empty())
    else {
        return Err(closed);
    };
    Checkout { git: &options.git, directory: &options.checkout }
        .is_clean_at(head)
        .map_err(|detail| vec![ClosedGate { gate: "checkout", detail }])?;
    Ok(Opened { consequence, user, repository_node_id, budget: Budget::new(file) })
}

fn is_commit_id(text: &str) -> bool {
    [40, 64].contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

struct Checkout<'a> {
    git: &'a Tool,
    directory: &'a PathBuf,
}

impl Checkout<'_> {
    fn is_clean_at(&self, expected: &str) -> Result<(), String> {
        let head = self.ask(&["rev-parse", "--verify", "HEAD^{commit}"])?;
        if head.trim_end_matches('\n') != expected {
            return Err("the checkout's head is not the expected commit".to_owned());
        }
        let changes = self.ask(&[
            "status",
            "--porcelain=v1",
            "--untracked-files=all",
            "--ignore-submodules=none",
        ])?;
        if !changes.is_empty() {
            return Err("the checkout has changes or untracked files".to_owned());
        }
        Ok(())
    }

    fn ask(&self, question: &[&str]) -> Result<String, String> {
        let directory = self.directory.to_str().ok_or("the path of the checkout is not UTF-8")?;
        // Replaced objects would show other content under the expected id; a file-system monitor is
        // a program that the checkout's own settings could name.
        let fixed = ["--no-replace-objects", "-c", "core.fsmonitor=false", "-C", directory];
        let arguments: Vec<String> =
            fixed.iter().chain(question).map(|&argument| argument.to_owned()).collect();
        let finished = self.git.run(&arguments, None).map_err(|error| format!("git: {error}"))?;
        if !finished.status.success() {
            return Err(format!("git could not say: {}", finished.status));
        }
        String::from_utf8(finished.stdout).map_err(|_| "git's answer is no text".to_owned())
    }
}
