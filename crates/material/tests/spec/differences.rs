use insta::assert_snapshot;
use swampbox_material::{Material, Value};

use crate::table::value;

/// The differences between two payloads, a line each.
fn between(left: &str, right: &str) -> String {
    let (left, right) = (value(left), value(right));
    let material = |payload| Material::new("mail", "ops", payload);
    let found = material(left).differences(&material(right));
    found.iter().map(|difference| format!("{difference}\n")).collect()
}

fn check(pairs: &[(&str, &str)]) -> String {
    let rows =
        pairs.iter().map(|(left, right)| format!("{left} and {right}\n{}", between(left, right)));
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_changed_value_is_named_with_both_sides() {
    assert_snapshot!(check(&[
        ("1", "1.0"),
        ("1", "true"),
        ("null", r#""""#),
        (r#""a""#, r#""a\u200b""#),
        (r#"{"n": 1}"#, r#"{"n": 2}"#),
        (r#"{"a": [0, {"b": "x"}]}"#, r#"{"a": [0, {"b": "y"}]}"#),
        (r#"{"odd key": 1}"#, r#"{"odd key": 2}"#),
        ("9007199254740992", "9007199254740993"),
    ]));
}

#[test]
fn what_is_missing_or_added_is_named() {
    assert_snapshot!(check(&[
        (r#"{"a": 1}"#, "{}"),
        ("{}", r#"{"a": null}"#),
        ("[1, 2, 3]", "[1]"),
        ("[]", r#"[{"a": 1}]"#),
        (r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "c": 3}"#),
    ]));
}

#[test]
fn containers_of_another_kind_are_named_whole() {
    assert_snapshot!(check(&[("[]", "{}"), (r#"{"a": [1]}"#, r#"{"a": {"0": 1}}"#), ("[1]", "1")]));
}

#[test]
fn every_difference_is_named_in_the_order_of_the_first() {
    assert_snapshot!(check(&[(
        r#"{"z": 1, "a": [1, 2], "m": {"x": null, "same": true}}"#,
        r#"{"m": {"same": true, "x": false}, "new": 0, "a": [2, 1], "z": 1.0}"#,
    )]));
}

#[test]
fn equal_values_have_no_differences() {
    assert_eq!(between(r#"{"a": 1, "b": [0.0]}"#, r#"{"b": [-0.0], "a": 1}"#), "");
}

#[test]
fn consequence_type_and_target_are_compared_too() {
    let left = Material::new("mail", "ops", Value::Null);
    let right = Material::new("Mail", "ops\u{202e}", Value::from(1));
    let found = left.differences(&right);
    let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_difference_holds_its_path_and_both_values() {
    let left = Material::new("mail", "ops", value(r#"{"n": 1}"#));
    let right = Material::new("mail", "ops", value("{}"));
    let [found] = &left.differences(&right)[..] else { panic!("one difference") };
    assert_eq!(found.path().to_string(), "$.payload.n");
    assert_eq!(found.left(), Some(&Value::from(1)));
    assert_eq!(found.right(), None);
}
