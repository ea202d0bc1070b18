//! Every file beside a `tests/spec/main.rs` is a module of it: one that isn't would never run.

use crate::report::verdict;
use crate::workspace::{self, Workspace};

pub(crate) fn check(workspace: &Workspace) -> Result<(), String> {
    let mut complaints = Vec::new();
    for package in &workspace.packages {
        let spec = package.directory().join("tests/spec");
        if !spec.is_dir() {
            continue;
        }
        let listed = workspace::read(&spec.join("main.rs"))?;
        let files = workspace::files_below(&spec)?;
        let beside: Vec<String> = files
            .iter()
            .filter(|file| file.parent() == Some(&spec))
            .filter(|file| file.extension().is_some_and(|extension| extension == "rs"))
            .filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()))
            .collect();
        for name in unlisted(&listed, &beside) {
            complaints.push(format!(
                "`{}/{name}.rs` never runs: write `mod {name};` in the main.rs beside it",
                workspace.relative(&spec)
            ));
        }
    }
    verdict(&complaints)
}

/// The modules for which the text of `main.rs` has no `mod` line.
fn unlisted<'name>(main: &str, modules: &'name [String]) -> Vec<&'name str> {
    modules
        .iter()
        .map(String::as_str)
        .filter(|module| *module != "main")
        .filter(|module| {
            let line = format!("mod {module};");
            !main.lines().any(|candidate| candidate.trim() == line)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_without_a_line_is_found() {
        let modules = ["main", "equality", "reader"].map(str::to_owned);
        assert_eq!(unlisted("//! Spec.\n\nmod reader;\n", &modules), ["equality"]);
    }

    #[test]
    fn a_line_in_a_comment_does_not_list_a_module() {
        assert_eq!(unlisted("// mod reader;\n", &["reader".to_owned()]), ["reader"]);
    }
}
