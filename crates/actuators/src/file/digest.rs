use std::fmt;
use std::io::{self, Read};

use sha2::{Digest as _, Sha256};
use swampbox_material::hex;

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest([u8; 32]);

impl Digest {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Of what is left of `reader`, and how many bytes that were.
    pub(crate) fn of_all(mut reader: impl Read) -> io::Result<(Self, u64)> {
        let (mut hasher, mut bytes) = (Sha256::new(), 0);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = match reader.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => buffer.get(..read?).unwrap_or_default(),
            };
            if read.is_empty() {
                return Ok((Self(hasher.finalize().into()), bytes));
            }
            hasher.update(read);
            bytes += u64::try_from(read.len()).unwrap_or(u64::MAX);
        }
    }

    /// From 64 hexadecimal digits in lower case, so that there is one text for each digest.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        hex::decode(text).map(Self)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex::encode(&self.0))
    }
}
