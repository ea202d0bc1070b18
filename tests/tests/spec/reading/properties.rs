use proptest::prelude::*;
use swampbox_material::json::Json;
use swampbox_material::{Code, List, Material, Path, Shown, Value};

use super::generated::{config, floats, nearly_json, rebuilt, similar_values, strings, values};
use super::oracle;

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn order_and_the_sign_of_zero_do_not_make_values_unequal(value in values()) {
        let anew = rebuilt(&value, false, &mut Value::clone);
        let reversed = rebuilt(&value, true, &mut Value::clone);
        let flipped = rebuilt(&reversed, false, &mut flip_zero);
        let all = [value, anew, reversed, flipped];
        for left in &all {
            for right in &all {
                prop_assert_eq!(left, right);
            }
        }
    }

    #[test]
    fn a_value_with_one_scalar_of_another_type_is_unequal(
        value in values(), place: prop::sample::Index
    ) {
        let value = Value::from(List::new([value, Value::from(1)]).unwrap());
        let mut scalars = 0;
        rebuilt(&value, false, &mut |scalar| {
            scalars += 1;
            scalar.clone()
        });
        let chosen = place.index(scalars) + 1;
        let mut visited = 0;
        let changed = rebuilt(&value, false, &mut |scalar| {
            visited += 1;
            if visited == chosen { of_another_type(scalar) } else { scalar.clone() }
        });
        prop_assert_ne!(&changed, &value);
        prop_assert_ne!(&value, &changed);
    }

    #[test]
    fn a_written_value_reads_back_equal_and_in_the_same_order(value in values()) {
        let text = value.to_json();
        let again = Value::from_json(text.as_bytes()).unwrap();
        prop_assert_eq!(again.to_json(), text);
        prop_assert_eq!(again.depth(), value.depth());
        prop_assert_eq!(again, value);
    }

    #[test]
    fn a_value_passes_through_a_document_unchanged(value in values()) {
        let document = Json::read(value.to_json().as_bytes()).unwrap();
        prop_assert_eq!(&Json::from(&value), &document);
        prop_assert_eq!(document.to_value(&Path::root()).unwrap().to_json(), value.to_json());
    }

    #[test]
    fn a_value_passes_through_serde_json_unchanged_or_is_refused(value in values()) {
        match serde_json::Value::try_from(&value) {
            Ok(given) => prop_assert_eq!(Value::try_from(&given).unwrap(), value),
            Err(error) => prop_assert_eq!(error.code(), Code::UnsupportedValue),
        }
    }

    #[test]
    fn what_is_shown_of_a_string_says_exactly_what_it_is(text in strings()) {
        let shown = Shown::text(&text).to_string();
        prop_assert!(!shown.contains(char::is_control));
        prop_assert_eq!(unshown(&shown), text);
    }
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn equality_is_an_equivalence_and_agrees_with_a_naive_model(
        a in similar_values(), b in similar_values(), c in similar_values()
    ) {
        prop_assert_eq!(&a, &a);
        prop_assert_eq!(a == b, b == a);
        prop_assert!(!(a == b && b == c) || a == c);
        prop_assert_eq!(a == b, normal_form(&a) == normal_form(&b));
    }

    #[test]
    fn there_are_no_differences_exactly_if_material_is_equal(
        a in similar_values(), b in similar_values()
    ) {
        let [left, right] = [a, b].map(|payload| Material::new("mail", "ops", payload));
        let found = left.differences(&right);
        prop_assert_eq!(found.is_empty(), left == right);
        prop_assert_eq!(found.len(), right.differences(&left).len());
        for difference in found {
            prop_assert_ne!(difference.left(), difference.right());
        }
    }

    #[test]
    fn a_float_is_read_to_the_last_bit_in_every_notation(number in floats()) {
        let notations = [
            format!("{number:?}"),
            format!("{number:e}"),
            format!("{number:.20E}"),
            format!("{number:.1100}"),
        ];
        for text in notations {
            let Value::Float(read) = Value::from_json(text.as_bytes()).unwrap() else {
                panic!("{text} is not read as a float");
            };
            prop_assert_eq!(read.to_f64().to_bits(), number.to_bits(), "{}", text);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        agrees_with_itself(&bytes)?;
    }
}

proptest! {
    #![proptest_config(config(1024))]

    #[test]
    fn somebody_elses_reader_agrees_on_what_is_json_and_what_it_says(text in nearly_json()) {
        agrees_with_itself(&text)?;
        let theirs = oracle::read(&text);
        match Json::read(&text).map_err(|error| error.code()) {
            Ok(document) => prop_assert_eq!(Some(document), theirs),
            Err(Code::InvalidJson) => prop_assert_eq!(None, theirs),
            // No rule of JSON itself, and the rest of the text was not looked at.
            Err(code) => prop_assert_eq!(code, Code::DuplicateKey),
        }
    }
}

/// The reader of values refuses what the reader of documents refuses, and only what material
/// can't hold besides.
fn agrees_with_itself(text: &[u8]) -> Result<(), TestCaseError> {
    match (Json::read(text), Value::from_json(text)) {
        (Ok(document), read) => {
            let taken = document.to_value(&Path::root());
            prop_assert_eq!(taken.as_ref().ok(), read.as_ref().ok());
            let kinds = [taken, read]
                .map(|result| result.err().map(|error| (error.code(), error.path().clone())));
            prop_assert_eq!(&kinds[0], &kinds[1]);
        }
        (Err(_), read) => prop_assert!(read.is_err()),
    }
    Ok(())
}

fn flip_zero(scalar: &Value) -> Value {
    match scalar {
        Value::Float(float) if float.to_f64() == 0.0 => Value::try_from(-float.to_f64()).unwrap(),
        other => other.clone(),
    }
}

/// The nearest value of another type.
fn of_another_type(scalar: &Value) -> Value {
    match scalar {
        Value::Integer(integer) => match integer.as_i64() {
            Some(number) => Value::try_from(number as f64).unwrap(),
            None => Value::from(integer.to_string()),
        },
        Value::Float(float) => Value::from(float.to_f64() as i64),
        Value::Bool(value) => Value::from(i64::from(*value)),
        Value::Null => Value::from(false),
        _ => Value::Null,
    }
}

/// A text that is the same for two values exactly if the contract calls them equal.
fn normal_form(value: &Value) -> String {
    match value {
        Value::Float(float) => format!("float {:?}", float.to_f64() + 0.0),
        Value::List(list) => {
            format!("{:?}", list.items().iter().map(normal_form).collect::<Vec<_>>())
        }
        Value::Map(map) => {
            let mut entries: Vec<_> =
                map.iter().map(|(key, value)| (key, normal_form(value))).collect();
            entries.sort();
            format!("map {entries:?}")
        }
        scalar => format!("{} {}", scalar.kind(), scalar.to_json()),
    }
}

/// The string of which this is shown.
fn unshown(shown: &str) -> String {
    let inside = shown.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap();
    let mut text = String::new();
    let mut rest = inside.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        text.push(match rest.next().unwrap() {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let digits: String = rest.by_ref().skip(1).take_while(|c| *c != '}').collect();
                char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap()
            }
            itself => itself,
        });
    }
    text
}
