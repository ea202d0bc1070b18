//! Every snapshot file is asserted by a test, and none is waiting for review.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::report::verdict;
use crate::workspace::{self, Workspace};

/// The file to which insta appends the path of each snapshot that a test asserts.
#[derive(Debug)]
pub(crate) struct References {
    file: PathBuf,
    root: PathBuf,
}

impl References {
    /// Begins with no snapshot asserted.
    pub(crate) fn begin(workspace: &Workspace) -> Result<Self, String> {
        let file = workspace.scratch()?.join("snapshot-references");
        std::fs::write(&file, "")
            .map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
        Ok(Self { file, root: workspace.root.clone() })
    }

    /// Makes a run of tests add to the record, and write no snapshot.
    pub(crate) fn record<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command
            .env("INSTA_SNAPSHOT_REFERENCES_FILE", &self.file)
            .env("INSTA_UPDATE", "no")
            .env("INSTA_WORKSPACE_ROOT", &self.root)
    }

    fn read(&self) -> Result<BTreeSet<PathBuf>, String> {
        let text = workspace::read(&self.file)?;
        let existing = |line: &str| Path::new(line).canonicalize().ok();
        Ok(text.lines().filter_map(existing).collect())
    }
}

/// Compares the snapshots that are there with those that the tests asserted.
pub(crate) fn check(workspace: &Workspace, references: &References) -> Result<(), String> {
    let root = workspace
        .root
        .canonicalize()
        .map_err(|error| format!("cannot find `{}`: {error}", workspace.root.display()))?;
    let files = workspace::files_below(&root)?;
    let complaints = complaints(&files, &references.read()?);
    verdict(&complaints)
}

fn complaints(files: &[PathBuf], asserted: &BTreeSet<PathBuf>) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let name = file.to_string_lossy();
        if name.ends_with(".snap.new") || name.ends_with(".pending-snap") {
            complaints.push(format!("`{name}` waits for review: accept or delete it"));
        } else if name.ends_with(".snap") && !asserted.contains(file) {
            complaints.push(format!("no test asserts `{name}`: delete it"));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn a_snapshot_that_a_test_asserts_is_fine() {
        let asserted = paths(&["/a/one.snap"]).into_iter().collect();
        assert!(complaints(&paths(&["/a/one.snap", "/a/lib.rs"]), &asserted).is_empty());
    }

    #[test]
    fn a_snapshot_that_no_test_asserts_is_refused() {
        assert_eq!(
            complaints(&paths(&["/a/one.snap"]), &BTreeSet::new()),
            ["no test asserts `/a/one.snap`: delete it"]
        );
    }

    #[test]
    fn a_snapshot_that_waits_for_review_is_refused() {
        assert_eq!(
            complaints(&paths(&["/a/one.snap.new", "/a/.two.rs.pending-snap"]), &BTreeSet::new()),
            [
                "`/a/one.snap.new` waits for review: accept or delete it",
                "`/a/.two.rs.pending-snap` waits for review: accept or delete it",
            ]
        );
    }
}
