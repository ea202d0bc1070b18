use std::str::FromStr;
use std::sync::Arc;

use swampbox_material::{Code, Shown};

/// The greatest length of a [`Pattern`], in bytes of UTF-8.
pub const MAX_PATTERN_BYTES: usize = 4_096;

/// How many `*` a [`Pattern`] has at most.
pub const MAX_PATTERN_STARS: usize = 16;

/// Which strings a rule is about: exactly one, or with `*` for any run of characters, an empty one
/// too.
///
/// Everything but `*` stands for itself, letter for letter: no case is folded, nothing is trimmed,
/// and `*` crosses `/` and `.` like any other character. There is no escape, so a `*` can't be
/// asked for alone; what a `*` matches includes it.
///
/// Not empty, of at most [`MAX_PATTERN_BYTES`] bytes and [`MAX_PATTERN_STARS`] stars, no two of them
/// side by side, and without control characters. To match takes time in proportion to the text for
/// each star, whatever the text is.
///
/// ```
/// use swampbox_policy::Pattern;
///
/// let ours: Pattern = "https://*.example.com".parse()?;
/// assert!(ours.matches("https://api.example.com"));
/// assert!(!ours.matches("https://api.example.com.evil.net"));
/// assert!(!ours.matches("https://API.EXAMPLE.COM"));
/// # Ok::<(), swampbox_policy::InvalidPattern>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    // INVARIANT (pattern): satisfies `check`.
    text: Arc<str>,
}

/// Text that is no [`Pattern`] (`invalid_document`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is no pattern: {problem}", Shown::brief(text))]
pub struct InvalidPattern {
    text: String,
    problem: &'static str,
}

impl Pattern {
    /// Whether `text` is one of the strings that this stands for.
    pub fn matches(&self, text: &str) -> bool {
        let mut pieces = self.text.split('*');
        let Some(rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
            return false;
        };
        let Some(last) = pieces.next_back() else {
            return rest.is_empty();
        };
        let Some(mut between) = rest.strip_suffix(last) else {
            return false;
        };
        // The first place where a piece fits leaves the most room for those after it, so no other
        // has to be tried.
        pieces.all(|piece| match between.split_once(piece) {
            Some((_, after)) => {
                between = after;
                true
            }
            None => false,
        })
    }

    /// The pattern as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for Pattern {
    type Err = InvalidPattern;

    fn from_str(text: &str) -> Result<Self, InvalidPattern> {
        match check(text) {
            Ok(()) => Ok(Self { text: text.into() }),
            Err(problem) => Err(InvalidPattern { text: text.into(), problem }),
        }
    }
}

impl InvalidPattern {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::InvalidDocument
    }
}

fn check(text: &str) -> Result<(), &'static str> {
    const { assert!(MAX_PATTERN_BYTES == 4_096 && MAX_PATTERN_STARS == 16) };
    if text.is_empty() {
        Err("it is empty; `*` stands for any text")
    } else if text.len() > MAX_PATTERN_BYTES {
        Err("it has more than 4096 bytes")
    } else if text.matches('*').count() > MAX_PATTERN_STARS {
        Err("it has more than 16 `*`")
    } else if text.contains("**") {
        Err("two `*` stand side by side; one stands for any run of characters already")
    } else if text.contains(char::is_control) {
        Err("it holds a control character")
    } else {
        Ok(())
    }
}
