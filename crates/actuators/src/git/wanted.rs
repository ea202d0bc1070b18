//! Reads what a branch is to become out of the material.

use std::str::FromStr;

use swampbox_material::{Material, MaterialError, Path, Shown, Value};

use super::names::{BranchName, CommitId, GitIdentity};
use super::patch::FileChange;
use super::repository::{GitRepository, Login, Place, Remote};
use super::{GitActuator, patch};
use crate::outlook::place;
use crate::payload::{Payload, refuse, string};

/// A branch of a configured repository, and what it is to become.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) repository: &'a GitRepository,
    pub(crate) branch: BranchName,
    pub(crate) change: Change<'a>,
}

#[derive(Debug)]
pub(crate) enum Change<'a> {
    Patch(Patch<'a>),
    Push { base: Option<CommitId>, commit: CommitId },
}

/// A commit that is to be made.
#[derive(Debug)]
pub(crate) struct Patch<'a> {
    pub(crate) base: CommitId,
    pub(crate) patch: &'a str,
    /// What the patch says that it does.
    pub(crate) changes: Vec<FileChange>,
    pub(crate) message: &'a str,
}

const MAX_PATCH_BYTES: usize = 1 << 20;
const MAX_MESSAGE_BYTES: usize = 64 << 10;

impl Change<'_> {
    /// What the branch has to be at; none if it must not be there.
    pub(crate) fn base(&self) -> Option<&CommitId> {
        match self {
            Change::Patch(patch) => Some(&patch.base),
            Change::Push { base, .. } => base.as_ref(),
        }
    }
}

impl<'a> Wanted<'a> {
    /// What `material` describes.
    ///
    /// # Errors
    ///
    /// `invalid_document`, with the path in the material, for anything that can't be carried out
    /// exactly as it is written, and for a repository or a branch that is not configured.
    pub(crate) fn read(
        actuator: &'a GitActuator,
        material: &'a Material,
    ) -> Result<Self, MaterialError> {
        let [_, target_path, _] = Material::FIELDS.map(|name| Path::root().key(name));
        let (branch, path, change) = read(material)?;
        let Some(repository) = actuator.repositories.get(&**material.target()) else {
            return refuse("no repository of this name is configured", target_path);
        };
        if !repository.allows(&branch) {
            return refuse("the branch is none that may be moved in this repository", path);
        }
        Ok(Self { repository, branch, change })
    }

    /// What is done with the repository, in words.
    pub(crate) fn outlook(&self, identity: &GitIdentity) -> String {
        let moves = match &self.repository.place {
            Place::Local(local) => format!(
                "moves the branch `{}` of the repository at {} in place, which runs no hook",
                self.branch,
                place(local)
            ),
            Place::Remote(remote) => self.push_outlook(remote),
        };
        match &self.change {
            Change::Push { .. } => moves,
            Change::Patch(_) => {
                let (name, email) = (Shown::text(&identity.name), Shown::text(&identity.email));
                format!("commits the patch as {name} with the address {email}, and {moves}")
            }
        }
    }

    fn push_outlook(&self, remote: &Remote) -> String {
        let Remote { url, mirror, source, login } = remote;
        let from = match (&self.change, source) {
            (Change::Push { .. }, Some(source)) => {
                format!("{}, and the repository at {}", place(mirror), place(source))
            }
            _ => place(mirror),
        };
        let login = match login {
            Some(Login { user, .. }) => {
                format!("logging in as {} with a credential", Shown::text(user))
            }
            None => "without logging in".into(),
        };
        let branch = &self.branch;
        format!(
            "pushes the commit to the branch `{branch}` of {url}, {login}, out of the mirror at {from}"
        )
    }

    /// Whether this can be done with a repository at such a place.
    ///
    /// # Errors
    ///
    /// `invalid_document`, with the path in the material.
    pub(crate) fn check_place(&self) -> Result<(), MaterialError> {
        match (&self.repository.place, &self.change) {
            (Place::Local(_), Change::Push { .. }) => {
                let [type_path, ..] = Material::FIELDS.map(|name| Path::root().key(name));
                refuse("the repository is a local one, and a push needs a remote", type_path)
            }
            _ => Ok(()),
        }
    }
}

/// The branch, with its path in the material, and what it is to become, in whatever repository.
///
/// # Errors
///
/// `invalid_document`, with the path in the material, for anything that can't be carried out exactly
/// as it is written.
fn read(material: &Material) -> Result<(BranchName, Path, Change<'_>), MaterialError> {
    match &**material.consequence_type() {
        GitActuator::PATCH => read_patch(material),
        GitActuator::PUSH => read_push(material),
        _ => {
            let [patch, push] = [GitActuator::PATCH, GitActuator::PUSH];
            let [type_path, ..] = Material::FIELDS.map(|name| Path::root().key(name));
            refuse(format!("only `{patch}` and `{push}` can be carried out"), type_path)
        }
    }
}

fn read_patch(material: &Material) -> Result<(BranchName, Path, Change<'_>), MaterialError> {
    let payload = Payload::of(material, &["branch", "base", "patch", "message"])?;
    let branch = parsed(payload.string("branch")?, || payload.path_of("branch"))?;
    let base = parsed(payload.string("base")?, || payload.path_of("base"))?;
    let patch = payload.string("patch")?;
    if patch.len() > MAX_PATCH_BYTES {
        return refuse("the patch has more than 1 MiB", payload.path_of("patch"));
    }
    let changes =
        patch::read(patch).or_else(|problem| refuse(problem, payload.path_of("patch")))?;
    let message = payload.string("message")?;
    check_message(message).or_else(|problem| refuse(problem, payload.path_of("message")))?;
    let change = Change::Patch(Patch { base, patch, changes, message });
    Ok((branch, payload.path_of("branch"), change))
}

fn read_push(material: &Material) -> Result<(BranchName, Path, Change<'_>), MaterialError> {
    let payload = Payload::of(material, &["branch", "base", "commit"])?;
    let branch = parsed(payload.string("branch")?, || payload.path_of("branch"))?;
    let base = match payload.required("base")? {
        Value::Null => None,
        value => {
            let path = || payload.path_of("base");
            Some(parsed::<CommitId>(string(value, path)?, path)?)
        }
    };
    let commit: CommitId = parsed(payload.string("commit")?, || payload.path_of("commit"))?;
    if base.as_ref().is_some_and(|base| base.object_format() != commit.object_format()) {
        return refuse("the base is an id of another kind", payload.path_of("base"));
    }
    if base.as_ref() == Some(&commit) {
        return refuse("the commit is the base, so nothing would move", payload.path_of("commit"));
    }
    Ok((branch, payload.path_of("branch"), Change::Push { base, commit }))
}

fn parsed<T: FromStr<Err = &'static str>>(
    text: &str,
    path: impl FnOnce() -> Path,
) -> Result<T, MaterialError> {
    text.parse().or_else(|problem: &str| refuse(problem, path()))
}

fn check_message(message: &str) -> Result<(), &'static str> {
    if message.len() > MAX_MESSAGE_BYTES {
        return Err("the message has more than 64 KiB");
    }
    if message.trim().is_empty() {
        return Err("the message is blank");
    }
    if message.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err("the message has control characters beyond line feeds and tabs");
    }
    Ok(())
}
