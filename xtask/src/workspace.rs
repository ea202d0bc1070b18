//! The workspace as `cargo metadata` describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::process;

/// The workspace and its own packages.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    #[serde(rename = "target_directory")]
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

/// One package of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
}

/// A dependency as the manifest declares it.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    pub(crate) kind: Option<String>,
    /// Present for a dependency inside the workspace.
    pub(crate) path: Option<PathBuf>,
}

impl Workspace {
    /// Asks cargo for the workspace around the current directory.
    pub(crate) fn load() -> Result<Self, String> {
        let words = "metadata --format-version=1 --no-deps";
        let json = process::output(&mut process::cargo(Path::new("."), words))?;
        serde_json::from_str(&json)
            .map_err(|error| format!("cannot read the answer of `cargo metadata`: {error}"))
    }

    /// Runs cargo at the workspace's root with these words as its arguments.
    pub(crate) fn cargo(&self, words: &str) -> Result<(), String> {
        process::run(&mut process::cargo(&self.root, words))
    }

    /// A place below the target directory for files of this program.
    pub(crate) fn scratch(&self) -> Result<PathBuf, String> {
        let directory = self.target.join("xtask");
        create(&directory)?;
        Ok(directory)
    }

    /// The path as seen from the workspace's root.
    pub(crate) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

impl Package {
    /// Where the package lies.
    pub(crate) fn directory(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("."))
    }
}

/// The features that are on for each package, by package name, in a build of the whole workspace
/// with every feature of ours on.
///
/// Features unify, so a feature that is off here is off in every smaller build too.
pub(crate) fn features_of_the_largest_build(
    workspace: &Workspace,
) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    #[derive(Deserialize)]
    struct Answer {
        packages: Vec<Named>,
        resolve: Resolve,
    }
    #[derive(Deserialize)]
    struct Named {
        id: String,
        name: String,
    }
    #[derive(Deserialize)]
    struct Resolve {
        nodes: Vec<Node>,
    }
    #[derive(Deserialize)]
    struct Node {
        id: String,
        features: BTreeSet<String>,
    }

    // Without the filter cargo would download what only other platforms need.
    let words = "metadata --format-version=1 --locked --filter-platform=host-tuple";
    let json = process::output(&mut process::cargo(&workspace.root, words))?;
    let answer: Answer = serde_json::from_str(&json)
        .map_err(|error| format!("cannot read the answer of `cargo metadata`: {error}"))?;
    let names: BTreeMap<String, String> =
        answer.packages.into_iter().map(|package| (package.id, package.name)).collect();
    let mut features: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in answer.resolve.nodes {
        let name = names.get(&node.id).unwrap_or(&node.id).clone();
        features.entry(name).or_default().extend(node.features);
    }
    Ok(features)
}

/// Reads a text file.
pub(crate) fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file)
        .map_err(|error| format!("cannot read `{}`: {error}", file.display()))
}

/// Creates a directory and those above it.
pub(crate) fn create(directory: &Path) -> Result<(), String> {
    std::fs::create_dir_all(directory)
        .map_err(|error| format!("cannot create `{}`: {error}", directory.display()))
}

/// Every file below a directory, in order, but for what builds write and what is hidden.
pub(crate) fn files_below(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("cannot list `{}`: {error}", directory.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !path.is_dir() {
            files.push(path);
        } else if name != "target" && !name.starts_with('.') {
            files.extend(files_below(&path)?);
        }
    }
    files.sort();
    Ok(files)
}
