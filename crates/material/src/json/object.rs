use std::collections::BTreeMap;
use std::sync::Arc;

use super::Json;
use crate::map::Duplicate;

/// A JSON object. Keys are unique; their order is kept, and is part of the object's equality.
#[derive(Clone, Debug, Default)]
pub struct Object {
    // INVARIANT (unique keys): no two entries have the same key.
    entries: Vec<(Arc<str>, Json)>,
    // INVARIANT (index): the position of every entry by its key, if there are more than SCANNED
    // of them.
    #[expect(clippy::box_collection, reason = "an object makes every `Json` larger")]
    positions: Option<Box<BTreeMap<Arc<str>, usize>>>,
}

/// Up to this many entries a look-up scans instead of searching.
const SCANNED: usize = 8;

impl Object {
    /// The value at `key`.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let (_, value) = self.entries.get(self.position(key)?)?;
        Some(value)
    }

    /// Sets the value at `key`, in the place of the one that was there, or else at the end.
    pub fn insert(&mut self, key: impl Into<Arc<str>>, value: Json) {
        let key = key.into();
        let known = self.position(&key);
        match known.and_then(|position| self.entries.get_mut(position)) {
            Some((_, old)) => *old = value,
            None => self.push(key, value),
        }
    }

    /// The entries in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Json)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Refuses a key that comes twice.
    pub(crate) fn from_entries(
        entries: impl ExactSizeIterator<Item = (Arc<str>, Json)>,
    ) -> Result<Self, Duplicate> {
        let mut object = Self::with_capacity(entries.len());
        for (position, (key, value)) in entries.enumerate() {
            if object.position(&key).is_some() {
                return Err(Duplicate { key, position });
            }
            object.push(key, value);
        }
        Ok(object)
    }

    fn with_capacity(entries: usize) -> Self {
        Self { entries: Vec::with_capacity(entries), positions: None }
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.positions {
            Some(positions) => positions.get(key).copied(),
            None => self.entries.iter().position(|(own, _)| **own == *key),
        }
    }

    /// Adds an entry whose key the caller knows to be new.
    fn push(&mut self, key: Arc<str>, value: Json) {
        if let Some(positions) = &mut self.positions {
            positions.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
        if self.positions.is_none() && self.entries.len() > SCANNED {
            let keys = self.entries.iter().map(|(key, _)| key.clone());
            self.positions = Some(Box::new(keys.zip(0..).collect()));
        }
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for Object {}

impl<K: Into<Arc<str>>> FromIterator<(K, Json)> for Object {
    /// Of equal keys the last value stays, in the place of the first.
    fn from_iter<I: IntoIterator<Item = (K, Json)>>(entries: I) -> Self {
        let mut object = Self::default();
        for (key, value) in entries {
            object.insert(key, value);
        }
        object
    }
}
