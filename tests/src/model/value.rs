//! The values of the contract, held as plainly as they can be.

/// The deepest payload that is material.
const MAX_MATERIAL_DEPTH: usize = 16;

/// The longest integer that is material, in digits.
const MAX_DIGITS: usize = 4_300;

/// A JSON value.
///
/// It can hold what the domain of material excludes, so that a scenario can say it: a container
/// that is too deep, an integer that is too long, and an infinite float, which is written `1e400`.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without fraction and exponent, as its decimal text.
    Int(String),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A string.
    Str(String),
    /// A list.
    List(Vec<Value>),
    /// A mapping, as its pairs in the order given. No key is there twice.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// A string value.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Str(text.into())
    }

    /// An integer value.
    pub fn int(number: impl ToString) -> Self {
        Self::Int(number.to_string())
    }

    /// A mapping of these pairs, in this order.
    pub fn map<const N: usize>(pairs: [(&str, Self); N]) -> Self {
        Self::Map(pairs.map(|(key, value)| (key.to_owned(), value)).into())
    }

    /// The value at `key`, where this is a mapping that has it.
    pub fn at(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(pairs) => find(pairs, key),
            _ => None,
        }
    }

    /// The text, where this is a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The code with which this payload is refused as material, or none.
    pub(super) fn refused_as_payload(&self) -> Option<&'static str> {
        if self.depth() > MAX_MATERIAL_DEPTH {
            return Some("depth_exceeded");
        }
        self.refused_number()
    }

    /// "A scalar has depth 0, a container one more than its deepest child, at least 1."
    fn depth(&self) -> usize {
        match self {
            Self::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Map(pairs) => 1 + pairs.iter().map(|(_, v)| v.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    fn refused_number(&self) -> Option<&'static str> {
        match self {
            Self::Float(number) if !number.is_finite() => Some("non_finite_number"),
            Self::Int(digits) if digits.trim_start_matches('-').len() > MAX_DIGITS => {
                Some("unsupported_value")
            }
            Self::List(items) => items.iter().find_map(Self::refused_number),
            Self::Map(pairs) => pairs.iter().find_map(|(_, value)| value.refused_number()),
            _ => None,
        }
    }
}

/// Type-strict and structural: `1` is not `1.0`, `true` is not `1`; mappings compare by key and
/// value, never by key order; sequences in order; strings exactly; `+0.0` equals `-0.0`.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => without_sign_of_zero(a) == without_sign_of_zero(b),
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => {
                a.len() == b.len() && a.iter().all(|(key, value)| find(b, key) == Some(value))
            }
            _ => false,
        }
    }
}

/// The value at `key` among `pairs`.
pub(super) fn find<'a>(pairs: &'a [(String, Value)], key: &str) -> Option<&'a Value> {
    let pair = pairs.iter().find(|(name, _)| name == key);
    pair.map(|(_, value)| value)
}

fn without_sign_of_zero(digits: &str) -> &str {
    if digits == "-0" { "0" } else { digits }
}

/// Material: what a consequence is, without its lineage, ids and custody.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The type of the consequence.
    pub consequence_type: String,
    /// What it is aimed at.
    pub target: String,
    /// What it carries.
    pub payload: Value,
}

impl Material {
    /// The material as the JSON object of a scenario or a decision.
    pub fn to_value(&self) -> Value {
        Value::map([
            ("consequence_type", Value::text(&self.consequence_type)),
            ("target", Value::text(&self.target)),
            ("payload", self.payload.clone()),
        ])
    }

    /// The material that `value` is: an object of exactly the three fields, of their types, the
    /// payload within the domain. None for anything else.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let Value::Map(pairs) = value else {
            return None;
        };
        let material = Self {
            consequence_type: value.at("consequence_type")?.as_text()?.to_owned(),
            target: value.at("target")?.as_text()?.to_owned(),
            payload: value.at("payload")?.clone(),
        };
        let good = pairs.len() == 3 && material.payload.refused_as_payload().is_none();
        good.then_some(material)
    }
}
