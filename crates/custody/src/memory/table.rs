use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::{Deref, DerefMut};

use super::{Lock, LockFamily};

/// Rows by key, in shards that are locked separately.
#[derive(Debug)]
pub(super) struct Table<K: Row, V: Send + fmt::Debug, L: LockFamily> {
    shards: Vec<Alone<L::Lock<HashMap<K, V>>>>,
    hasher: RandomState,
}

/// What a key has to be.
pub(super) trait Row: Clone + Eq + Hash + Send + fmt::Debug {}

impl<K: Clone + Eq + Hash + Send + fmt::Debug> Row for K {}

/// Alone on its cache lines, so that who changes it does not slow who uses its neighbours.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Alone<T>(pub(super) T);

type Guard<'a, K, V, L> =
    <<L as LockFamily>::Lock<HashMap<K, V>> as Lock<HashMap<K, V>>>::Guard<'a>;

/// The rows of some keys, locked.
pub(super) struct Rows<'a, K: Row + 'a, V: Send + fmt::Debug + 'a, L: LockFamily> {
    table: &'a Table<K, V, L>,
    // INVARIANT (order): by ascending shard, which is also the order in which they were locked.
    guards: Vec<(usize, Guard<'a, K, V, L>)>,
}

impl<K: Row, V: Send + fmt::Debug, L: LockFamily> Table<K, V, L> {
    pub(super) fn new(shards: usize) -> Self {
        let shards = (0..shards.max(1)).map(|_| Alone(L::Lock::new(HashMap::new()))).collect();
        Self { shards, hasher: RandomState::new() }
    }

    /// Locks the rows of these keys, whether or not they are there.
    pub(super) fn lock<'k>(&self, keys: impl IntoIterator<Item = &'k K>) -> Rows<'_, K, V, L>
    where
        K: 'k,
    {
        let mut wanted: Vec<usize> = keys.into_iter().map(|key| self.shard_of(key)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let lock = |index: usize| Some((index, self.shards.get(index)?.0.lock()));
        Rows { table: self, guards: wanted.into_iter().filter_map(lock).collect() }
    }

    fn shard_of(&self, key: &K) -> usize {
        let shards = self.shards.len() as u64;
        usize::try_from(self.hasher.hash_one(key) % shards).unwrap_or_default()
    }
}

impl<K: Row, V: Send + fmt::Debug, L: LockFamily> Rows<'_, K, V, L> {
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        let shard = self.guards.get(self.position(key)?)?;
        shard.1.deref().get(key)
    }

    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let position = self.position(key)?;
        self.guards.get_mut(position)?.1.deref_mut().get_mut(key)
    }

    /// Stores a row of a key that was locked.
    pub(super) fn put(&mut self, key: &K, value: V) {
        if let Some(row) = self.get_mut(key) {
            *row = value;
            return;
        }
        let shard = self.position(key).and_then(|position| self.guards.get_mut(position));
        if let Some((_, rows)) = shard {
            rows.deref_mut().insert(key.clone(), value);
        }
    }

    fn position(&self, key: &K) -> Option<usize> {
        let shard = self.table.shard_of(key);
        self.guards.iter().position(|(index, _)| *index == shard)
    }
}
