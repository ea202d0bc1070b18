use insta::assert_snapshot;
use serde_json::json;
use swampbox_material::{Code, Float, Integer, List, Map, Value};

use crate::table::{outcome, refusal, value};

#[test]
fn rusts_own_types_become_values() {
    let values = [
        Value::from(true),
        Value::from(-3_i32),
        Value::from(i64::MIN),
        Value::from(u64::MAX),
        Value::from("text"),
        Value::from(String::from("text")),
        Value::from(std::sync::Arc::<str>::from("text")),
        Value::from(Integer::from(5_i64)),
        Value::from(Float::new(5.0).unwrap()),
        Value::from(List::new([Value::Null]).unwrap()),
        Value::from(Map::new([("k", Value::Null)]).unwrap()),
    ];
    assert_snapshot!(values.map(|value| outcome(Ok(value))).join("\n"));
}

#[test]
fn only_finite_floats_become_values() {
    let numbers = [2.5, -0.0, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    assert_snapshot!(numbers.map(|number| outcome(Value::try_from(number))).join("\n"));
}

#[test]
fn an_integer_is_parsed_as_json_writes_it() {
    let texts = [
        "0",
        "-0",
        "12",
        "99999999999999999999",
        "",
        "-",
        "+1",
        "01",
        "-01",
        "1.0",
        "1e2",
        " 1",
        "1 ",
        "\u{661}",
        "0x1",
    ];
    let table = texts.map(|text| match Integer::parse(text) {
        Ok(integer) => format!("{text:?} {integer}"),
        Err(error) => format!("{text:?} {}", refusal(&error)),
    });
    assert_snapshot!(table.join("\n"));
    assert!(Integer::parse(&"9".repeat(4300)).is_ok());
    let error = Integer::parse(&format!("-{}", "9".repeat(4301))).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
}

#[test]
fn an_integer_is_a_number_of_rust_where_it_fits() {
    let integers = [
        "0",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-1",
        "-9223372036854775808",
        "-9223372036854775809",
    ];
    let table = integers.map(|text| {
        let integer = Integer::parse(text).unwrap();
        format!("{text}: i64 {:?}, u64 {:?}", integer.as_i64(), integer.as_u64())
    });
    assert_snapshot!(table.join("\n"));
}

#[test]
fn what_serde_json_holds_becomes_a_value_without_loss() {
    let given = json!({
        "scalars": [null, true, "\u{202e}\n"],
        "numbers": [1, -1, u64::MAX, i64::MIN, 1.0, -0.0, 1e300],
        "map": {"": {}},
    });
    let taken = Value::try_from(&given).unwrap();
    assert_eq!(serde_json::Value::try_from(&taken).unwrap(), given);
    assert_eq!(
        taken,
        value(
            r#"{
                "scalars": [null, true, "\u202e\n"],
                "numbers": [1, -1, 18446744073709551615, -9223372036854775808, 1.0, -0.0, 1e300],
                "map": {"": {}}
            }"#
        )
    );
}

#[test]
fn types_stay_apart_on_the_way_through_serde_json() {
    for text in [
        "1",
        "1.0",
        "true",
        "0",
        "-0.0",
        "null",
        r#""1""#,
        "[]",
        "{}",
        "1e16",
        "100000000000000000.0",
    ] {
        let given = value(text);
        let through = serde_json::Value::try_from(&given).unwrap();
        assert_eq!(Value::try_from(&through).unwrap().to_json(), given.to_json());
    }
}

#[test]
fn an_integer_that_serde_json_can_not_hold_is_refused_with_its_path() {
    let table = [
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        r#"{"a": [1, {"big one": 99999999999999999999}]}"#,
    ];
    let table = table.map(|text| match serde_json::Value::try_from(&value(text)) {
        Ok(given) => given.to_string(),
        Err(error) => refusal(&error),
    });
    assert_snapshot!(table.join("\n"));
}

#[test]
fn a_value_of_serde_json_that_is_too_deep_is_refused_with_its_path() {
    let nested = |depth: usize| {
        (0..depth).fold(json!(1), |inner, level| {
            if level % 2 == 0 { json!([0, inner]) } else { json!({"k": inner}) }
        })
    };
    assert_eq!(Value::try_from(&nested(16)).unwrap().depth(), 16);
    let refusals = [17, 100].map(|depth| refusal(&Value::try_from(&nested(depth)).unwrap_err()));
    assert_snapshot!(refusals.join("\n"));
}

#[test]
fn a_value_tells_what_it_is() {
    let map = value(r#"{"list": [1], "text": "t"}"#);
    let list = map.as_map().and_then(|map| map.get("list"));
    assert_eq!(list.and_then(Value::as_list).map(|list| list.items().len()), Some(1));
    let text = map.as_map().and_then(|map| map.get("text"));
    assert_eq!(text.and_then(Value::as_str), Some("t"));
    assert!(map.as_list().is_none() && map.as_str().is_none());
    assert!(value("1").as_map().is_none());
}

#[test]
fn a_mapping_counts_its_entries_and_has_no_others() {
    for size in [0, 1, 8, 9, 100] {
        let map = Map::new((0..size).map(|n| (format!("k{n}"), Value::from(n)))).unwrap();
        assert_eq!(map.len(), size as usize);
        assert_eq!(map.is_empty(), size == 0);
        assert!((0..size).all(|n| map.get(&format!("k{n}")) == Some(&Value::from(n))));
        assert_eq!(map.get("k"), None);
        assert_eq!(map.get(&format!("k{size}")), None);
    }
}
