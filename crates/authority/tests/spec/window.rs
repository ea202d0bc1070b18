//! From `issued_at`, up to but not at `valid_until`.

use insta::assert_snapshot;
use swampbox_authority::ValidityWindow;

use crate::fixture::{lines, parsed};

#[test]
fn a_window_ends_after_it_begins() {
    let noon = parsed("2026-01-01T12:00:00Z");
    let ends = [
        "2026-01-01T12:00:00.000000001Z",
        "9999-12-31T23:59:59.999999999Z",
        "2026-01-01T12:00:00Z",
        "2026-01-01T13:00:00+01:00",
        "2026-01-01T11:59:59.999999999Z",
    ];
    let answers = lines(ends, |end| match ValidityWindow::new(noon, parsed(end)) {
        Ok(window) => format!("{} to {}", window.issued_at(), window.valid_until()),
        Err(error) => error.to_string(),
    });
    assert_snapshot!(answers);
}

#[test]
fn a_window_holds_from_its_first_moment_until_just_before_its_last() {
    let window =
        ValidityWindow::new(parsed("2026-01-01T12:00:00Z"), parsed("2026-01-01T12:05:00Z"))
            .unwrap();
    let moments = [
        "0000-01-01T00:00:00Z",
        "2026-01-01T11:59:59.999999999Z",
        "2026-01-01T12:00:00Z",
        "2026-01-01T12:04:59.999999999Z",
        "2026-01-01T12:05:00Z",
        "9999-12-31T23:59:59.999999999Z",
    ];
    let answers = lines(moments, |now| match window.check(parsed(now)) {
        Ok(()) => format!("at {now}: holds"),
        Err(refusal) => format!("at {now}: {}, {refusal}", refusal.code()),
    });
    assert_snapshot!(answers);
}

#[test]
fn a_window_of_one_nanosecond_holds_at_one_moment() {
    let window = ValidityWindow::new(
        parsed("2026-01-01T12:00:00Z"),
        parsed("2026-01-01T12:00:00.000000001Z"),
    )
    .unwrap();
    assert!(window.check(window.issued_at()).is_ok());
    assert!(window.check(window.valid_until()).is_err());
}
