use insta::assert_snapshot;
use swampbox_material::{Position, Value};

use crate::table::{labelled, readings};

#[test]
fn lines_and_columns_count_from_one() {
    assert_snapshot!(readings([
        "x",
        " x",
        "\nx",
        "[1,\n 2,\n  x]",
        "{\n  \"a\": {\n    \"b\": 01\n  }\n}",
        "[\n1e400\n]",
        "[1]\n\nx",
        "\n\n",
        "[1,\n",
    ]));
}

#[test]
fn a_column_counts_characters_not_bytes() {
    assert_snapshot!(labelled([
        ("after two bytes", "[\"\u{e9}\", x]"),
        ("after three bytes", "[\"\u{65e5}\", x]"),
        ("after four bytes", "[\"\u{1f600}\", x]"),
        ("after a combining mark", "[\"e\u{301}\", x]"),
    ]));
}

#[test]
fn only_a_line_feed_ends_a_line() {
    assert_snapshot!(readings(["\r\nx", "\rx", "[\"\u{2028}\", x]"]));
}

#[test]
fn each_kind_of_error_points_at_its_value() {
    assert_snapshot!(readings([
        r#"{"a": 1, "a": 2}"#.to_owned(),
        r#"[1, "ab\qc"]"#.to_owned(),
        r#"[1, "ab\ud800c"]"#.to_owned(),
        r#"[1, "ab"#.to_owned(),
        "[1, 1e999]".to_owned(),
        format!("[1, {}]", "9".repeat(4301)),
        format!("{}1{}", "[".repeat(17), "]".repeat(17)),
    ]));
}

#[test]
fn an_error_from_text_has_a_position_and_any_other_has_none() {
    let read = Value::from_json(b"[nul]").unwrap_err();
    assert_eq!(read.position(), Some(Position { line: 1, column: 2 }));
    let made = Value::try_from(f64::NAN).unwrap_err();
    assert_eq!(made.position(), None);
}
