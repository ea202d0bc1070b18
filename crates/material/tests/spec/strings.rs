use insta::assert_snapshot;
use swampbox_material::{Code, Value};

use crate::table::{readings, value};

#[test]
fn every_escape_of_json_is_decoded() {
    let text = r#""\"\\\/\b\f\n\r\t\u0041\u00e9\u65e5\ud83d\ude00\uD83D\uDE00\u0000\u001F""#;
    let decoded = value(text);
    assert_eq!(
        decoded.as_str(),
        Some("\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{65e5}\u{1f600}\u{1f600}\0\u{1f}")
    );
}

#[test]
fn any_other_escape_is_refused() {
    assert_snapshot!(readings([
        r#""\x41""#,
        r#""\'""#,
        r#""\a""#,
        r#""\v""#,
        r#""\0""#,
        r#""\U0041""#,
        r#""\N""#,
        r#""\ ""#,
        r#""\u""#,
        r#""\u004""#,
        r#""\u00g1""#,
        r#""\u{41}""#,
        r#""\u+041""#,
        r#""\u 041""#,
        r#""ab\""#,
        "\"\\\u{e9}\"",
        "\"\\u00\u{e9}9\"",
        "\"\\\n\"",
        r#"{"a\q": 1}"#,
        r#"{"a": {"b": "\q"}}"#,
    ]));
}

#[test]
fn half_a_surrogate_pair_is_refused() {
    assert_snapshot!(readings([
        r#""\ud800""#,
        r#""\udbff x""#,
        r#""\udc00""#,
        r#""\udfff""#,
        r#""\ude00\ud83d""#,
        r#""\ud83d\ud83d""#,
        r#""\ud83dx\ude00""#,
        r#""\ud83d\n""#,
        r#""\ud83d\u0041""#,
        r#""\ud83d\udbff""#,
        r#""\ud83d\ue000""#,
        r#""\ud83d\u""#,
        r#""\ud83d\ude0""#,
        r#"{"\ud800": 1}"#,
        r#"["x", {"key": "\ud800"}]"#,
    ]));
}

#[test]
fn invalid_utf_8_is_refused_wherever_it_stands() {
    assert_snapshot!(readings([
        b"\xff".as_slice(),
        b"\"\xff\"",
        b"\"caf\xe9\"",
        b"{\"a\": \"\xff\"}",
        b"{\"a\xff\": 1}",
        b"{\"a\"\xff: 1}",
        b"{\"a\":\xff 1}",
        b"[1,\xff 2]",
        b"[1\xff, 2]",
        b"[true\xff]",
        b"[tr\xffue]",
        b"[1.\xff5]",
        b"[1] \xff",
        b"[1]\n\n  \xff",
        b"\"\\\xff\"",
        b"\"\\u00\xff\"",
        b"\"\\ud83d\xff\"",
        b"\"cut short \xe6\x97\"",
        b"\"cut short \xe6\x97",
        b"\"overlong \xc0\x80\"",
        b"\"overlong \xe0\x80\xaf\"",
        b"\"a surrogate \xed\xa0\x80\"",
        b"\"over U+10FFFF \xf4\x90\x80\x80\"",
        b"\"a lone continuation \x80\"",
    ]));
}

#[test]
fn an_error_before_invalid_utf_8_is_the_one_reported() {
    assert_snapshot!(readings([b"[1,, \"\xff\"]".as_slice(), b"{\"a\":1,\"a\":2} \xff"]));
}

#[test]
fn raw_control_characters_are_refused() {
    for control in 0_u8..0x20 {
        let text = [b"[\"before " as &[u8], &[control], b" after\"]"].concat();
        let error = Value::from_json(&text).unwrap_err();
        assert_eq!(error.code(), Code::InvalidJson);
        assert_eq!(
            error.to_string(),
            "not JSON: a control character stands in a string at $[0] (line 1, column 10)",
        );
    }
}

#[test]
fn every_other_character_stands_for_itself() {
    let below = "\u{7f}\u{80}\u{85}\u{a0}\u{200b}\u{2028}\u{2029}\u{d7ff}";
    let above = "\u{e000}\u{feff}\u{ffff}\u{1f600}\u{10ffff}";
    for raw in [below, above] {
        assert_eq!(value(&format!("\"{raw}\"")).as_str(), Some(raw));
    }
}

#[test]
fn a_string_is_read_whatever_its_length_and_where_its_escape_stands() {
    for length in 0..40 {
        for escape in 0..=length {
            let (before, after) = ("\u{e9}".repeat(escape), "b".repeat(length - escape));
            let text = format!(r#""{before}\n{after}""#);
            assert_eq!(value(&text).as_str(), Some(&*format!("{before}\n{after}")));
        }
    }
}

#[test]
fn a_string_that_does_not_end_is_refused() {
    assert_snapshot!(readings([
        r#"""#,
        r#""abc"#,
        r#""abc\"#,
        r#""abc\""#,
        r#"{"abc"#,
        r#"{"abc": "d"#,
        r#"["a", "b"#,
    ]));
}
