//! What a program is given, and what comes of it if it keeps to its limits.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use swampbox_process::{Finished, Limits, RunError, Tool};
use tempfile::TempDir;

use crate::processes::{PATIENT, script, shell};

fn run(tool: &Tool, text: &str, input: Option<&str>) -> Result<Finished, RunError> {
    tool.run(&script(text, &TempDir::new().unwrap()), input)
}

fn printed(tool: &Tool, text: &str, input: Option<&str>) -> String {
    String::from_utf8(run(tool, text, input).unwrap().stdout).unwrap()
}

#[test]
fn how_it_ended_and_what_it_wrote_are_told_apart() {
    let ended = run(&shell(PATIENT), "echo out; echo err >&2; exit 3", None).unwrap();
    assert_eq!(ended.status.code(), Some(3));
    assert_eq!((&ended.stdout[..], &ended.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
}

#[test]
fn an_end_by_a_signal_is_told() {
    let ended = run(&shell(PATIENT), "kill -9 $$", None).unwrap();
    assert_eq!((ended.status.code(), ended.status.signal()), (None, Some(9)));
}

#[test]
fn a_program_is_outlived_by_what_it_left_in_its_group() {
    let outlived = |text| run(&shell(PATIENT), text, None).unwrap().is_outlived;
    assert!(outlived("sleep 600 & exit 3"));
    assert!(!outlived("sleep 0 & wait; exit 3"));
}

#[test]
fn arguments_arrive_as_they_are() {
    let arguments = ["", " ", "$(id)", "a'b\"c", "*", "ü\n"].map(str::to_owned);
    let tool = Tool::bare("/usr/bin/printf", PATIENT);
    let all: Vec<String> = ["[%s]".to_owned()].into_iter().chain(arguments).collect();
    assert_eq!(tool.run(&all, None).unwrap().stdout, "[][ ][$(id)][a'b\"c][*][ü\n]".as_bytes());
}

#[test]
fn a_bare_program_has_the_variables_that_it_was_given_and_no_others() {
    let tool = Tool::bare("/usr/bin/env", PATIENT).with_variable("B", "2").with_variable("A", "1");
    assert_eq!(tool.run(&[], None).unwrap().stdout, b"A=1\nB=2\n");
}

#[test]
fn a_program_runs_in_the_directory_that_it_was_given() {
    assert_eq!(printed(&shell(PATIENT).in_directory("/usr"), "pwd", None), "/usr\n");
}

#[test]
fn a_program_without_input_has_an_empty_one() {
    assert_eq!(printed(&shell(PATIENT), "cat; echo end", None), "end\n");
}

#[test]
fn input_arrives_whole() {
    let input = "ü".repeat(100_000);
    assert_eq!(printed(&shell(PATIENT), "cat", Some(&input)), input);
}

#[test]
fn input_that_is_not_read_is_a_failure_unless_it_may_be_left() {
    // More than a pipe holds, so that the rest can't be written to a reader that is gone.
    let input = "x".repeat(1 << 20);
    let left = run(&shell(PATIENT), "exit 0", Some(&input));
    assert!(matches!(left, Err(RunError::InputNotRead(_))), "{left:?}");
    let may_be_left = run(&shell(PATIENT).may_leave_input_unread(), "exit 4", Some(&input));
    assert_eq!(may_be_left.unwrap().status.code(), Some(4));
}

#[test]
fn as_much_output_as_is_allowed_is_no_failure() {
    let limits = Limits { max_output_bytes: 5, ..PATIENT };
    assert_eq!(printed(&shell(limits), "printf 12345; printf 12345 >&2", None), "12345");
    let one_more = run(&shell(limits), "printf 123456 >&2", None);
    assert!(matches!(one_more, Err(RunError::OutputTooLarge(5))), "{one_more:?}");
}

#[test]
fn what_can_not_be_started_is_no_process() {
    let home = TempDir::new().unwrap();
    let missing = home.path().join("missing");
    let in_missing = Tool::bare("/bin/sh", PATIENT).in_directory(&missing);
    for tool in [Tool::bare(&missing, PATIENT), Tool::bare(home.path(), PATIENT), in_missing] {
        let error = tool.run(&[], None).unwrap_err();
        assert!(matches!(error, RunError::NotStarted(_)), "{error}");
    }
}

#[test]
fn an_argument_that_no_program_can_be_given_is_no_process() {
    for argument in ["a\0b".to_owned(), "x".repeat(1 << 22)] {
        let error = Tool::bare("/bin/true", PATIENT).run(&[argument], None).unwrap_err();
        assert!(matches!(error, RunError::NotStarted(_)), "{error}");
    }
}

#[test]
fn a_deadline_that_never_comes_is_none() {
    let limits = Limits { deadline: Duration::MAX, ..PATIENT };
    assert_eq!(printed(&shell(limits), "echo done", None), "done\n");
}

#[test]
fn the_debug_output_names_variables_and_keeps_their_values() {
    let tool = Tool::new("gh", "/bin", PATIENT).with_variable("GH_TOKEN", "secret");
    let shown = format!("{tool:?}");
    assert!(shown.contains("GH_TOKEN") && !shown.contains("secret"), "{shown}");
}
