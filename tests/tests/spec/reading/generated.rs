//! Values and texts at random, the same ones in every run.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use swampbox_material::{Integer, List, Map, Value};

pub(crate) fn config(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(0x5eed),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Any value, up to six levels deep.
pub(crate) fn values() -> impl Strategy<Value = Value> {
    scalars().prop_recursive(6, 48, 12, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..12).prop_map(list),
            vec((keys(), inner), 0..12).prop_map(map)
        ]
    })
}

/// Values of so few kinds that two of them are often equal.
pub(crate) fn similar_values() -> impl Strategy<Value = Value> {
    let scalar = prop::sample::select(vec![
        "0", "0.0", "-0.0", "1", "1.0", "true", "false", "null", r#""1""#,
    ]);
    let scalar = scalar.prop_map(|text| Value::from_json(text.as_bytes()).unwrap());
    scalar.prop_recursive(2, 6, 2, |inner| {
        let key = prop::sample::select(vec!["a", "b"]).prop_map(str::to_owned);
        prop_oneof![vec(inner.clone(), 0..3).prop_map(list), vec((key, inner), 0..3).prop_map(map)]
    })
}

fn scalars() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-100..100_i64).prop_map(Value::from),
        "-?[1-9][0-9]{0,60}".prop_map(|digits| Integer::parse(&digits).unwrap().into()),
        floats().prop_map(|number| Value::try_from(number).unwrap()),
        strings().prop_map(Value::from),
    ]
}

pub(crate) fn floats() -> impl Strategy<Value = f64> {
    let bits =
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |number| number.is_finite());
    let decimal = (-1_000_000..1_000_000_i32).prop_map(|cents| f64::from(cents) / 100.0);
    prop_oneof![bits, decimal, Just(0.0), Just(-0.0)]
}

/// Strings with plenty of what has to be escaped.
pub(crate) fn strings() -> impl Strategy<Value = String> {
    let special =
        "\"\\/\u{8}\n\0\u{1f}\u{7f}\u{e9}\u{65e5}\u{1f600}\u{202e}\u{200b}\u{2028}{}[]:,u0a ";
    let special = prop::sample::select(special.chars().collect::<Vec<_>>());
    let special = vec(special, 0..24).prop_map(String::from_iter);
    prop_oneof![special, ".{0,16}", "[a-z ]{0,40}"]
}

fn keys() -> impl Strategy<Value = String> {
    prop_oneof!["[a-d]{0,2}", strings()]
}

fn list(items: Vec<Value>) -> Value {
    List::new(items).unwrap().into()
}

/// A mapping of the entries; of equal keys the first stays.
fn map(mut entries: Vec<(String, Value)>) -> Value {
    let mut seen = std::collections::BTreeSet::new();
    entries.retain(|(key, _)| seen.insert(key.clone()));
    Map::new(entries).unwrap().into()
}

/// The value made anew, the entries of its mappings in reverse or not, each scalar as `scalar`
/// gives it.
pub(crate) fn rebuilt(
    value: &Value,
    reversed: bool,
    scalar: &mut dyn FnMut(&Value) -> Value,
) -> Value {
    match value {
        Value::List(items) => {
            list(items.items().iter().map(|item| rebuilt(item, reversed, scalar)).collect())
        }
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            if reversed {
                entries.reverse();
            }
            let mut again = Vec::new();
            for (key, value) in entries {
                again.push((String::from(&**key), rebuilt(value, reversed, scalar)));
            }
            map(again)
        }
        other => scalar(other),
    }
}

/// Texts that are nearly JSON: a value that was written, a few of its bytes replaced, removed,
/// repeated or added.
pub(crate) fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let tokens = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\udc00",
        "\\u00e9",
        "\\n",
        "\\x",
        "0",
        "-",
        "+",
        ".",
        "e",
        "E5",
        "01",
        "1.5",
        "1e400",
        "true",
        "null",
        "nul",
        "NaN",
        " ",
        "\n",
        "\t",
        "\u{c}",
        "\u{feff}",
        "\u{2028}",
        "\0",
        "\u{1f}",
        "\u{7f}",
        "\u{e9}",
        "//",
        "/**/",
        "'",
        "\"a\":1",
        "\"a\"",
    ];
    let tokens = tokens.map(|token| token.as_bytes().to_vec()).into_iter();
    let broken = [b"\xff".as_slice(), b"\xc0\x80", b"\xed\xa0\x80", b"\xe6\x97", b"\x80"]
        .map(<[u8]>::to_vec);
    let tokens = prop::sample::select(tokens.chain(broken).collect::<Vec<_>>());
    let edit = (any::<prop::sample::Index>(), 0..3_usize, tokens.clone());
    let mutated = (values(), vec(edit, 0..4)).prop_map(|(value, edits)| {
        let mut text = value.to_json().into_bytes();
        for (place, removed, added) in edits {
            let start = place.index(text.len() + 1);
            let end = (start + removed).min(text.len());
            text.splice(start..end, added);
        }
        text
    });
    let tokens = vec(tokens, 0..12).prop_map(|tokens| tokens.concat());
    prop_oneof![4 => mutated, 1 => tokens]
}
