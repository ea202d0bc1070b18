use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ed25519_dalek::{Signature, VerifyingKey};
use swampbox_material::{Code, Shown};

use crate::hex;

/// The public half of a key that signs decisions, with Ed25519.
///
/// Written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey {
    // INVARIANT (strong): not of small order. Under a key that is, some signature fits any message.
    key: VerifyingKey,
}

/// Names a key by what it is: `ed25519:` and the SHA-256 digest of the public key's 32 bytes, in 64
/// lower-case hexadecimal digits.
///
/// So it can't be given to another key, and it says the algorithm. Cloning is cheap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId {
    // INVARIANT (key id): `ed25519:` and 64 lower-case hexadecimal digits.
    text: Arc<str>,
}

const ALGORITHM: &str = "ed25519:";

impl PublicKey {
    /// The id of this key.
    pub fn id(&self) -> KeyId {
        KeyId { text: format!("{ALGORITHM}{}", hex::sha256(self.key.as_bytes())).into() }
    }

    /// Whether this message was signed with the other half. Of the variants of a signature that
    /// some verifiers take, only the one that a signer makes is right.
    pub(crate) fn signed(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.key.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }

    pub(crate) fn of(key: VerifyingKey) -> Self {
        Self { key }
    }
}

impl KeyId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for PublicKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let Some(bytes) = hex::decode(text) else {
            return Err(InvalidKey::PublicKey { text: text.into() });
        };
        let strong = VerifyingKey::from_bytes(&bytes).ok().filter(|key| !key.is_weak());
        strong.map(Self::of).ok_or_else(|| InvalidKey::Weak { text: text.into() })
    }
}

impl FromStr for KeyId {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let Some(digest) = text.strip_prefix(ALGORITHM) else {
            return Err(InvalidKey::Algorithm { text: text.into() });
        };
        match hex::decode::<32>(digest) {
            Some(_) => Ok(Self { text: text.into() }),
            None => Err(InvalidKey::KeyId { text: text.into() }),
        }
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex::encode(self.key.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

/// Text that is no public key or no key id (`key_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKey {
    /// It is not written like a public key.
    #[error("{} is no public key; one is 64 lower-case hexadecimal digits", Shown::brief(text))]
    PublicKey {
        /// The text.
        text: String,
    },
    /// It is written like a public key, and what it signs proves nothing.
    #[error(
        "{} is the public half of no key; take the one that was printed when the key was generated",
        Shown::brief(text)
    )]
    Weak {
        /// The text.
        text: String,
    },
    /// It does not name Ed25519, the only algorithm there is.
    #[error("{} names no key for Ed25519; an id begins with `{ALGORITHM}`", Shown::brief(text))]
    Algorithm {
        /// The text.
        text: String,
    },
    /// It names Ed25519, and no key.
    #[error(
        "{} is no key id; one is `{ALGORITHM}` and 64 lower-case hexadecimal digits",
        Shown::brief(text)
    )]
    KeyId {
        /// The text.
        text: String,
    },
}

impl InvalidKey {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::KeyInvalid
    }
}
