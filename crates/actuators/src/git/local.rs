//! Moves a branch of a repository on this machine.

use std::path::Path;

use swampbox_boundary::ActuatorReport;

use super::command::{Git, exit_code};
use super::commit;
use super::names::{BranchName, CommitId};
use super::store::Store;
use super::wanted::{Change, Wanted};

/// Makes the commit and moves the branch to it.
///
/// # Errors
///
/// Why the branch surely was not moved.
pub(crate) fn actuate(
    git: &Git<'_>,
    path: &Path,
    wanted: &Wanted<'_>,
) -> Result<ActuatorReport, String> {
    let Wanted { branch, change, .. } = wanted;
    let Change::Patch(patch) = change else {
        return Err("the repository is a local one, and a push needs a remote".into());
    };
    let store = Store::find(git, path)?;
    check_base(store.branch(git, branch)?.as_ref(), branch, Some(&patch.base))?;
    check_worktrees(git, &store, branch)?;
    let commit = commit::make(git, &store, patch)?;
    update(git, &store, branch, &patch.base, &commit)
}

/// Whether the branch is where it has to be.
pub(crate) fn check_base(
    found: Option<&CommitId>,
    branch: &BranchName,
    base: Option<&CommitId>,
) -> Result<(), String> {
    match (found, base) {
        (found, base) if found == base => Ok(()),
        (None, _) => Err(format!("there is no branch `{branch}`")),
        (Some(found), None) => Err(format!("the branch `{branch}` is there already, at {found}")),
        (Some(found), Some(base)) => {
            Err(format!("the branch `{branch}` is at {found}, and no longer at the base {base}"))
        }
    }
}

/// A branch that is moved under a working tree leaves it behind, with everything undone in it.
fn check_worktrees(git: &Git<'_>, store: &Store, branch: &BranchName) -> Result<(), String> {
    let call = store.call("listing the working trees", ["worktree", "list", "--porcelain", "-z"]);
    let output = git.output(&call)?;
    let line = format!("branch {}", branch.to_ref());
    if output.split(|byte| *byte == 0).any(|found| found == line.as_bytes()) {
        return Err(format!(
            "the branch `{branch}` is checked out in a working tree; check out another one, or name a \
             bare repository"
        ));
    }
    Ok(())
}

/// Git takes these commands one after the other, and answers each before it reads the next. It locks
/// the branch and compares it with the base at `prepare`, and moves it at `commit`. So if it runs no
/// more, has not said that all went well, all that it wrote is here, and the answer to `prepare` is not,
/// then nothing moved. One that says that all went well and has not answered is none that can be believed
/// in this; only a branch that is then seen at its base was not moved.
fn update(
    git: &Git<'_>,
    store: &Store,
    branch: &BranchName,
    base: &CommitId,
    commit: &CommitId,
) -> Result<ActuatorReport, String> {
    let full = branch.to_ref();
    let commands =
        format!("start\noption no-deref\nupdate {full} {commit} {base}\nprepare\ncommit\n");
    let call = store
        .call("moving the branch", ["update-ref", "-m", "swampbox: git.patch", "--stdin"])
        .input(commands.as_bytes());
    let finished = git.run(&call)?;
    let answered =
        |answer: &str| String::from_utf8_lossy(&finished.stdout).lines().any(|line| line == answer);
    let moved = format!("branch `{branch}` from {base} to {commit}");
    if answered("commit: ok") {
        Ok(ActuatorReport::succeeded(format!("moved the {moved}")))
    } else if finished.is_whole && !answered("prepare: ok") {
        match exit_code(&finished) {
            Some(0) => Ok(ActuatorReport::uncertain(format!(
                "git may have moved the {moved}: it ended well without saying so, and {}",
                away_from_base(git, store, branch, base)?
            ))),
            _ => Err(call.failed(&finished)),
        }
    } else {
        let problem = call.failed(&finished);
        Ok(ActuatorReport::uncertain(format!("git may have moved the {moved}: {problem}")))
    }
}

/// Where the branch is, if that is not the base.
///
/// # Errors
///
/// That it is still at the base, so that it surely was not moved.
fn away_from_base(
    git: &Git<'_>,
    store: &Store,
    branch: &BranchName,
    base: &CommitId,
) -> Result<String, String> {
    match store.branch(git, branch) {
        Ok(Some(found)) if found == *base => Err(format!(
            "git ended as if it had moved the branch `{branch}`, which is still at the base {base}"
        )),
        Ok(Some(found)) => Ok(format!("the branch is at {found}")),
        Ok(None) => Ok("the branch is not there any more".into()),
        Err(problem) => Ok(format!("the branch can't be read: {problem}")),
    }
}
