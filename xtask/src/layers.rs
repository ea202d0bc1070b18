//! Which crate uses which. The arrows point down.

use std::collections::BTreeSet;

use crate::report::verdict;
use crate::workspace::{self, Package, Workspace};

/// The crates that decide what is contained and released, lowest first.
pub(crate) const CORE: [&str; 4] = ["material", "custody", "authority", "boundary"];

/// What the core crates may use from outside.
const CORE_MAY_USE: [&str; 5] = ["serde", "serde_json", "thiserror", "time", "indexmap"];

/// What their tests may use besides.
const CORE_TESTS_MAY_USE: [&str; 2] = ["insta", "rstest"];

/// What the core crates may not reach: files, the network, other processes, threads of their own, the
/// environment, and the time.
const CORE_MAY_NOT_REACH: [&str; 8] = [
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "std::thread",
    "std::io",
    "SystemTime::now",
    "Instant::now",
];

/// Each crate with those just below it. It may use these, and what they may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("material", &[]),
    ("custody", &["material"]),
    ("authority", &["custody"]),
    ("boundary", &["authority"]),
    ("ledger", &["boundary"]),
    ("process", &[]),
    ("policy", &["boundary", "process"]),
    ("actuators", &["boundary", "process"]),
    ("service", &["ledger", "policy", "actuators"]),
    ("mcp", &["ledger", "policy", "actuators"]),
    ("sandbox", &[]),
    ("epoch", &["sandbox", "custody"]),
    ("workflow", &["service", "mcp", "epoch"]),
    ("experiments", &["boundary", "process"]),
    ("cli", &["workflow", "experiments"]),
    ("tests", &["cli"]),
    ("xtask", &[]),
];

/// Fails on any dependency that the layers do not allow.
pub(crate) fn layers(workspace: &Workspace) -> Result<(), String> {
    let mut complaints = Vec::new();
    for package in &workspace.packages {
        let manifest = workspace.relative(&package.manifest_path);
        let directory = manifest.trim_end_matches("/Cargo.toml");
        complaints.extend(violations(directory, package));
    }
    for name in CORE {
        let sources = workspace.root.join(format!("crates/{name}/src"));
        for file in workspace::files_below(&sources)? {
            let text = workspace::read(&file)?;
            let file = workspace.relative(&file);
            complaints.extend(outside_world(&text).map(|used| format!("`{file}` uses `{used}`")));
        }
    }
    verdict(&complaints)
}

/// What the core reaches of the standard library that is not a pure computation or a lock.
fn outside_world(source: &str) -> impl Iterator<Item = &'static str> {
    CORE_MAY_NOT_REACH.into_iter().filter(|path| source.contains(path))
}

/// What is wrong with a package that lies in `directory`, a path from the workspace's root.
fn violations(directory: &str, package: &Package) -> Vec<String> {
    let layer = directory.strip_prefix("crates/").unwrap_or(directory);
    if !LAYERS.iter().any(|(name, _)| *name == layer) {
        return vec![format!("`{directory}` is not in the table of layers")];
    }
    let mut violations = Vec::new();
    if package.name != package_of(layer) {
        violations.push(format!(
            "`{directory}` holds `{}`, and should hold `{}`",
            package.name,
            package_of(layer)
        ));
    }
    let below: BTreeSet<String> = below(layer).into_iter().map(package_of).collect();
    for dependency in &package.dependencies {
        let name = dependency.name.as_str();
        let for_tests = dependency.kind.as_deref() == Some("dev");
        let allowed = if dependency.path.is_some() {
            below.contains(name)
        } else {
            !CORE.contains(&layer)
                || CORE_MAY_USE.contains(&name)
                || (for_tests && CORE_TESTS_MAY_USE.contains(&name))
        };
        if !allowed {
            violations.push(format!("`{}` may not use `{name}`", package.name));
        }
    }
    violations
}

/// Every layer below the given one.
fn below(layer: &str) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    for (_, uses) in LAYERS.iter().filter(|(name, _)| *name == layer) {
        for used in *uses {
            found.insert(*used);
            found.append(&mut below(used));
        }
    }
    found
}

/// The name of the package that holds a layer.
fn package_of(layer: &str) -> String {
    match layer {
        "cli" => "swampbox".to_owned(),
        "xtask" => "xtask".to_owned(),
        other => format!("swampbox-{other}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::workspace::Dependency;

    fn inside(name: &str) -> Dependency {
        Dependency { name: name.to_owned(), kind: None, path: Some(PathBuf::from("/somewhere")) }
    }

    fn outside(name: &str, kind: Option<&str>) -> Dependency {
        Dependency { name: name.to_owned(), kind: kind.map(str::to_owned), path: None }
    }

    fn check(directory: &str, name: &str, dependency: Dependency) -> Vec<String> {
        let package = Package {
            name: name.to_owned(),
            manifest_path: PathBuf::new(),
            dependencies: vec![dependency],
            features: Default::default(),
        };
        violations(directory, &package)
    }

    #[test]
    fn the_core_reads_no_clock_and_no_disk() {
        let found = |source| outside_world(source).collect::<Vec<_>>();
        assert_eq!(found("let now = SystemTime::now();"), ["SystemTime::now"]);
        assert_eq!(found("use std::fs::File;"), ["std::fs"]);
        assert!(found("use std::time::SystemTime;").is_empty());
    }

    #[test]
    fn a_crate_may_use_one_that_is_two_layers_below() {
        assert!(
            check("crates/boundary", "swampbox-boundary", inside("swampbox-material")).is_empty()
        );
    }

    #[test]
    fn a_crate_may_not_use_one_above() {
        assert_eq!(
            check("crates/custody", "swampbox-custody", inside("swampbox-boundary")),
            ["`swampbox-custody` may not use `swampbox-boundary`"]
        );
    }

    #[test]
    fn a_crate_may_not_use_one_beside() {
        assert_eq!(
            check("crates/policy", "swampbox-policy", inside("swampbox-ledger")),
            ["`swampbox-policy` may not use `swampbox-ledger`"]
        );
    }

    #[test]
    fn a_test_may_not_use_one_above_either() {
        let mut dependency = inside("swampbox-boundary");
        dependency.kind = Some("dev".to_owned());
        assert_eq!(
            check("crates/custody", "swampbox-custody", dependency),
            ["`swampbox-custody` may not use `swampbox-boundary`"]
        );
    }

    #[test]
    fn experiments_use_the_core_only() {
        assert_eq!(
            check("experiments", "swampbox-experiments", inside("swampbox-actuators")),
            ["`swampbox-experiments` may not use `swampbox-actuators`"]
        );
    }

    #[test]
    fn the_tests_may_use_everything() {
        for layer in LAYERS.iter().map(|(name, _)| *name) {
            if !matches!(layer, "tests" | "xtask") {
                let dependency = inside(&package_of(layer));
                assert!(check("tests", "swampbox-tests", dependency).is_empty());
            }
        }
    }

    #[test]
    fn the_core_uses_little_from_outside() {
        assert!(check("crates/material", "swampbox-material", outside("serde", None)).is_empty());
        assert_eq!(
            check("crates/material", "swampbox-material", outside("rand", None)),
            ["`swampbox-material` may not use `rand`"]
        );
    }

    #[test]
    fn a_test_library_stays_in_the_tests_of_the_core() {
        assert!(
            check("crates/material", "swampbox-material", outside("insta", Some("dev"))).is_empty()
        );
        assert_eq!(
            check("crates/material", "swampbox-material", outside("insta", None)),
            ["`swampbox-material` may not use `insta`"]
        );
    }

    #[test]
    fn a_directory_holds_the_package_of_its_name() {
        assert_eq!(
            check("crates/policy", "swampbox-rules", outside("serde", None)),
            ["`crates/policy` holds `swampbox-rules`, and should hold `swampbox-policy`"]
        );
    }

    #[test]
    fn a_crate_outside_the_table_is_refused() {
        assert_eq!(
            check("crates/extra", "swampbox-extra", outside("serde", None)),
            ["`crates/extra` is not in the table of layers"]
        );
    }
}
