//! What is killed with a program.

use std::time::{Duration, Instant};

use swampbox_process::RunError;
use tempfile::TempDir;

use crate::processes::{
    CUT_OFF_BY_OUTPUT, FLOOD, PATIENT, id_in, running_with, runs, script, shell,
    when_the_time_is_up,
};

/// Runs a script that floods its output in the end, and gives the directory that it has written to.
fn cut_off(text: &str) -> TempDir {
    let home = TempDir::new().unwrap();
    let arguments = script(&format!("{text}\n{FLOOD}"), &home);
    let ended = shell(CUT_OFF_BY_OUTPUT).run(&arguments, None);
    assert!(matches!(ended, Err(RunError::OutputTooLarge(1000))), "{ended:?}");
    home
}

#[test]
fn a_program_that_ends_by_itself_takes_its_group_with_it() {
    let home = TempDir::new().unwrap();
    let started = Instant::now();
    let ended = shell(PATIENT).run(&script("sleep 600 & echo $!", &home), None).unwrap();
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_eq!(ended.status.code(), Some(0));
}

#[test]
fn when_the_time_is_up_a_child_in_another_session_is_killed_too() {
    let text = r#"setsid sleep 600 & echo $! > "$1/part"; mv "$1/part" "$1/child"; wait"#;
    let home = when_the_time_is_up(|limits| {
        let home = TempDir::new().unwrap();
        let ended = shell(limits).run(&script(text, &home), None);
        assert!(matches!(ended, Err(RunError::TimedOut(_))), "{ended:?}");
        home.path().join("child").exists().then_some(home)
    });
    assert!(!runs(&id_in(home.path(), "child")));
}

#[test]
fn a_program_that_floods_is_killed_with_its_children() {
    let home = cut_off(r#"sleep 600 & echo $! > "$1/child""#);
    assert!(!runs(&id_in(home.path(), "child")));
}

#[test]
fn every_generation_is_killed_however_many_sessions_there_are() {
    let home = cut_off(
        r#"
        setsid sh -ec 'setsid sh -ec "setsid sleep 600 & echo \$! > \"$1/third\"; wait" sh "$1" &
            echo $! > "$1/second"; wait' sh "$1" &
        echo $! > "$1/first"
        until [ -s "$1/third" ]; do :; done"#,
    );
    for generation in ["first", "second", "third"] {
        assert!(!runs(&id_in(home.path(), generation)), "{generation}");
    }
}

#[test]
fn an_orphan_in_the_group_is_killed_with_what_it_has_moved_to_another_session() {
    let home = cut_off(
        r#"
        sh -ec 'sh -ec "setsid sleep 600 & echo \$! > \"$1/child\"; wait" sh "$1" &' sh "$1"
        until [ -s "$1/child" ]; do :; done"#,
    );
    assert!(!runs(&id_in(home.path(), "child")));
}

#[test]
fn a_tree_that_does_not_stop_forking_is_killed_to_the_last_process() {
    let home = TempDir::new().unwrap();
    let variable = format!("TREE={}", home.path().display());
    let tool = shell(CUT_OFF_BY_OUTPUT).with_variable("TREE", home.path());
    let text = format!(
        r#"
        fork() {{ while :; do setsid sleep 600 & done; }}
        fork & fork &
        for _ in 1 2 3 4 5 6 7 8 9; do setsid sleep 600 & done
        {FLOOD}"#
    );
    let ended = tool.run(&script(&text, &home), None);
    assert!(matches!(ended, Err(RunError::OutputTooLarge(_))), "{ended:?}");
    assert_eq!(running_with(&variable), Vec::<String>::new());
}

#[test]
fn a_program_that_is_stopped_or_ignores_every_signal_that_it_can_is_killed() {
    let home = cut_off(
        r#"
        trap '' HUP INT TERM TSTP TTIN TTOU CONT
        setsid sh -c 'kill -STOP $$; sleep 600' & echo $! > "$1/stopped"
        setsid sh -c 'while :; do :; done' & echo $! > "$1/busy""#,
    );
    for name in ["stopped", "busy"] {
        assert!(!runs(&id_in(home.path(), name)), "{name}");
    }
}

#[test]
fn another_tool_and_what_it_has_started_go_on() {
    let (home, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let text = r#"setsid sh -c 'until [ -e "$0/go" ]; do :; done; echo done > "$0/did"' "$1" &
        : > "$1/begun"; wait; cat "$1/did""#;
    let ended = std::thread::scope(|scope| {
        let beside = scope.spawn(|| shell(PATIENT).run(&script(text, &other), None));
        let wait = script(r#"until [ -e "$1/begun" ]; do :; done"#, &other);
        shell(PATIENT).run(&wait, None).unwrap();
        let _ = shell(CUT_OFF_BY_OUTPUT).run(&script(FLOOD, &home), None);
        std::fs::write(other.path().join("go"), "").unwrap();
        beside.join().unwrap()
    });
    assert_eq!(ended.unwrap().stdout, b"done\n");
}
