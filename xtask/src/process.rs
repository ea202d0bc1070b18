//! Running other programs.

use std::path::Path;
use std::process::{Command, Stdio};

/// Cargo with these words as its arguments, run in `directory`.
///
/// `cargo run` set variables for this program that a build script can ask for (those of `ring`
/// do). Handed on, they would make a build from here differ from one started by hand, and each
/// would undo the other.
pub(crate) fn cargo(directory: &Path, words: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(directory).args(words.split_whitespace());
    for (name, _) in std::env::vars_os() {
        let lossy = name.to_string_lossy();
        if lossy.starts_with("CARGO_PKG_") || lossy.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs the command with its output shown. Anything but success is an error.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("cannot start `{}`: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

/// Runs the command and returns what it wrote to standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start `{}`: {error}", shown(command)))?;
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stdout));
        return Err(format!("`{}` failed ({})", shown(command), output.status));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("`{}` wrote something that is not UTF-8", shown(command)))
}

/// Whether the command can be started and reports success. Its output is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The command as one would type it, for messages.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(name)
        .chain(command.get_args())
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_types_it() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["test", "--doc"]);
        assert_eq!(shown(&command), "cargo test --doc");
    }

    #[test]
    fn a_failing_command_is_an_error_that_names_it() {
        let error = run(Command::new("cargo").arg("no-such-command").stderr(Stdio::null()));
        assert!(error.unwrap_err().starts_with("`cargo no-such-command` failed"));
    }

    #[test]
    fn a_program_that_is_not_there_does_not_succeed() {
        assert!(!succeeds(&mut Command::new("no-such-program-anywhere")));
    }
}
