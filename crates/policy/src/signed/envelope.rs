use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use swampbox_material::json::{Fields, Json};
use swampbox_material::{Code, MaterialError, Path, Problem, Shown};

use super::{DECISION_TYPE, InvalidKey, KeyId};

/// An envelope as it came: well formed, and nothing in it believed.
pub(super) struct Envelope {
    pub(super) payload: Vec<u8>,
    /// At least one.
    pub(super) signatures: Vec<EnvelopeSignature>,
}

pub(super) struct EnvelopeSignature {
    pub(super) key: KeyId,
    pub(super) signature: [u8; 64],
    /// Where it stands.
    pub(super) path: Path,
}

impl Envelope {
    pub(super) fn read(text: &[u8]) -> Result<Self, InvalidEnvelope> {
        let document = Json::read(text)?;
        let root = Path::root();
        let mut fields = Fields::of(&document, &root)?;
        let payload_type = fields.string("payloadType")?;
        let payload = fields.string("payload")?;
        let signatures = fields.required("signatures")?;
        fields.finish()?;
        if **payload_type != *DECISION_TYPE {
            return Err(InvalidEnvelope::PayloadType { found: payload_type.to_string() });
        }
        let path = root.key("signatures");
        let Json::List(signatures) = signatures else {
            let problem = format!("an array was expected, not {}", signatures.kind());
            return Err(MaterialError::new(Problem::InvalidDocument(problem), path).into());
        };
        let signatures = signatures.iter().enumerate();
        let signatures = signatures
            .map(|(index, signature)| EnvelopeSignature::of(signature, path.index(index)))
            .collect::<Result<Vec<_>, _>>()?;
        if signatures.is_empty() {
            return Err(InvalidEnvelope::NoSignature);
        }
        Ok(Self { payload: decoded(payload, root.key("payload"))?, signatures })
    }

    pub(super) fn written(payload: &[u8], signatures: &[(KeyId, [u8; 64])]) -> String {
        let signatures = signatures.iter().map(|(key, signature)| {
            Json::object([
                ("keyid", Json::from(key.as_str())),
                ("sig", Json::from(STANDARD.encode(signature).as_str())),
            ])
        });
        let envelope = Json::object([
            ("payload", Json::from(STANDARD.encode(payload).as_str())),
            ("payloadType", Json::from(DECISION_TYPE)),
            ("signatures", Json::List(signatures.collect())),
        ]);
        envelope.to_string()
    }
}

impl EnvelopeSignature {
    fn of(document: &Json, path: Path) -> Result<Self, InvalidEnvelope> {
        let mut fields = Fields::of(document, &path)?;
        let (key, signature) = (fields.string("keyid")?, fields.string("sig")?);
        fields.finish()?;
        let key = key.parse::<KeyId>();
        let key = key.map_err(|error| InvalidEnvelope::KeyId { error, path: path.clone() })?;
        let signature = decoded(signature, path.key("sig"))?;
        let length = signature.len();
        let signature = <[u8; 64]>::try_from(signature)
            .map_err(|_| InvalidEnvelope::Length { length, path: path.clone() })?;
        Ok(Self { key, signature, path })
    }
}

/// Both alphabets of base64 are read, as DSSE asks, but not mixed. Padding is needed, and bits that
/// stand for nothing are zero.
fn decoded(text: &str, path: Path) -> Result<Vec<u8>, InvalidEnvelope> {
    let engine = if text.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    engine.decode(text).map_err(|_| InvalidEnvelope::Base64 { path })
}

/// An envelope that proves nothing (`authority_unavailable`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidEnvelope {
    /// It is not JSON, or a field is missing, unknown, given twice or of the wrong type.
    #[error("it is no envelope: {0}")]
    Malformed(#[from] MaterialError),
    /// It holds something else than a decision.
    #[error("its payload type is {}, and not `{DECISION_TYPE}`", Shown::brief(found))]
    PayloadType {
        /// The type that it names.
        found: String,
    },
    /// It is not base64 as an encoder writes it.
    #[error("what stands at {path} is not base64 as an encoder writes it, with its padding")]
    Base64 {
        /// Where it stands.
        path: Path,
    },
    /// There is nothing that anybody signed.
    #[error("it carries no signature")]
    NoSignature,
    /// A key id is malformed, or names another algorithm.
    #[error("the signature at {path} can't be by a trusted key: {error}")]
    KeyId {
        /// What is wrong with the id.
        error: InvalidKey,
        /// Where the signature stands.
        path: Path,
    },
    /// A signature has another length than those of Ed25519.
    #[error("the signature at {path} has {length} bytes, and one of Ed25519 has 64")]
    Length {
        /// How many bytes it has.
        length: usize,
        /// Where it stands.
        path: Path,
    },
    /// Nobody here trusts a key that signed.
    #[error("the signature at {path} is by the key {key}, which is not trusted")]
    NotTrusted {
        /// The key.
        key: KeyId,
        /// Where the signature stands.
        path: Path,
    },
    /// One key signed twice.
    #[error("the signature at {path} is the second by the key {}", Shown::brief(name))]
    Doubled {
        /// The key's name.
        name: String,
        /// Where the signature stands.
        path: Path,
    },
    /// A signature is not right: it is forged, or what it covers was altered.
    #[error(
        "the signature at {path} is not right: the key {} did not sign this",
        Shown::brief(name)
    )]
    Forged {
        /// The key's name.
        name: String,
        /// Where the signature stands.
        path: Path,
    },
}

impl InvalidEnvelope {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::AuthorityUnavailable
    }
}
