//! Pages that are generated: completions, the manual page, and parts of the documentation.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use swampbox_material::Code;

use crate::arguments::{Arguments, Page};
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(super) fn completions(shell: Shell, out: &mut Output) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "swampbox", &mut script);
    out.page(&script)
}

pub(super) fn man(out: &mut Output) -> Result<Exit, Failure> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(Arguments::command()).render(&mut page);
    rendered.map_err(|error| Failure::unwritable("standard output", &error))?;
    out.page(&page)
}

/// Writes the pages of all commands into a directory.
pub(super) fn manuals(directory: &Path) -> Result<Exit, Failure> {
    let written = clap_mangen::generate_to(Arguments::command(), directory);
    written.map_err(|error| Failure::unwritable(&directory.to_string_lossy(), &error))?;
    Ok(Exit::Done)
}

pub(super) fn markdown(page: Page, out: &mut Output) -> Result<Exit, Failure> {
    let text = match page {
        Page::Codes => codes(),
        Page::Cli => reference(),
    };
    out.page(text.as_bytes())
}

fn codes() -> String {
    let rows = Code::ALL.iter().map(|code| {
        let (meaning, remedy) = (code.meaning(), code.remedy());
        format!("| `{code}` | {meaning} | {remedy} |\n")
    });
    let heading = "# Codes\n\n\
        Every refusal, error and reason has a stable code, the same on every surface.\n\n\
        | code | what it means | what to do |\n| --- | --- | --- |\n";
    std::iter::once(heading.to_owned()).chain(rows).collect()
}

fn reference() -> String {
    // Of the same width wherever it is generated.
    let mut command = Arguments::command().term_width(100);
    command.build();
    format!("# Command-line reference\n{}", described(&mut command, "swampbox"))
}

/// The help of a command, then that of its subcommands.
fn described(command: &mut clap::Command, name: &str) -> String {
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let own = format!("\n## {name}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    let shown =
        |command: &&mut clap::Command| !command.is_hide_set() && command.get_name() != "help";
    let subcommands = command.get_subcommands_mut().filter(shown).map(|subcommand| {
        let name = format!("{name} {}", subcommand.get_name());
        described(subcommand, &name)
    });
    std::iter::once(own).chain(subcommands).collect()
}
