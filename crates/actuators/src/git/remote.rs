//! Moves a branch of a remote repository.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use swampbox_boundary::ActuatorReport;
use swampbox_material::Shown;

use super::command::{Call, Git};
use super::names::{BranchName, CommitId};
use super::repository::{Login, Remote};
use super::store::Store;
use super::wanted::{Change, Wanted};
use super::{commit, local, push};
use crate::Secret;
use crate::hidden::Hidden;

/// A remote repository, with what it takes to talk to it.
pub(crate) struct Talk<'a> {
    remote: &'a Remote,
    header: Option<Secret>,
    hidden: Hidden,
}

/// What the remote shows of a branch.
pub(crate) struct Listing {
    /// The commit that it is at; none if it is not there.
    pub(crate) tip: Option<CommitId>,
    /// Nothing else is shown either, as by a repository without a commit, and by an answer of which
    /// nothing but the beginning of its header came.
    pub(crate) is_empty: bool,
}

/// Makes the commit if it is not there yet, and pushes it.
///
/// # Errors
///
/// Why the branch surely was not moved.
pub(crate) fn actuate(
    git: &Git<'_>,
    remote: &Remote,
    wanted: &Wanted<'_>,
) -> Result<ActuatorReport, String> {
    let Wanted { branch, change, .. } = wanted;
    let talk = Talk::with(remote)?;
    let base = change.base();
    local::check_base(talk.branch(git, branch)?.tip.as_ref(), branch, base)?;
    let (store, commit) = match change {
        Change::Patch(patch) => {
            let store = talk.mirror(git, &patch.base)?;
            talk.bring(git, &store, branch, &patch.base)?;
            let commit = commit::make(git, &store, patch)?;
            (store, commit)
        }
        Change::Push { base, commit } => {
            let store = talk.with_source(git, talk.mirror(git, commit)?)?;
            check_history(git, &store, base.as_ref(), commit)?;
            (store, commit.clone())
        }
    };
    push::push(git, &talk, &store, branch, base, &commit)
}

/// Whether all of the commit is here, and whether it goes on from the base.
fn check_history(
    git: &Git<'_>,
    store: &Store,
    base: Option<&CommitId>,
    commit: &CommitId,
) -> Result<(), String> {
    if store.commit(git, commit)?.is_none() {
        return Err(format!("the commit {commit} is not in the local repository"));
    }
    let mut arguments = vec!["rev-list".into(), "--objects".into(), "--quiet".into()];
    arguments.push(commit.to_string());
    if let Some(base) = base {
        if store.commit(git, base)?.is_none() || !store.contains(git, commit, base)? {
            return Err(format!("{commit} does not go on from the base {base}: no fast-forward"));
        }
        arguments.push(format!("^{base}"));
    }
    git.output(&store.call("reading what is to be pushed", arguments)).map(drop)
}

impl<'a> Talk<'a> {
    /// # Errors
    ///
    /// If the user's name can't be sent.
    pub(crate) fn with(remote: &'a Remote) -> Result<Self, String> {
        let header = remote.login.as_ref().map(header).transpose()?;
        let credentials = header.iter().chain(remote.login.as_ref().map(|login| &login.password));
        let hide = |hidden: Hidden, credential: &Secret| hidden.with(credential.expose());
        let hidden = credentials.fold(Hidden::default(), hide);
        Ok(Self { remote, header, hidden })
    }

    pub(crate) fn url(&self) -> &str {
        self.remote.url.as_str()
    }

    /// A call that may reach the remote, and nothing but it.
    pub(crate) fn call<'c, I: Into<OsString>>(
        &'c self,
        store: Option<&Store>,
        doing: &'static str,
        arguments: impl IntoIterator<Item = I>,
    ) -> Call<'c> {
        let call = match store {
            Some(store) => store.call(doing, arguments),
            None => Call::new(doing, arguments),
        };
        let call = call.with("GIT_ALLOW_PROTOCOL", self.remote.url.scheme());
        let Some(header) = &self.header else {
            return call;
        };
        // In the environment, since everybody may read the arguments of a process.
        call.with("GIT_CONFIG_COUNT", "1")
            .with("GIT_CONFIG_KEY_0", "http.extraHeader")
            .with("GIT_CONFIG_VALUE_0", format!("Authorization: Basic {}", header.expose()))
            .hiding(&self.hidden)
    }

    /// What the remote shows of the branch.
    ///
    /// # Errors
    ///
    /// If the remote can't be asked, or the branch is a symbolic ref there.
    pub(crate) fn branch(&self, git: &Git<'_>, branch: &BranchName) -> Result<Listing, String> {
        let full = branch.to_ref();
        let arguments = ["ls-remote", "--symref", "--end-of-options", self.url(), "HEAD", &full];
        let output = git.output(&self.call(None, "asking the remote for its branch", arguments))?;
        let text = String::from_utf8_lossy(&output);
        let mut tip = None;
        for line in text.lines() {
            let Some((what, name)) = line.split_once('\t') else {
                return Err("the remote did not answer with a list of branches".into());
            };
            // The last parts of a name are enough for git to list it.
            if name != full {
                continue;
            }
            if what.starts_with("ref: ") {
                return Err(format!("`{branch}` is a symbolic ref, which names another branch"));
            }
            tip = Some(what.parse().map_err(|problem| format!("the remote's branch: {problem}"))?);
        }
        Ok(Listing { tip, is_empty: text.is_empty() })
    }

    /// The directory of our own, made if it is not there, for ids of the kind of `like`.
    pub(crate) fn mirror(&self, git: &Git<'_>, like: &CommitId) -> Result<Store, String> {
        let mirror = std::path::absolute(&self.remote.mirror)
            .map_err(|_| "the path of the mirror is empty".to_owned())?;
        if !mirror.join("HEAD").exists() {
            let is_empty = fs::read_dir(&mirror).map_or(true, |mut found| found.next().is_none());
            if !is_empty {
                return Err("the directory of the mirror holds something else".into());
            }
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&mirror);
            made.map_err(|error| {
                format!("the mirror can't be made: {}", Shown::brief(&error.to_string()))
            })?;
            let format = format!("--object-format={}", like.object_format());
            let arguments = ["init", "--quiet", "--bare", "--template=", &format];
            let arguments = arguments.map(OsString::from).into_iter();
            let path = ["--end-of-options".into(), mirror.clone().into_os_string()];
            git.output(&Call::new("making the mirror", arguments.chain(path)))?;
        }
        Ok(Store::at(mirror))
    }

    /// Fetches the branch into the mirror, unless that was done with this base before.
    fn bring(
        &self,
        git: &Git<'_>,
        store: &Store,
        branch: &BranchName,
        base: &CommitId,
    ) -> Result<(), String> {
        // Flat, so that a branch `a` that is gone is not in the way of `a/b`.
        let kept = format!("refs/swampbox/{}", branch.to_string().replace('/', "%"));
        let is_there = || {
            let arguments = ["rev-parse", "--quiet", "--verify", &kept];
            let found = git.output(&store.call("reading the mirror", arguments));
            found.is_ok_and(|found| found == format!("{base}\n").as_bytes())
        };
        if is_there() {
            return Ok(());
        }
        let refspec = format!("+{}:{kept}", branch.to_ref());
        let fetched = self.fetch(git, store, &refspec);
        // Another attempt may have brought it, and have had the ref locked meanwhile.
        if is_there() {
            return Ok(());
        }
        fetched?;
        Err(format!("the branch `{branch}` has moved away from the base {base}"))
    }

    pub(crate) fn fetch(&self, git: &Git<'_>, store: &Store, refspec: &str) -> Result<(), String> {
        let arguments = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-gc",
            "--end-of-options",
            self.url(),
            refspec,
        ];
        git.output(&self.call(Some(store), "fetching the branch", arguments)).map(drop)
    }

    /// The mirror, with the commits that `git.push` takes from elsewhere.
    pub(crate) fn with_source(&self, git: &Git<'_>, mirror: Store) -> Result<Store, String> {
        match &self.remote.source {
            Some(source) => mirror.beside(git, &Store::find(git, source)?),
            None => Ok(mirror),
        }
    }
}

/// User and password as they stand in the header: this must not be repeated either.
fn header(login: &Login) -> Result<Secret, String> {
    let Login { user, password } = login;
    if user.is_empty() || user.contains(|c: char| c == ':' || !c.is_ascii_graphic()) {
        return Err("the user that logs in is not visible ASCII without `:`".into());
    }
    let both = zeroize::Zeroizing::new(format!("{user}:{}", password.expose()));
    Secret::new(STANDARD.encode(&*both)).map_err(|_| "user and password are too long".into())
}
