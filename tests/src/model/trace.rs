//! A line of a trace, and its comparison with a line of the product.

use std::fmt;

use super::json::{read, write};
use super::value::{Value, find};

/// What one step came to.
#[derive(Clone, Debug)]
pub struct TraceLine {
    /// The step's number, dotted where it is nested: `5.evaluation.1`.
    pub step: String,
    /// The step's operation.
    pub op: &'static str,
    /// The result under `ok`, or the code of the error.
    pub outcome: Result<Value, &'static str>,
}

impl TraceLine {
    /// Compares this line with a line that the product printed.
    ///
    /// The product's line must have exactly the members that a trace line has. Values compare by
    /// material equality: integers exactly, floats by bits but for the sign of zero, mappings in
    /// any order. An error's `message` must be a string; which one is the product's business.
    ///
    /// # Errors
    ///
    /// What differs and where, for a person.
    pub fn matches_json(&self, line: &str) -> Result<(), String> {
        let line = read(line)?;
        let printed = match &self.outcome {
            Ok(_) => line,
            Err(_) => without_message(line)?,
        };
        differ("", &self.to_value(), &printed)
    }

    fn to_value(&self) -> Value {
        let (kind, outcome) = match &self.outcome {
            Ok(result) => ("ok", result.clone()),
            Err(code) => ("error", Value::map([("code", Value::text(*code))])),
        };
        Value::map([
            ("step", Value::text(&self.step)),
            ("op", Value::text(self.op)),
            (kind, outcome),
        ])
    }
}

/// The line as the product would print it, without an error's message.
impl fmt::Display for TraceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write(&self.to_value()))
    }
}

/// The line with its error's message taken out.
fn without_message(mut line: Value) -> Result<Value, String> {
    let Value::Map(members) = &mut line else {
        return Ok(line);
    };
    for (_, error) in members.iter_mut().filter(|(name, _)| name == "error") {
        error.at("message").and_then(Value::as_text).ok_or("/error/message is no string")?;
        if let Value::Map(members) = error {
            members.retain(|(name, _)| name != "message");
        }
    }
    Ok(line)
}

/// The first difference, as an error that names its JSON path.
fn differ(path: &str, model: &Value, product: &Value) -> Result<(), String> {
    match (model, product) {
        (Value::Map(a), Value::Map(b)) => {
            for (key, value) in a {
                let path = format!("{path}/{key}");
                let there =
                    find(b, key).ok_or_else(|| format!("{path} is not in the product's line"))?;
                differ(&path, value, there)?;
            }
            match b.iter().find(|(key, _)| find(a, key).is_none()) {
                Some((key, _)) => Err(format!("{path}/{key} is only in the product's line")),
                None => Ok(()),
            }
        }
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            let mut items = a.iter().zip(b).enumerate();
            items.try_for_each(|(index, (a, b))| differ(&format!("{path}/{index}"), a, b))
        }
        _ if model == product => Ok(()),
        _ => Err(format!("{path}: the model has {}, the product {}", write(model), write(product))),
    }
}

#[cfg(test)]
mod tests {
    use super::TraceLine;
    use crate::model::Value;

    fn ok(payload: Value) -> TraceLine {
        TraceLine {
            step: "1".to_owned(),
            op: "read",
            outcome: Ok(Value::map([("payload", payload)])),
        }
    }

    fn payload_line(payload: &str) -> String {
        format!(r#"{{"op":"read","ok":{{"payload":{payload}}},"step":"1"}}"#)
    }

    #[test]
    fn a_line_matches_in_any_order_of_its_members() {
        let two = Value::map([("a", Value::int(1)), ("b", Value::Float(-0.0))]);
        assert_eq!(ok(two).matches_json(&payload_line(r#"{"b":0.0,"a":1}"#)), Ok(()));
    }

    #[test]
    fn numbers_match_exactly() {
        let big = "123456789012345678901234567890";
        assert_eq!(ok(Value::int(big)).matches_json(&payload_line(big)), Ok(()));
        for (model, product) in [
            (Value::int(big), "123456789012345678901234567891"),
            (Value::int(1), "1.0"),
            (Value::Float(1.0), "1"),
            (Value::Bool(true), "1"),
            (Value::Float(0.1), "0.10000000000000002"),
        ] {
            assert!(ok(model).matches_json(&payload_line(product)).is_err(), "{product}");
        }
    }

    #[test]
    fn an_error_matches_by_its_code_whatever_its_message() {
        let refused =
            TraceLine { step: "2".to_owned(), op: "end", outcome: Err("execution_not_active") };
        let line = |error: &str| format!(r#"{{"step":"2","op":"end","error":{error}}}"#);
        let matches = |error: &str| refused.matches_json(&line(error));
        assert_eq!(matches(r#"{"code":"execution_not_active","message":"why"}"#), Ok(()));
        assert!(matches(r#"{"code":"execution_ended","message":"why"}"#).is_err());
        assert!(matches(r#"{"code":"execution_not_active"}"#).is_err());
        assert!(matches(r#"{"code":"execution_not_active","message":"why","path":""}"#).is_err());
    }

    #[test]
    fn a_difference_is_named_by_its_path() {
        let list = Value::List(vec![Value::Null, Value::int(1)]);
        assert_eq!(
            ok(list).matches_json(&payload_line("[null,2]")),
            Err("/ok/payload/1: the model has 1, the product 2".to_owned())
        );
    }

    #[test]
    fn a_line_that_is_no_strict_json_matches_nothing() {
        for line in ["", "{", "{} {}", r#"{"step":"1","step":"1"}"#] {
            assert!(ok(Value::Null).matches_json(line).is_err(), "{line}");
        }
    }
}
