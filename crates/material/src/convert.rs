//! Conversions between values and Rust's and serde_json's types.
//!
//! `Value` implements neither `Serialize` nor `Deserialize`: through serde's data model big
//! integers and duplicate keys are lost before this crate could see them.

use std::sync::Arc;

use crate::{Float, Integer, List, Map, MaterialError, Path, Problem, Value};

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Integer(value.into())
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Value::from(i64::from(value))
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Integer(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::String(value.into())
    }
}

impl From<Arc<str>> for Value {
    fn from(value: Arc<str>) -> Self {
        Value::String(value)
    }
}

impl From<Integer> for Value {
    fn from(value: Integer) -> Self {
        Value::Integer(value)
    }
}

impl From<Float> for Value {
    fn from(value: Float) -> Self {
        Value::Float(value)
    }
}

impl From<List> for Value {
    fn from(value: List) -> Self {
        Value::List(value)
    }
}

impl From<Map> for Value {
    fn from(value: Map) -> Self {
        Value::Map(value)
    }
}

/// # Errors
///
/// `non_finite_number` for infinities and NaN.
impl TryFrom<f64> for Value {
    type Error = MaterialError;

    fn try_from(value: f64) -> Result<Self, MaterialError> {
        Float::new(value).map(Value::Float)
    }
}

/// Takes a value that serde_json holds. What serde_json lost when it read a text (digits of a
/// big integer, the first of two equal keys, the integer `-0`) can't be restored here: read text
/// with [`Value::from_json`].
///
/// # Errors
///
/// `depth_exceeded`, `non_finite_number` or `unsupported_value`, with the path.
impl TryFrom<&serde_json::Value> for Value {
    type Error = MaterialError;

    fn try_from(value: &serde_json::Value) -> Result<Self, MaterialError> {
        from_serde(value, &Path::root())
    }
}

/// Gives the value to serde_json. The order of a mapping's keys, which is no part of its
/// equality, becomes whatever order serde_json keeps.
///
/// # Errors
///
/// `unsupported_value`, with the path, for an integer that serde_json can't hold exactly.
impl TryFrom<&Value> for serde_json::Value {
    type Error = MaterialError;

    fn try_from(value: &Value) -> Result<Self, MaterialError> {
        to_serde(value, &Path::root())
    }
}

fn from_serde(value: &serde_json::Value, path: &Path) -> Result<Value, MaterialError> {
    Ok(match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => {
            // The text, not the accessors: it is right whatever features serde_json was built with.
            let text = number.to_string();
            let number = if text.contains(['.', 'e', 'E']) {
                Float::from_json_digits(&text).map(Value::Float)
            } else {
                Integer::from_json_digits(&text).map(Value::Integer)
            };
            number.map_err(|problem| MaterialError::new(problem, path.clone()))?
        }
        serde_json::Value::String(text) => Value::from(text.as_str()),
        serde_json::Value::Array(items) => {
            within_bound(path)?;
            let items = items.iter().enumerate();
            let items: Result<Vec<_>, _> =
                items.map(|(index, item)| from_serde(item, &path.index(index))).collect();
            Value::List(List::new(items?)?)
        }
        serde_json::Value::Object(entries) => {
            within_bound(path)?;
            let entries: Result<Vec<_>, MaterialError> = entries
                .iter()
                .map(|(key, item)| Ok((key.as_str(), from_serde(item, &path.key(key.as_str()))?)))
                .collect();
            Value::Map(Map::new(entries?)?)
        }
    })
}

/// Refuses a container whose path is as long as the bound before its children are visited.
fn within_bound(path: &Path) -> Result<(), MaterialError> {
    if path.segments().len() < crate::MAX_MATERIAL_DEPTH {
        return Ok(());
    }
    let problem = Problem::DepthExceeded { limit: crate::MAX_MATERIAL_DEPTH };
    Err(MaterialError::new(problem, path.clone()))
}

fn to_serde(value: &Value, path: &Path) -> Result<serde_json::Value, MaterialError> {
    let inexact = |reason| MaterialError::new(Problem::UnsupportedValue(reason), path.clone());
    Ok(match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Integer(integer) => match (integer.as_i64(), integer.as_u64()) {
            (Some(small), _) => small.into(),
            (None, Some(large)) => large.into(),
            (None, None) => return Err(inexact("serde_json can't hold this integer exactly")),
        },
        Value::Float(float) => serde_json::Number::from_f64(float.to_f64())
            .map(serde_json::Value::Number)
            .ok_or_else(|| inexact("serde_json can't hold this float"))?,
        Value::String(text) => (&**text).into(),
        Value::List(list) => {
            let items = list.items().iter().enumerate();
            let items: Result<Vec<_>, _> =
                items.map(|(index, item)| to_serde(item, &path.index(index))).collect();
            serde_json::Value::Array(items?)
        }
        Value::Map(map) => {
            let entries: Result<serde_json::Map<_, _>, MaterialError> = map
                .iter()
                .map(|(key, item)| Ok((key.to_string(), to_serde(item, &path.key(key.clone()))?)))
                .collect();
            serde_json::Value::Object(entries?)
        }
    })
}
