//! Bytes as hexadecimal text, and digests.

use sha2::{Digest, Sha256};
pub(crate) use swampbox_material::hex::{decode, encode};

/// The SHA-256 digest of some bytes, in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    encode(&Sha256::digest(bytes))
}
