use cedar_policy::RestrictedExpression;
use swampbox_material::{Map, Path, Value};

/// The greatest number of values in a payload that is shown to policies, containers and what they hold
/// both counted.
pub const MAX_PAYLOAD_VALUES: usize = 10_000;

/// The payload as policies see it. Different payloads give different expressions.
pub(super) fn shape(payload: &Value) -> Result<RestrictedExpression, Shapeless> {
    let path = Path::root().key("payload");
    Shaping { values: 0 }.value(payload, &path)
}

/// A value that has no counterpart in Cedar.
#[derive(Debug, thiserror::Error)]
pub(super) enum Shapeless {
    #[error("{what} at {path} can't be shown to a policy")]
    Value { what: &'static str, path: Path },
    #[error("a payload of more than {MAX_PAYLOAD_VALUES} values can't be shown to a policy")]
    TooMany,
}

struct Shaping {
    values: usize,
}

impl Shaping {
    // The depth of material bounds the recursion.
    fn value(&mut self, value: &Value, path: &Path) -> Result<RestrictedExpression, Shapeless> {
        self.values += 1;
        if self.values > MAX_PAYLOAD_VALUES {
            return Err(Shapeless::TooMany);
        }
        let none = |what| Err(Shapeless::Value { what, path: path.clone() });
        match value {
            Value::Bool(value) => Ok(RestrictedExpression::new_bool(*value)),
            Value::String(text) => Ok(RestrictedExpression::new_string(text.to_string())),
            Value::Integer(integer) => match integer.as_i64() {
                Some(long) => Ok(RestrictedExpression::new_long(long)),
                None => none("an integer of more than 64 bits"),
            },
            Value::Null => none("null"),
            Value::Float(_) => none("a float"),
            Value::List(list) => self.list(list.items(), path),
            Value::Map(map) => self.map(map, path),
        }
    }

    fn list(&mut self, items: &[Value], path: &Path) -> Result<RestrictedExpression, Shapeless> {
        let Ok(length) = i64::try_from(items.len()) else {
            return Err(Shapeless::TooMany);
        };
        let mut fields = vec![("#length".to_owned(), RestrictedExpression::new_long(length))];
        for (index, item) in items.iter().enumerate() {
            fields.push((format!("#{index}"), self.value(item, &path.index(index))?));
        }
        record(fields, path)
    }

    fn map(&mut self, map: &Map, path: &Path) -> Result<RestrictedExpression, Shapeless> {
        let mut fields = Vec::new();
        for (key, value) in map.iter() {
            let path = path.key(key.clone());
            if key.starts_with('#') {
                return Err(Shapeless::Value { what: "a key that begins with `#`", path });
            }
            fields.push((key.to_string(), self.value(value, &path)?));
        }
        record(fields, path)
    }
}

/// No two of the fields have one key.
fn record(
    fields: Vec<(String, RestrictedExpression)>,
    path: &Path,
) -> Result<RestrictedExpression, Shapeless> {
    RestrictedExpression::new_record(fields)
        .map_err(|_| Shapeless::Value { what: "a mapping", path: path.clone() })
}
