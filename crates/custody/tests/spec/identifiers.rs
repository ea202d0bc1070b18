//! What can be an identifier.

use insta::assert_snapshot;
use swampbox_custody::{
    AttemptId, ConsequenceId, DecisionId, ExecutionId, Instance, InvalidIdentifier,
    MAX_IDENTIFIER_BYTES, Principal,
};

use crate::fixture::id;

/// What becomes of each text, and why.
fn check(cases: &[(&str, &str)]) -> String {
    let line = |(what, text): &(&str, &str)| match ConsequenceId::try_from(*text) {
        Ok(id) if id.as_str().len() > 40 => format!("{what}: accepted"),
        Ok(id) => format!("{what}: accepted, shown as {id:?}"),
        Err(error) => format!("{what}: {}, {}", error.code(), error.problem()),
    };
    cases.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_identifier_is_not_empty_and_has_at_most_256_bytes() {
    let answers = check(&[
        ("nothing", ""),
        ("1 byte", "X"),
        ("256 bytes", &"a".repeat(256)),
        ("257 bytes", &"a".repeat(257)),
        ("128 characters of 2 bytes", &"é".repeat(128)),
        ("128 characters of 2 bytes and 1 byte", &format!("{}a", "é".repeat(128))),
        ("64 characters of 4 bytes", &"\u{1f980}".repeat(64)),
        ("65 characters of 4 bytes", &"\u{1f980}".repeat(65)),
    ]);
    assert_snapshot!(answers);
    assert_eq!(MAX_IDENTIFIER_BYTES, 256);
}

#[test]
fn an_identifier_has_no_white_space_at_its_ends() {
    let answers = check(&[
        ("a space inside", "exec A"),
        ("a space before", " exec-A"),
        ("a space after", "exec-A "),
        ("nothing but a space", " "),
        ("a tab after", "exec-A\t"),
        ("a line feed after", "exec-A\n"),
        ("a no-break space before", "\u{a0}exec-A"),
        ("a no-break space after", "exec-A\u{a0}"),
        ("a no-break space inside", "exec\u{a0}A"),
        ("an ideographic space after", "exec-A\u{3000}"),
        ("a line separator after", "exec-A\u{2028}"),
        ("a line separator inside", "exec\u{2028}A"),
        ("a next line (NEL) after", "exec-A\u{85}"),
    ]);
    assert_snapshot!(answers);
}

#[test]
fn an_identifier_has_no_control_characters() {
    let answers = check(&[
        ("a null inside", "exec\0A"),
        ("a tab inside", "exec\tA"),
        ("a line feed inside", "exec\nA"),
        ("an escape inside", "exec\u{1b}A"),
        ("a delete after", "exec-A\u{7f}"),
        ("a next line (NEL) inside", "exec\u{85}A"),
        ("an application program command (C1) before", "\u{9f}exec-A"),
    ]);
    assert_snapshot!(answers);
}

#[test]
fn invisible_characters_that_are_neither_are_accepted_and_shown_escaped() {
    let answers = check(&[
        ("a zero-width space before", "\u{200b}exec-A"),
        ("a zero-width joiner inside", "exec\u{200d}A"),
        ("a byte-order mark after", "exec-A\u{feff}"),
        ("a right-to-left override inside", "exec\u{202e}A"),
        ("a quote and a backslash", "exec\"\\A"),
    ]);
    assert_snapshot!(answers);
}

#[test]
fn of_several_faults_the_first_in_this_order_is_named() {
    let answers = check(&[
        ("too long, white space, control", &"\t".repeat(257)),
        ("white space, control", "\texec\0A"),
        ("control", "exec\0A"),
    ]);
    assert_snapshot!(answers);
}

#[test]
fn the_error_says_which_kind_of_identifier_was_wanted() {
    fn message<T>(read: Result<T, InvalidIdentifier>) -> String {
        read.err().unwrap().to_string()
    }
    let text = "exec\u{200b}A\n";
    let answers = [
        message(ExecutionId::try_from(text)),
        message(ConsequenceId::try_from(text)),
        message(DecisionId::try_from(text)),
        message(AttemptId::try_from(text)),
        message(Principal::try_from(text)),
        message("".parse::<Instance>()),
    ]
    .join("\n");
    assert_snapshot!(answers);
}

#[test]
fn identifiers_compare_exactly() {
    let differ = |a, b| id::<ConsequenceId>(a) != id::<ConsequenceId>(b);
    assert!(differ("x", "X"));
    assert!(differ("\u{e9}", "e\u{301}"), "no normalisation");
    assert!(differ("x", "x\u{200b}"));
}

#[test]
fn an_identifier_is_displayed_and_serialised_as_its_text() {
    let consequence = id::<ConsequenceId>("a \"b\"");
    assert_eq!(format!("[{consequence:>7}]"), "[  a \"b\"]");
    assert_eq!(serde_json::to_string(&consequence).unwrap(), r#""a \"b\"""#);
}

#[test]
fn a_store_has_a_name_of_at_most_200_bytes_so_that_an_attempts_number_fits() {
    assert!("a".repeat(200).parse::<Instance>().is_ok());
    let refused = "a".repeat(201).parse::<Instance>().unwrap_err();
    assert_eq!(refused.problem().to_string(), "it has 201 bytes, and at most 200 are allowed");
}
