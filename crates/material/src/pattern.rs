use std::fmt;
use std::str::FromStr;

use crate::{Code, Shown};

/// A pattern for a consequence type, a target or an id: `*` stands for any run of characters, none
/// too, and everything else for itself. There is no way to mean `*` alone.
///
/// Texts are compared as they are. `https://a.example/*` does stand for `https://a.example/../x`, and
/// `https://a.example*` for `https://a.example.com`: end a pattern for addresses with a slash before
/// the `*`.
///
/// ```
/// use swampbox_material::Pattern;
///
/// let pattern: Pattern = "https://*.example.com".parse()?;
/// assert!(pattern.matches("https://api.example.com"));
/// assert!(!pattern.matches("https://example.com"));
/// # Ok::<(), swampbox_material::InvalidPattern>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    // INVARIANT (parts): at least one; between two of them stands a `*`.
    parts: Vec<String>,
}

/// The greatest length of a pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 1_024;

/// Text that can't be a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} can't be a pattern: it has to have from 1 to {MAX_PATTERN_BYTES} bytes", Shown::brief(.0))]
pub struct InvalidPattern(String);

impl Pattern {
    /// Whether it matches the whole of a text. Compared exactly, as ids and material are.
    pub fn matches(&self, text: &str) -> bool {
        let Some((first, others)) = self.parts.split_first() else {
            return false;
        };
        let Some(rest) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        let Some((last, inner)) = others.split_last() else {
            return rest.is_empty();
        };
        // Taking the first place for each leaves the most room for those that follow.
        let after = inner
            .iter()
            .try_fold(rest, |rest, part| rest.split_once(part.as_str()).map(|(_, after)| after));
        after.is_some_and(|rest| rest.ends_with(last.as_str()))
    }

    /// Whether it matches every text: it is `*`, once or several times, and nothing else.
    pub fn matches_everything(&self) -> bool {
        self.parts.len() > 1 && self.parts.iter().all(String::is_empty)
    }
}

impl InvalidPattern {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::InvalidDocument
    }
}

impl FromStr for Pattern {
    type Err = InvalidPattern;

    fn from_str(text: &str) -> Result<Self, InvalidPattern> {
        if text.is_empty() || text.len() > MAX_PATTERN_BYTES {
            return Err(InvalidPattern(text.into()));
        }
        Ok(Self { parts: text.split('*').map(str::to_owned).collect() })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.join("*"))
    }
}
