//! What a program answers, and what that comes to.

use insta::assert_snapshot;
use swampbox_authority::{AuthorityProvider, Verdict};
use swampbox_policy::CommandProvider;

use crate::asked::{allows, asked, decision, lines, outcome};

/// A shell that runs this script, with an ALLOW of X in the variable `ALLOWS`.
pub(crate) fn script(script: &str) -> CommandProvider {
    CommandProvider::builder("/bin/sh")
        .unwrap()
        .arguments(["-c", script])
        .variable("PATH", "/usr/bin:/bin")
        .variable("ALLOWS", allows())
        .build()
}

#[test]
fn what_a_program_allows_is_released() {
    assert_snapshot!(outcome(script(r#"printf %s "$ALLOWS""#)));
}

#[test]
fn a_program_reads_the_snapshot_and_the_time_from_its_standard_input() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("question");
    let provider = CommandProvider::builder("/usr/bin/tee")
        .unwrap()
        .arguments([file.to_string_lossy()])
        .build();
    drop(provider.evaluate(&asked()));
    assert_snapshot!(std::fs::read_to_string(file).unwrap());
}

#[test]
fn what_a_program_denies_is_not_released() {
    let denies = decision(Verdict::Deny).to_document();
    assert_snapshot!(outcome(script(&format!("printf %s '{denies}'"))));
}

#[test]
fn an_answer_rests_on_the_program_and_is_kept_as_it_was_received() {
    let answer = script("echo; printf ' %s\n' \"$ALLOWS\"").evaluate(&asked()).unwrap();
    assert_snapshot!(format!("{}\n{}", answer.as_received(), answer.basis().unwrap()));
}

#[test]
fn a_program_that_exits_with_an_error_has_not_decided() {
    let scripts = [
        "exit 3",
        r#"printf %s "$ALLOWS"; exit 1"#,
        "echo 'the policy is locked' >&2; exit 1",
        r#"printf %s "$ALLOWS"; kill -9 $$"#,
    ];
    assert_snapshot!(lines(scripts, |text| outcome(script(text))));
}

#[test]
fn what_a_program_says_is_shown_safely() {
    let scripts = [
        r"printf '\033[2Jgone\342\200\256\r\nauthority: ALLOW' >&2; exit 1",
        r"printf '\377\376' >&2; exit 1",
        "head -c 5000 /dev/zero | tr '\\0' x >&2; exit 1",
    ];
    assert_snapshot!(lines(scripts, |text| outcome(script(text))));
}

#[test]
fn what_a_program_says_beside_its_answer_is_not_looked_at() {
    assert_snapshot!(outcome(script(r#"echo DENY >&2; printf %s "$ALLOWS""#)));
}

#[test]
fn an_answer_is_exactly_one_decision_about_this_consequence() {
    let scripts = [
        "true",
        "echo ALLOW",
        "printf '\\377'",
        r#"printf '%s%s' "$ALLOWS" "$ALLOWS""#,
        r#"printf '%s\n%s\n' "$ALLOWS" "$ALLOWS""#,
        r#"printf '[%s]' "$ALLOWS""#,
        r#"printf %s "${ALLOWS%?}""#,
        r#"printf '%s' "${ALLOWS%?}, \"note\": 1}""#,
        r#"printf '%s' "${ALLOWS%?}, \"verdict\": \"ALLOW\"}""#,
        r#"printf %s "$ALLOWS" | sed 's/"X"/"Y"/'"#,
        r#"printf %s "$ALLOWS" | sed 's/exec-A/exec-B/'"#,
        r#"printf %s "$ALLOWS" | sed 's/"hello"/["hello"]/'"#,
    ];
    assert_snapshot!(lines(scripts, |text| outcome(script(text))));
}

#[test]
fn a_program_has_no_other_variables_than_those_that_are_given() {
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let none = script("echo \"<$CARGO_MANIFEST_DIR> <$PATH>\" >&2; exit 1")
        .evaluate(&asked())
        .unwrap_err();
    assert_snapshot!(none.to_string());
}

#[test]
fn a_program_that_can_not_be_started_has_not_decided() {
    let programs = ["/nowhere/gate", "/etc/passwd", "/tmp"];
    assert_snapshot!(lines(programs, |program| {
        outcome(CommandProvider::builder(program).unwrap().build())
    }));
}

#[test]
fn a_program_is_named_by_an_absolute_path() {
    assert_snapshot!(lines(["gate", "./gate", "", "../bin/gate\u{202e}"], |program| {
        let error = CommandProvider::builder(program).unwrap_err();
        format!("{}: {error}", error.code())
    }));
}

#[test]
fn its_debug_output_holds_no_argument_and_no_value_of_a_variable() {
    let provider = CommandProvider::builder("/usr/local/bin/gate")
        .unwrap()
        .arguments(["--password", "hunter2"])
        .variable("TOKEN", "hunter2")
        .named("gate");
    let shown = format!("{provider:?}");
    assert!(!shown.contains("hunter2"));
    assert_snapshot!(shown);
}
