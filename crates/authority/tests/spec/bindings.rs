//! A decision is bound to exactly one material: equal in type and structure, not in text.

use insta::assert_snapshot;
use swampbox_custody::Snapshot;

use crate::fixture::{held, judged, judged_of, lines, material, with};

/// A decision bound to a note with the payload `bound`, for one stored with `stored`.
fn check(cases: &[(&str, &str)]) -> String {
    lines(cases, |(stored, bound)| {
        let snapshot = Snapshot { material: material(stored), ..held() };
        let bound_material =
            format!(r#"{{"consequence_type": "note", "target": "inbox", "payload": {bound}}}"#);
        let decision = with(&[("bound_consequence", &bound_material)]);
        format!("stored {stored}, bound {bound}: {}", judged_of(decision, &snapshot))
    })
}

#[test]
fn what_is_equal_however_it_is_written_is_the_same_material() {
    let answers = check(&[
        (r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#),
        ("1e2", "100.0"),
        ("0.0", "-0.0"),
        ("-0", "0"),
        (r#""A""#, r#""\u0041""#),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
    ]);
    assert_snapshot!(answers);
}

#[test]
fn what_differs_in_type_or_structure_is_other_material() {
    let answers = check(&[
        ("1", "1.0"),
        ("1", "true"),
        ("0", "-0.0"),
        ("1", r#""1""#),
        ("null", "{}"),
        ("[1, 2]", "[2, 1]"),
        ("[]", "[null]"),
        (r#"{"a": null}"#, "{}"),
        (r#""a""#, r#""a ""#),
        (r#""\u00e9""#, r#""e\u0301""#),
        ("123456789012345678901234567890", "123456789012345678901234567891"),
        (r#"{"$serde_json::private::Number": "1"}"#, "1"),
        (r#"{"to": "a", "n": 1}"#, r#"{"to": "b", "n": 1.0, "cc": "c"}"#),
    ]);
    assert_snapshot!(answers);
}

#[test]
fn type_and_target_are_bound_too() {
    let answers = [
        r#"{"consequence_type": "Note", "target": "inbox", "payload": {"n": 1}}"#,
        r#"{"consequence_type": "note", "target": "inbox ", "payload": {"n": 1}}"#,
    ]
    .map(|bound| judged(with(&[("bound_consequence", bound)])))
    .join("\n");
    assert_snapshot!(answers);
}

#[test]
fn bound_material_that_is_no_material_is_malformed() {
    let nested = |depth| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let digits = "1".repeat(4_301);
    let payloads = [nested(16), nested(17), "1e400".into(), digits.clone()];
    let answers = lines(payloads, |payload| {
        let bound =
            format!(r#"{{"consequence_type": "note", "target": "inbox", "payload": {payload}}}"#);
        let judged = judged(with(&[("bound_consequence", &bound)]));
        format!("{payload}: {judged}").replace(&digits, "1 (4301 times)")
    });
    assert_snapshot!(answers);
}

#[test]
fn bound_material_has_exactly_the_fields_of_material() {
    let answers = lines(
        [
            "null",
            "{}",
            r#"{"consequence_type": "note", "target": "inbox"}"#,
            r#"{"consequence_type": 1, "target": "inbox", "payload": {"n": 1}}"#,
            r#"{"consequence_type": "note", "target": "inbox", "payload": {"n": 1}, "parent": "W"}"#,
        ],
        |bound| format!("{bound}: {}", judged(with(&[("bound_consequence", bound)]))),
    );
    assert_snapshot!(answers);
}

#[test]
fn a_long_list_of_differences_is_summed_up_and_large_values_are_left_out() {
    let items = |item: &str| format!("[{}]", [item; 5].join(", "));
    let large = format!(r#""{}""#, "x".repeat(200));
    let answers = check(&[(&items("1"), &items("2")), ("1", &large)]);
    assert_snapshot!(answers.replace(&"x".repeat(200), "xxx…"));
}
