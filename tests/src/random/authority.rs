//! Random behaviour of the scripted provider: most decisions good, the others wrong at every place
//! of the order in which a decision is checked.

use super::number::Numbers;
use super::payload::{nearly, other, outside_the_domain};
use crate::model::{Authority, Material, Overrides, Value};

/// What the provider does when it is asked about a consequence of this material. `others` are the
/// executions and the consequences that a wrong decision may name.
pub(super) fn authority(
    numbers: &mut Numbers,
    material: &Material,
    others: (&[&str], &[&str]),
) -> Authority {
    let faults = match numbers.below(100) {
        0..4 => return Authority::Unavailable,
        4..8 => return Authority::Panic,
        8..45 => 0,
        45..85 => 1,
        85..95 => 2,
        _ => 3,
    };
    let mut overrides = Overrides::default();
    for _ in 0..faults {
        lay_over(numbers, material, others, &mut overrides);
    }
    Authority::Decision(overrides)
}

/// An id that is strange but good, or bad.
pub(super) fn strange_id(numbers: &mut Numbers) -> String {
    match numbers.below(12) {
        0 => "x".repeat(256),
        1 => "é".repeat(128),
        2 => "x".repeat(257),
        3 => "é".repeat(129),
        _ => numbers
            .pick(&[
                "",
                " ",
                " X",
                "X ",
                "\u{2003}X",
                "X\u{3000}",
                "a\u{7}b",
                "a\u{85}b",
                "X\n",
                "a\u{7f}",
                "a b",
                "\u{200b}X",
                "x",
            ])
            .to_owned(),
    }
}

/// Lays one override over the decision, unless that field has one already.
fn lay_over(
    numbers: &mut Numbers,
    material: &Material,
    (executions, consequences): (&[&str], &[&str]),
    overrides: &mut Overrides,
) {
    let (name, value) = match numbers.below(20) {
        0 | 1 => ("decision_id", id_or_not(numbers, &["decision-2", "é"])),
        2..5 => ("verdict", verdict(numbers)),
        5 => (unknown_field(numbers), Value::text("x")),
        6 | 7 => ("consequence_id", id_or_not(numbers, consequences)),
        8 | 9 => ("execution_id", id_or_not(numbers, executions)),
        10..15 => ("bound_consequence", bound(numbers, material)),
        15 | 16 => ("issued_at", timestamp(numbers)),
        17 => ("valid_until", timestamp(numbers)),
        _ => {
            shift_window(numbers, overrides);
            return;
        }
    };
    // What a shift does to a window that is laid over as well is nowhere said.
    let shifts = overrides.issued_offset.is_some() || overrides.valid_for.is_some();
    let is_time = name == "issued_at" || name == "valid_until";
    let is_there = overrides.fields.iter().any(|(known, _)| known == name);
    if !(is_there || (is_time && shifts)) {
        overrides.fields.push((name.to_owned(), value));
    }
}

fn shift_window(numbers: &mut Numbers, overrides: &mut Overrides) {
    let has_time = |name: &str| name == "issued_at" || name == "valid_until";
    if overrides.fields.iter().any(|(name, _)| has_time(name)) {
        return;
    }
    let seconds = [
        "0",
        "1",
        "5",
        "10",
        "10.000000001",
        "-1",
        "-5.5",
        "0.000000001",
        "-300",
        "1e1",
        "86400",
        "1e13",
    ];
    if numbers.chance(50) {
        overrides.issued_offset = Some(numbers.pick(&seconds).to_owned());
    }
    if numbers.chance(80) {
        overrides.valid_for = Some(numbers.pick(&seconds).to_owned());
    }
}

fn id_or_not(numbers: &mut Numbers, ids: &[&str]) -> Value {
    match numbers.below(4) {
        0 => not_a_text(numbers),
        1 => Value::Str(strange_id(numbers)),
        _ => Value::text(numbers.pick(ids)),
    }
}

fn verdict(numbers: &mut Numbers) -> Value {
    match numbers.below(4) {
        0 => not_a_text(numbers),
        1 => {
            Value::text(numbers.pick(&["allow", "ALLOW ", "Allow", "", "deny", "HOLD", "ALLOWED"]))
        }
        2 => Value::text("DENY"),
        _ => Value::text("ALLOW"),
    }
}

fn unknown_field(numbers: &mut Numbers) -> &'static str {
    numbers.pick(&["scope", "Verdict", "verdict ", "", "decisionId", "consequence"])
}

fn not_a_text(numbers: &mut Numbers) -> Value {
    other(
        numbers,
        &[
            Value::Null,
            Value::Bool(true),
            Value::int(1),
            Value::Float(1.5),
            Value::List(vec![Value::text("ALLOW")]),
            Value::map([("verdict", Value::text("ALLOW"))]),
        ],
    )
}

/// Material for the decision: equal, nearly equal, or none.
fn bound(numbers: &mut Numbers, material: &Material) -> Value {
    let mut material = material.clone();
    match numbers.below(14) {
        0 => return not_a_text(numbers),
        1 => {
            return without(&material, numbers.pick(&["consequence_type", "target", "payload"]));
        }
        2 => {
            let name = numbers.pick(&["consequence_id", "Target", ""]);
            return with(&material, name, Value::Null);
        }
        3 => {
            return with(&material, numbers.pick(&["consequence_type", "target"]), Value::int(1));
        }
        4 => material.payload = outside_the_domain(numbers),
        5 => material.target.push(' '),
        6 => material.consequence_type = material.consequence_type.to_uppercase(),
        _ => material.payload = nearly(numbers, &material.payload),
    }
    match material.to_value() {
        Value::Map(mut pairs) if numbers.chance(30) => {
            pairs.reverse();
            Value::Map(pairs)
        }
        value => value,
    }
}

fn without(material: &Material, name: &str) -> Value {
    match material.to_value() {
        Value::Map(mut pairs) => {
            pairs.retain(|(known, _)| known != name);
            Value::Map(pairs)
        }
        value => value,
    }
}

fn with(material: &Material, name: &str, laid_over: Value) -> Value {
    match without(material, name) {
        Value::Map(mut pairs) => {
            pairs.push((name.to_owned(), laid_over));
            Value::Map(pairs)
        }
        value => value,
    }
}

/// A time near the usual start of the clock, or what is no time.
fn timestamp(numbers: &mut Numbers) -> Value {
    let text = match numbers.below(3) {
        0 => numbers.pick(&[
            "2026-01-01T12:00:00Z",
            "2026-01-01T11:59:59.999999999Z",
            "2026-01-01T12:00:00.000000001Z",
            "2026-01-01T12:00:05.0000000000000Z",
            "2026-01-01T12:00:10Z",
            "2026-01-01T13:00:00+01:00",
            "2026-01-01T04:00:00-08:00",
            "2026-01-02T11:30:00+23:30",
            "1996-02-29T00:00:00Z",
            "9999-12-31T23:59:59Z",
        ]),
        1 => numbers.pick(&[
            "",
            "2026-01-01",
            "2026-01-01T12:00:00",
            "2026-01-01T12:00Z",
            "2026-02-29T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-00-01T12:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T12:60:00Z",
            "2026-01-01T12:00:00.Z",
            "2026-01-01T12:00:00,5Z",
            "2026-01-01T12:00:00.0000000001Z",
            "2026-01-01T12:00:00+0100",
            "2026-01-01T12:00:00+01",
            "2026-01-01T12:00:00Z ",
            "+2026-01-01T12:00:00Z",
            "12026-01-01T12:00:00Z",
            "1767268800",
        ]),
        _ => {
            return other(numbers, &[Value::Null, Value::int(1_767_268_800), Value::Bool(true)]);
        }
    };
    Value::text(text)
}
