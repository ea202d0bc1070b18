//! Time as a count of nanoseconds since 1970-01-01T00:00:00Z.

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// A number of nanoseconds that leads out of every range, and can be added a few times without
/// leaving the integer's own.
const ENDLESS: i128 = 10_i128.pow(36);

/// Is the time within the years 0000 to 9999 in UTC?
pub(super) fn in_range(time: i128) -> bool {
    let day = time.div_euclid(DAY);
    (days_before_year(0)..days_before_year(10_000)).contains(&day)
}

/// The time as RFC 3339 in UTC with `Z`; a fraction only where it isn't zero, without trailing
/// zeros. None outside the years 0000 to 9999.
pub(super) fn format(time: i128) -> Option<String> {
    if !in_range(time) {
        return None;
    }
    let mut day = time.div_euclid(DAY);
    let within = time.rem_euclid(DAY);
    // No year is longer than 366 days, so the count starts at this year or an earlier one.
    let mut year = (day - days_before_year(0)) / 366;
    while days_before_year(year + 1) <= day {
        year += 1;
    }
    day -= days_before_year(year);
    let mut month = 1;
    while day >= days_in_month(year, month) {
        day -= days_in_month(year, month);
        month += 1;
    }
    let seconds = within / SECOND;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = format!(".{:09}", within % SECOND);
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    let day = day + 1;
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z"))
}

/// The time that an RFC 3339 text with an offset names. None for any other text, for one finer
/// than a nanosecond, for a leap second, and outside the years 0000 to 9999 in UTC.
pub(super) fn parse(text: &str) -> Option<i128> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (hour, rest) = number(rest.strip_prefix(['T', 't'])?, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (nanosecond, rest) = match rest.strip_prefix('.') {
        Some(rest) => fraction(rest)?,
        None => (0, rest),
    };
    let offset = offset(rest)?;
    let is_date = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days_of_months: i128 = (1..month).map(|month| days_in_month(year, month)).sum();
    let days = days_before_year(year) + days_of_months + day - 1;
    let seconds = hour * 3600 + minute * 60 + second - offset;
    let time = days * DAY + seconds * SECOND + nanosecond;
    in_range(time).then_some(time)
}

/// The nanoseconds in a JSON number of seconds; what is finer than a nanosecond is cut off.
/// None where the text is no number.
pub(super) fn seconds(text: &str) -> Option<i128> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(whole) => (-1, whole),
        None => (1, whole),
    };
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let zeros = exponent.parse::<i64>().ok()? + 9 - i64::try_from(fraction.len()).ok()?;
    let length = i64::try_from(digits.len()).ok()? + zeros;
    if length > 36 {
        return Some(sign * ENDLESS);
    }
    // The number has `length` digits before the point when it is counted in nanoseconds.
    let length = usize::try_from(length).unwrap_or(0);
    let padded = format!("{digits:0<length$}");
    let kept = padded.get(..length)?;
    let count = if kept.is_empty() { 0 } else { kept.parse::<i128>().ok()? };
    Some(sign * count)
}

/// The first `length` characters as a number, and what follows them.
fn number(text: &str, length: usize) -> Option<(i128, &str)> {
    let (digits, rest) = text.split_at_checked(length)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((digits.parse().ok()?, rest))
}

/// The digits after the point as nanoseconds, and what follows them.
fn fraction(text: &str) -> Option<(i128, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.strip_suffix(rest)?;
    let significant = digits.trim_end_matches('0');
    if digits.is_empty() || significant.len() > 9 {
        return None;
    }
    Some((format!("{significant:0<9}").parse().ok()?, rest))
}

/// `Z`, or a signed hour and minute, as the seconds by which local time is ahead of UTC.
fn offset(text: &str) -> Option<i128> {
    if text == "Z" || text == "z" {
        return Some(0);
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let (hour, rest) = number(rest, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let good = hour <= 23 && minute <= 59 && rest.is_empty();
    good.then_some(sign * (hour * 3600 + minute * 60))
}

/// The days from 1970-01-01 to the first day of the year (of year 0 or later).
fn days_before_year(year: i128) -> i128 {
    let leap_days = |year: i128| (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    365 * (year - 1970) + leap_days(year) - leap_days(1970)
}

fn days_in_month(year: i128, month: i128) -> i128 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::{format, parse, seconds};

    #[test]
    fn a_time_is_written_as_it_was_read() {
        for text in [
            "0000-01-01T00:00:00Z",
            "0000-12-31T23:59:59.999999999Z",
            "1600-02-29T12:00:00Z",
            "1900-03-01T00:00:00Z",
            "1969-12-31T23:59:59.5Z",
            "1970-01-01T00:00:00Z",
            "2000-02-29T01:02:03.00000001Z",
            "9999-12-31T23:59:59.999999999Z",
        ] {
            assert_eq!(parse(text).and_then(format).as_deref(), Some(text));
        }
    }

    #[test]
    fn times_count_from_the_epoch() {
        assert_eq!(parse("1970-01-01T00:00:00.000000001Z"), Some(1));
        assert_eq!(parse("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(parse("2026-01-01T12:00:00Z"), Some(1_767_268_800_000_000_000));
        assert_eq!(parse("0000-01-01T00:00:00Z"), Some(-62_167_219_200_000_000_000));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2026-01-01T12:00:00",
            "2026-01-01T12:00Z",
            "2026-02-29T12:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T12:00:00.Z",
            "2026-01-01T12:00:00.0000000001Z",
            "2026-01-01T12:00:00+0100",
            "2026-01-01T12:00:00Z ",
            "9999-12-31T23:59:59-00:01",
            "é026-01-01T12:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn zeros_after_the_ninth_digit_are_not_finer_than_a_nanosecond() {
        assert_eq!(parse("1970-01-01T00:00:00.0000000010000Z"), Some(1));
    }

    #[test]
    fn seconds_are_exact_and_cut_toward_zero() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("-0", 0),
            ("0.0", 0),
            ("1", 1_000_000_000),
            ("0.1", 100_000_000),
            ("-1.5", -1_500_000_000),
            ("0.0000000019", 1),
            ("-0.0000000019", -1),
            ("1e-10", 0),
            ("15e-1", 1_500_000_000),
            ("1.5E+1", 15_000_000_000),
            ("1e99", super::ENDLESS),
        ] {
            assert_eq!(seconds(text), Some(nanoseconds), "{text}");
        }
        assert_eq!(seconds("x"), None);
    }
}
