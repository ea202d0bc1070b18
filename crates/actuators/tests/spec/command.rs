//! What a command is given, and what comes of it once it was started.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use swampbox_actuators::{CommandActuator, DeclaredCommand, ExitCodes};
use swampbox_boundary::Actuator;
use swampbox_material::{List, Map, Material, Value};
use tempfile::TempDir;

use crate::fixture::{material, release_in};

/// A shell that runs `script` with the arguments of the payload. Here the shell is the program that the
/// operator has declared.
fn shell(script: &str) -> DeclaredCommand {
    let codes = ExitCodes::new([0, 10], [64]).unwrap();
    let shell = DeclaredCommand::new("/bin/sh", codes).unwrap();
    let shell = shell.variable("PATH", "/usr/bin:/bin").unwrap();
    shell.arguments(["-ec", script, "sh"]).unwrap()
}

pub(crate) fn release(command: DeclaredCommand, payload: &str) -> String {
    let actuator = CommandActuator::builder().declare("it", command).build();
    release_in("store", actuator, material(CommandActuator::CONSEQUENCE_TYPE, "it", payload))
}

fn release_with(command: DeclaredCommand, arguments: &[&str], stdin: Option<&str>) -> String {
    let arguments: Vec<Value> = arguments.iter().copied().map(Value::from).collect();
    let arguments = Value::from(List::new(arguments).unwrap());
    let stdin = stdin.map(|text| ("stdin", Value::from(text)));
    let payload = Map::new([("arguments", arguments)].into_iter().chain(stdin)).unwrap();
    let material = Material::new(CommandActuator::CONSEQUENCE_TYPE, "it", Value::Map(payload));
    let actuator = CommandActuator::builder().declare("it", command).build();
    release_in("store", actuator, material)
}

#[test]
fn only_a_declared_exit_code_tells_what_happened() {
    let mut told = String::new();
    for code in ["0", "1", "2", "10", "63", "64", "65", "126", "127", "137", "255"] {
        told += &release_with(shell(r#"exit "$1""#), &[code], None);
        told += "\n";
    }
    assert_snapshot!(told);
}

#[test]
fn where_nothing_is_declared_nothing_is_known() {
    let codes = ExitCodes::new([], []).unwrap();
    let command = DeclaredCommand::new("/bin/true", codes).unwrap();
    assert_snapshot!(release(command, r#"{"arguments": []}"#));
}

#[test]
fn an_end_by_a_signal_is_uncertain() {
    let mut told = String::new();
    for signal in ["KILL", "TERM", "SEGV", "PIPE"] {
        told += &release_with(shell(r#"kill -"$1" $$"#), &[signal], None);
        told += "\n";
    }
    assert_snapshot!(told);
}

#[test]
fn a_command_out_of_time_is_uncertain_and_killed_with_its_child_in_another_session() {
    let home = TempDir::new().unwrap();
    let command = shell(r#"setsid sleep 600 & echo $! > child; wait"#);
    let command = command.directory(home.path()).unwrap().timeout(Duration::from_secs(2));
    let outcome = release(command, r#"{"arguments": []}"#);
    assert!(!runs(&home.path().join("child")), "{outcome}");
    assert_snapshot!(outcome);
}

#[test]
fn a_command_that_floods_is_uncertain_and_killed_with_its_child_in_another_session() {
    let home = TempDir::new().unwrap();
    let command = shell("setsid sleep 600 & echo $! > child; while :; do echo noise; done");
    let command = command.directory(home.path()).unwrap().max_output_bytes(1_000);
    let outcome = release(command, r#"{"arguments": []}"#);
    assert!(!runs(&home.path().join("child")), "{outcome}");
    assert_snapshot!(outcome);
}

#[test]
fn what_a_command_leaves_in_its_group_does_not_hold_it_up() {
    assert_snapshot!(release(shell("sleep 600 & exit 10"), r#"{"arguments": []}"#));
}

#[test]
fn not_done_is_uncertain_while_something_is_left_that_could_still_do_it() {
    let home = TempDir::new().unwrap();
    let left = shell("sleep 600 & echo $! > child; exit 64").directory(home.path()).unwrap();
    let outcome = release(left, r#"{"arguments": []}"#);
    // It was killed, and the system may take a moment to end it.
    let (child, begun) = (home.path().join("child"), Instant::now());
    while runs(&child) {
        assert!(begun.elapsed() < Duration::from_secs(10), "it still runs: {outcome}");
        thread::sleep(Duration::from_millis(5));
    }
    let waited = release(shell("sleep 0 & wait; exit 64"), r#"{"arguments": []}"#);
    assert_snapshot!(format!("{outcome}\n{waited}"));
}

#[test]
fn arguments_arrive_as_they_are_written_after_those_that_are_declared() {
    let home = TempDir::new().unwrap();
    let command = shell(r#"printf '[%s]\n' "$@" > seen"#).directory(home.path()).unwrap();
    let arguments = ["", " a  b ", "$(id)", "`id`", "a;b|c>d", "'\"\\", "*", "-rf", "ü\n", "%s"];
    let outcome = release_with(command, &arguments, None);
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    assert_snapshot!(fs::read_to_string(home.path().join("seen")).unwrap());
}

#[test]
fn a_command_has_the_declared_variables_and_directory_and_no_others() {
    let home = TempDir::new().unwrap();
    let codes = ExitCodes::new([0], []).unwrap();
    let command = DeclaredCommand::new("/bin/sh", codes).unwrap();
    let command = command.arguments(["-c", "/usr/bin/env > seen"]).unwrap();
    let command = command.variable("B", "2").unwrap().variable("A", "x").unwrap();
    let command = command.variable("A", "").unwrap().directory(home.path()).unwrap();
    let outcome = release(command, r#"{"arguments": []}"#);
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    let seen = fs::read_to_string(home.path().join("seen")).unwrap();
    let seen = seen.replace(&home.path().display().to_string(), "HOME");
    // Shells set some of their own.
    let seen: Vec<&str> = seen.lines().filter(|line| !line.starts_with("_=")).collect();
    assert_snapshot!(seen.join("\n"));
}

#[test]
fn standard_input_arrives_as_it_is_written_and_is_empty_without_one() {
    let home = TempDir::new().unwrap();
    let command = shell(r#"cat > "$1""#).directory(home.path()).unwrap();
    let long = "ü€\r\n\u{0}".repeat(100_000);
    for (name, stdin) in [("long", Some(&*long)), ("empty", Some("")), ("none", None)] {
        let outcome = release_with(command.clone(), &[name], stdin);
        assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
        let seen = fs::read_to_string(home.path().join(name)).unwrap();
        assert_eq!(seen, stdin.unwrap_or_default(), "{name}");
    }
}

#[test]
fn a_command_that_leaves_its_input_unread_says_what_that_means() {
    let long = "x".repeat(1 << 20);
    let mut told = String::new();
    for code in ["0", "1", "64"] {
        told += &release_with(shell(r#"exit "$1""#), &[code], Some(&long));
        told += "\n";
    }
    assert_snapshot!(told);
}

#[test]
fn a_report_holds_nothing_of_the_payload_and_nothing_that_was_written() {
    let loud = shell(r#"echo "$1"; echo "$1" >&2; cat; cat "$2""#);
    for (command, secret) in [
        (loud.clone(), "secret"),
        (loud.max_output_bytes(3), "secret"),
        (DeclaredCommand::new("/missing", ExitCodes::new([], []).unwrap()).unwrap(), "secret"),
    ] {
        let outcome = release_with(command, &[secret, secret], Some(secret));
        assert!(!outcome.contains(secret), "{outcome}");
    }
}

#[test]
fn the_debug_output_of_a_command_keeps_the_values_of_its_variables() {
    let command = shell("").variable("TOKEN", "secret").unwrap();
    let shown = format!("{command:?}");
    assert!(shown.contains("TOKEN") && !shown.contains("secret"), "{shown}");
}

#[test]
fn a_second_command_of_a_name_takes_the_place_of_the_first() {
    let builder = CommandActuator::builder().declare("it", shell("exit 1"));
    let actuator =
        builder.declare("other", shell("exit 2")).declare("it", shell("exit 10")).build();
    let material = material(CommandActuator::CONSEQUENCE_TYPE, "it", r#"{"arguments": []}"#);
    assert_snapshot!(release_in("store", actuator, material));
}

#[test]
fn what_a_command_has_done_can_not_be_looked_at() {
    let actuator = CommandActuator::builder().declare("it", shell("")).build();
    let material = material(CommandActuator::CONSEQUENCE_TYPE, "it", r#"{"arguments": []}"#);
    let observation = actuator.observe(&material);
    assert_snapshot!(format!("{}: {}", observation.sighting().as_str(), observation.evidence()));
}

#[test]
fn bounds_out_of_bounds_count_as_the_bound() {
    let command = shell("echo out").timeout(Duration::MAX).max_output_bytes(usize::MAX);
    assert_snapshot!(release(command, r#"{"arguments": []}"#));
    let command = shell("sleep 600").timeout(Duration::ZERO);
    assert_snapshot!(release(command, r#"{"arguments": []}"#));
}

/// Whether the process whose id stands in `file` runs, as opposed to being gone or only waiting to be
/// reaped.
fn runs(file: &Path) -> bool {
    let id = fs::read_to_string(file).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|state| !state.starts_with(['Z', 'X']))
}
