//! What an operator configures of a repository.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use super::names::{BranchName, BranchPattern};
use crate::{Origin, Secret};

/// A repository whose branches may be moved: those that match a pattern given to
/// [`allow`](Self::allow), and none without one.
#[derive(Clone, Debug)]
pub struct GitRepository {
    pub(crate) place: Place,
    patterns: Vec<BranchPattern>,
}

#[derive(Clone, Debug)]
pub(crate) enum Place {
    Local(PathBuf),
    Remote(Remote),
}

#[derive(Clone, Debug)]
pub(crate) struct Remote {
    pub(crate) url: RemoteUrl,
    pub(crate) mirror: PathBuf,
    pub(crate) source: Option<PathBuf>,
    pub(crate) login: Option<Login>,
}

/// What is sent to a server that asks who is there.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    pub(crate) user: Arc<str>,
    pub(crate) password: Secret,
}

impl GitRepository {
    /// A bare or non-bare repository on this machine. Its branches are moved in place, by no push, so
    /// none of its hooks is run.
    pub fn local(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::Local(path.into()), patterns: Vec::new() }
    }

    /// A repository that is reached by a push. `mirror` is a directory for this actuator alone, which it
    /// creates if it is not there; no two repositories may share one.
    pub fn remote(url: RemoteUrl, mirror: impl Into<PathBuf>) -> Self {
        let remote = Remote { url, mirror: mirror.into(), source: None, login: None };
        Self { place: Place::Remote(remote), patterns: Vec::new() }
    }

    /// Where the commits of a `git.push` come from: a repository on this machine, of which nothing but
    /// the objects is looked at. Without one they come from the mirror. A local repository has no use
    /// for it.
    #[must_use]
    pub fn commits_from(mut self, source: impl Into<PathBuf>) -> Self {
        if let Place::Remote(remote) = &mut self.place {
            remote.source = Some(source.into());
        }
        self
    }

    /// With what to log in at a remote over HTTP. A local repository, and one reached by `file`, has no
    /// use for it.
    #[must_use]
    pub fn login(mut self, user: impl Into<Arc<str>>, password: Secret) -> Self {
        if let Place::Remote(remote) = &mut self.place {
            remote.login = Some(Login { user: user.into(), password });
        }
        self
    }

    /// Lets the branches that match be moved, beside those that may be already.
    #[must_use]
    pub fn allow(mut self, pattern: BranchPattern) -> Self {
        self.patterns.push(pattern);
        self
    }

    pub(crate) fn allows(&self, branch: &BranchName) -> bool {
        self.patterns.iter().any(|pattern| pattern.covers(branch))
    }
}

/// Where a remote repository is: `https`, `http` to an address of the loopback interface, or `file`,
/// and a path. No user and no password stand in it.
///
/// ```
/// use swampbox_actuators::RemoteUrl;
///
/// assert!("https://git.example.com/team/project.git".parse::<RemoteUrl>().is_ok());
/// assert!("file:///srv/git/project.git".parse::<RemoteUrl>().is_ok());
/// assert!("ssh://git@example.com/project.git".parse::<RemoteUrl>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteUrl {
    // INVARIANT (plain URL): a known scheme, an origin for HTTP, and a path of plain characters, so it
    // is never an option and git does not decode it.
    text: Arc<str>,
    scheme: &'static str,
}

/// Text that is no [`RemoteUrl`]. It is not repeated, since it could hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the URL of a remote repository can't be used: {problem}")]
pub struct InvalidRemoteUrl {
    problem: String,
}

impl RemoteUrl {
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The only protocol that git may speak.
    pub(crate) fn scheme(&self) -> &'static str {
        self.scheme
    }
}

impl FromStr for RemoteUrl {
    type Err = InvalidRemoteUrl;

    fn from_str(text: &str) -> Result<Self, InvalidRemoteUrl> {
        let (scheme, path) = split(text).map_err(|problem| InvalidRemoteUrl { problem })?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._~+@/".contains(c);
        if path.len() < 2 || !path.starts_with('/') || !path.chars().all(plain) {
            let problem = "its path is not `/` and letters, digits, `-`, `.`, `_`, `~`, `+`, `@`";
            return Err(InvalidRemoteUrl { problem: problem.into() });
        }
        Ok(Self { text: text.into(), scheme })
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// The scheme and the path.
fn split(text: &str) -> Result<(&'static str, &str), String> {
    if let Some(path) = text.strip_prefix("file://") {
        return Ok(("file", path));
    }
    let (scheme, rest) = match text.split_once("://") {
        Some(("https", rest)) => ("https", rest),
        Some(("http", rest)) => ("http", rest),
        _ => return Err("its scheme is none of `https`, `http` and `file`".into()),
    };
    let slash = rest.find('/').unwrap_or(rest.len());
    let (origin, path) = text.split_at(scheme.len() + "://".len() + slash);
    let origin: Origin = origin.parse().map_err(|error| format!("{error}"))?;
    if origin.is_confidential() {
        Ok((scheme, path))
    } else {
        Err("`http` is for addresses of the loopback interface only".into())
    }
}
