//! Looks whether a branch holds what it should have become.

use std::path::Path;

use swampbox_boundary::Observation;

use super::command::Git;
use super::commit;
use super::names::CommitId;
use super::remote::{Listing, Talk};
use super::repository::{Place, Remote};
use super::store::Store;
use super::wanted::{Change, Wanted};

/// What the repository shows.
///
/// # Errors
///
/// Why nothing can be told.
pub(crate) fn observe(git: &Git<'_>, wanted: &Wanted<'_>) -> Result<Observation, String> {
    match &wanted.repository.place {
        Place::Local(path) => local(git, path, wanted),
        Place::Remote(remote) => distant(git, remote, wanted),
    }
}

fn local(git: &Git<'_>, path: &Path, wanted: &Wanted<'_>) -> Result<Observation, String> {
    let store = Store::find(git, path)?.untouched(git)?;
    let Change::Patch(_) = &wanted.change else {
        return Ok(Observation::absent(
            "the repository is a local one, to which nothing is pushed",
        ));
    };
    let tip = store.branch(git, &wanted.branch)?;
    compare(git, &store, wanted, tip)
}

fn distant(git: &Git<'_>, remote: &Remote, wanted: &Wanted<'_>) -> Result<Observation, String> {
    let talk = Talk::with(remote)?;
    let Listing { tip, is_empty } = talk.branch(git, &wanted.branch)?;
    if is_empty {
        return Err("the remote shows no branch at all".into());
    }
    if let (Some(tip), Change::Push { commit, .. }) = (&tip, &wanted.change)
        && tip == commit
    {
        return Ok(present(wanted, commit, tip));
    }
    let Some(tip) = tip else {
        return Ok(gone(wanted));
    };
    let store = talk.mirror(git, &tip)?.untouched(git)?;
    talk.fetch(git, &store, &wanted.branch.to_ref())?;
    compare(git, &store, wanted, Some(tip))
}

/// Compares the branch's history with the commit. For a patch it is made again, where nothing is kept.
fn compare(
    git: &Git<'_>,
    store: &Store,
    wanted: &Wanted<'_>,
    tip: Option<CommitId>,
) -> Result<Observation, String> {
    let Some(tip) = tip else {
        return Ok(gone(wanted));
    };
    let commit = match &wanted.change {
        Change::Push { commit, .. } => commit.clone(),
        Change::Patch(patch) => commit::make(git, store, patch)?,
    };
    // A commit that is nowhere in the store is not in the history of its branch.
    if store.commit(git, &commit)?.is_some() && store.contains(git, &tip, &commit)? {
        return Ok(present(wanted, &commit, &tip));
    }
    if store.is_shallow(git)? {
        return Err("the history of the repository is cut off".into());
    }
    let branch = &wanted.branch;
    Ok(Observation::absent(format!("the branch `{branch}` is at {tip}, without {commit}")))
}

fn present(wanted: &Wanted<'_>, commit: &CommitId, tip: &CommitId) -> Observation {
    let branch = &wanted.branch;
    Observation::present(if commit == tip {
        format!("the branch `{branch}` is at {commit}")
    } else {
        format!("the branch `{branch}` is at {tip}, and {commit} is in its history")
    })
}

fn gone(wanted: &Wanted<'_>) -> Observation {
    Observation::absent(format!("there is no branch `{}`", wanted.branch))
}
