use insta::assert_snapshot;
use rstest::rstest;
use swampbox_material::json::{Json, MAX_DOCUMENT_DEPTH, Object};
use swampbox_material::{Path, Value};

use crate::table::{outcome, refusal, value};

fn read(text: &str) -> Json {
    Json::read(text.as_bytes()).unwrap()
}

#[test]
fn numbers_are_kept_as_they_are_written() {
    let texts = ["0", "-0", "-0.0", "1.0", "1.00", "1e2", "1E+02", "1e400", "-1e-400"];
    for text in texts {
        assert_eq!(read(text).to_string(), text);
    }
    let digits = "9".repeat(5000);
    assert_eq!(read(&digits).to_string(), digits);
}

#[test]
fn numbers_of_documents_are_compared_as_text() {
    assert_eq!(read("[1, 1.0]"), read("[1,1.0]"));
    assert_ne!(read("1.0"), read("1.00"));
}

#[rstest]
#[case::lists("[", "]")]
#[case::objects(r#"{"k":"#, "}")]
fn a_document_nests_128_deep_and_no_deeper(#[case] open: &str, #[case] close: &str) {
    let nested = |depth| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    assert_eq!(MAX_DOCUMENT_DEPTH, 128);
    assert_eq!(read(&nested(128)).to_string(), nested(128));
    let error = Json::read(nested(129).as_bytes()).unwrap_err();
    assert_eq!(error.code().as_str(), "depth_exceeded");
    assert_eq!(error.path().segments().len(), 128);
}

#[test]
fn a_document_is_read_as_strictly_as_a_value() {
    let texts =
        [r#"{"a": 1, "\u0061": 2}"#, "[1,]", "01", r#""\ud800""#, "[1] 2", "", r#"{"a": [nul]}"#];
    for text in texts {
        let document = Json::read(text.as_bytes()).unwrap_err();
        assert_eq!(document, Value::from_json(text.as_bytes()).unwrap_err());
    }
}

#[test]
fn a_part_becomes_a_value_or_is_refused_with_its_path() {
    let path = Path::root().key("decision").key("bound");
    let deep = format!("{}1{}", "[".repeat(16), "]".repeat(16));
    let deeper = format!("{{\"k\": {deep}}}");
    let digits = format!("[{}]", "9".repeat(4301));
    let texts = [
        "null",
        "[true, \"x\", {\"b\": 1, \"a\": -0}]",
        "1e2",
        "[1, {\"n\": 1e400}]",
        &digits,
        &deep,
        &deeper,
    ];
    let outcomes = texts.map(|text| outcome(read(text).to_value(&path)));
    assert_snapshot!(outcomes.join("\n"));
}

#[test]
fn a_value_becomes_a_document_and_a_value_again() {
    let given =
        value(r#"{"z": [1, 1.0, -0.0, 99999999999999999999, null, true], "a": {"": "\u202e"}}"#);
    let document = Json::from(&given);
    assert_eq!(document.to_string(), given.to_json());
    assert_eq!(document.to_value(&Path::root()).unwrap(), given);
}

#[test]
fn a_document_is_made_of_strings_numbers_and_entries() {
    let made =
        Json::object([("z", Json::from("\u{1}")), ("a", Json::from(u64::MAX)), ("n", Json::Null)]);
    assert_eq!(made.to_string(), r#"{"z":"\u0001","a":18446744073709551615,"n":null}"#);
    assert_eq!(read(&made.to_string()), made);
}

#[test]
fn of_equal_keys_the_last_value_stands_in_the_place_of_the_first() {
    let made = Json::object([("a", Json::from(1)), ("b", Json::from(2)), ("a", Json::from(3))]);
    assert_eq!(made.to_string(), r#"{"a":3,"b":2}"#);
}

#[test]
fn an_object_keeps_the_order_in_which_keys_came() {
    let mut object = Object::default();
    for n in 0_u64..20 {
        let key = format!("k{}", n * 7 % 20);
        assert_eq!(object.get(&key), None);
        object.insert(key.as_str(), Json::from(n));
        assert_eq!(object.get(&key), Some(&Json::from(n)));
    }
    object.insert("k14", Json::Null);
    assert_snapshot!(Json::Map(object));
}

#[test]
fn the_order_of_keys_is_part_of_a_document() {
    assert_ne!(read(r#"{"a": 1, "b": 2}"#), read(r#"{"b": 2, "a": 1}"#));
}

#[test]
fn a_document_tells_what_it_is() {
    let kinds = ["null", "true", "1", r#""x""#, "[]", "{}"].map(|text| {
        let document = read(text);
        let (object, string) = (document.as_object().is_some(), document.as_str());
        format!("{text} is {}; object {object}, string {string:?}", document.kind())
    });
    assert_snapshot!(kinds.join("\n"));
}

#[test]
fn marker_keys_of_libraries_are_ordinary_in_documents() {
    let text = r#"{"$serde_json::private::RawValue":"[1]","$serde_json::private::Number":"1"}"#;
    assert_eq!(read(text).to_string(), text);
}

#[test]
fn an_error_of_a_document_has_its_position() {
    let error = Json::read(b"{\n  \"a\": [1,\n    tru]}").unwrap_err();
    assert_eq!(
        refusal(&error),
        "invalid_json: not JSON: a value was expected at $.a[1] (line 3, column 5)",
    );
}
