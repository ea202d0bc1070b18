//! `cargo xtask docs`: generated pages, links, and the blocks that a reader may run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::page::{Located, Page};
use crate::process;
use crate::report::verdict;
use crate::workspace::{self, Workspace};

/// Each generated page and the arguments with which the `swampbox` command prints it.
const GENERATED: [(&str, [&str; 2]); 2] =
    [("docs/codes.md", ["docs", "codes"]), ("docs/cli.md", ["docs", "cli"])];

/// What to do with the generated pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    Write,
    Compare,
}

/// Writes or compares the generated pages, then checks every page.
pub(crate) fn docs(workspace: &Workspace, pages: Pages) -> Result<(), String> {
    workspace.cargo("build --quiet --locked --package=swampbox")?;
    let programs = workspace.target.join("debug");
    for (page, arguments) in GENERATED {
        let text = process::output(Command::new(programs.join("swampbox")).args(arguments))?;
        generated(&workspace.root.join(page), &text, pages)?;
    }
    let files = written_for_readers(workspace)?;
    for file in &files {
        check_links(workspace, file)?;
    }
    for file in &files {
        run_blocks(workspace, file, &programs)?;
    }
    Ok(())
}

fn generated(file: &Path, text: &str, pages: Pages) -> Result<(), String> {
    match pages {
        Pages::Write => std::fs::write(file, text)
            .map_err(|error| format!("cannot write `{}`: {error}", file.display())),
        Pages::Compare if workspace::read(file)? == text => Ok(()),
        Pages::Compare => Err(format!(
            "`{}` is not what the program prints: run `cargo xtask docs`",
            file.display()
        )),
    }
}

/// The pages at the top of the repository and those in `docs/`.
fn written_for_readers(workspace: &Workspace) -> Result<Vec<PathBuf>, String> {
    let top = [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "tests/README.md",
        "tests/scenarios/README.md",
        "crates/service/clients/python/README.md",
        "crates/service/clients/typescript/README.md",
    ];
    let mut files: Vec<PathBuf> = top.iter().map(|name| workspace.root.join(name)).collect();
    let docs = workspace::files_below(&workspace.root.join("docs"))?;
    files.extend(docs.into_iter().filter(|file| is_markdown(file)));
    Ok(files)
}

fn check_links(workspace: &Workspace, file: &Path) -> Result<(), String> {
    let page = Page::parse(&workspace::read(file)?);
    let mut complaints = Vec::new();
    for link in &page.links {
        if let Err(reason) = resolve(file, &link.text) {
            complaints.push(format!(
                "{}:{}: `{}` {reason}",
                workspace.relative(file),
                link.line,
                link.text
            ));
        }
    }
    verdict(&complaints)
}

/// Follows a link that stands in `file`. One that leads out of the repository is not followed.
fn resolve(file: &Path, link: &str) -> Result<(), String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return Ok(());
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => file.to_owned(),
        path => file.parent().unwrap_or(Path::new(".")).join(path),
    };
    if !target.exists() {
        return Err("leads to no file".to_owned());
    }
    if anchor.is_empty() || !is_markdown(&target) {
        return Ok(());
    }
    if Page::parse(&workspace::read(&target)?).anchors.contains(anchor) {
        Ok(())
    } else {
        Err("leads to no heading".to_owned())
    }
}

fn is_markdown(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "md")
}

fn run_blocks(workspace: &Workspace, file: &Path, programs: &Path) -> Result<(), String> {
    let page = Page::parse(&workspace::read(file)?);
    for block in &page.runnable {
        let place = format!("{}:{}", workspace.relative(file), block.line);
        println!("    running {place}");
        run_block(workspace, block, programs)
            .map_err(|message| format!("{place}: the block fails: {message}"))?;
    }
    Ok(())
}

fn run_block(workspace: &Workspace, block: &Located, programs: &Path) -> Result<(), String> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(programs.to_owned()).chain(std::env::split_paths(&paths));
    let paths = std::env::join_paths(paths).map_err(|error| error.to_string())?;
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &block.text])
        .current_dir(&workspace.root)
        .env("PATH", paths)
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(|error| format!("cannot start bash: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The manifest beside this source: a file that is always there.
    fn here() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("page.md")
    }

    #[test]
    fn a_link_to_a_file_resolves_from_the_page_that_holds_it() {
        assert_eq!(resolve(&here(), "src/docs.rs"), Ok(()));
        assert_eq!(resolve(&here(), "src/docs.rs#L1"), Ok(()));
    }

    #[test]
    fn a_link_to_nothing_is_found() {
        assert_eq!(resolve(&here(), "src/none.rs"), Err("leads to no file".to_owned()));
    }

    #[test]
    fn a_link_to_no_heading_is_found() {
        let contributing = "../CONTRIBUTING.md";
        assert_eq!(resolve(&here(), &format!("{contributing}#contributing")), Ok(()));
        assert_eq!(
            resolve(&here(), &format!("{contributing}#nothing-of-the-kind")),
            Err("leads to no heading".to_owned())
        );
    }

    #[test]
    fn a_link_to_elsewhere_is_not_followed() {
        assert_eq!(resolve(&here(), "https://example.com/none"), Ok(()));
    }
}
