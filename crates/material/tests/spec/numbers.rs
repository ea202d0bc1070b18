use insta::assert_snapshot;

use crate::table::{labelled, readings};

#[test]
fn a_number_without_fraction_and_exponent_is_an_exact_integer() {
    assert_snapshot!(readings([
        "0",
        "-0",
        "1",
        "-1",
        "100",
        "9007199254740993",
        "999999999999999999",
        "-999999999999999999",
        "1000000000000000000",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "9999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551616",
        "99999999999999999999",
        "123456789012345678901234567890",
    ]));
}

#[test]
fn an_integer_has_at_most_4300_digits_its_sign_not_counted() {
    let nines = |digits| "9".repeat(digits);
    assert_snapshot!(labelled([
        ("4299 digits", nines(4299)),
        ("4300 digits", nines(4300)),
        ("4301 digits", nines(4301)),
        ("minus, 4300 digits", format!("-{}", nines(4300))),
        ("minus, 4301 digits", format!("-{}", nines(4301))),
        ("1,000,000 digits", nines(1_000_000)),
        ("4301 digits, further down", format!(r#"{{"a": [1, {}]}}"#, nines(4301))),
        ("4301 digits and a fraction", format!("{}.0", nines(4301))),
        ("1 and 4300 decimals", format!("1.{}", nines(4300))),
    ]));
}

#[test]
fn a_number_with_a_fraction_or_an_exponent_is_a_float() {
    assert_snapshot!(readings([
        "1.0",
        "-1.0",
        "0.0",
        "-0.0",
        "-0e0",
        "0e99999",
        "1e2",
        "1E2",
        "1E+2",
        "1e-2",
        "1e0",
        "1e00000000000000000002",
        "1.5e3",
        "100.0",
        "0.1",
        "123456789.125",
        "1e15",
        "1e16",
        "1e-5",
        "1e-6",
        "5e-324",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
    ]));
}

#[test]
fn a_float_is_rounded_to_the_nearest_double() {
    assert_snapshot!(labelled([
        ("2^53 + 1, halfway: to even, down", "9007199254740993.0"),
        ("2^53 + 1 and a trifle: up", "9007199254740993.00000000000000000001"),
        ("2^53 + 3, halfway: to even, up", "9007199254740995.0"),
        ("1 + 2^-53, halfway: down", "1.00000000000000011102230246251565404236316680908203125"),
        ("1 + 2^-53 and a trifle: up", "1.00000000000000011102230246251565404236316680908203126"),
        ("below half of the least subnormal", "2.4703282292062327e-324"),
        ("above half of the least subnormal", "2.4703282292062328e-324"),
        ("the greatest subnormal", "2.2250738585072011e-308"),
        ("more digits than a double has", "3.14159265358979323846264338327950288419716939937510"),
        ("many digits, small exponent", "0.000000000000000000000000000000000000000000000000001e51"),
        ("nearest to the greatest double", "1.7976931348623158e308"),
    ]));
}

#[test]
fn a_float_too_small_for_a_double_is_zero_with_its_sign() {
    assert_snapshot!(readings([
        "1e-400",
        "-1e-400",
        "1e-99999999999999999999999",
        "0.00000000001e-320",
    ]));
}

#[test]
fn a_float_beyond_the_finite_range_is_refused() {
    assert_snapshot!(readings([
        "1e400",
        "-1e400",
        "1e309",
        "1.7976931348623159e308",
        "1e99999999999999999999999",
        r#"{"a": [0.5, {"b": -2e308}]}"#,
    ]));
}

#[test]
fn what_json_does_not_call_a_number_is_refused() {
    assert_snapshot!(readings([
        "01",
        "-01",
        "00",
        "-00",
        "00.5",
        "+1",
        ".5",
        "-.5",
        "1.",
        "1.e1",
        "1e",
        "1e+",
        "1E-",
        "1.5e",
        "-",
        "--1",
        "- 1",
        "1.2.3",
        "1e2e3",
        "1e2.5",
        "0x10",
        "1_000",
        "1f",
        "1 2",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "-NaN",
        "-inf",
        "\u{661}",
        "1\u{661}",
        "\u{ff11}",
        "[1.]",
        r#"{"n": 01}"#,
        r#"{"n": -}"#,
    ]));
}
