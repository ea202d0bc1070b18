use std::fmt::Write;

use insta::assert_snapshot;
use swampbox_material::{Code, Value};

use crate::table::{readings, refusal, visible};

#[test]
fn the_literals_and_the_empty_containers() {
    assert_snapshot!(readings([
        "null",
        "true",
        "false",
        "[]",
        "{}",
        "[ ]",
        "{\n}",
        r#""""#,
        r#"{"": null}"#
    ]));
}

#[test]
fn white_space_is_space_tab_line_feed_and_carriage_return() {
    assert_snapshot!(readings([
        " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n",
        "{ \"a\" : 1 , \"b\" : 2 }",
        "\u{b}1",
        "\u{c}1",
        "\u{a0}1",
        "\u{2028}1",
        "[1\u{2003}]",
        "[1,\u{85}2]",
    ]));
}

#[test]
fn no_text_is_no_document() {
    assert_snapshot!(readings(["", " ", "\n\n", "\t \r\n", "\0", "\0\0\0\0"]));
}

#[test]
fn a_byte_order_mark_is_refused() {
    assert_snapshot!(readings(["\u{feff}1", "\u{feff}", "1\u{feff}", "[\u{feff}1]"]));
}

#[test]
fn other_encodings_are_refused() {
    assert_snapshot!(readings([
        b"\xff\xfe[\x001\x00]\x00".as_slice(),
        b"\x00[\x001\x00]",
        b"[\x001\x00]\x00"
    ]));
}

#[test]
fn text_after_the_document_is_refused() {
    assert_snapshot!(readings([
        "1 2",
        "1,",
        "null null",
        "[] []",
        "{}{}",
        "[1]]",
        "{}}",
        r#""a" "b""#,
        "1\0",
        "[1]\n\nx",
        "truefalse",
    ]));
}

#[test]
fn comments_are_refused() {
    assert_snapshot!(readings([
        "// c\n1",
        "/* c */ 1",
        "1 // c",
        "[1, /* c */ 2]",
        "{\"a\": # c\n1}",
        "[1] /* c */"
    ]));
}

#[test]
fn what_javascript_and_python_allow_is_refused() {
    assert_snapshot!(readings([
        "'a'",
        "{'a': 1}",
        "{a: 1}",
        "{1: 2}",
        "{null: 1}",
        "[1,]",
        "[,1]",
        "[1,,2]",
        "[,]",
        r#"{"a": 1,}"#,
        "{,}",
        r#"{,"a": 1}"#,
        r#"{"a": 1,,"b": 2}"#,
        "undefined",
        "None",
        "True",
        "TRUE",
        "nul",
        "nulll",
        "tru",
        "fals3",
        "`a`",
        "\"a\" + \"b\"",
        "(1)",
        "[1;2]",
        "\u{201c}a\u{201d}",
    ]));
}

#[test]
fn missing_and_mismatched_punctuation_is_refused() {
    assert_snapshot!(readings([
        "[",
        "]",
        "{",
        "}",
        "[1",
        "[1,",
        "[1 2]",
        "[1}",
        "{]",
        r#"{"a"}"#,
        r#"{"a" 1}"#,
        r#"{"a":}"#,
        r#"{"a":"#,
        r#"{"a": 1"#,
        r#"{"a": 1, "#,
        r#"{"a": 1 "b": 2}"#,
        r#"{"a": 1]"#,
        r#"{"a":: 1}"#,
        r#"{"a", 1}"#,
        r#"["a": 1]"#,
        ":",
        ",",
        r#"{"a": [1, {"b": }]}"#,
        r#"{"a": [1, {"b" 2}]}"#,
        r#"[[[1, 2], [3 4]]]"#,
    ]));
}

#[test]
fn every_prefix_of_a_document_is_refused_with_a_path() {
    let document = r#"{"k": [true, -1.5e3, "é\n"], "m": {"n": null}}"#.as_bytes();
    assert!(Value::from_json(document).is_ok());
    let mut table = String::new();
    for end in 0..document.len() {
        let error = Value::from_json(&document[..end]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidJson);
        writeln!(table, "{}\n    {}", visible(&document[..end]), refusal(&error)).unwrap();
    }
    assert_snapshot!(table);
}
