use std::fmt;
use std::sync::Arc;

use swampbox_material::json::{Fields, Json};
use swampbox_material::{MaterialError, Path, Problem, Shown};

use super::StepResult;

/// How a step is expected to end.
#[derive(Clone, Debug)]
pub enum Expectation {
    /// Refused with this code.
    Error(Arc<str>),
    /// Done, and the result has at least this.
    Ok(Json),
}

/// An expectation that did not hold.
#[derive(Clone, Debug)]
pub struct Mismatch {
    path: Path,
    expected: Json,
    found: Option<Json>,
}

impl Expectation {
    pub(super) fn read(expect: &Json, path: &Path) -> Result<Self, MaterialError> {
        let mut fields = Fields::of(expect, path)?;
        let ok = fields.optional("ok");
        let error = fields.optional("error");
        fields.finish()?;
        match (ok, error) {
            (Some(ok @ Json::Map(_)), None) => Ok(Expectation::Ok(ok.clone())),
            (None, Some(Json::String(code))) => Ok(Expectation::Error(code.clone())),
            _ => {
                let message = "either `error` with a code or `ok` with an object was expected";
                Err(MaterialError::new(Problem::InvalidDocument(message.into()), path.clone()))
            }
        }
    }

    /// Compares a result with what was expected.
    ///
    /// # Errors
    ///
    /// The first place where it differs.
    pub fn check(&self, result: &StepResult) -> Result<(), Mismatch> {
        match (self, result) {
            (Expectation::Ok(expected), StepResult::Ok(found)) => {
                contains(&Path::root().key("ok"), expected, Some(found))
            }
            (Expectation::Error(expected), StepResult::Error { code, .. })
                if **expected == *code.as_str() =>
            {
                Ok(())
            }
            (Expectation::Error(code), found) => Err(Mismatch {
                path: Path::root().key("error"),
                expected: Json::String(code.clone()),
                found: Some(found.to_document()),
            }),
            (Expectation::Ok(expected), found) => Err(Mismatch {
                path: Path::root().key("ok"),
                expected: expected.clone(),
                found: Some(found.to_document()),
            }),
        }
    }

    /// That a step which was expected to end somehow was never reached.
    pub(super) fn unreached(&self) -> Mismatch {
        let (field, expected) = match self {
            Expectation::Ok(expected) => ("ok", expected.clone()),
            Expectation::Error(code) => ("error", Json::String(code.clone())),
        };
        Mismatch { path: Path::root().key(field), expected, found: None }
    }
}

/// Whether `found` has everything that `expected` has: of mappings the keys given, of all else
/// the same value by material equality.
fn contains(path: &Path, expected: &Json, found: Option<&Json>) -> Result<(), Mismatch> {
    let equal = match (expected, found) {
        (Json::Map(expected), Some(Json::Map(found))) => {
            return expected.iter().try_for_each(|(key, value)| {
                contains(&path.key(key.clone()), value, found.get(key))
            });
        }
        (Json::List(expected), Some(Json::List(found))) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            return pairs
                .into_iter()
                .try_for_each(|(index, (a, b))| contains(&path.index(index), a, Some(b)));
        }
        (Json::Number(_), Some(found @ Json::Number(_))) => {
            match (expected.to_value(path), found.to_value(path)) {
                (Ok(expected), Ok(found)) => expected == found,
                _ => false,
            }
        }
        (expected, found) => Some(expected) == found,
    };
    if equal {
        return Ok(());
    }
    Err(Mismatch { path: path.clone(), expected: expected.clone(), found: found.cloned() })
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { path, expected, found } = self;
        let expected = expected.to_string();
        let found = found.as_ref().map_or("nothing".into(), Json::to_string);
        write!(f, "expected {} at {path}, found {}", Shown::json(&expected), Shown::json(&found))
    }
}
