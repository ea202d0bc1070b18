//! The keys that checkpoints are signed with.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use swampbox_material::{Code, Shown};
use zeroize::Zeroizing;

use crate::hex;

/// A private key that signs checkpoints, with Ed25519.
///
/// Whoever holds it can sign any history of the ledger; keep it where the ledger's writers can't read
/// it. It is kept in a file as PKCS#8 in PEM, which other tools read too.
#[derive(Clone)]
pub struct SecretKey {
    key: SigningKey,
}

/// The public half of a key, which tells whether a checkpoint was signed with the other half.
///
/// Written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey {
    key: VerifyingKey,
}

/// What PKCS#8 puts before the 32 bytes of an Ed25519 key.
const PREFIX: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// No key file of this kind is longer, in bytes.
const LONGEST_FILE: u64 = 1024;

impl SecretKey {
    /// A new key, from the operating system's randomness.
    fn generate() -> Result<Self, KeyProblem> {
        let mut seed = Zeroizing::new([0; 32]);
        let filled = getrandom::fill(&mut *seed);
        filled.map_err(|error| KeyProblem::File(io::Error::other(error)))?;
        Ok(Self { key: SigningKey::from_bytes(&seed) })
    }

    /// Makes a new key and keeps it in a new file that its owner alone can read.
    ///
    /// # Errors
    ///
    /// `key_exists` if there is a file at this path already, `key_unusable` if it can't be written.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, KeyError> {
        let path = path.as_ref();
        let created = Self::generate().and_then(|key| {
            key.write(path)?;
            Ok(key)
        });
        created.map_err(|problem| KeyError { path: path.into(), problem })
    }

    /// Reads a key from its file.
    ///
    /// # Errors
    ///
    /// `key_exposed` if others than its owner may read the file, `key_invalid` if it holds no such
    /// key, `key_unusable` if it can't be read.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, KeyError> {
        let path = path.as_ref();
        Self::read(path).map_err(|problem| KeyError { path: path.into(), problem })
    }

    /// The public half.
    pub fn public(&self) -> PublicKey {
        PublicKey { key: self.key.verifying_key() }
    }

    /// The Ed25519 signature of exactly this message.
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.key.sign(message).to_bytes()
    }

    fn write(&self, path: &Path) -> Result<(), KeyProblem> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => KeyProblem::Exists,
            _ => KeyProblem::File(error),
        })?;
        let der = Zeroizing::new([PREFIX.as_slice(), self.key.as_bytes()].concat());
        let text = Zeroizing::new(format!("{BEGIN}\n{}\n{END}\n", STANDARD.encode(&*der)));
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        if written.is_err() {
            // What is half a key would only stand in the way of a whole one.
            drop(fs::remove_file(path));
        }
        written.map_err(KeyProblem::File)
    }

    fn read(path: &Path) -> Result<Self, KeyProblem> {
        if !fs::metadata(path).map_err(KeyProblem::File)?.is_file() {
            // A pipe could keep us waiting.
            return Err(KeyProblem::Invalid);
        }
        let file = File::open(path).map_err(KeyProblem::File)?;
        refuse_exposed(&file)?;
        let mut text = Zeroizing::new(String::new());
        let read = file.take(LONGEST_FILE).read_to_string(&mut text);
        read.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => KeyProblem::Invalid,
            _ => KeyProblem::File(error),
        })?;
        Self::from_pem(&text).ok_or(KeyProblem::Invalid)
    }

    fn from_pem(text: &str) -> Option<Self> {
        let text = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?.trim();
        let der = Zeroizing::new(STANDARD.decode(text).ok()?);
        let seed = der.strip_prefix(&PREFIX)?.first_chunk()?;
        let whole = der.len() == PREFIX.len() + seed.len();
        whole.then(|| Self { key: SigningKey::from_bytes(seed) })
    }
}

/// Shows the public half only.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(of {})", self.public())
    }
}

#[cfg(unix)]
fn refuse_exposed(file: &File) -> Result<(), KeyProblem> {
    use std::os::unix::fs::PermissionsExt;

    let mode = file.metadata().map_err(KeyProblem::File)?.permissions().mode() & 0o7777;
    if mode & 0o077 == 0 { Ok(()) } else { Err(KeyProblem::Exposed { mode }) }
}

#[cfg(not(unix))]
fn refuse_exposed(_file: &File) -> Result<(), KeyProblem> {
    Ok(())
}

impl PublicKey {
    /// Whether this statement was signed with the other half.
    pub(crate) fn signed(&self, statement: &str, signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        self.key.verify_strict(statement.as_bytes(), &signature).is_ok()
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

impl FromStr for PublicKey {
    type Err = InvalidPublicKey;

    fn from_str(text: &str) -> Result<Self, InvalidPublicKey> {
        let bytes = hex::decode(text).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
        let usable = bytes.filter(|key| !key.is_weak());
        usable.map(|key| Self { key }).ok_or_else(|| InvalidPublicKey { text: text.into() })
    }
}

/// Text that is no public key (`key_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is no public key; one is 64 lower-case hexadecimal digits", Shown::brief(text))]
pub struct InvalidPublicKey {
    text: String,
}

impl InvalidPublicKey {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::KeyInvalid
    }
}

/// A key file can't be used.
#[derive(Debug, thiserror::Error)]
#[error("the key `{}` {problem}", path.display())]
pub struct KeyError {
    path: PathBuf,
    #[source]
    problem: KeyProblem,
}

#[derive(Debug, thiserror::Error)]
enum KeyProblem {
    #[error("exists already, and is not replaced")]
    Exists,
    #[error("may be read by others than its owner (mode {mode:04o}); set its mode to 0600")]
    Exposed { mode: u32 },
    #[error("is no Ed25519 key in PKCS#8 PEM")]
    Invalid,
    #[error("can't be used: {0}")]
    File(io::Error),
}

impl KeyError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self.problem {
            KeyProblem::Exists => Code::KeyExists,
            KeyProblem::Exposed { .. } => Code::KeyExposed,
            KeyProblem::Invalid => Code::KeyInvalid,
            KeyProblem::File(_) => Code::KeyUnusable,
        }
    }
}
