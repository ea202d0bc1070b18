use std::fmt;

use crate::show::Shown;
use crate::{Material, Path, Value};

/// One place where two materials differ.
///
/// Displayed as `$.payload.n: 1 is not 1.0`. Where two texts differ in letters that may look alike,
/// the first of them is named by its code point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    path: Path,
    sides: Sides,
}

/// What stands at the place, in the first material and in the second.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sides {
    Both(Value, Value),
    Left(Value),
    Right(Value),
}

impl Difference {
    /// Where the two differ.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the first one holds there, if anything.
    pub fn left(&self) -> Option<&Value> {
        match &self.sides {
            Sides::Both(left, _) | Sides::Left(left) => Some(left),
            Sides::Right(_) => None,
        }
    }

    /// What the second one holds there, if anything.
    pub fn right(&self) -> Option<&Value> {
        match &self.sides {
            Sides::Both(_, right) | Sides::Right(right) => Some(right),
            Sides::Left(_) => None,
        }
    }

    pub(crate) fn between(left: &Material, right: &Material) -> Vec<Difference> {
        let mut found = Vec::new();
        let root = Path::root();
        for (field, a, b) in [
            ("consequence_type", left.consequence_type(), right.consequence_type()),
            ("target", left.target(), right.target()),
        ] {
            let (a, b) = (Value::String(a.clone()), Value::String(b.clone()));
            compare(root.key(field), &a, &b, &mut found);
        }
        compare(root.key("payload"), left.payload(), right.payload(), &mut found);
        found
    }
}

fn compare(path: Path, left: &Value, right: &Value, found: &mut Vec<Difference>) {
    // Most of what is compared is equal, and finding that out needs no paths.
    if left == right {
        return;
    }
    match (left, right) {
        (Value::Map(a), Value::Map(b)) => {
            for (key, value) in a.iter() {
                let path = path.key(key.clone());
                match b.get(key) {
                    Some(other) => compare(path, value, other, found),
                    None => found.push(Difference { path, sides: Sides::Left(value.clone()) }),
                }
            }
            for (key, value) in b.iter().filter(|(key, _)| a.get(key).is_none()) {
                let path = path.key(key.clone());
                found.push(Difference { path, sides: Sides::Right(value.clone()) });
            }
        }
        (Value::List(a), Value::List(b)) => {
            let (a, b) = (a.items(), b.items());
            for (index, (left, right)) in a.iter().zip(b).enumerate() {
                compare(path.index(index), left, right, found);
            }
            for (index, left) in a.iter().enumerate().skip(b.len()) {
                let path = path.index(index);
                found.push(Difference { path, sides: Sides::Left(left.clone()) });
            }
            for (index, right) in b.iter().enumerate().skip(a.len()) {
                let path = path.index(index);
                found.push(Difference { path, sides: Sides::Right(right.clone()) });
            }
        }
        (a, b) => {
            let sides = Sides::Both(a.clone(), b.clone());
            found.push(Difference { path, sides });
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.sides {
            Sides::Left(left) => write!(f, "{path}: {} is missing", Shown::line(left)),
            Sides::Right(right) => write!(f, "{path}: {} is added", Shown::line(right)),
            Sides::Both(left, right) => {
                write!(f, "{path}: {} is not {}", Shown::line(left), Shown::line(right))?;
                match first_other_letters(left, right) {
                    Some((a, b)) => {
                        write!(f, " (U+{:04X}, not U+{:04X})", u32::from(a), u32::from(b))
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

/// The first two letters in which two texts differ, unless both are ASCII and so look different.
fn first_other_letters(left: &Value, right: &Value) -> Option<(char, char)> {
    let (left, right) = (left.as_str()?, right.as_str()?);
    let other = left.chars().zip(right.chars()).find(|(a, b)| a != b);
    other.filter(|(a, b)| !a.is_ascii() || !b.is_ascii())
}
