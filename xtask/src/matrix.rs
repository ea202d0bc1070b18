//! Each crate alone, with each choice of features.

use crate::workspace::{Package, Workspace};

/// Checks each crate alone: with no feature, each feature by itself, and all of them.
pub(crate) fn matrix(workspace: &Workspace) -> Result<(), String> {
    for package in &workspace.packages {
        for choice in choices(package) {
            println!("==> {} {choice}", package.name);
            workspace
                .cargo(&format!("check --quiet --locked --package={} {choice}", package.name))?;
        }
    }
    Ok(())
}

/// The arguments of each build. A crate without features has one.
fn choices(package: &Package) -> Vec<String> {
    let features = package.features.keys().filter(|name| *name != "default");
    let mut choices: Vec<String> =
        features.map(|feature| format!("--no-default-features --features={feature}")).collect();
    if choices.is_empty() {
        return vec![String::new()];
    }
    choices.insert(0, "--no-default-features".to_owned());
    choices.push("--all-features".to_owned());
    choices
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn choices_with(features: &[&str]) -> Vec<String> {
        let package = Package {
            name: "it".to_owned(),
            manifest_path: PathBuf::new(),
            dependencies: Vec::new(),
            features: features.iter().map(|name| ((*name).to_owned(), Vec::new())).collect(),
        };
        choices(&package)
    }

    #[test]
    fn a_crate_without_features_is_checked_once() {
        assert_eq!(choices_with(&[]), [""]);
    }

    #[test]
    fn features_are_checked_off_one_by_one_and_together() {
        assert_eq!(
            choices_with(&["default", "cedar", "otlp"]),
            [
                "--no-default-features",
                "--no-default-features --features=cedar",
                "--no-default-features --features=otlp",
                "--all-features",
            ]
        );
    }
}
