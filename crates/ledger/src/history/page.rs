use rusqlite::{Row, Rows};

use crate::error::Failure;

/// Some of what was asked for, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page<T> {
    /// As many as the bounds let through.
    pub items: Vec<T>,
    /// Whether there may be more after these.
    pub more: bool,
}

/// How much is read at once. It is looked at after each item, so that no more is ever held than the
/// bytes and one item more, and the first item comes however long it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) limit: usize,
    pub(super) bytes: usize,
}

impl Bounds {
    /// Those of so many bytes, in however many items.
    pub(super) fn of_bytes(bytes: usize) -> Self {
        Self { limit: usize::MAX, bytes }
    }

    /// Reads what is wanted of these rows, which are one more than the limit at the least if there are
    /// so many. The length of an item is that of one of its columns.
    pub(super) fn read<T>(
        self,
        mut rows: Rows<'_>,
        long: usize,
        mut read: impl FnMut(&Row<'_>) -> Result<Option<T>, Failure>,
    ) -> Result<Page<T>, Failure> {
        let mut filling = Filling::within(self);
        while let Some(row) = rows.next()? {
            if filling.is_full() {
                return Ok(filling.page(true));
            }
            filling.add(row, long, &mut read)?;
        }
        Ok(filling.page(false))
    }
}

/// A page in the making.
#[derive(Debug)]
pub(super) struct Filling<T> {
    bounds: Bounds,
    items: Vec<T>,
    bytes: usize,
}

impl<T> Filling<T> {
    pub(super) fn within(bounds: Bounds) -> Self {
        Self { bounds, items: Vec::new(), bytes: 0 }
    }

    /// Whether nothing more goes on it.
    pub(super) fn is_full(&self) -> bool {
        self.items.len() >= self.bounds.limit
            || (self.bytes >= self.bounds.bytes && !self.items.is_empty())
    }

    /// Adds what is wanted of a row.
    pub(super) fn add(
        &mut self,
        row: &Row<'_>,
        long: usize,
        read: impl FnOnce(&Row<'_>) -> Result<Option<T>, Failure>,
    ) -> Result<(), Failure> {
        let length = row.get_ref(long)?.as_bytes_or_null().ok().flatten().map_or(0, <[u8]>::len);
        if let Some(item) = read(row)? {
            self.items.push(item);
            self.bytes = self.bytes.saturating_add(length);
        }
        Ok(())
    }

    pub(super) fn page(self, more: bool) -> Page<T> {
        Page { items: self.items, more }
    }
}
