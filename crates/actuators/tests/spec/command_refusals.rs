//! What is refused before a command is started, and commands that can't be.

use std::path::{Path, PathBuf};
use std::process::Command;

use insta::assert_snapshot;
use swampbox_actuators::{CommandActuator, DeclaredCommand, ExitCodes};
use swampbox_material::{Material, Value};
use tempfile::TempDir;

use crate::command::release;
use crate::fixture::{material, release_in};

fn codes() -> ExitCodes {
    ExitCodes::new([0], [64]).unwrap()
}

/// A command that leaves a file behind wherever it is run.
fn touch(home: &TempDir) -> DeclaredCommand {
    let touch = DeclaredCommand::new("/usr/bin/touch", codes()).unwrap();
    touch.arguments(["ran"]).unwrap().directory(home.path()).unwrap()
}

/// Each payload with what comes of it. None runs the command.
fn table(payloads: &[&str]) -> String {
    let home = TempDir::new().unwrap();
    let told =
        payloads.iter().map(|payload| format!("{payload}\n  {}\n", release(touch(&home), payload)));
    let told = told.collect();
    assert!(!home.path().join("ran").exists());
    told
}

#[test]
fn a_good_payload_runs_the_command_that_the_others_do_not_run() {
    let home = TempDir::new().unwrap();
    let outcome = release(touch(&home), r#"{"arguments": []}"#);
    assert!(home.path().join("ran").exists(), "{outcome}");
}

#[test]
fn a_payload_is_a_mapping_of_known_fields() {
    assert_snapshot!(table(&[
        "null",
        r#""id""#,
        r#"["id"]"#,
        "{}",
        r#"{"stdin": ""}"#,
        r#"{"arguments": [], "shell": true}"#,
        r#"{"arguments": [], "Stdin": ""}"#,
        r#"{"arguments": [], "a\nb": ""}"#,
    ]));
}

#[test]
fn arguments_are_strings_that_a_program_can_be_given() {
    assert_snapshot!(table(&[
        r#"{"arguments": null}"#,
        r#"{"arguments": "id"}"#,
        r#"{"arguments": {"0": "id"}}"#,
        r#"{"arguments": [1]}"#,
        r#"{"arguments": ["a", null]}"#,
        r#"{"arguments": [["a"]]}"#,
        r#"{"arguments": ["a\u0000b"]}"#,
        r#"{"arguments": ["a", "b", "\u0000"]}"#,
    ]));
}

#[test]
fn standard_input_is_a_string() {
    assert_snapshot!(table(&[
        r#"{"arguments": [], "stdin": null}"#,
        r#"{"arguments": [], "stdin": ["a"]}"#,
    ]));
}

#[test]
fn what_is_too_long_is_refused_and_what_is_just_short_enough_runs() {
    let home = TempDir::new().unwrap();
    let command = DeclaredCommand::new("/bin/true", codes()).unwrap();
    let many = |count: usize| format!(r#"{{"arguments": [{}]}}"#, vec![r#""""#; count].join(","));
    let long = |bytes: usize| format!(r#"{{"arguments": ["a", "{}"]}}"#, "x".repeat(bytes - 1));
    let input = |bytes: usize| format!(r#"{{"arguments": [], "stdin": "{}"}}"#, "x".repeat(bytes));
    let mut told = String::new();
    for (what, payload) in [
        ("256 arguments", many(256)),
        ("257 arguments", many(257)),
        ("65,536 bytes", long(65_536)),
        ("65,537 bytes", long(65_537)),
        ("1,048,576 bytes of input", input(1_048_576)),
        ("1,048,577 bytes of input", input(1_048_577)),
    ] {
        let command = command.clone().directory(home.path()).unwrap();
        told += &format!("{what}: {}\n", release(command, &payload));
    }
    assert_snapshot!(told);
}

#[test]
fn another_type_of_consequence_is_refused() {
    let home = TempDir::new().unwrap();
    let actuator = CommandActuator::builder().declare("it", touch(&home)).build();
    let material = material("command", "it", r#"{"arguments": []}"#);
    assert_snapshot!(release_in("store", actuator, material));
    assert!(!home.path().join("ran").exists());
}

#[test]
fn a_target_that_is_no_declared_command_is_refused() {
    let home = TempDir::new().unwrap();
    let mut told = String::new();
    for target in ["", "IT", "it ", "/usr/bin/touch", "../it"] {
        let actuator = CommandActuator::builder().declare("it", touch(&home)).build();
        let payload = Value::from_json(br#"{"arguments": []}"#).unwrap();
        let material = Material::new(CommandActuator::CONSEQUENCE_TYPE, target, payload);
        told += &format!("{target:?}: {}\n", release_in("store", actuator, material));
    }
    assert!(!home.path().join("ran").exists());
    assert_snapshot!(told);
}

#[test]
fn a_program_that_can_not_be_started_is_definitely_not_executed() {
    let home = TempDir::new().unwrap();
    let file = |name: &str, text: &str, mode: &str| install(&home, name, text, mode);
    let command = |path: &Path| DeclaredCommand::new(path, codes()).unwrap();
    let in_missing = touch(&home).directory(home.path().join("missing")).unwrap();
    let mut told = String::new();
    for (what, command) in [
        ("missing", command(&home.path().join("missing"))),
        ("a directory", command(home.path())),
        ("not executable", command(&file("plain", "#!/bin/sh\n", "644"))),
        ("of a missing interpreter", command(&file("script", "#!/missing\n", "755"))),
        ("in a missing directory", in_missing),
        ("below a file", command(&home.path().join("plain/below"))),
    ] {
        told += &format!("{what}: {}\n", release(command, r#"{"arguments": []}"#));
    }
    assert_snapshot!(told);
}

#[test]
fn a_file_that_only_a_shell_would_run_is_not_run() {
    let home = TempDir::new().unwrap();
    let path = install(&home, "script", "touch ran", "755");
    let command = DeclaredCommand::new(&path, codes()).unwrap().directory(home.path()).unwrap();
    let command = command.variable("PATH", "/usr/bin:/bin").unwrap();
    assert_snapshot!(release(command, r#"{"arguments": []}"#));
    assert!(!home.path().join("ran").exists());
}

#[test]
fn a_command_that_the_system_could_not_be_given_can_not_be_declared() {
    let good = || DeclaredCommand::new("/bin/true", codes()).unwrap();
    let told = [
        DeclaredCommand::new("true", codes()).unwrap_err().to_string(),
        DeclaredCommand::new("./true", codes()).unwrap_err().to_string(),
        DeclaredCommand::new("", codes()).unwrap_err().to_string(),
        DeclaredCommand::new("/bin/true\0", codes()).unwrap_err().to_string(),
        good().arguments(["a", "b\0"]).unwrap_err().to_string(),
        good().variable("", "x").unwrap_err().to_string(),
        good().variable("A=B", "x").unwrap_err().to_string(),
        good().variable("A\0", "x").unwrap_err().to_string(),
        good().variable("A", "x\0").unwrap_err().to_string(),
        good().directory("home").unwrap_err().to_string(),
        good().directory("/\0").unwrap_err().to_string(),
        ExitCodes::new([0, 3], [1, 3]).unwrap_err().to_string(),
    ];
    assert_snapshot!(told.join("\n"));
}

#[test]
fn the_schema_of_the_payload_is_json_and_knows_the_same_fields() {
    let schema = Value::from_json(CommandActuator::PAYLOAD_SCHEMA.as_bytes()).unwrap();
    let properties = schema.as_map().unwrap().get("properties").unwrap().as_map().unwrap();
    let names: Vec<&str> = properties.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["arguments", "stdin"]);
}

/// Writes an executable by way of a child process: a descriptor open for writing in this one could be
/// inherited by another test's child, and the system refuses to run a file that is being written.
fn install(home: &TempDir, name: &str, text: &str, mode: &str) -> PathBuf {
    let path = home.path().join(name);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-ec", r#"echo "$1" > "$3" && chmod "$2" "$3""#, "sh", text, mode]);
    assert!(shell.arg(&path).status().unwrap().success());
    path
}
