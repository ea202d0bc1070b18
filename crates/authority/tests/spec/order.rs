//! The first check that fails decides.

use insta::assert_snapshot;
use swampbox_authority::validate;

use crate::fixture::{NOW, held, judged, lines, parsed, with};

/// Faults in the order in which they are looked for.
const FAULTS: [(&str, &str); 9] = [
    ("verdict", r#""HOLD""#),
    ("unknown", "1"),
    ("verdict", r#""DENY""#),
    ("consequence_id", r#""Y""#),
    ("execution_id", r#""exec-B""#),
    ("bound_consequence", r#"{"consequence_type": "note", "target": "inbox", "payload": 1e400}"#),
    ("bound_consequence", r#"{"consequence_type": "note", "target": "inbox", "payload": 2}"#),
    ("issued_at", r#""noon""#),
    ("valid_until", r#""2026-01-01T11:00:00Z""#),
];

/// Each line has its own fault and all later ones, so that each fault is found before them.
#[test]
fn each_fault_is_found_before_all_later_ones() {
    let answers = lines(0..FAULTS.len(), |first| {
        // A field that has two faults has the earlier one.
        let faults: Vec<_> = FAULTS[first..].iter().rev().copied().collect();
        let (field, text) = FAULTS[first];
        format!("{field} {text}: {}", judged(with(&faults)))
    });
    assert_snapshot!(answers);
}

#[test]
fn a_decision_about_another_consequence_is_that_even_with_this_ones_window_over() {
    let answers = [
        with(&[("consequence_id", r#""C""#), ("valid_until", r#""2026-01-01T12:00:00Z""#)]),
        with(&[("execution_id", r#""exec-B""#), ("bound_consequence", "null")]),
        with(&[("bound_consequence", "null"), ("issued_at", "null")]),
    ]
    .map(judged)
    .join("\n");
    assert_snapshot!(answers);
}

#[test]
fn the_window_is_judged_last() {
    let windows = [
        ("2026-01-01T12:00:00Z", "2026-01-01T12:00:00.000000001Z"),
        ("2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z"),
        ("2026-01-01T12:00:00.000000001Z", "2026-01-01T13:00:00Z"),
        ("2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z"),
        ("2026-01-01T13:00:00Z", "2026-01-01T11:00:00Z"),
        ("2026-01-01T12:00:00", "2026-01-01T13:00:00"),
        ("2026-01-01T12:00:00Z", "tomorrow"),
    ];
    let answers = lines(windows, |(issued_at, valid_until)| {
        let (from, to) = (format!("{issued_at:?}"), format!("{valid_until:?}"));
        let decision = with(&[("issued_at", &from), ("valid_until", &to)]);
        format!("{issued_at} to {valid_until}: {}", judged(decision))
    });
    assert_snapshot!(answers);
}

#[test]
fn the_custodian_is_the_one_who_asks_not_whoever_the_snapshot_shows() {
    let refused = validate(&with(&[]).into(), &held(), &parsed("exec-B"), parsed(NOW));
    assert_eq!(
        refused.unwrap_err().to_string(),
        r#"the decision is for execution "exec-A", not "exec-B""#
    );
}
