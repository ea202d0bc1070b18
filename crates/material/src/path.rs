use std::fmt;
use std::sync::Arc;

use crate::show::{BRIEF_CHARACTERS, Shown};

/// Where a value stands in a document, from the root `$` down.
///
/// Displayed in the notation of JSONPath (RFC 9535): `$.payload.items[3]`, and
/// `$["odd key"]` for a key that is not a plain name. Of a key of more than 80 characters the
/// beginning is displayed, and its length; [`Path::segments`] has all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    segments: Vec<Segment>,
}

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// The value at this key of a mapping.
    Key(Arc<str>),
    /// The item at this index of a list, counted from 0.
    Index(usize),
}

impl Path {
    /// The path of the whole document, `$`.
    pub fn root() -> Self {
        Self::default()
    }

    /// The path of this path's child at `key`.
    #[must_use]
    pub fn key(&self, key: impl Into<Arc<str>>) -> Self {
        self.child(Segment::Key(key.into()))
    }

    /// The path of this path's child at `index`.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.child(Segment::Index(index))
    }

    /// The steps from the root.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// This path as it stands below `parent`.
    #[must_use]
    pub fn below(&self, parent: &Path) -> Self {
        let segments = parent.segments.iter().chain(&self.segments).cloned().collect();
        Self { segments }
    }

    /// A path from steps that were gathered on the way up, the last step first.
    pub(crate) fn from_leaf(mut segments: Vec<Segment>) -> Self {
        segments.reverse();
        Self { segments }
    }

    fn child(&self, segment: Segment) -> Self {
        let mut segments = self.segments.clone();
        segments.push(segment);
        Self { segments }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        self.segments.iter().try_for_each(|segment| segment.fmt(f))
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Key(key) if is_short_name(key) => write!(f, ".{key}"),
            Segment::Key(key) => write!(f, "[{}]", Shown::brief(key)),
        }
    }
}

/// Whether a key can stand without quotes. A long one is quoted, and cut.
fn is_short_name(key: &str) -> bool {
    key.len() <= BRIEF_CHARACTERS
        && key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
