use std::sync::Arc;

use crate::{Float, Integer, MaterialError, Path, Problem, Segment, json};

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
            Value::Map(map) => usize::from(map.depth),
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

/// Values by key. Keys are unique; the order in which they were given is kept, and is not part
/// of the mapping's equality.
#[derive(Clone, Debug)]
pub struct Map {
    // INVARIANT (unique keys): no two entries have the same key.
    entries: Arc<[(Arc<str>, Value)]>,
    // INVARIANT (index): the positions of `entries` sorted by key, if there are more than
    // SCANNED of them; empty otherwise. No hashing, so no input can make a look-up slow.
    sorted: Arc<[u32]>,
    // INVARIANT (depth): one more than the deepest value, at most MAX_MATERIAL_DEPTH.
    depth: u8,
}

/// Up to this many entries a look-up scans instead of searching.
const SCANNED: usize = 8;

impl Map {
    /// A mapping of these entries, in this order.
    ///
    /// # Errors
    ///
    /// `duplicate_key` if a key is given twice, `depth_exceeded` if the mapping would be deeper
    /// than [`MAX_MATERIAL_DEPTH`].
    ///
    /// ```
    /// use swampbox_material::{Map, Value};
    ///
    /// let map = Map::new([("n", Value::from(1)), ("on", Value::from(true))])?;
    /// assert_eq!(map.get("n"), Some(&Value::from(1)));
    /// # Ok::<(), swampbox_material::MaterialError>(())
    /// ```
    pub fn new<K: Into<Arc<str>>>(
        entries: impl IntoIterator<Item = (K, Value)>,
    ) -> Result<Self, MaterialError> {
        let entries: Arc<[_]> = entries
            .into_iter()
            .map(|(key, value)| (key.into(), value))
            .collect();
        let map = Self::from_entries(entries).map_err(|Duplicate { key, .. }| {
            MaterialError::new(Problem::DuplicateKey, Path::root().key(key))
        })?;
        within_bound(map.depth, || deepest_path(&Value::Map(map.clone())))?;
        Ok(map)
    }

    /// The value at `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let entry = if self.sorted.is_empty() {
            self.entries.iter().find(|(own, _)| **own == *key)
        } else {
            let found = self
                .sorted
                .binary_search_by(|&at| self.key_at(at).cmp(key))
                .ok()?;
            self.entries.get(*self.sorted.get(found)? as usize)
        };
        entry.map(|(_, value)| value)
    }

    /// The entries in the order given.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// From entries whose values the caller knows to be less deep than the bound.
    pub(crate) fn from_entries(entries: Arc<[(Arc<str>, Value)]>) -> Result<Self, Duplicate> {
        let sorted = sorted_positions(&entries)?;
        let depth = depth_over(entries.iter().map(|(_, value)| value));
        Ok(Self {
            entries,
            sorted,
            depth,
        })
    }

    fn key_at(&self, position: u32) -> &str {
        self.entries
            .get(position as usize)
            .map_or("", |(key, _)| key)
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.entries, &other.entries) {
            return true;
        }
        // Most mappings that are equal also have the same order, so the entry at the same
        // position is tried before a look-up.
        self.len() == other.len()
            && self.entries.iter().zip(other.entries.iter()).all(
                |((key, value), (across, beside))| {
                    if key == across {
                        value == beside
                    } else {
                        other.get(key) == Some(value)
                    }
                },
            )
    }
}

impl Eq for Map {}

/// The second occurrence of a key.
pub(crate) struct Duplicate {
    pub(crate) key: Arc<str>,
    pub(crate) position: usize,
}

/// The positions sorted by key, or none if scanning is quick enough; finds equal keys either way.
pub(crate) fn sorted_positions<V>(entries: &[(Arc<str>, V)]) -> Result<Arc<[u32]>, Duplicate> {
    let duplicate = |position: usize, key: &Arc<str>| Duplicate {
        key: key.clone(),
        position,
    };
    if entries.len() <= SCANNED {
        for (position, (key, _)) in entries.iter().enumerate() {
            if entries
                .iter()
                .take(position)
                .any(|(earlier, _)| earlier == key)
            {
                return Err(duplicate(position, key));
            }
        }
        return Ok(Arc::default());
    }
    let mut keyed: Vec<(&Arc<str>, u32)> = entries.iter().map(|(key, _)| key).zip(0..).collect();
    keyed.sort_unstable();
    let second = keyed.windows(2).filter_map(|pair| match pair {
        [(first, _), (second, position)] if first == second => Some((*position as usize, *second)),
        _ => None,
    });
    match second.min_by_key(|(position, _)| *position) {
        Some((position, key)) => Err(duplicate(position, key)),
        None => Ok(keyed.into_iter().map(|(_, position)| position).collect()),
    }
}

fn depth_over<'a>(children: impl Iterator<Item = &'a Value>) -> u8 {
    let deepest = children.map(Value::depth).max().unwrap_or(0);
    u8::try_from(deepest + 1).unwrap_or(u8::MAX)
}

fn within_bound(depth: u8, path: impl FnOnce() -> Path) -> Result<(), MaterialError> {
    if usize::from(depth) <= MAX_MATERIAL_DEPTH {
        return Ok(());
    }
    Err(MaterialError::new(
        Problem::DepthExceeded {
            limit: MAX_MATERIAL_DEPTH,
        },
        path(),
    ))
}

/// The path to a deepest container.
fn deepest_path(value: &Value) -> Path {
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
