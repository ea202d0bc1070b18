//! Bytes as hexadecimal text, and digests.

use sha2::{Digest, Sha256};
pub(crate) use swampbox_material::hex::{decode, encode};

/// The SHA-256 digest of a text, in hexadecimal digits.
pub(crate) fn sha256(text: &str) -> String {
    encode(&Sha256::digest(text.as_bytes()))
}
