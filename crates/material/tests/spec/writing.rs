use insta::assert_snapshot;
use swampbox_material::{Map, Value};

use crate::table::value;

/// The JSON of each value, which has to read back equal and be written the same again.
fn written(values: impl IntoIterator<Item = Value>) -> String {
    let texts = values.into_iter().map(|given| {
        let text = given.to_json();
        let again = value(&text);
        assert_eq!(again, given);
        assert_eq!(again.to_json(), text);
        text
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn float(number: f64) -> Value {
    Value::try_from(number).unwrap()
}

#[test]
fn a_float_keeps_a_fraction_or_an_exponent() {
    assert_snapshot!(written([
        float(0.0),
        float(-0.0),
        float(1.0),
        float(-1.0),
        float(100.0),
        float(0.1),
        float(0.1 + 0.2),
        float(1.0 / 3.0),
        float(1e-5),
        float(1e-7),
        float(1e15),
        float(1e16),
        float(1e21),
        float(9_007_199_254_740_992.0),
        float(1.5e300),
        float(f64::EPSILON),
        float(f64::MIN_POSITIVE),
        float(5e-324),
        float(f64::MAX),
        float(f64::MIN),
    ]));
}

#[test]
fn an_integer_stays_exact() {
    assert_snapshot!(written([
        value("0"),
        value("-0"),
        Value::from(7),
        Value::from(-10),
        Value::from(i64::MAX),
        Value::from(i64::MIN),
        Value::from(u64::MAX),
        value("123456789012345678901234567890"),
        value("-123456789012345678901234567890"),
    ]));
}

#[test]
fn only_what_json_demands_is_escaped() {
    let controls: String = ('\0'..' ').collect();
    assert_snapshot!(written([
        Value::from(controls),
        Value::from("\"quoted\" and \\ and /"),
        Value::from("\u{e9}\u{65e5}\u{1f600}"),
        Value::from(""),
    ]));
}

#[test]
fn what_json_leaves_alone_is_written_as_it_is() {
    let text = "\u{7f}\u{85}\u{200b}\u{2028}\u{202e}\u{feff}\u{10ffff}/";
    assert_eq!(Value::from(text).to_json(), format!("\"{text}\""));
}

#[test]
fn a_special_character_is_escaped_wherever_it_stands() {
    for length in 0..24 {
        for at in 0..=length {
            let text = format!("{}\"{}", "a".repeat(at), "\u{e9}".repeat(length - at));
            let written = Value::from(text.as_str()).to_json();
            assert_eq!(written, format!("\"{}\"", text.replace('"', "\\\"")));
        }
    }
}

#[test]
fn mapping_order_is_kept_as_given() {
    let few = r#"{"z":1,"a":2,"m":{"y":1,"b":2},"":0}"#;
    assert_eq!(value(few).to_json(), few);
    let many: String = (0..50).map(|n| format!("\"k{}\":{n},", (n * 7) % 50)).collect();
    let many = format!("{{{}}}", many.trim_end_matches(','));
    assert_eq!(value(&many).to_json(), many);
    let made = Map::new([("z", Value::Null), ("a", Value::Null)]).unwrap();
    assert_eq!(Value::from(made).to_json(), r#"{"z":null,"a":null}"#);
}

#[test]
fn values_are_written_compactly() {
    assert_snapshot!(written([
        value("null"),
        value("[ true , false ]"),
        value("[]"),
        value("{}"),
        value(r#"{ "a" : [ 1 , { "b" : [ [ ] , { } ] } ] , "c d" : "e" }"#),
    ]));
}
