use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use swampbox_material::{Code, Shown};

use crate::hex;

/// A SHA-256 digest: of what a request shows, by which an approver says what was decided about.
///
/// Written as 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest {
    bytes: [u8; 32],
}

/// Text that is no digest (`ballot_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is no digest: that has 64 hexadecimal digits in lower case", Shown::brief(text))]
pub struct InvalidDigest {
    text: String,
}

impl Digest {
    /// The digest of a text.
    pub(super) fn of(text: &str) -> Self {
        Self { bytes: Sha256::digest(text.as_bytes()).into() }
    }
}

impl InvalidDigest {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::BallotInvalid
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex::encode(&self.bytes))
    }
}

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        hex::decode(text)
            .map(|bytes| Self { bytes })
            .ok_or_else(|| InvalidDigest { text: text.into() })
    }
}
