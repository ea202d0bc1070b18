//! Signed statements about how far the history had come.

use std::fmt;

use swampbox_custody::{CustodyError, StoreFailure};
use swampbox_material::json::{Fields, Json};
use swampbox_material::{Code, Path};

use crate::event::{Hash, Head, Kind};
use crate::keys::{PublicKey, SecretKey};
use crate::rows::ledger_id;
use crate::writer::Batch;
use crate::{LedgerCustody, hex};

/// A signed statement: this ledger had this many events, and the last had this hash.
///
/// Its signature is right, or it could not be made. It is an event of the ledger, and as a document it
/// can be kept elsewhere: whoever has it sees whether what it covers was changed or cut off since.
/// What came after it is covered by the next one only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    // INVARIANT (signed): `statement` is what the next four fields are written as, and `signature`
    // is that of `key` over it.
    statement: String,
    ledger: String,
    head: Head,
    at: String,
    key: PublicKey,
    signature: [u8; 64],
}

/// The first line of every statement. Nothing else that a key signs begins like this.
const FORMAT: &str = "swampbox-checkpoint/1";

impl Checkpoint {
    /// Reads a checkpoint from its document, and checks its signature.
    ///
    /// # Errors
    ///
    /// `checkpoint_invalid`.
    pub fn read(text: &[u8]) -> Result<Self, InvalidCheckpoint> {
        let document = Json::read(text).map_err(InvalidCheckpoint::new)?;
        let fields = Fields::of(&document, &Path::root());
        let mut fields = fields.map_err(InvalidCheckpoint::new)?;
        let checkpoint = Self::of_fields(&mut fields)?;
        fields.finish().map_err(InvalidCheckpoint::new)?;
        Ok(checkpoint)
    }

    /// The checkpoint as a document: the statement as it was signed, the public key and the
    /// signature.
    pub fn to_document(&self) -> Json {
        Json::object([
            ("statement", Json::from(self.statement.as_str())),
            ("key", Json::from(self.key.to_string().as_str())),
            ("signature", Json::from(hex::encode(&self.signature).as_str())),
        ])
    }

    /// The id of the ledger.
    pub fn ledger(&self) -> &str {
        &self.ledger
    }

    /// How many events it covers.
    pub fn length(&self) -> u64 {
        self.head.length
    }

    /// The hash of the last of them, in hexadecimal digits.
    pub fn head(&self) -> String {
        hex::encode(&self.head.hash)
    }

    /// When it was signed, in RFC 3339, by the clock of the program that did.
    pub fn at(&self) -> &str {
        &self.at
    }

    /// The key that signed it.
    pub fn key(&self) -> PublicKey {
        self.key
    }

    pub(crate) fn covers(&self) -> Head {
        self.head
    }

    fn sign(ledger: String, head: Head, at: String, key: &SecretKey) -> Self {
        let statement = statement(&ledger, head, &at);
        let signature = key.sign(statement.as_bytes());
        Self { statement, ledger, head, at, key: key.public(), signature }
    }

    /// Reads a checkpoint from the fields of a document, and checks its signature.
    pub(crate) fn of_fields(fields: &mut Fields<'_>) -> Result<Self, InvalidCheckpoint> {
        let mut text = |name| fields.string(name).map_err(InvalidCheckpoint::new);
        let (statement, key, signature) = (text("statement")?, text("key")?, text("signature")?);
        let key: PublicKey = key.parse().map_err(InvalidCheckpoint::new)?;
        let signature = hex::decode(signature)
            .ok_or_else(|| InvalidCheckpoint::new("a signature is 128 hexadecimal digits"))?;
        if !key.signed(statement, &signature) {
            return Err(InvalidCheckpoint::new("its signature is not right"));
        }
        let parsed = parse(statement);
        let (ledger, head, at) =
            parsed.ok_or_else(|| InvalidCheckpoint::new("its statement is of another format"))?;
        Ok(Self { statement: statement.to_string(), ledger, head, at, key, signature })
    }
}

/// The text that is signed.
fn statement(ledger: &str, head: Head, at: &str) -> String {
    let Head { length, hash } = head;
    let hash = hex::encode(&hash);
    format!("{FORMAT}\nledger {ledger}\nlength {length}\nhead {hash}\nat {at}\n")
}

/// What a statement says, if it is exactly as [`statement`] writes it.
fn parse(text: &str) -> Option<(String, Head, String)> {
    let rest = text.strip_prefix(FORMAT)?.strip_prefix("\nledger ")?;
    let (ledger, rest) = rest.split_once("\nlength ")?;
    let (length, rest) = rest.split_once("\nhead ")?;
    let (hash, rest) = rest.split_once("\nat ")?;
    let at = rest.strip_suffix('\n')?;
    let hash: Hash = hex::decode(hash)?;
    let head = Head { length: length.parse().ok()?, hash };
    (statement(ledger, head, at) == text).then(|| (ledger.to_owned(), head, at.to_owned()))
}

/// A document that is no checkpoint, or whose signature is not right (`checkpoint_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no checkpoint: {problem}")]
pub struct InvalidCheckpoint {
    problem: String,
}

impl InvalidCheckpoint {
    fn new(problem: impl ToString) -> Self {
        Self { problem: problem.to_string() }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        Code::CheckpointInvalid
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} events of ledger {}, signed by {}", self.length(), self.ledger, self.key)
    }
}

impl LedgerCustody {
    /// Signs how far the history has come, and adds that to it. Keep the checkpoint elsewhere too: a
    /// copy here goes with the events that are cut off.
    ///
    /// # Errors
    ///
    /// `store_unavailable`, also if the clock can't be read.
    pub fn checkpoint(&self, key: &SecretKey) -> Result<Checkpoint, StoreFailure> {
        let key = key.clone();
        let signed = self.writer.run(move |batch| Ok(batch.checkpoint(&key)?));
        signed.map_err(|error| match error {
            CustodyError::Store(failure) => failure,
            CustodyError::Refused(refusal) => StoreFailure::new(refusal),
        })
    }
}

impl Batch<'_> {
    fn checkpoint(&mut self, key: &SecretKey) -> Result<Checkpoint, StoreFailure> {
        let at = self.at().ok_or_else(|| StoreFailure::new("the clock can't be read"))?;
        let ledger = ledger_id(self.connection()).map_err(StoreFailure::from)?;
        let checkpoint = Checkpoint::sign(ledger, self.head(), at.into(), key);
        self.event(Kind::Checkpoint, &checkpoint.to_document())?;
        Ok(checkpoint)
    }
}
