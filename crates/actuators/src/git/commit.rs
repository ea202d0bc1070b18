//! Makes the one commit that a patch means, without a working tree.

use super::command::{Git, exit_code};
use super::names::CommitId;
use super::patch;
use super::store::Store;
use super::wanted::Patch;

/// Writes the commit into the store and gives its id. No branch moves. The same patch gives the same
/// id at whatever time.
///
/// # Errors
///
/// Why it can't be made.
pub(crate) fn make(git: &Git<'_>, store: &Store, wanted: &Patch<'_>) -> Result<CommitId, String> {
    let base = wanted.base.as_str();
    let Some(found) = store.commit(git, &wanted.base)? else {
        return Err(format!("the base {base} is not in the repository"));
    };
    let index = git.scratch("index");
    let call = |doing, arguments: &[&str]| {
        store
            .call(doing, arguments.iter().copied())
            .with("GIT_INDEX_FILE", index.as_os_str())
            .with("GIT_WORK_TREE", git.scratch("empty"))
    };
    git.output(&call("reading the base", &["read-tree", base]))?;
    apply(git, wanted, &call)?;
    let tree = git.output(&call("writing the tree", &["write-tree"]))?;
    let tree = id_of(&tree, "writing the tree")?;
    let raw = ["diff-tree", "-r", "--raw", "-z", "--no-renames", base, tree.as_str()];
    patch::tree::check(&git.output(&call("comparing the trees", &raw))?, &wanted.changes)?;
    let moment = format!("@{} +0000", found.committed_at.saturating_add(1));
    let commit = call("writing the commit", &["commit-tree", "-p", base, tree.as_str()])
        .with("GIT_AUTHOR_DATE", &moment)
        .with("GIT_COMMITTER_DATE", &moment)
        .input(wanted.message.as_bytes());
    id_of(&git.output(&commit)?, "writing the commit")
}

/// Applies the patch to the index, where each hunk has to fit at the line that it names.
fn apply<'c>(
    git: &Git<'_>,
    wanted: &Patch<'c>,
    call: &impl Fn(&'static str, &[&str]) -> super::command::Call<'c>,
) -> Result<(), String> {
    let apply = call("applying the patch", &["apply", "--cached", "--verbose", "-p1", "-"])
        .input(wanted.patch.as_bytes());
    let finished = git.run(&apply)?;
    if exit_code(&finished) != Some(0) {
        return Err(apply.failed(&finished));
    }
    let said = String::from_utf8_lossy(&finished.stderr);
    let moved = |line: &str| line.starts_with("Hunk #") && line.contains(" succeeded at ");
    match said.lines().find(|line| moved(line)) {
        Some(_) => Err("a hunk of the patch fits only at another line than it names".into()),
        None => Ok(()),
    }
}

fn id_of(output: &[u8], doing: &str) -> Result<CommitId, String> {
    let text = String::from_utf8_lossy(output);
    text.trim_end_matches('\n').parse().map_err(|_| format!("{doing} gave no id"))
}
