//! How many packages a build brings, and which features must stay off.

use std::collections::{BTreeMap, BTreeSet};

use crate::process::{self, cargo};
use crate::report::verdict;
use crate::workspace::{self, Workspace};

/// The most packages that `Cargo.lock` may name, ours included. Raise it in the commit that adds
/// a dependency, and say there why it is worth it. A hundred come with the feature `cedar` alone,
/// and twenty with `otlp`.
const WORKSPACE_CEILING: usize = 381;

/// The most packages that a program brings in by using the release boundary, ours included.
const BOUNDARY_CEILING: usize = 25;

/// Features of a dependency that change what everyone's JSON means, since features unify over a
/// build: magic keys that input can forge, numbers and order that depend on who else is built,
/// nesting without a bound. The feature `cedar` switches one of them on; the check is of builds without
/// it, and its own step of `ci` runs the tests of our JSON with it.
const FORBIDDEN: [(&str, &[&str]); 1] =
    [("serde_json", &["raw_value", "arbitrary_precision", "preserve_order", "unbounded_depth"])];

pub(crate) fn check(workspace: &Workspace) -> Result<(), String> {
    let lock = workspace::read(&workspace.root.join("Cargo.lock"))?;
    let locked = lock.lines().filter(|line| *line == "[[package]]").count();
    below_ceiling("Cargo.lock", locked, WORKSPACE_CEILING)?;

    let words = "tree --locked --package=swampbox-boundary --edges=normal --prefix=none";
    let tree = process::output(&mut cargo(&workspace.root, words))?;
    let brought = packages_of(&tree).len();
    below_ceiling("swampbox-boundary", brought, BOUNDARY_CEILING)?;

    let complaints = switched_on(&workspace::features_of_the_largest_build(workspace)?);
    verdict(&complaints)
}

fn below_ceiling(what: &str, count: usize, ceiling: usize) -> Result<(), String> {
    println!("    {what}: {count} packages, at most {ceiling}");
    if count <= ceiling {
        return Ok(());
    }
    Err(format!(
        "{what} has {count} packages and may have {ceiling}: use fewer, or raise the ceiling with a reason"
    ))
}

/// The different packages in the output of `cargo tree --prefix=none`.
fn packages_of(tree: &str) -> BTreeSet<&str> {
    tree.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty()).collect()
}

fn switched_on(features: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut complaints = Vec::new();
    for (package, forbidden) in FORBIDDEN {
        let Some(on) = features.get(package) else {
            continue;
        };
        for feature in forbidden.iter().filter(|feature| on.contains(**feature)) {
            complaints.push(format!(
                "the feature `{feature}` of {package} is on; \
                 `cargo tree --workspace -e features -i {package}` shows for whom"
            ));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(package: &str, feature: &str) -> BTreeMap<String, BTreeSet<String>> {
        BTreeMap::from([(package.to_owned(), BTreeSet::from([feature.to_owned()]))])
    }

    #[test]
    fn a_package_that_the_tree_repeats_counts_once() {
        let tree = "a v1.0.0\nb v1.0.0\nb v1.0.0 (*)\nb v2.0.0\n";
        assert_eq!(packages_of(tree).len(), 3);
    }

    #[test]
    fn the_ceiling_itself_is_allowed_and_one_more_is_not() {
        assert!(below_ceiling("it", 5, 5).is_ok());
        assert!(below_ceiling("it", 6, 5).is_err());
    }

    #[test]
    fn a_feature_that_changes_json_is_refused() {
        let complaints = switched_on(&build("serde_json", "raw_value"));
        assert_eq!(complaints.len(), 1);
        assert!(complaints.concat().starts_with("the feature `raw_value` of serde_json is on"));
    }

    #[test]
    fn other_features_and_other_packages_are_left_alone() {
        assert!(switched_on(&build("serde_json", "std")).is_empty());
        assert!(switched_on(&build("other", "raw_value")).is_empty());
    }
}
