//! What is left of a program that is asked to end before it is killed, and of what it wrote.

use std::time::Duration;

use swampbox_process::{RunError, Tool, Transcript};
use tempfile::TempDir;

use crate::processes::{
    CUT_OFF_BY_OUTPUT, FLOOD, PATIENT, id_in, runs, script, shell, when_the_time_is_up,
};

fn transcribed(tool: &Tool, text: &str, home: &TempDir) -> Transcript {
    let arguments: Vec<_> = script(text, home).into_iter().map(Into::into).collect();
    tool.transcribe(&arguments, None)
}

fn asked() -> Tool {
    shell(CUT_OFF_BY_OUTPUT).asked_to_end(Duration::from_secs(60))
}

#[test]
fn a_program_that_is_asked_to_end_can_tidy_up() {
    let home = TempDir::new().unwrap();
    let text = format!(r#"trap 'echo tidy > "$1/tidy"; exit 3' TERM; {FLOOD}"#);
    // It writes to a file: nobody reads its output any more.
    let ended = transcribed(&asked(), &text, &home);
    assert!(matches!(ended.end, Err(RunError::OutputTooLarge(1000))), "{ended:?}");
    assert_eq!(id_in(home.path(), "tidy"), "tidy");
}

#[test]
fn a_program_that_does_not_end_when_it_is_asked_is_killed() {
    let home = TempDir::new().unwrap();
    let tool = shell(CUT_OFF_BY_OUTPUT).asked_to_end(Duration::from_millis(10));
    let text = format!(r#"trap '' TERM; echo $$ > "$1/id"; {FLOOD}"#);
    transcribed(&tool, &text, &home).end.unwrap_err();
    assert!(!runs(&id_in(home.path(), "id")));
}

#[test]
fn what_is_an_orphan_after_its_program_was_asked_to_end_is_killed_too() {
    let home = TempDir::new().unwrap();
    let child = r#"setsid sh -c 'echo $$ > "$0/part"; mv "$0/part" "$0/child"; exec sleep 600' "$1" &
        until [ -e "$1/child" ]; do :; done"#;
    transcribed(&asked(), &format!("{child}\n{FLOOD}"), &home).end.unwrap_err();
    assert!(!runs(&id_in(home.path(), "child")));
}

#[test]
fn a_transcript_has_what_was_written_before_the_time_was_up() {
    let home = TempDir::new().unwrap();
    let text = "echo out; echo err >&2; exec sleep 600";
    let ended = when_the_time_is_up(|limits| {
        let ended = transcribed(&shell(limits), text, &home);
        (!ended.stderr.is_empty()).then_some(ended)
    });
    assert!(matches!(ended.end, Err(RunError::TimedOut(_))), "{ended:?}");
    assert_eq!((&ended.stdout[..], &ended.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
    assert!(ended.is_whole);
}

#[test]
fn a_transcript_that_was_cut_off_by_its_length_is_not_whole() {
    let home = TempDir::new().unwrap();
    let ended = transcribed(&shell(CUT_OFF_BY_OUTPUT), FLOOD, &home);
    assert_eq!((ended.stdout.len(), ended.is_whole), (1000, false));
}

#[test]
fn a_transcript_of_a_program_that_ends_by_itself_has_its_status() {
    let home = TempDir::new().unwrap();
    let ended = transcribed(&shell(PATIENT), "echo out; exit 3", &home);
    assert_eq!(ended.end.unwrap().code(), Some(3));
    assert_eq!((&ended.stdout[..], ended.is_whole), (&b"out\n"[..], true));
}
