use std::sync::Arc;

use super::Json;
use crate::{MaterialError, Path, Problem, Value};

/// Takes the fields of one object apart, so that a missing, wrongly typed or unknown one is
/// refused with its path.
///
/// ```
/// use swampbox_material::Path;
/// use swampbox_material::json::{Fields, Json};
///
/// let document = Json::read(br#"{"name": "a", "nmae": "b"}"#)?;
/// let mut fields = Fields::of(&document, &Path::root())?;
/// assert_eq!(&**fields.string("name")?, "a");
/// assert_eq!(fields.finish().unwrap_err().path().to_string(), "$.nmae");
/// # Ok::<(), swampbox_material::MaterialError>(())
/// ```
#[derive(Debug)]
pub struct Fields<'a, N: Node = Json> {
    object: &'a N,
    path: Path,
    known: Vec<&'static str>,
}

/// What can have fields: a document or a value. It can't be implemented elsewhere.
pub trait Node: Sized {
    /// The keys in their order; none if it is not an object.
    fn keys(&self) -> Option<Vec<&Arc<str>>>;
    /// The value at `key`, if it is an object and has it.
    fn entry(&self, key: &str) -> Option<&Self>;
    /// The string, if it is one.
    fn text(&self) -> Option<&Arc<str>>;
    /// What kind of value it is, as an error names it.
    fn kind(&self) -> &'static str;
}

impl Node for Json {
    fn keys(&self) -> Option<Vec<&Arc<str>>> {
        Some(self.as_object()?.iter().map(|(key, _)| key).collect())
    }

    fn entry(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }

    fn text(&self) -> Option<&Arc<str>> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    fn kind(&self) -> &'static str {
        Json::kind(self)
    }
}

impl Node for Value {
    fn keys(&self) -> Option<Vec<&Arc<str>>> {
        Some(self.as_map()?.iter().map(|(key, _)| key).collect())
    }

    fn entry(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key)
    }

    fn text(&self) -> Option<&Arc<str>> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    fn kind(&self) -> &'static str {
        Value::kind(self)
    }
}

impl<'a, N: Node> Fields<'a, N> {
    /// The fields of `document`, which stands at `path`.
    ///
    /// # Errors
    ///
    /// `invalid_document` if it is not an object.
    pub fn of(document: &'a N, path: &Path) -> Result<Self, MaterialError> {
        match document.keys() {
            Some(_) => Ok(Self { object: document, path: path.clone(), known: Vec::new() }),
            None => Err(wrong_kind(document, "an object", path.clone())),
        }
    }

    /// Where the object stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A field that may be absent.
    pub fn optional(&mut self, name: &'static str) -> Option<&'a N> {
        self.known.push(name);
        self.object.entry(name)
    }

    /// A field that has to be there.
    ///
    /// # Errors
    ///
    /// `invalid_document` if it is not.
    pub fn required(&mut self, name: &'static str) -> Result<&'a N, MaterialError> {
        let missing = || invalid(format!("the field `{name}` is missing"), self.path.clone());
        let found = self.object.entry(name).ok_or_else(missing)?;
        self.known.push(name);
        Ok(found)
    }

    /// A string that has to be there.
    ///
    /// # Errors
    ///
    /// `invalid_document` if it is absent or no string.
    pub fn string(&mut self, name: &'static str) -> Result<&'a Arc<str>, MaterialError> {
        let found = self.required(name)?;
        found.text().ok_or_else(|| wrong_kind(found, "a string", self.path.key(name)))
    }

    /// Ends the reading.
    ///
    /// # Errors
    ///
    /// `invalid_document` for the first field that nobody asked for.
    pub fn finish(self) -> Result<(), MaterialError> {
        let keys = self.object.keys().unwrap_or_default();
        match keys.into_iter().find(|key| !self.known.contains(&&***key)) {
            None => Ok(()),
            Some(key) => {
                let known = self.known.join("`, `");
                let message = format!("the field is not known here; known are `{known}`");
                Err(invalid(message, self.path.key(key.clone())))
            }
        }
    }
}

fn wrong_kind<N: Node>(found: &N, expected: &str, path: Path) -> MaterialError {
    invalid(format!("{expected} was expected, not {}", found.kind()), path)
}

fn invalid(message: String, path: Path) -> MaterialError {
    MaterialError::new(Problem::InvalidDocument(message), path)
}
