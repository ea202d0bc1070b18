use std::fmt;

use crate::show::Shown;
use crate::{Material, Path, Value};

/// One place where two materials differ.
///
/// Displayed as `$.payload.n: 1 is not 1.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    path: Path,
    left: Option<Value>,
    right: Option<Value>,
}

impl Difference {
    /// Where the two differ.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the first one holds there, if anything.
    pub fn left(&self) -> Option<&Value> {
        self.left.as_ref()
    }

    /// What the second one holds there, if anything.
    pub fn right(&self) -> Option<&Value> {
        self.right.as_ref()
    }

    pub(crate) fn between(left: &Material, right: &Material) -> Vec<Difference> {
        let mut found = Vec::new();
        let root = Path::root();
        for (field, a, b) in [
            (
                "consequence_type",
                left.consequence_type(),
                right.consequence_type(),
            ),
            ("target", left.target(), right.target()),
        ] {
            if a != b {
                let (a, b) = (Value::String(a.clone()), Value::String(b.clone()));
                found.push(Difference {
                    path: root.key(field),
                    left: Some(a),
                    right: Some(b),
                });
            }
        }
        compare(
            &root.key("payload"),
            left.payload(),
            right.payload(),
            &mut found,
        );
        found
    }
}

fn compare(path: &Path, left: &Value, right: &Value, found: &mut Vec<Difference>) {
    match (left, right) {
        (Value::Map(a), Value::Map(b)) => {
            for (key, value) in a.iter() {
                pair(path.key(key.clone()), Some(value), b.get(key), found);
            }
            for (key, value) in b.iter().filter(|(key, _)| a.get(key).is_none()) {
                pair(path.key(key.clone()), None, Some(value), found);
            }
        }
        (Value::List(a), Value::List(b)) => {
            for index in 0..a.items().len().max(b.items().len()) {
                pair(
                    path.index(index),
                    a.items().get(index),
                    b.items().get(index),
                    found,
                );
            }
        }
        (a, b) if a == b => {}
        (a, b) => found.push(Difference {
            path: path.clone(),
            left: Some(a.clone()),
            right: Some(b.clone()),
        }),
    }
}

fn pair(path: Path, left: Option<&Value>, right: Option<&Value>, found: &mut Vec<Difference>) {
    match (left, right) {
        (Some(left), Some(right)) => compare(&path, left, right, found),
        (left, right) => {
            found.push(Difference {
                path,
                left: left.cloned(),
                right: right.cloned(),
            });
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { path, left, right } = self;
        match (left, right) {
            (Some(left), Some(right)) => {
                write!(
                    f,
                    "{path}: {} is not {}",
                    Shown::line(left),
                    Shown::line(right)
                )
            }
            (Some(left), None) => write!(f, "{path}: {} is missing", Shown::line(left)),
            (None, Some(right)) => write!(f, "{path}: {} is added", Shown::line(right)),
            (None, None) => write!(f, "{path}: nothing on either side"),
        }
    }
}
