use insta::assert_snapshot;
use swampbox_material::{Path, Segment, Value};

use crate::table::visible;

#[test]
fn a_plain_name_follows_a_dot_and_any_other_key_stands_in_brackets() {
    let keys = [
        "a",
        "A1",
        "snake_case",
        "_",
        "_0",
        "0",
        "1a",
        "",
        " ",
        "a b",
        "a-b",
        "a.b",
        "$",
        "@",
        "*",
        "[0]",
        "'",
        "\"",
        "\\",
        "\\u{202e}",
        "\u{e9}",
        "\u{65e5}\u{672c}",
        "e\u{301}",
        "\n",
        "\t",
        "\0",
        "\u{7f}",
        "\u{a0}",
        "\u{200b}",
        "\u{202e}",
        "\u{feff}",
        "\u{e0041}",
        "a]",
        "a\"]",
    ];
    let table =
        keys.map(|key| format!("{:<24} {}", visible(key.as_bytes()), Path::root().key(key)));
    assert_snapshot!(table.join("\n"));
}

#[test]
fn a_path_reads_from_the_root_down() {
    let path = Path::root().key("payload").key("items").index(3).index(0).key("odd key").key("x");
    assert_eq!(path.to_string(), r#"$.payload.items[3][0]["odd key"].x"#);
    assert_eq!(Path::root().to_string(), "$");
}

#[test]
fn a_path_is_made_of_segments() {
    let path = Path::root().key("a").index(2);
    assert_eq!(path.segments(), [Segment::Key("a".into()), Segment::Index(2)]);
}

#[test]
fn a_path_can_stand_below_another() {
    let parent = Path::root().key("steps").index(4);
    let path = Path::root().key("payload").index(0);
    assert_eq!(path.below(&parent).to_string(), "$.steps[4].payload[0]");
    assert_eq!(Path::root().below(&parent), parent);
    assert_eq!(path.below(&Path::root()), path);
}

#[test]
fn an_error_can_stand_below_a_path() {
    let error = Value::from_json(b"[1, nul]").unwrap_err();
    let error = error.below(&Path::root().key("steps").index(4));
    assert_eq!(error.path().to_string(), "$.steps[4][1]");
    assert_eq!(error.position().map(|at| at.column), Some(5));
}

#[test]
fn a_path_leads_to_the_offending_value() {
    let text = r#"{"a b": [{"x": {"": [0, {"\u00e9": 1e999}]}}]}"#;
    let error = Value::from_json(text.as_bytes()).unwrap_err();
    assert_eq!(error.path().to_string(), "$[\"a b\"][0].x[\"\"][1][\"\u{e9}\"]");
}
