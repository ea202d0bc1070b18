use std::fmt;
use std::sync::Arc;

use super::{Object, reader, writer};
use crate::map::Duplicate;
use crate::{
    Float, Integer, List, MAX_MATERIAL_DEPTH, Map, MaterialError, Path, Problem, Segment, Value,
};

/// A JSON document, its numbers kept as they were written.
///
/// ```
/// use swampbox_material::json::Json;
/// use swampbox_material::{Code, Path};
///
/// let document = Json::read(br#"{"bound": [1e400], "verdict": "DENY"}"#)?;
/// let bound = document.as_object().unwrap().get("bound").unwrap();
/// assert_eq!(bound.to_value(&Path::root()).unwrap_err().code(), Code::NonFiniteNumber);
/// # Ok::<(), swampbox_material::MaterialError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as text.
    Number(Number),
    /// A string.
    String(Arc<str>),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Map(Object),
}

/// A number as it stands in a JSON text, such as `1`, `-0.5` or `1e400`.
///
/// Equality compares the text; for the equality of the contract take the value first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    text: Arc<str>,
}

impl Json {
    /// Reads one JSON text strictly, as deep as
    /// [`MAX_DOCUMENT_DEPTH`](super::MAX_DOCUMENT_DEPTH).
    ///
    /// # Errors
    ///
    /// `invalid_json`, `duplicate_key`, `depth_exceeded` or `too_large`, with the path.
    pub fn read(text: &[u8]) -> Result<Self, MaterialError> {
        reader::read(text)
    }

    /// An object of these entries; of equal keys the last one stays.
    pub fn object<K: Into<Arc<str>>>(entries: impl IntoIterator<Item = (K, Json)>) -> Self {
        Json::Map(entries.into_iter().collect())
    }

    /// The object, if this is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Json::Map(object) => Some(object),
            _ => None,
        }
    }

    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of JSON value this is, as an error names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::List(_) => "an array",
            Json::Map(_) => "an object",
        }
    }

    /// The value of this part of a document, which stands there at `path`.
    ///
    /// # Errors
    ///
    /// `depth_exceeded`, `non_finite_number` or `unsupported_value`, with the path.
    pub fn to_value(&self, path: &Path) -> Result<Value, MaterialError> {
        self.value_at(0).map_err(|(problem, segments)| {
            MaterialError::new(problem, Path::from_leaf(segments).below(path))
        })
    }

    /// The value, or what is wrong with it and the steps that lead there, the last one first.
    fn value_at(&self, depth: usize) -> Result<Value, (Problem, Vec<Segment>)> {
        if depth == MAX_MATERIAL_DEPTH && matches!(self, Json::List(_) | Json::Map(_)) {
            return Err((Problem::DepthExceeded { limit: MAX_MATERIAL_DEPTH }, Vec::new()));
        }
        Ok(match self {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => number.value().map_err(|problem| (problem, Vec::new()))?,
            Json::String(text) => Value::String(text.clone()),
            Json::List(items) => {
                let items = items.iter().enumerate();
                let items: Result<_, _> = items
                    .map(|(index, item)| under(Segment::Index(index), item.value_at(depth + 1)))
                    .collect();
                Value::List(List::from_items(items?))
            }
            Json::Map(object) => {
                let entries = object.iter().map(|(key, item)| {
                    let item = item.value_at(depth + 1);
                    Ok((key.clone(), under(Segment::Key(key.clone()), item)?))
                });
                let entries = entries.collect::<Result<Vec<_>, _>>()?;
                Value::Map(Map::from_entries(entries).map_err(|Duplicate { key, .. }| {
                    (Problem::DuplicateKey, vec![Segment::Key(key)])
                })?)
            }
        })
    }
}

fn under<T>(
    segment: Segment,
    result: Result<T, (Problem, Vec<Segment>)>,
) -> Result<T, (Problem, Vec<Segment>)> {
    result.map_err(|(problem, mut segments)| {
        segments.push(segment);
        (problem, segments)
    })
}

impl Number {
    /// The number as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// From text that the caller knows to be a JSON number.
    pub(crate) fn from_digits(text: &str) -> Self {
        Self { text: text.into() }
    }

    fn value(&self) -> Result<Value, Problem> {
        if self.text.contains(['.', 'e', 'E']) {
            Float::from_json_digits(&self.text).map(Value::Float)
        } else {
            Integer::from_json_digits(&self.text).map(Value::Integer)
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::String(text.into())
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Json::Number(Number::from_digits(&number.to_string()))
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Integer(integer) => Json::Number(Number::from_digits(&integer.to_string())),
            Value::Float(float) => Json::Number(Number::from_digits(&float.to_string())),
            Value::String(text) => Json::String(text.clone()),
            Value::List(list) => Json::List(list.items().iter().map(Json::from).collect()),
            Value::Map(map) => {
                Json::object(map.iter().map(|(key, value)| (key.clone(), Json::from(value))))
            }
        }
    }
}

impl fmt::Display for Json {
    /// Compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        writer::write_document(&mut text, self);
        f.write_str(&text)
    }
}
