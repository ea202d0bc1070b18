use std::sync::Arc;

use crate::value::{deepest_path, depth_over, within_bound};
use crate::{MaterialError, Path, Problem, Value};

/// Values by key. Keys are unique; the order in which they were given is kept, and is not part
/// of the mapping's equality.
#[derive(Clone, Debug)]
pub struct Map {
    // INVARIANT (unique keys): no two entries have the same key.
    entries: Arc<[Entry]>,
    // INVARIANT (depth): one more than the deepest value, at most MAX_MATERIAL_DEPTH.
    depth: u8,
}

#[derive(Debug)]
struct Entry {
    key: Arc<str>,
    value: Value,
    // INVARIANT (index): if there are more than SCANNED entries, the n-th entry holds here the
    // position of the one whose key is the n-th in order. No hashing, so no input can make a
    // look-up slow.
    nth: u32,
}

/// Up to this many entries a look-up scans instead of searching.
const SCANNED: usize = 8;

impl Map {
    /// A mapping of these entries, in this order.
    ///
    /// # Errors
    ///
    /// `duplicate_key` if a key is given twice, `depth_exceeded` if the mapping would be deeper
    /// than [`MAX_MATERIAL_DEPTH`](crate::MAX_MATERIAL_DEPTH).
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
        let entries = entries.into_iter();
        let entries: Vec<_> = entries.map(|(key, value)| (key.into(), value)).collect();
        let map = Self::from_entries(entries).map_err(|Duplicate { key, .. }| {
            MaterialError::new(Problem::DuplicateKey, Path::root().key(key))
        })?;
        within_bound(map.depth, || deepest_path(&Value::Map(map.clone())))?;
        Ok(map)
    }

    /// The value at `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let entries = &*self.entries;
        let entry = if entries.len() <= SCANNED {
            entries.iter().find(|entry| *entry.key == *key)
        } else {
            let nth = |entry: &Entry| entries.get(entry.nth as usize);
            let order = |entry: &Entry| nth(entry).map(|nth| &*nth.key).cmp(&Some(key));
            let found = entries.binary_search_by(order).ok()?;
            entries.get(found).and_then(nth)
        };
        entry.map(|entry| &entry.value)
    }

    /// The entries in the order given.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.entries.iter().map(|entry| (&entry.key, &entry.value))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn depth(&self) -> u8 {
        self.depth
    }

    /// From entries whose values the caller knows to be less deep than the bound.
    pub(crate) fn from_entries<I>(entries: I) -> Result<Self, Duplicate>
    where
        I: AsRef<[(Arc<str>, Value)]> + IntoIterator<Item = (Arc<str>, Value)>,
    {
        let mut sorted = sorted_positions(entries.as_ref())?.into_iter();
        let depth = depth_over(entries.as_ref().iter().map(|(_, value)| value));
        let entries = entries.into_iter().map(|(key, value)| {
            let nth = sorted.next().unwrap_or_default();
            Entry { key, value, nth }
        });
        Ok(Self { entries: entries.collect(), depth })
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.entries, &other.entries) {
            return true;
        }
        // Most mappings that are equal also have the same order, so the entry at the same
        // position is tried before a look-up.
        let mut beside = self.entries.iter().zip(&*other.entries);
        self.len() == other.len()
            && beside.all(|(own, across)| {
                if own.key == across.key {
                    own.value == across.value
                } else {
                    other.get(&own.key) == Some(&own.value)
                }
            })
    }
}

impl Eq for Map {}

/// The second occurrence of a key.
pub(crate) struct Duplicate {
    pub(crate) key: Arc<str>,
    pub(crate) position: usize,
}

/// The positions sorted by key, or none if scanning is quick enough; finds equal keys either way.
fn sorted_positions(entries: &[(Arc<str>, Value)]) -> Result<Vec<u32>, Duplicate> {
    if entries.len() <= SCANNED {
        return match repeated(entries) {
            Some(duplicate) => Err(duplicate),
            None => Ok(Vec::new()),
        };
    }
    let mut keyed: Vec<(&Arc<str>, u32)> = entries.iter().map(|(key, _)| key).zip(0..).collect();
    keyed.sort_unstable();
    let second = keyed.windows(2).filter_map(|pair| match pair {
        [(first, _), (second, position)] if first == second => Some((*position as usize, *second)),
        _ => None,
    });
    match second.min_by_key(|(position, _)| *position) {
        Some((position, key)) => Err(Duplicate { key: key.clone(), position }),
        None => Ok(keyed.into_iter().map(|(_, position)| position).collect()),
    }
}

/// The first repeated key of a few entries.
fn repeated(entries: &[(Arc<str>, Value)]) -> Option<Duplicate> {
    entries.iter().enumerate().find_map(|(position, (key, _))| {
        let mut earlier = entries.iter().take(position);
        let found = earlier.any(|(earlier, _)| earlier == key);
        found.then(|| Duplicate { key: key.clone(), position })
    })
}
