use jsonschema::Validator;
use jsonschema::paths::{Location, LocationSegment};
use serde_json::{Map, Number, Value as Json};
use swampbox_material::{Material, Path, Shown, Value};

use super::Inadmissible;

/// The JSON Schema of a payload.
pub(super) struct Schema {
    validator: Validator,
}

impl Schema {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let schema = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())?;
        Ok(Self { validator })
    }

    /// Finds the first place where a payload does not fit.
    pub(super) fn check(&self, payload: &Value) -> Result<(), Inadmissible> {
        let shape = shape(payload);
        match self.validator.iter_errors(&shape).next() {
            None => Ok(()),
            Some(error) => Err(Inadmissible::Payload {
                problem: Shown::json(&error.masked().to_string()).to_string(),
                path: path(error.instance_path()),
            }),
        }
    }
}

/// A payload as a schema looks at it. An integer beyond 64 bits is shown as the nearest one within:
/// a schema may ask whether there is an integer, and a bound keeps its answer. Nothing but the answer
/// is taken from here.
fn shape(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Integer(integer) => Json::Number(match (integer.as_i64(), integer.as_u64()) {
            (Some(number), _) => number.into(),
            (None, Some(number)) => number.into(),
            (None, None) if integer.to_string().starts_with('-') => i64::MIN.into(),
            (None, None) => u64::MAX.into(),
        }),
        Value::Float(float) => Number::from_f64(float.to_f64()).map_or(Json::Null, Json::Number),
        Value::String(text) => Json::String(text.to_string()),
        Value::List(list) => Json::Array(list.items().iter().map(shape).collect()),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| (key.to_string(), shape(value)));
            Json::Object(entries.collect::<Map<_, _>>())
        }
    }
}

/// The place in the material.
fn path(location: &Location) -> Path {
    let [.., payload] = Material::FIELDS;
    location.into_iter().fold(Path::root().key(payload), |path, segment| match segment {
        LocationSegment::Property(key) => path.key(&*key),
        LocationSegment::Index(index) => path.index(index),
    })
}
