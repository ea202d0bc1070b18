//! One git directory, as the calls of an attempt see it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use swampbox_material::Shown;

use super::command::{Call, Git, exit_code};
use super::names::{BranchName, CommitId};

/// A git directory, and where its objects are read and written.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    variables: Vec<(OsString, OsString)>,
}

/// A commit and its place in time.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) committed_at: u64,
}

impl Store {
    /// The repository at this path, and not one above it.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(crate) fn find(git: &Git<'_>, path: &Path) -> Result<Self, String> {
        let path = path.canonicalize().map_err(|error| {
            format!("there is no repository: {}", Shown::brief(&error.to_string()))
        })?;
        let arguments =
            ["-C".as_ref(), path.as_os_str(), "rev-parse".as_ref(), "--absolute-git-dir".as_ref()];
        let above = path.parent().unwrap_or(Path::new("/"));
        let call = Call::new("finding the repository", arguments)
            .with("GIT_CEILING_DIRECTORIES", above.as_os_str());
        let mut output = git.output(&call)?;
        if output.pop() != Some(b'\n') || output.is_empty() {
            return Err("finding the repository gave no directory".into());
        }
        Ok(Self::at(OsString::from_vec(output).into()))
    }

    /// The git directory at this path.
    pub(crate) fn at(directory: PathBuf) -> Self {
        Self { variables: vec![("GIT_DIR".into(), directory.into())] }
    }

    /// The same, but what is written goes to a directory that ends with this look.
    pub(crate) fn untouched(&self, git: &Git<'_>) -> Result<Self, String> {
        let mut store = self.clone();
        let objects = self.objects(git)?;
        store.set("GIT_OBJECT_DIRECTORY", git.scratch("objects"));
        store.set("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(objects.as_os_str()));
        Ok(store)
    }

    /// The same, with the objects of another repository beside its own.
    pub(crate) fn beside(&self, git: &Git<'_>, other: &Store) -> Result<Self, String> {
        let mut store = self.clone();
        let objects = other.objects(git)?;
        store.set("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(objects.as_os_str()));
        Ok(store)
    }

    /// A call in this store.
    pub(crate) fn call<'c, I: Into<OsString>>(
        &self,
        doing: &'static str,
        arguments: impl IntoIterator<Item = I>,
    ) -> Call<'c> {
        Call::new(doing, arguments).with_all(&self.variables)
    }

    /// What is known of a commit; none if it is not there.
    ///
    /// # Errors
    ///
    /// If it can't be read, or is something else.
    pub(crate) fn commit(&self, git: &Git<'_>, id: &CommitId) -> Result<Option<Base>, String> {
        let asked = format!("{id}\n");
        let call = self.call("reading a commit", ["cat-file", "--batch"]).input(asked.as_bytes());
        let output = git.output(&call)?;
        let text = String::from_utf8_lossy(&output);
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        if header == format!("{id} missing") {
            return Ok(None);
        }
        if !header.starts_with(&format!("{id} commit ")) {
            return Err(format!("{id} is no commit"));
        }
        let headers = lines.take_while(|line| !line.is_empty());
        let committer = headers.filter_map(|line| line.strip_prefix("committer ")).next();
        let time = committer.and_then(|committer| committer.rsplit(' ').nth(1)?.parse().ok());
        match time {
            Some(committed_at) => Ok(Some(Base { committed_at })),
            None => Err(format!("{id} has no time of its commit that could be read")),
        }
    }

    /// The commit that a branch is at; none if it is not there.
    ///
    /// # Errors
    ///
    /// If it can't be read, or is a symbolic ref: moving it would move another branch.
    pub(crate) fn branch(
        &self,
        git: &Git<'_>,
        branch: &BranchName,
    ) -> Result<Option<CommitId>, String> {
        let full = branch.to_ref();
        let call = self.call(
            "reading the branch",
            ["for-each-ref", "--format=%(refname) %(objectname) %(symref)", &full],
        );
        let output = git.output(&call)?;
        let text = String::from_utf8_lossy(&output);
        for line in text.lines() {
            let mut words = line.split(' ');
            if words.next() != Some(&*full) {
                continue;
            }
            let id = words.next().unwrap_or_default().parse();
            let id = id.map_err(|problem| format!("the branch is at no commit: {problem}"))?;
            return match words.next() {
                None | Some("") => Ok(Some(id)),
                Some(_) => Err(format!("`{branch}` is a symbolic ref, which names another branch")),
            };
        }
        Ok(None)
    }

    /// Whether `commit` is `tip` or one of its ancestors. Both have to be there.
    pub(crate) fn contains(
        &self,
        git: &Git<'_>,
        tip: &CommitId,
        commit: &CommitId,
    ) -> Result<bool, String> {
        let arguments = ["merge-base", "--is-ancestor", commit.as_str(), tip.as_str()];
        let call = self.call("comparing histories", arguments);
        let finished = git.run(&call)?;
        match exit_code(&finished) {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(call.failed(&finished)),
        }
    }

    /// Whether its history is cut off somewhere, so that what is not seen may be there.
    pub(crate) fn is_shallow(&self, git: &Git<'_>) -> Result<bool, String> {
        let call = self.call("reading the history", ["rev-parse", "--is-shallow-repository"]);
        Ok(git.output(&call)? != b"false\n")
    }

    fn objects(&self, git: &Git<'_>) -> Result<PathBuf, String> {
        let arguments = ["rev-parse", "--path-format=absolute", "--git-path", "objects"];
        let mut output = git.output(&self.call("finding the objects", arguments))?;
        if output.pop() != Some(b'\n') || output.is_empty() {
            return Err("finding the objects gave no directory".into());
        }
        Ok(OsString::from_vec(output).into())
    }

    fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.push((name.into(), value.into()));
    }
}

/// The path as one entry of a list that colons divide.
fn quoted(path: &OsStr) -> OsString {
    let mut quoted = vec![b'"'];
    for byte in path.as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    OsString::from_vec(quoted)
}
