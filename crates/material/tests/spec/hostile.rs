//! Input made to exhaust a reader. Each test ends at once, or not at all.

use insta::assert_snapshot;
use rstest::rstest;
use swampbox_material::json::{Json, MAX_DOCUMENT_BYTES};
use swampbox_material::{Code, Map, Material, Value};

use crate::table::{labelled, readings, refusal, value};

#[test]
fn a_hundred_thousand_levels_are_refused_without_recursion() {
    let lists = "[".repeat(100_000);
    let maps = r#"{"a":"#.repeat(100_000);
    let mixed = r#"[{"a":"#.repeat(50_000);
    let closed = format!("{lists}{}", "]".repeat(100_000));
    assert_snapshot!(labelled([
        ("lists", lists),
        ("mappings", maps),
        ("a mixture", mixed),
        ("lists that are closed", closed)
    ]));
}

#[test]
fn a_hundred_thousand_levels_are_refused_in_a_document_too() {
    let lists = Json::read("[".repeat(100_000).as_bytes()).unwrap_err();
    let payload = r#"{"a":"#.repeat(100_000);
    let material = format!(r#"{{"consequence_type": "t", "target": "u", "payload": {payload}"#);
    let material = Material::from_json(material.as_bytes()).unwrap_err();
    assert_eq!(lists.code(), Code::DepthExceeded);
    assert_eq!(material.code(), Code::DepthExceeded);
    assert_eq!(lists.path().segments().len(), 128);
    // Of material the payload counts, which stands one level down.
    assert_eq!(material.path().segments().len(), 17);
}

#[test]
fn more_values_than_memory_should_hold_are_refused() {
    let limit = swampbox_material::json::MAX_DOCUMENT_VALUES;
    let list = |items: usize| format!("[{}1]", "1,".repeat(items - 1));
    assert!(Value::from_json(list(limit - 1).as_bytes()).is_ok());
    let error = Value::from_json(list(limit).as_bytes()).unwrap_err();
    assert_eq!(error.code(), Code::TooLarge);
    assert_eq!(
        error.to_string(),
        "the document has more than 4194304 values at $[4194303] (line 1, column 8388608)"
    );
}

/// A mapping of many keys, all of one length and with a long common beginning.
fn many_keys(last: &str) -> String {
    let keys = (0..100_000).map(|n| format!("\"a common beginning {n:06}\":{n},"));
    format!("{{{}\"{last}\":0}}", keys.collect::<String>())
}

#[test]
fn many_keys_are_read_and_found() {
    let read = value(&many_keys("the last"));
    let map = read.as_map().unwrap();
    assert_eq!(map.len(), 100_001);
    for n in 0..100_000 {
        assert_eq!(map.get(&format!("a common beginning {n:06}")), Some(&Value::from(n)));
    }
    assert_eq!(map.get("a common beginning 100000"), None);
    assert_eq!(map.get(""), None);
}

#[test]
fn a_duplicate_among_many_keys_is_found() {
    let text = many_keys("a common beginning 099999");
    let error = Value::from_json(text.as_bytes()).unwrap_err();
    assert_eq!(error.code(), Code::DuplicateKey);
    assert_eq!(error, Json::read(text.as_bytes()).unwrap_err());
}

#[test]
fn many_keys_are_compared_and_told_apart() {
    let read = value(&many_keys("the last"));
    let reversed: Vec<_> = read.as_map().unwrap().iter().collect();
    let reversed = reversed.into_iter().rev().map(|(key, value)| (key.clone(), value.clone()));
    let reversed = Value::from(Map::new(reversed.collect::<Vec<_>>()).unwrap());
    assert_eq!(read, reversed);
    let material = |payload| Material::new("t", "u", payload);
    assert_eq!(material(read.clone()).differences(&material(reversed)), []);
    let other = material(value(&many_keys("another")));
    assert_eq!(material(read).differences(&other).len(), 2);
}

#[test]
fn a_document_of_many_keys_is_changed_key_by_key() {
    let document = Json::read(many_keys("the last").as_bytes()).unwrap();
    let Json::Map(mut object) = document else { panic!("an object was written") };
    for n in 0..100_000 {
        object.insert(format!("a common beginning {n:06}"), Json::Null);
        object.insert(format!("another {n}"), Json::Null);
    }
    assert_eq!(object.iter().len(), 200_001);
    assert_eq!(object.get("the last"), Some(&Json::from(0_u64)));
    assert_eq!(object.get("another 99999"), Some(&Json::Null));
}

#[rstest]
#[case::short_escapes(r"\n", "\n")]
#[case::unicode_escapes(r"\u00e9", "\u{e9}")]
#[case::surrogate_pairs(r"\ud83d\ude00", "\u{1f600}")]
#[case::escapes_between_plain_characters(r"a\n", "a\n")]
fn a_mebibyte_of_escapes_is_decoded_and_written(#[case] escaped: &str, #[case] decoded: &str) {
    let count = (1 << 20) / escaped.len();
    let read = value(&format!("\"{}\"", escaped.repeat(count)));
    assert_eq!(read.as_str(), Some(&*decoded.repeat(count)));
    assert_eq!(value(&read.to_json()), read);
}

#[test]
fn a_text_of_64_mebibytes_is_read_and_a_longer_one_refused() {
    let mut text = "a".repeat(MAX_DOCUMENT_BYTES);
    text.replace_range(..1, "\"");
    text.replace_range(MAX_DOCUMENT_BYTES - 1.., "\"");
    let read = value(&text);
    assert_eq!(read.as_str().map(str::len), Some(MAX_DOCUMENT_BYTES - 2));

    text.push(' ');
    let refusals = [
        refusal(&Value::from_json(text.as_bytes()).unwrap_err()),
        refusal(&Json::read(text.as_bytes()).unwrap_err()),
        refusal(&Material::from_json(text.as_bytes()).unwrap_err()),
    ];
    assert_snapshot!(refusals.join("\n"));
}

#[test]
fn the_private_marker_keys_of_libraries_are_ordinary() {
    assert_snapshot!(readings([
        r#"{"$serde_json::private::RawValue": "[1]"}"#,
        r#"{"$serde_json::private::Number": "1"}"#,
        r#"{"$serde_json::private::Number": "not a number"}"#,
        r#"{"$__toml_private_datetime": "1979-05-27"}"#,
        r#"{"$serde::private::Spanned": {"start": 0}}"#,
        r#"{"a": [{"$serde_json::private::RawValue": "{\"a\":1,\"a\":2}"}]}"#,
        r#"{"__proto__": null, "constructor": 1}"#,
    ]));
}
