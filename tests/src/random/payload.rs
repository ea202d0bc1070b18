//! Random material, what is nearly equal to it, and what is no material.

use super::number::Numbers;
use crate::model::{Material, Value};

const BIG: &str = "9007199254740993";

/// Material out of a few types, targets and payloads, so that two are often nearly equal.
pub(super) fn material(numbers: &mut Numbers) -> Material {
    Material {
        consequence_type: numbers.pick(&["note", "note", "Note", ""]).to_owned(),
        target: numbers.pick(&["inbox", "inbox", "inbox ", "e\u{301}", "é"]).to_owned(),
        payload: value(numbers, 0),
    }
}

/// Either of the two values of a pair that a careless comparison takes for equal, or for
/// different.
pub(super) fn nearly(numbers: &mut Numbers, value: &Value) -> Value {
    match value {
        Value::Null => other(numbers, &[Value::Bool(false), Value::text(""), Value::text("null")]),
        Value::Bool(truth) => other(
            numbers,
            &[Value::Bool(!truth), Value::int(i32::from(*truth)), Value::text(truth.to_string())],
        ),
        Value::Int(digits) => nearly_integer(numbers, digits),
        Value::Float(number) => other(
            numbers,
            &[
                Value::Float(-number),
                Value::Float(number + 1.0),
                Value::int(format!("{number:.0}")),
                Value::Float(f64::from_bits(number.to_bits() ^ 1)),
            ],
        ),
        Value::Str(text) => other(
            numbers,
            &[
                Value::text(format!("{text} ")),
                Value::text(text.to_uppercase()),
                Value::text(text.replace('é', "e\u{301}")),
                Value::List(vec![value.clone()]),
            ],
        ),
        Value::List(items) => nearly_list(numbers, items),
        Value::Map(pairs) => nearly_map(numbers, pairs),
    }
}

/// A payload that is good JSON but outside the domain of material, for one reason.
pub(super) fn outside_the_domain(numbers: &mut Numbers) -> Value {
    let bad = match numbers.below(4) {
        0 => Value::Float(f64::INFINITY),
        1 => Value::Float(f64::NEG_INFINITY),
        2 => Value::int("7".repeat(4_301)),
        _ => return nested(17 + numbers.below(20)),
    };
    other(
        numbers,
        &[
            bad.clone(),
            Value::List(vec![Value::Null, bad.clone()]),
            Value::map([("a", Value::map([("b", bad)]))]),
        ],
    )
}

/// A container of exactly this depth, at least 1.
fn nested(depth: usize) -> Value {
    let innermost = Value::List(Vec::new());
    (1..depth).fold(innermost, |inner, level| match level % 3 {
        0 => Value::map([("k", inner)]),
        _ => Value::List(vec![inner]),
    })
}

fn value(numbers: &mut Numbers, level: usize) -> Value {
    let kinds = if level < 2 { 20 } else { 15 };
    match numbers.below(kinds) {
        0 => Value::Null,
        1 => Value::Bool(true),
        2 => Value::Bool(false),
        3 | 4 => Value::int(1),
        5 => Value::int(numbers.pick(&["0", "-0", "-1", BIG, "7"])),
        6 => Value::int("9".repeat(numbers.below(30) + 1)),
        7 => Value::Float(1.0),
        8 => Value::Float(0.0),
        9 => Value::Float(-0.0),
        10 => other(
            numbers,
            &[
                Value::Float(0.1),
                Value::Float(1e100),
                Value::Float(5e-324),
                Value::Float(f64::MAX),
                Value::Float(9_007_199_254_740_992.0),
            ],
        ),
        11..14 => Value::text(numbers.pick(&[
            "a",
            "A",
            "",
            " a",
            "é",
            "e\u{301}",
            "\u{202e}x",
            "\u{0}\n\"\\",
            "😀",
            "1",
            "null",
        ])),
        14 if level == 0 => nested(16),
        14 => nested(1 + numbers.below(4)),
        15 => Value::int(format!("-{}", "3".repeat(4_300))),
        16 | 17 => Value::List((0..numbers.below(4)).map(|_| value(numbers, level + 1)).collect()),
        _ => map(numbers, level),
    }
}

fn map(numbers: &mut Numbers, level: usize) -> Value {
    let keys = [
        "n",
        "a",
        "",
        "é",
        "e\u{301}",
        "$serde_json::private::Number",
        "$serde_json::private::RawValue",
    ];
    let mut pairs = Vec::new();
    for key in keys {
        if numbers.chance(35) {
            pairs.push((key.to_owned(), value(numbers, level + 1)));
        }
    }
    if numbers.chance(50) {
        pairs.reverse();
    }
    Value::Map(pairs)
}

fn nearly_integer(numbers: &mut Numbers, digits: &str) -> Value {
    let last_changed = match digits.strip_suffix(['0', '1', '2', '3']) {
        Some(start) => format!("{start}4"),
        None => format!("{}2", digits.get(1..).unwrap_or_default()),
    };
    let as_float = digits.parse().map(Value::Float);
    other(
        numbers,
        &[
            Value::int(if digits == "0" { "-0" } else { digits }),
            Value::Bool(digits == "1"),
            Value::text(digits),
            as_float.ok().filter(is_finite).unwrap_or(Value::Null),
            Value::int(without_leading_zeros(&last_changed)),
        ],
    )
}

fn nearly_list(numbers: &mut Numbers, items: &[Value]) -> Value {
    let mut items = items.to_vec();
    match numbers.below(5) {
        0 => items.reverse(),
        1 => items.push(Value::Null),
        2 => drop(items.pop()),
        3 => return Value::Map(Vec::new()),
        _ => {
            if let Some(item) = items.last_mut() {
                *item = nearly(numbers, item);
            }
        }
    }
    Value::List(items)
}

fn nearly_map(numbers: &mut Numbers, pairs: &[(String, Value)]) -> Value {
    let mut pairs = pairs.to_vec();
    match numbers.below(6) {
        0 | 1 => pairs.reverse(),
        2 => pairs.push(("extra".to_owned(), Value::Null)),
        3 => drop(pairs.pop()),
        4 => return Value::List(Vec::new()),
        _ => {
            if let Some((_, value)) = pairs.last_mut() {
                *value = nearly(numbers, value);
            }
        }
    }
    Value::Map(pairs)
}

fn is_finite(value: &Value) -> bool {
    matches!(value, Value::Float(number) if number.is_finite())
}

fn without_leading_zeros(digits: &str) -> &str {
    match digits.trim_start_matches('0') {
        "" => "0",
        trimmed => trimmed,
    }
}

/// One of the values; null where there is none.
pub(super) fn other(numbers: &mut Numbers, values: &[Value]) -> Value {
    let index = numbers.below(values.len());
    values.get(index).cloned().unwrap_or(Value::Null)
}
