use rstest::rstest;
use swampbox_material::{Float, Map, Value};

use crate::table::value;

#[rstest]
#[case::key_order(r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#)]
#[case::key_order_further_down(r#"[{"m": {"a": 1, "b": 2}}]"#, r#"[{"m": {"b": 2, "a": 1}}]"#)]
#[case::the_sign_of_zero("0.0", "-0.0")]
#[case::the_sign_of_zero_in_a_mapping(r#"{"n": -0.0}"#, r#"{"n": 0.0}"#)]
#[case::the_integer_minus_zero("-0", "0")]
#[case::an_exponent_and_a_fraction("1e2", "100.0")]
#[case::trailing_zeros_of_a_fraction("1.0", "1.000")]
#[case::texts_of_one_double("0.1", "0.1000000000000000055")]
#[case::an_escape_and_its_character(r#""\u0041\/""#, r#""A/""#)]
#[case::white_space_between_tokens("[1,2]", " [ 1 , 2 ] ")]
#[case::big_integers("123456789012345678901234567890", "123456789012345678901234567890")]
fn equal_whatever(#[case] left: &str, #[case] right: &str) {
    assert_eq!(value(left), value(right));
    assert_eq!(value(right), value(left));
}

#[rstest]
#[case::an_integer_and_a_float("1", "1.0")]
#[case::an_integer_and_a_boolean("1", "true")]
#[case::zero_and_false("0", "false")]
#[case::integer_zero_and_float_zero("0", "0.0")]
#[case::integer_zero_and_negative_float_zero("-0", "-0.0")]
#[case::a_float_and_a_boolean("1.0", "true")]
#[case::null_and_false("null", "false")]
#[case::null_and_zero("null", "0")]
#[case::null_and_the_empty_string("null", r#""""#)]
#[case::a_number_and_its_text("1", r#""1""#)]
#[case::a_list_and_a_mapping("[]", "{}")]
#[case::a_value_and_a_list_of_it("1", "[1]")]
#[case::types_deep_down(r#"{"a": [{"b": 1}]}"#, r#"{"a": [{"b": 1.0}]}"#)]
#[case::the_order_of_a_list("[1, 2]", "[2, 1]")]
#[case::the_length_of_a_list("[1]", "[1, 1]")]
#[case::one_key_more(r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#)]
#[case::another_key(r#"{"a": 1}"#, r#"{"b": 1}"#)]
#[case::an_absent_key_and_null("{}", r#"{"a": null}"#)]
#[case::values_swapped_between_keys(r#"{"a": 1, "b": 2}"#, r#"{"a": 2, "b": 1}"#)]
#[case::case(r#""a""#, r#""A""#)]
#[case::surrounding_space(r#""a""#, r#""a ""#)]
#[case::normal_forms("\"\u{e9}\"", "\"e\u{301}\"")]
#[case::normal_forms_of_a_key("{\"\u{e9}\": 1}", "{\"e\u{301}\": 1}")]
#[case::compatibility_forms("\"\u{fb01}\"", "\"fi\"")]
#[case::an_invisible_character("\"a\"", "\"a\u{200b}\"")]
#[case::integers_that_are_one_double("9007199254740992", "9007199254740993")]
#[case::big_integers_that_differ_by_one(
    "123456789012345678901234567890",
    "123456789012345678901234567891"
)]
#[case::the_sign_of_a_big_integer("99999999999999999999", "-99999999999999999999")]
#[case::neighbouring_floats("1.0", "1.0000000000000002")]
fn unequal_are(#[case] left: &str, #[case] right: &str) {
    assert_ne!(value(left), value(right));
    assert_ne!(value(right), value(left));
}

#[test]
fn a_clone_equals_the_original() {
    let original = value(r#"{"a": [1, 2.0, "x", null, true, {"b": -0.0}]}"#);
    assert_eq!(original.clone(), original);
}

#[test]
fn both_signs_of_zero_are_kept() {
    let zeros = value("[0.0, -0.0]");
    assert_eq!(zeros.to_json(), "[0.0,-0.0]");
}

#[test]
fn an_integer_is_the_same_from_text_and_from_a_number() {
    for (text, number) in [
        ("18446744073709551615", Value::from(u64::MAX)),
        ("9223372036854775808", Value::from(1_u64 << 63)),
        ("9223372036854775807", Value::from(i64::MAX)),
        ("-9223372036854775808", Value::from(i64::MIN)),
        ("0", Value::from(0_u64)),
    ] {
        assert_eq!(value(text), number);
    }
}

#[test]
fn a_float_is_the_same_from_text_and_from_a_number() {
    assert_eq!(value("2.5"), Value::from(Float::new(2.5).unwrap()));
}

#[test]
fn mappings_too_large_to_scan_compare_by_key_in_any_order() {
    let entries = |keys: &mut dyn Iterator<Item = i64>| {
        let entries = keys.map(|n| (format!("key {}", n % 997), Value::from(n)));
        Map::new(entries.collect::<Vec<_>>()).unwrap()
    };
    let forwards = entries(&mut (0..997));
    let backwards = entries(&mut (0..997).rev());
    assert_eq!(forwards, backwards);

    let other_value = entries(&mut (1..998));
    assert_ne!(forwards, other_value);
    let other_key = entries(
        &mut (0..997).map(|n| if n == 500 { 997 * 2 + 501 } else { n }).filter(|n| *n != 501),
    );
    assert_ne!(other_key, forwards);
}
