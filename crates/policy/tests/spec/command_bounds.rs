//! What a program may take, and that nothing of it is left behind.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_authority::AuthorityProvider;
use swampbox_custody::Snapshot;
use swampbox_material::Material;
use swampbox_policy::CommandProvider;
use tempfile::TempDir;

use crate::asked::{allows, asked, held, lines, outcome};
use crate::command::script;

fn bounded(text: &str, timeout: Duration, answer_limit: usize) -> CommandProvider {
    CommandProvider::builder("/bin/sh")
        .unwrap()
        .arguments(["-c", text])
        .variable("PATH", "/usr/bin:/bin")
        .variable("ALLOWS", allows())
        .timeout(timeout)
        .answer_limit(answer_limit)
        .build()
}

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_program_that_does_not_end_is_killed() {
    let scripts = [
        "sleep 1000",
        "trap '' TERM INT HUP; while :; do sleep 1000; done",
        "exec >&- 2>&-; sleep 1000",
        r#"printf %s "$ALLOWS"; sleep 1000"#,
        r#"printf %s "$ALLOWS"; exec >&- 2>&-; sleep 1000"#,
    ];
    assert_snapshot!(lines(scripts, |text| outcome(bounded(text, SHORT, 1_024))));
}

#[test]
fn a_program_that_floods_is_killed() {
    let scripts = ["yes", "yes >&2", "yes & yes >&2"];
    assert_snapshot!(lines(scripts, |text| outcome(bounded(text, LONG, 1_024))));
}

#[test]
fn an_answer_may_be_as_long_as_the_limit_and_no_longer() {
    let length = allows().len();
    let answer = |limit| outcome(bounded(r#"printf %s "$ALLOWS""#, LONG, limit));
    let shown = lines([length, length - 1, 0, usize::MAX], answer);
    assert_snapshot!(shown.replace(&(length - 1).to_string(), "(one less)"));
}

#[test]
fn an_answer_may_be_as_long_as_64_kib_unless_something_else_is_said() {
    let padded = |length| {
        let spaces = length - allows().len();
        format!(r#"printf %s "$ALLOWS"; head -c {spaces} /dev/zero | tr '\0' ' '"#)
    };
    let lengths = [64 << 10, (64 << 10) + 1];
    assert_snapshot!(lines(lengths, |length| outcome(script(&padded(length)))));
}

#[test]
fn a_program_need_not_read_the_whole_question() {
    let mut question = asked();
    let payload = "x".repeat(4 << 20);
    let material = Material::new("note", "inbox", payload.into());
    question.snapshot = Snapshot { material, ..held() };
    let answer = bounded(r#"exec <&-; printf %s "$ALLOWS""#, LONG, 1_024).evaluate(&question);
    assert!(answer.is_ok());
}

/// A pipe with a name that a script holds open for writing, `$PIPE`, and its children with it.
struct HeldOpen {
    directory: TempDir,
}

impl HeldOpen {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let made = Command::new("mkfifo").arg(directory.path().join("pipe")).status().unwrap();
        assert!(made.success());
        Self { directory }
    }

    fn pipe(&self) -> PathBuf {
        self.directory.path().join("pipe")
    }

    /// What `script` comes to, when everybody who held the pipe is gone.
    fn outcome(&self, script: &str) -> String {
        let pipe = self.pipe();
        let everybody_is_gone = thread::spawn(move || read_to_the_end(&pipe));
        let script = format!("exec 3>'{}'; {script}", self.pipe().display());
        let outcome = outcome(bounded(&script, LONG, 1_024));
        everybody_is_gone.join().unwrap();
        outcome
    }
}

fn read_to_the_end(pipe: &Path) {
    File::open(pipe).unwrap().read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn what_a_killed_program_has_started_is_killed_with_it() {
    assert_snapshot!(HeldOpen::new().outcome("sleep 1000 & (sleep 1000) & yes"));
}

#[test]
fn what_a_program_leaves_behind_is_killed_and_its_answer_taken() {
    assert_snapshot!(HeldOpen::new().outcome(r#"sleep 1000 & printf %s "$ALLOWS""#));
}
