//! Executables written by a test, found through the child's PATH alone.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use swampbox_experiments::{Limits, Tool, github::Gh};
use tempfile::TempDir;

/// A `gh` that runs one prepared piece of shell a call, and notes its arguments and its input.
pub(crate) struct ScriptedGh {
    directory: PathBuf,
    _owned: Option<TempDir>,
}

impl ScriptedGh {
    /// The first call runs the first piece, and so on; a call too many exits with 97.
    pub(crate) fn new(pieces: &[String]) -> Self {
        let owned = TempDir::new().unwrap();
        let scripted = Self::within(owned.path().to_owned(), pieces);
        Self { _owned: Some(owned), ..scripted }
    }

    /// The same in a directory of the test's own.
    pub(crate) fn within(directory: PathBuf, pieces: &[String]) -> Self {
        fs::create_dir_all(&directory).unwrap();
        let cases: String =
            pieces.iter().zip(1..).map(|(piece, call)| format!("{call})\n{piece}\n;;\n")).collect();
        let script = format!("{PRELUDE}case $call in\n{cases}*) exit 97 ;;\nesac\n");
        install(&directory.join("gh"), &script);
        Self { directory, _owned: None }
    }

    pub(crate) fn gh(&self, limits: Limits) -> Gh {
        Gh::on_path(format!("{}:/usr/bin:/bin", self.directory.display()), limits)
    }

    /// What `gh` was called with, a call after another.
    pub(crate) fn calls(&self) -> String {
        fs::read_to_string(self.file("calls")).unwrap_or_else(|_| "none\n".to_owned())
    }

    /// A file beside the executable, which its pieces know as `$here/NAME`.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }
}

/// Time enough for every scripted call, even on a busy machine.
pub(crate) const PATIENT: Limits =
    Limits { deadline: Duration::from_secs(60), max_output_bytes: 1024 * 1024 };

/// A piece that prints exactly `text`.
pub(crate) fn prints(text: &str) -> String {
    assert!(!text.contains('\''), "the text goes into single quotes");
    format!("printf '%s' '{text}'")
}

const PRELUDE: &str = r#"#!/bin/sh
here=${0%/*}
call=$(($(cat "$here/count" 2>/dev/null || echo 0) + 1))
echo "$call" > "$here/count"
{
    echo "call $call"
    for argument in "$@"; do printf '  argument [%s]\n' "$argument"; done
    case " $* " in *" --body-file=- "*) printf '  input [%s]\n' "$(cat)" ;; esac
} >> "$here/calls"
"#;

/// Writes an executable by way of a child process: a descriptor open for writing in this one could
/// be inherited by another test's child, and the system refuses to run a file that is being written.
pub(crate) fn install(path: &Path, script: &str) {
    let mut shell = Command::new("/bin/sh")
        .args(["-c", r#"cat > "$1" && chmod 755 "$1""#, "install"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success());
}

#[test]
fn the_debug_output_of_a_tool_names_variables_and_keeps_their_values() {
    let tool = Tool::new("gh", "/bin", PATIENT).with_variable("GH_TOKEN", "secret");
    let shown = format!("{tool:?}");
    assert!(shown.contains("GH_TOKEN") && !shown.contains("secret"), "{shown}");
}
