//! Decisions that were signed elsewhere.

use std::path::PathBuf;

use swampbox_authority::AuthorityRequest;
use swampbox_material::json::MAX_DOCUMENT_BYTES;
use swampbox_policy::LookupFailure;
use swampbox_policy::signed::EnvelopeSource;

use super::bytes;

/// Envelopes in a directory, each in a file by the id of its consequence.
#[derive(Debug)]
pub(super) struct Envelopes {
    pub(super) directory: PathBuf,
}

impl EnvelopeSource for Envelopes {
    fn envelope(&self, request: &AuthorityRequest) -> Result<Option<Vec<u8>>, LookupFailure> {
        let name = file_name(request.snapshot.consequence_id.as_str());
        match bytes(&self.directory.join(&name), MAX_DOCUMENT_BYTES) {
            Ok(text) => Ok(Some(text)),
            Err(unread) if unread.is_missing() => Ok(None),
            Err(unread) => Err(LookupFailure::new(format!("`{name}`: {unread}"))),
        }
    }
}

/// The file of a consequence's envelope: its id, with `%` and two digits for each byte that is neither
/// a letter nor a digit nor `-` nor `_`, and `.json`.
fn file_name(consequence: &str) -> String {
    let mut name = String::new();
    for byte in consequence.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            other => name.push_str(&format!("%{other:02X}")),
        }
    }
    name + ".json"
}
