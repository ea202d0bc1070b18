//! Reads the fields of a payload, and refuses what does not fit with its path.

use swampbox_material::{Map, Material, MaterialError, Path, Problem, Value};

/// A payload that is a mapping without unknown fields.
pub(crate) struct Payload<'a> {
    map: &'a Map,
    path: Path,
}

impl<'a> Payload<'a> {
    /// The payload of `material`, in which no field but `known` may stand.
    ///
    /// # Errors
    ///
    /// `invalid_document`, as all of this module's.
    pub(crate) fn of(material: &'a Material, known: &[&str]) -> Result<Self, MaterialError> {
        let path = Path::root().key("payload");
        let payload = material.payload();
        let Some(map) = payload.as_map() else {
            return wrong_kind(payload, "a mapping", path);
        };
        match map.iter().find(|(key, _)| !known.contains(&&***key)) {
            None => Ok(Self { map, path }),
            Some((key, _)) => {
                let known = known.join("`, `");
                let message = format!("the field is not known here; known are `{known}`");
                refuse(message, path.key(key.clone()))
            }
        }
    }

    /// The same for material of this type alone.
    pub(crate) fn of_type(
        material: &'a Material,
        consequence_type: &str,
        known: &[&str],
    ) -> Result<Self, MaterialError> {
        if **material.consequence_type() != *consequence_type {
            let path = Path::root().key("consequence_type");
            return refuse(format!("only `{consequence_type}` can be carried out"), path);
        }
        Self::of(material, known)
    }

    /// The path of the whole payload.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a field.
    pub(crate) fn path_of(&self, name: &'static str) -> Path {
        self.path.key(name)
    }

    pub(crate) fn field(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name)
    }

    pub(crate) fn required(&self, name: &'static str) -> Result<&'a Value, MaterialError> {
        self.field(name)
            .map_or_else(|| refuse(format!("the field `{name}` is missing"), self.path.clone()), Ok)
    }

    pub(crate) fn string(&self, name: &'static str) -> Result<&'a str, MaterialError> {
        string(self.required(name)?, || self.path_of(name))
    }

    pub(crate) fn optional_string(
        &self,
        name: &'static str,
    ) -> Result<Option<&'a str>, MaterialError> {
        self.field(name).map(|value| string(value, || self.path_of(name))).transpose()
    }
}

/// The text of a value that stands at `path`.
pub(crate) fn string(value: &Value, path: impl FnOnce() -> Path) -> Result<&str, MaterialError> {
    match value {
        Value::String(text) => Ok(text),
        other => wrong_kind(other, "a string", path()),
    }
}

pub(crate) fn wrong_kind<T>(found: &Value, expected: &str, path: Path) -> Result<T, MaterialError> {
    let message = format!("{expected} was expected, not {}", found.kind());
    refuse(message, path)
}

pub(crate) fn refuse<T>(message: impl Into<String>, path: Path) -> Result<T, MaterialError> {
    Err(MaterialError::new(Problem::InvalidDocument(message.into()), path))
}
