/// A second, in nanoseconds.
pub(super) const NANOSECONDS: i128 = 1_000_000_000;

const FRACTION_DIGITS: i64 = 9;

/// A JSON number of seconds in nanoseconds: exact, and cut off towards zero where it is finer. A
/// number too large for any clock becomes one that is too large as well.
pub(super) fn to_nanoseconds(number: &str) -> i128 {
    let (negative, number) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number),
    };
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let saturated = if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
    let exponent: i64 = exponent.parse().unwrap_or(saturated);
    let fraction_digits = i64::try_from(fraction.len()).unwrap_or(i64::MAX / 4);
    let shift = exponent.saturating_add(FRACTION_DIGITS).saturating_sub(fraction_digits);

    let digits = whole.bytes().chain(fraction.bytes()).skip_while(|&digit| digit == b'0');
    let digits: Vec<u8> = digits.collect();
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX).saturating_add(shift);
    let kept = usize::try_from(length.max(0)).unwrap_or(usize::MAX);
    if digits.is_empty() || kept == 0 {
        return 0;
    }
    let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(kept.min(MOST_DIGITS));
    let magnitude = if kept > MOST_DIGITS {
        i128::MAX
    } else {
        padded.fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0'))
    };
    if negative { -magnitude } else { magnitude }
}

/// A number of this many digits always fits.
const MOST_DIGITS: usize = 38;

#[cfg(test)]
mod tests {
    use super::to_nanoseconds;

    #[test]
    fn seconds_become_exact_nanoseconds() {
        let cases = [
            ("0", 0),
            ("1", 1_000_000_000),
            ("-1.5", -1_500_000_000),
            ("0.000000001", 1),
            ("0.0000000019", 1),
            ("-0.0000000019", -1),
            ("1e-9", 1),
            ("1e-10", 0),
            ("1.5e3", 1_500_000_000_000),
            ("0.1e1", 1_000_000_000),
            ("1e400", i128::MAX),
            ("-1e99999999999999999999", -i128::MAX),
            ("1e-99999999999999999999", 0),
            ("0e99999999999999999999", 0),
        ];
        for (text, nanoseconds) in cases {
            assert_eq!(to_nanoseconds(text), nanoseconds, "{text}");
        }
    }
}
