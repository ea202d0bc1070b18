use insta::assert_snapshot;
use swampbox_material::{Map, Value};

use crate::table::{labelled, readings, refusal};

#[test]
fn the_same_key_twice_is_refused_at_any_depth() {
    assert_snapshot!(readings([
        r#"{"a": 1, "a": 1}"#,
        r#"{"a": 1, "b": 2, "a": 3}"#,
        r#"{"": 1, "": 2}"#,
        r#"{"x": {"a": 1, "a": 2}}"#,
        r#"[0, {"x": [{"a": 1, "b": {}, "a": 2}]}]"#,
        r#"{"a": {"a": {"a": 1, "a": 2}}}"#,
        r#"{"odd key": 1, "odd key": 2}"#,
    ]));
}

#[test]
fn keys_are_compared_decoded() {
    assert_snapshot!(readings([
        r#"{"a": 1, "\u0061": 2}"#,
        r#"{"\u0061": 1, "a": 2}"#,
        r#"{"/": 1, "\/": 2}"#,
        "{\"\u{1f600}\": 1, \"\\ud83d\\ude00\": 2}",
    ]));
}

#[test]
fn keys_that_only_look_alike_are_different() {
    assert_snapshot!(readings([
        r#"{"a": 1, "A": 2, "a ": 3, " a": 4}"#,
        "{\"\u{e9}\": 1, \"e\u{301}\": 2}",
        "{\"a\": 1, \"a\u{200b}\": 2, \"\u{430}\": 3}",
    ]));
}

#[test]
fn the_same_key_in_neighbours_and_children_is_no_duplicate() {
    assert_snapshot!(readings([
        r#"[{"a": 1}, {"a": 2}]"#,
        r#"{"a": {"a": {"a": 1}}}"#,
        r#"{"a": [{"a": 1}], "b": {"a": 2}}"#
    ]));
}

#[test]
fn the_position_is_that_of_the_first_key_that_repeats_one() {
    let many = |tail: &str| {
        let keys: String = (0..20).map(|n| format!("\"k{n}\": {n},\n")).collect();
        format!("{{{keys}{tail}}}")
    };
    assert_snapshot!(labelled([
        ("three times", r#"{"a": 1, "a": 2, "a": 3}"#.to_owned()),
        ("two keys twice", r#"{"a": 1, "b": 2, "b": 3, "a": 4}"#.to_owned()),
        ("after twenty others", many(r#""k7": 0"#)),
        ("two keys twice, after twenty others", many("\"k9\": 0,\n\"k3\": 0")),
        ("next to itself, after twenty others", many("\"x\": 0,\n\"x\": 0")),
        ("in a child of a large mapping", many(r#""k": {"a": 1, "a": 2}"#)),
    ]));
}

#[test]
fn a_mapping_with_the_same_key_twice_can_not_be_constructed() {
    let one = || Value::from(1);
    let many = (0..20).map(|n| (format!("k{}", n % 19), one()));
    let refusals = [
        refusal(&Map::new([("a", one()), ("a", one())]).unwrap_err()),
        refusal(&Map::new([("a b", one()), ("c", one()), ("a b", one())]).unwrap_err()),
        refusal(&Map::new(many).unwrap_err()),
    ];
    assert_snapshot!(refusals.join("\n"));
}
