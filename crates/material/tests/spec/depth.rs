use insta::assert_snapshot;
use rstest::rstest;
use swampbox_material::{List, MAX_MATERIAL_DEPTH, Map, Value};

use crate::table::{readings, refusal, value};

#[test]
fn a_container_is_one_deeper_than_its_deepest_child() {
    let texts = [
        "null",
        "1",
        r#""text""#,
        "[]",
        "{}",
        "[1]",
        r#"{"key": 1}"#,
        "[[]]",
        r#"{"a": {}, "b": [[1], []]}"#,
        r#"{"a long key that looks like [[[[": 1}"#,
    ];
    let depths = texts.map(|text| format!("{} {text}", value(text).depth()));
    assert_snapshot!(depths.join("\n"));
}

/// Wraps null in that many containers.
fn nested(depth: usize, wrap: impl Fn(usize, Value) -> Value) -> Value {
    (0..depth).fold(Value::Null, |inner, level| wrap(level, inner))
}

fn in_list(item: Value) -> Value {
    List::new([item]).unwrap().into()
}

fn in_map(item: Value) -> Value {
    Map::new([("k", item)]).unwrap().into()
}

fn alternating(level: usize, item: Value) -> Value {
    if level.is_multiple_of(2) { in_list(item) } else { in_map(item) }
}

#[rstest]
#[case::lists(|_, inner| in_list(inner))]
#[case::mappings(|_, inner| in_map(inner))]
#[case::a_mixture(alternating)]
fn sixteen_levels_are_constructed(#[case] wrap: fn(usize, Value) -> Value) {
    assert_eq!(nested(MAX_MATERIAL_DEPTH, wrap).depth(), 16);
}

#[test]
fn a_seventeenth_level_can_not_be_constructed() {
    let lists = nested(16, |_, inner| in_list(inner));
    let maps = nested(16, |_, inner| in_map(inner));
    let beside = [Value::Null, Value::from("x"), lists.clone(), maps.clone()];
    let refusals = [
        refusal(&List::new([lists.clone()]).unwrap_err()),
        refusal(&Map::new([("k", maps.clone())]).unwrap_err()),
        refusal(&List::new([maps]).unwrap_err()),
        refusal(&Map::new([("odd key", lists)]).unwrap_err()),
        refusal(&List::new(beside).unwrap_err()),
    ];
    assert_snapshot!(refusals.join("\n"));
}

#[rstest]
#[case::lists("[", "]")]
#[case::mappings(r#"{"k":"#, "}")]
#[case::a_mixture(r#"[{"k":"#, "}]")]
fn sixteen_levels_are_read(#[case] open: &str, #[case] close: &str) {
    let levels = 16 / open.matches(['[', '{']).count();
    let text = format!("{}1{}", open.repeat(levels), close.repeat(levels));
    assert_eq!(value(&text).depth(), 16);
}

#[test]
fn a_seventeenth_level_is_refused_with_its_path() {
    let list = |depth| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let map = |depth| format!("{}1{}", r#"{"k":"#.repeat(depth), "}".repeat(depth));
    assert_snapshot!(readings([
        list(17),
        map(17),
        format!("[0, {{\"a\": [{}]}}]", list(14)),
        format!("[0, {{\"a\": [{}]}}]", map(14)),
        format!("{}{}", "[".repeat(17), "]".repeat(17)),
    ]));
}

#[test]
fn the_reader_and_the_constructor_name_the_same_path() {
    let inner = r#"{"a":"#.repeat(15) + "[]" + &"}".repeat(15);
    let read = Value::from_json(format!("[1, {inner}]").as_bytes()).unwrap_err();
    let constructed = List::new([Value::from(1), value(&inner)]).unwrap_err();
    assert_eq!(read.path(), constructed.path());
    assert_eq!(read.code(), constructed.code());
}

#[test]
fn breadth_adds_no_depth() {
    let text = format!("[{}[]]", "[],{},".repeat(5_000));
    assert_eq!(value(&text).depth(), 2);
}
