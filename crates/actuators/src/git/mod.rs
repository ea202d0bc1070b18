//! Moves branches of git repositories.

mod command;
mod commit;
mod local;
mod names;
mod observe;
mod patch;
mod push;
mod remote;
mod repository;
mod scratch;
mod store;
mod wanted;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, Observation};
use swampbox_material::{Material, MaterialError};

use crate::outlook::{outlook, path};
use crate::{Declaration, Declared};
use command::Git;
pub use names::{BranchPattern, GitIdentity, InvalidBranchPattern, InvalidGitIdentity};
use repository::Place;
pub use repository::{GitRepository, InvalidRemoteUrl, RemoteUrl};
use wanted::Wanted;

/// Moves one branch of a configured repository for each admission: to a commit that it makes from a
/// patch, or to one that is there. The branch moves from exactly the commit that was approved as its
/// base, or not at all.
///
/// # Material
///
/// The target is the name of a repository that was [configured](GitActuatorBuilder::repository). The
/// payload is a mapping of these fields and no others, all required:
///
/// | consequence type | field | value |
/// | --- | --- | --- |
/// | both | `branch` | the short name of an allowed branch: 1 to 200 ASCII letters, digits, `.`, `_`, `-`, `+` and `/` |
/// | [`git.patch`](Self::PATCH) | `base` | the full id of the commit that the branch is at |
/// | | `patch` | a unified diff of at most 1 MiB, with the prefixes `a/` and `b/`, each line part of a header or a hunk |
/// | | `message` | the commit's message, at most 64 KiB, not blank; of control characters only line feeds and tabs |
/// | [`git.push`](Self::PUSH) | `base` | the same, or null for a branch that must not be there |
/// | | `commit` | the full id of a commit that goes on from `base` and is in the [local repository](GitRepository::commits_from) |
///
/// The patch has to fit at the very lines that it names. It may add, change, rename, copy and delete
/// plain files of mode 100644 or 100755, each once. All lines about a file have to agree: its names in
/// `diff --git`, `---`, `+++` and `rename` or `copy`, with nothing behind a name; its modes; and the place
/// and the number of lines of each hunk, before and after. What git has made of the patch is compared
/// with that, path by path and mode by mode, before the branch moves. Refused are binary patches,
/// symbolic links, submodules, `.git`, `.gitmodules` and what some disks take for them, paths that lead
/// elsewhere, and a patch or a hunk that changes nothing.
///
/// The commit's author and committer are the operator's [`GitIdentity`]; its time is one second after
/// the committer's time of its base, in UTC. So the same material always gives the same commit.
///
/// # Outcome
///
/// | what happened | outcome |
/// | --- | --- |
/// | the material is not as above; the repository can't be read; the branch is not at the base, is symbolic or is checked out in a working tree; the patch does not fit; the disk is full; the time is over; git failed by itself before it said that it holds the lock on the local branch at its base | DEFINITE_NOT_EXECUTED |
/// | a local branch: git says that the change was committed | SUCCEEDED |
/// | a local branch: git ended well without reporting anything, and the branch is read back at the base | DEFINITE_NOT_EXECUTED |
/// | a local branch: anything else after that, or git had to be ended | UNCERTAIN |
/// | a remote can't be reached, or ends the connection, before git has compared its branches with ours, just before it sends anything | DEFINITE_NOT_EXECUTED |
/// | git reports that it (`[rejected]`, the branch has moved) or the remote (`[remote rejected]`, such as a hook or a protected branch) refused to move the branch | DEFINITE_NOT_EXECUTED |
/// | git reports that the remote moved the branch to the commit | SUCCEEDED, whatever comes after |
/// | anything else after git has compared the branches: a cut connection, a report that says something else, git killed or out of time | UNCERTAIN |
///
/// The detail of a report names the branch and the commits, and holds nothing else of the payload. What
/// git said about a failure stands there in quotes, and may name a path.
///
/// # Git
///
/// The `git` command has to be version 2.38 or newer. It gets an environment of its own: no
/// configuration of the system or a user, an empty home, no question at a terminal, no replaced
/// objects, no helper for credentials, no redirect and no protocol but the URL's. No hook of the
/// repository that it works in is run; those of a remote are the remote's. It is ended, [with what it has
/// started](swampbox_process#what-is-killed), when the time is over or when it writes more than 8 MiB. It is
/// asked to end first, so that it takes its lock files along.
///
/// What git needs for one attempt or one look stands in a directory `swampbox-git-…` below the directory
/// for temporary files (`TMPDIR`, or else `/tmp`), for its user alone, and goes with it. A process that is
/// killed leaves its own behind. The next use that comes two hours or more later removes it, unless a lock
/// in it says that its owner lives; it may be removed by hand as soon as neither that nor its git runs.
///
/// # Observation
///
/// The commit is made again in a directory that is thrown away, and looked for in the history of the
/// branch. It is *present* or *absent* there, or *unknown* where the repository can't be read, the patch
/// can't be applied again, or the history is cut off. A look changes no branch; it makes the mirror of
/// a remote if it is not there.
#[derive(Clone, Debug)]
pub struct GitActuator {
    program: PathBuf,
    identity: GitIdentity,
    repositories: BTreeMap<Arc<str>, GitRepository>,
    timeout: Duration,
}

impl GitActuator {
    /// The type of a consequence that commits a patch.
    pub const PATCH: &str = "git.patch";

    /// The JSON Schema (draft 2020-12) of the payload of [`Self::PATCH`].
    pub const PATCH_PAYLOAD_SCHEMA: &str = include_str!("patch.schema.json");

    /// The type of a consequence that pushes a commit.
    pub const PUSH: &str = "git.push";

    /// The JSON Schema (draft 2020-12) of the payload of [`Self::PUSH`].
    pub const PUSH_PAYLOAD_SCHEMA: &str = include_str!("push.schema.json");

    /// An actuator that commits as `identity` and knows no repository yet.
    pub fn builder(identity: GitIdentity) -> GitActuatorBuilder {
        let actuator = GitActuator {
            program: "git".into(),
            identity,
            repositories: BTreeMap::new(),
            timeout: Duration::from_secs(120),
        };
        GitActuatorBuilder { actuator }
    }

    fn git(&self) -> Result<Git<'_>, String> {
        Git::within(&self.program, &self.identity, self.timeout)
    }

    fn carry_out(&self, wanted: &Wanted<'_>) -> Result<ActuatorReport, String> {
        let git = self.git()?;
        match &wanted.repository.place {
            Place::Local(path) => local::actuate(&git, path, wanted),
            Place::Remote(remote) => remote::actuate(&git, remote, wanted),
        }
    }
}

impl Actuator for GitActuator {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let wanted = match Wanted::read(self, admission.material()) {
            Ok(wanted) => wanted,
            Err(error) => return Ok(ActuatorReport::definite_not_executed(error.to_string())),
        };
        Ok(self.carry_out(&wanted).unwrap_or_else(ActuatorReport::definite_not_executed))
    }

    fn observe(&self, material: &Material) -> Observation {
        let look = || {
            let wanted = Wanted::read(self, material).map_err(|error| error.to_string())?;
            observe::observe(&self.git()?, &wanted)
        };
        look().unwrap_or_else(Observation::unknown)
    }

    fn name(&self) -> &str {
        "git"
    }
}

impl Declared for GitActuator {
    fn declarations(&self) -> Vec<Declaration> {
        let declaration =
            |consequence_type, payload_schema| Declaration { consequence_type, payload_schema };
        vec![
            declaration(Self::PATCH, Self::PATCH_PAYLOAD_SCHEMA),
            declaration(Self::PUSH, Self::PUSH_PAYLOAD_SCHEMA),
        ]
    }

    fn check(&self, material: &Material) -> Result<(), MaterialError> {
        Wanted::read(self, material)?.check_place()
    }

    fn outlook(&self, material: &Material) -> Result<String, MaterialError> {
        let wanted = Wanted::read(self, material)?;
        wanted.check_place()?;
        let (program, timeout) = (path(&self.program), self.timeout);
        let does = wanted.outlook(&self.identity);
        let what = format!("by way of the program {program} it {does}; it ends after {timeout:?}");
        Ok(outlook(self.name(), &what))
    }
}

/// Makes a [`GitActuator`].
///
/// ```
/// use swampbox_actuators::{GitActuator, GitIdentity, GitRepository};
///
/// let project = GitRepository::local("/srv/git/project.git").allow("agent/*".parse()?);
/// let actuator = GitActuator::builder(GitIdentity::new("SwampBox", "swampbox@example.com")?)
///     .repository("project", project)
///     .build();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct GitActuatorBuilder {
    actuator: GitActuator,
}

impl GitActuatorBuilder {
    /// A repository, under the name by which a target means it. A second one of the same name takes
    /// the place of the first.
    pub fn repository(mut self, name: impl Into<Arc<str>>, repository: GitRepository) -> Self {
        self.actuator.repositories.insert(name.into(), repository);
        self
    }

    /// How long the whole may take, fetching and pushing included. 120 seconds by default; from a
    /// millisecond to an hour, and what is outside counts as the nearer of the two. What is ended at
    /// that time has 2 seconds more to end by itself.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        let longest = Duration::from_secs(60 * 60);
        self.actuator.timeout = timeout.clamp(Duration::from_millis(1), longest);
        self
    }

    /// The program to run as git; `git` on the `PATH` by default.
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.actuator.program = program.into();
        self
    }

    /// The actuator.
    pub fn build(self) -> GitActuator {
        self.actuator
    }
}
