use std::sync::Arc;

use super::{Json, Object};
use crate::{MaterialError, Path, Problem};

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
pub struct Fields<'a> {
    object: &'a Object,
    path: Path,
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of `document`, which stands at `path`.
    ///
    /// # Errors
    ///
    /// `invalid_document` if it is not an object.
    pub fn of(document: &'a Json, path: &Path) -> Result<Self, MaterialError> {
        match document.as_object() {
            Some(object) => Ok(Self { object, path: path.clone(), known: Vec::new() }),
            None => Err(wrong_kind(document, "an object", path.clone())),
        }
    }

    /// Where the object stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A field that may be absent.
    pub fn optional(&mut self, name: &'static str) -> Option<&'a Json> {
        self.known.push(name);
        self.object.get(name)
    }

    /// A field that has to be there.
    ///
    /// # Errors
    ///
    /// `invalid_document` if it is not.
    pub fn required(&mut self, name: &'static str) -> Result<&'a Json, MaterialError> {
        let missing = || invalid(format!("the field `{name}` is missing"), self.path.clone());
        let found = self.object.get(name).ok_or_else(missing)?;
        self.known.push(name);
        Ok(found)
    }

    /// A string that has to be there.
    ///
    /// # Errors
    ///
    /// `invalid_document` if it is absent or no string.
    pub fn string(&mut self, name: &'static str) -> Result<&'a Arc<str>, MaterialError> {
        match self.required(name)? {
            Json::String(text) => Ok(text),
            other => Err(wrong_kind(other, "a string", self.path.key(name))),
        }
    }

    /// Ends the reading.
    ///
    /// # Errors
    ///
    /// `invalid_document` for the first field that nobody asked for.
    pub fn finish(self) -> Result<(), MaterialError> {
        let unknown = self.object.iter().find(|(key, _)| !self.known.contains(&&***key));
        match unknown {
            None => Ok(()),
            Some((key, _)) => {
                let known = self.known.join("`, `");
                let message = format!("the field is not known here; known are `{known}`");
                Err(invalid(message, self.path.key(key.clone())))
            }
        }
    }
}

fn wrong_kind(found: &Json, expected: &str, path: Path) -> MaterialError {
    invalid(format!("{expected} was expected, not {}", found.kind()), path)
}

fn invalid(message: String, path: Path) -> MaterialError {
    MaterialError::new(Problem::InvalidDocument(message), path)
}
