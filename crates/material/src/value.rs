use std::sync::Arc;

use crate::{Float, Integer, Map, MaterialError, Path, Problem, Segment, json};

/// The greatest container depth of material. A scalar has depth 0, a container one more than
/// its deepest child and at least 1.
pub const MAX_MATERIAL_DEPTH: usize = 16;

/// A value that material may hold. Cloning is cheap: containers and strings are shared.
///
/// Equality is type-strict and structural: `1` is not `1.0`, `true` is not `1`, mappings compare
/// by key whatever their order, strings compare exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An exact integer.
    Integer(Integer),
    /// A finite double.
    Float(Float),
    /// A sequence of Unicode scalar values, taken as it is.
    String(Arc<str>),
    /// Values in order.
    List(List),
    /// Values by key, in the order given.
    Map(Map),
}

impl Value {
    /// Reads one JSON text strictly.
    ///
    /// # Errors
    ///
    /// `invalid_json`, `duplicate_key`, `depth_exceeded`, `non_finite_number`,
    /// `unsupported_value` and `too_large`, each with the path of the offending value.
    ///
    /// ```
    /// use swampbox_material::Value;
    ///
    /// let value = Value::from_json(b"[1, 1.0, 1e2]")?;
    /// assert_eq!(value.to_json(), "[1,1.0,100.0]");
    /// # Ok::<(), swampbox_material::MaterialError>(())
    /// ```
    pub fn from_json(text: &[u8]) -> Result<Self, MaterialError> {
        json::read(text)
    }

    /// Writes the value as compact JSON that reads back equal.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        json::write_value(&mut text, self);
        text
    }

    /// The container depth: 0 for a scalar, at most [`MAX_MATERIAL_DEPTH`].
    pub fn depth(&self) -> usize {
        match self {
            Value::List(list) => usize::from(list.depth),
            Value::Map(map) => usize::from(map.depth()),
            _ => 0,
        }
    }

    /// The mapping, if this is one.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The list, if this is one.
    pub fn as_list(&self) -> Option<&List> {
        match self {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// The string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value this is, as an error names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a float",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}

/// An ordered sequence of values.
#[derive(Clone, Debug, Eq)]
pub struct List {
    items: Arc<[Value]>,
    // INVARIANT (depth): one more than the deepest item, at most MAX_MATERIAL_DEPTH.
    depth: u8,
}

impl List {
    /// A list of these items.
    ///
    /// # Errors
    ///
    /// `depth_exceeded` if the list would be deeper than [`MAX_MATERIAL_DEPTH`].
    pub fn new(items: impl IntoIterator<Item = Value>) -> Result<Self, MaterialError> {
        let list = Self::from_items(items.into_iter().collect());
        within_bound(list.depth, || deepest_path(&Value::List(list.clone())))?;
        Ok(list)
    }

    /// The items in order.
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// From items that the caller knows to be less deep than the bound.
    pub(crate) fn from_items(items: Arc<[Value]>) -> Self {
        let depth = depth_over(items.iter());
        Self { items, depth }
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.items, &other.items) || self.items == other.items
    }
}

/// The depth of a container of these children.
pub(crate) fn depth_over<'a>(children: impl Iterator<Item = &'a Value>) -> u8 {
    let deepest = children.map(Value::depth).max().unwrap_or(0);
    u8::try_from(deepest + 1).unwrap_or(u8::MAX)
}

pub(crate) fn within_bound(depth: u8, path: impl FnOnce() -> Path) -> Result<(), MaterialError> {
    if usize::from(depth) <= MAX_MATERIAL_DEPTH {
        return Ok(());
    }
    Err(MaterialError::new(Problem::DepthExceeded { limit: MAX_MATERIAL_DEPTH }, path()))
}

/// The path to a deepest container.
pub(crate) fn deepest_path(value: &Value) -> Path {
    let mut path = Path::root();
    let mut here = value;
    loop {
        let deeper = match here {
            Value::List(list) => list.items.iter().enumerate().find_map(|(index, item)| {
                (item.depth() + 1 == here.depth()).then_some((Segment::Index(index), item))
            }),
            Value::Map(map) => map.iter().find_map(|(key, item)| {
                (item.depth() + 1 == here.depth()).then_some((Segment::Key(key.clone()), item))
            }),
            _ => None,
        };
        let Some((segment, item)) = deeper.filter(|(_, item)| item.depth() > 0) else {
            return path;
        };
        path = match segment {
            Segment::Key(key) => path.key(key),
            Segment::Index(index) => path.index(index),
        };
        here = item;
    }
}
