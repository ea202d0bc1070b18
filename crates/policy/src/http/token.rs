use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use swampbox_material::Code;
use ureq::http::HeaderValue;

use super::repeats::repeats;

/// A credential that is sent with each question, as `authorization: Bearer …`.
///
/// From 16 to 4,096 letters, digits and `-`, `.`, `_`, `~`, `+`, `/`, with `=` at the end. It is never
/// shown: its debug output is `BearerToken(…)`, and there is no way to read it.
#[derive(Clone)]
pub struct BearerToken {
    // INVARIANT (token): satisfies `is_token`.
    text: Arc<str>,
}

/// Text that is no [`BearerToken`] (`invalid_document`). It is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the text is no bearer token: one has from 16 to 4096 letters, digits and `-._~+/`, and `=` at \
     the end"
)]
pub struct InvalidBearerToken;

impl BearerToken {
    /// The value of the header that carries it.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.text)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Whether it stands in `text`, also in base64 or escaped.
    pub(super) fn is_in(&self, text: &str) -> bool {
        repeats(text, &self.text)
    }
}

impl FromStr for BearerToken {
    type Err = InvalidBearerToken;

    fn from_str(text: &str) -> Result<Self, InvalidBearerToken> {
        if is_token(text) { Ok(Self { text: text.into() }) } else { Err(InvalidBearerToken) }
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(…)")
    }
}

impl InvalidBearerToken {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::InvalidDocument
    }
}

fn is_token(text: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "-._~+/".contains(c);
    let body = text.trim_end_matches('=');
    (16..=4_096).contains(&text.len()) && !body.is_empty() && body.chars().all(known)
}
