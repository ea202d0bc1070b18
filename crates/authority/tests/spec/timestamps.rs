//! Which texts are timestamps, and how a timestamp is written.

use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use swampbox_authority::Timestamp;

use crate::fixture::{lines, parsed};

/// How each text is written after it was read, or why it is refused.
fn check(texts: &[&str]) -> String {
    lines(texts, |text| match text.parse::<Timestamp>() {
        Ok(moment) => format!("{text} is {moment}"),
        Err(error) => format!("{}: {error}", error.code()),
    })
}

#[test]
fn a_timestamp_is_rfc_3339_with_an_offset_and_is_written_in_utc() {
    let answers = check(&[
        "2026-01-01T12:00:00Z",
        "2026-01-01t12:00:00z",
        "2026-01-01T12:00:00+00:00",
        "2026-01-01T12:00:00-00:00",
        "2026-01-01T12:00:00+02:00",
        "2026-01-01T00:30:00+01:00",
        "2025-12-31T23:59:59-23:59",
        "2026-01-01T12:00:00+23:59",
        "2024-02-29T23:59:59Z",
    ]);
    assert_snapshot!(answers);
}

#[test]
fn a_fraction_is_kept_to_the_nanosecond_and_written_without_trailing_zeros() {
    let answers = check(&[
        "2026-01-01T12:00:00.0Z",
        "2026-01-01T12:00:00.500Z",
        "2026-01-01T12:00:00.123456789Z",
        "2026-01-01T12:00:00.000000001Z",
        "2026-01-01T12:00:00.100000000000000000000Z",
        "2026-01-01T12:00:00.25+01:00",
    ]);
    assert_snapshot!(answers);
}

#[test]
fn what_is_finer_than_a_nanosecond_is_refused_rather_than_rounded() {
    let answers = check(&[
        "2026-01-01T12:00:00.0000000001Z",
        "2026-01-01T12:00:00.1234567891Z",
        "2026-01-01T12:00:00.9999999999+01:00",
    ]);
    assert_snapshot!(answers);
}

#[test]
fn a_leap_second_is_refused_rather_than_moved() {
    let answers =
        check(&["2016-12-31T23:59:60Z", "2016-12-31T23:59:60.5Z", "2017-01-01T00:59:60+01:00"]);
    assert_snapshot!(answers);
}

#[test]
fn other_texts_are_no_timestamps() {
    let answers = check(&[
        "",
        "now",
        "1767268800",
        "2026-01-01",
        "2026-01-01T12:00:00",
        "2026-01-01 12:00:00Z",
        "2026-01-01_12:00:00Z",
        "2026-01-01T12:00Z",
        "2026-01-01T12Z",
        "20260101T120000Z",
        "2026-1-1T12:00:00Z",
        "2026-01-01T12:00:00.Z",
        "2026-01-01T12:00:00,5Z",
        "2026-01-01T12:00:00 Z",
        "2026-01-01T12:00:00+0200",
        "2026-01-01T12:00:00+02",
        "2026-01-01T12:00:00\u{2212}02:00",
        "2026-01-01T12:00:00+24:00",
        "2026-01-01T12:00:00+02:60",
        "2026-01-01T12:00:00+02:00:00",
        "2026-01-01T12:00:00[UTC]",
        " 2026-01-01T12:00:00Z",
        "2026-01-01T12:00:00Z ",
        "2026-01-01T12:00:00Z\n",
        "2026-02-29T12:00:00Z",
        "2026-00-01T12:00:00Z",
        "2026-13-01T12:00:00Z",
        "2026-01-32T12:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T12:60:00Z",
        "2026-01-01T12:00:61Z",
        "+2026-01-01T12:00:00Z",
        "-2026-01-01T12:00:00Z",
        "12026-01-01T12:00:00Z",
        "２０２６-01-01T12:00:00Z",
        "éééééT12:00:00Z",
    ]);
    assert_snapshot!(answers);
}

#[test]
fn the_years_from_0000_to_9999_count_in_utc() {
    let answers = check(&[
        "0000-01-01T00:00:00Z",
        "0000-01-01T01:00:00+01:00",
        "0000-01-01T00:59:59+01:00",
        "0000-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59.999999999Z",
        "9999-12-31T22:59:59-01:00",
        "9999-12-31T23:00:00-01:00",
        "9999-12-31T23:59:59-00:01",
    ]);
    assert_snapshot!(answers);
}

#[test]
fn moments_compare_as_moments_whatever_their_offset() {
    let moment = |text: &str| parsed::<Timestamp>(text);
    assert_eq!(moment("2026-01-01T12:00:00Z"), moment("2026-01-01T14:00:00.0+02:00"));
    assert!(moment("2026-01-01T12:00:00+01:00") < moment("2026-01-01T11:00:00.000000001Z"));
}

#[test]
fn a_moment_is_moved_exactly_and_never_out_of_range() {
    let start: Timestamp = parsed("2026-01-01T12:00:00Z");
    let moves = [
        0,
        1,
        -1,
        -1_500_000_000,
        86_400_000_000_000,
        251_635_031_999_999_999_999,
        251_635_032_000_000_000_000,
        i128::MAX,
        i128::MIN,
        1 << 64,
        (1 << 64) * 1_000_000_000,
    ];
    let answers = lines(moves, |by| match start.moved_by(by) {
        Ok(moment) => format!("{by} ns: {moment}"),
        Err(error) => error.to_string(),
    });
    assert_snapshot!(answers);
}

#[test]
fn a_duration_leads_to_a_later_moment_or_nowhere() {
    let start: Timestamp = parsed("2026-01-01T12:00:00Z");
    let after = |duration| start.after(duration).map(|moment| moment.to_string());
    assert_eq!(after(Duration::from_millis(250)).unwrap(), "2026-01-01T12:00:00.25Z");
    assert!(after(Duration::MAX).is_err());
}

#[test]
fn the_systems_time_is_taken_exactly_before_and_after_its_epoch() {
    let at = |nanoseconds| Duration::from_nanos(nanoseconds);
    let epoch = SystemTime::UNIX_EPOCH;
    let answers = [
        epoch,
        epoch + at(1_500_000_001),
        epoch - at(1),
        epoch + Duration::from_secs(253_402_300_800),
        epoch - Duration::from_secs(62_167_219_201),
    ]
    .map(|moment| match Timestamp::try_from(moment) {
        Ok(moment) => moment.to_string(),
        Err(error) => error.to_string(),
    })
    .join("\n");
    assert_snapshot!(answers);
}
