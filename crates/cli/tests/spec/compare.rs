use insta::assert_snapshot;

use crate::run::{Files, run_with};

const DECLARED: &[u8] =
    br#"{"consequence_type": "mail", "target": "ops", "payload": {"n": 1, "to": ["a", "b"]}}"#;
const REORDERED: &[u8] =
    br#"{"payload": {"to": ["a", "b"], "n": 1}, "target": "ops", "consequence_type": "mail"}"#;
const OTHER: &[u8] = br#"{"consequence_type": "mail", "target": "ops\u202e", "payload": {"n": 1.0, "to": ["a"], "cc": true}}"#;

#[test]
fn the_same_material_matches_whatever_the_order_of_its_keys() {
    let files = Files::new([("declared.json", DECLARED), ("proposed.json", REORDERED)]);
    assert_snapshot!(files.run(&["compare", "declared.json", "proposed.json"]));
}

#[test]
fn other_material_is_a_mismatch_and_every_difference_is_shown() {
    let files = Files::new([("declared.json", DECLARED), ("proposed.json", OTHER)]);
    assert_snapshot!(files.run(&["compare", "declared.json", "proposed.json"]));
}

#[test]
fn the_receipt_of_a_match_is_one_json_document() {
    let files = Files::new([("declared.json", DECLARED), ("proposed.json", REORDERED)]);
    assert_snapshot!(files.run(&["compare", "declared.json", "proposed.json", "--json"]));
}

#[test]
fn the_receipt_of_a_mismatch_has_the_same_form() {
    let files = Files::new([("declared.json", DECLARED), ("proposed.json", OTHER)]);
    assert_snapshot!(files.run(&["compare", "declared.json", "proposed.json", "--json"]));
}

#[test]
fn both_may_come_in_one_document_on_standard_input() {
    let (declared, other) = (String::from_utf8_lossy(DECLARED), String::from_utf8_lossy(OTHER));
    let both = format!(r#"{{"declaration": {declared}, "proposed": {other}}}"#);
    assert_snapshot!(run_with(&["compare", "-"], both.as_bytes()));
}

#[test]
fn standard_input_is_not_read_twice() {
    assert_snapshot!(run_with(&["compare", "-", "-"], DECLARED));
}

#[test]
fn an_error_in_the_document_on_standard_input_has_its_path_there() {
    let both = br#"{"declaration": {"consequence_type": "a", "target": "b", "payload": [1e400]}, "proposed": 1}"#;
    assert_snapshot!(run_with(&["compare", "-"], both));
}

#[test]
fn a_declaration_alone_is_refused_with_what_to_do() {
    let files = Files::new([("declared.json", DECLARED)]);
    assert_snapshot!(files.run(&["compare", "declared.json"]));
}

#[test]
fn integers_of_any_size_are_compared_exactly() {
    let one = br#"{"consequence_type": "a", "target": "b", "payload": 100000000000000000000000000000001}"#;
    let two = br#"{"consequence_type": "a", "target": "b", "payload": 100000000000000000000000000000002}"#;
    let files = Files::new([("one.json", one), ("two.json", two)]);
    assert_snapshot!(files.run(&["compare", "one.json", "two.json"]));
}
