use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use swampbox_authority::ValidityWindow;
use swampbox_material::{Code, Shown};

use super::envelope::{Envelope, EnvelopeSignature};
use super::{DECISION_TYPE, InvalidEnvelope, KeyId, PublicKey, Role, pre_authentication_encoding};
use crate::hex;

/// A key whose signed decisions are believed: within its window, about what its roles cover.
///
/// Without a role it decides nothing. Cloning is cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedKey {
    name: Arc<str>,
    public: PublicKey,
    id: KeyId,
    window: ValidityWindow,
    roles: Arc<[Role]>,
}

impl TrustedKey {
    /// A key by this name. `window` says when it may be used, whatever the window of a decision.
    pub fn new(
        name: &str,
        public: PublicKey,
        window: ValidityWindow,
        roles: impl IntoIterator<Item = Role>,
    ) -> Self {
        let roles = roles.into_iter().collect();
        Self { name: name.into(), public, id: public.id(), window, roles }
    }

    /// The name that people know it by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its id.
    pub fn id(&self) -> &KeyId {
        &self.id
    }

    /// When it may be used.
    pub fn window(&self) -> &ValidityWindow {
        &self.window
    }

    /// What it may decide about.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }
}

/// The keys that are trusted.
///
/// ```
/// use swampbox_authority::ValidityWindow;
/// use swampbox_policy::signed::{Role, TrustedKey, TrustedKeys};
///
/// let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a".parse()?;
/// let year = ValidityWindow::new("2026-01-01T00:00:00Z".parse()?, "2027-01-01T00:00:00Z".parse()?)?;
/// let mail = Role::new("postmaster", "mail".parse()?, "*".parse()?);
/// let keys = TrustedKeys::new([TrustedKey::new("ops", public, year, [mail])])?;
/// assert_eq!(keys.iter().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedKeys {
    keys: BTreeMap<KeyId, TrustedKey>,
}

impl TrustedKeys {
    /// These keys. With none of them nothing is ever believed.
    ///
    /// # Errors
    ///
    /// `policy_invalid` if two keys have one name, or one key is given twice.
    pub fn new(keys: impl IntoIterator<Item = TrustedKey>) -> Result<Self, TrustError> {
        let mut names = BTreeSet::new();
        let mut trusted = BTreeMap::new();
        for key in keys {
            let name = key.name.clone();
            if !names.insert(name.clone()) {
                return Err(TrustError::Name { name: name.to_string() });
            }
            if let Some(TrustedKey { name: first, .. }) = trusted.insert(key.id.clone(), key) {
                let (first, second) = (first.to_string(), name.to_string());
                return Err(TrustError::SameKey { first, second });
            }
        }
        Ok(Self { keys: trusted })
    }

    /// The keys, in the order of their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &TrustedKey> {
        self.keys.values()
    }

    /// Checks that an envelope holds a decision, and that every signature on it is right and by a
    /// trusted key, no two by the same.
    ///
    /// Whether those keys may decide about something now is not asked here, and nothing is said
    /// about the decision itself.
    ///
    /// # Errors
    ///
    /// `authority_unavailable`, with the rule that the envelope breaks.
    pub fn verify(&self, envelope: &[u8]) -> Result<VerifiedEnvelope, InvalidEnvelope> {
        let Envelope { payload, signatures } = Envelope::read(envelope)?;
        let signers = self.signers(&signatures)?;
        let signed = pre_authentication_encoding(DECISION_TYPE, &payload);
        for (key, EnvelopeSignature { signature, path, .. }) in signers.iter().zip(&signatures) {
            if !key.public.signed(&signed, signature) {
                let (name, path) = (key.name.to_string(), path.clone());
                return Err(InvalidEnvelope::Forged { name, path });
            }
        }
        Ok(VerifiedEnvelope { payload, signers, digest: hex::sha256(envelope) })
    }

    /// The trusted keys that the signatures name, in their order. That there are no more of them than
    /// trusted keys bounds the work of the check.
    fn signers(
        &self,
        signatures: &[EnvelopeSignature],
    ) -> Result<Vec<TrustedKey>, InvalidEnvelope> {
        let mut signers: Vec<TrustedKey> = Vec::new();
        for EnvelopeSignature { key, path, .. } in signatures {
            let Some(trusted) = self.keys.get(key) else {
                let (key, path) = (key.clone(), path.clone());
                return Err(InvalidEnvelope::NotTrusted { key, path });
            };
            if signers.iter().any(|signer| signer.id == *key) {
                let (name, path) = (trusted.name.to_string(), path.clone());
                return Err(InvalidEnvelope::Doubled { name, path });
            }
            signers.push(trusted.clone());
        }
        Ok(signers)
    }
}

/// An envelope whose every signature was found right. Only [`TrustedKeys::verify`] makes one.
#[derive(Clone, Debug)]
pub struct VerifiedEnvelope {
    // INVARIANT (verified): each of the signers, one at least, signed exactly these bytes as a decision.
    payload: Vec<u8>,
    signers: Vec<TrustedKey>,
    digest: String,
}

impl VerifiedEnvelope {
    /// The bytes that were signed: the decision document, not yet validated.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Who signed, in the order of the signatures.
    pub fn signers(&self) -> &[TrustedKey] {
        &self.signers
    }

    /// The SHA-256 digest of the envelope as it came, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// What is to be trusted is not clear (`policy_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// Two keys have one name.
    #[error("two trusted keys are named {}; give each a name of its own", Shown::brief(name))]
    Name {
        /// The name.
        name: String,
    },
    /// One key has two names.
    #[error(
        "the trusted keys {} and {} are the same key; leave one out",
        Shown::brief(first),
        Shown::brief(second)
    )]
    SameKey {
        /// The name that came first.
        first: String,
        /// The other name.
        second: String,
    },
}

impl TrustError {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::PolicyInvalid
    }
}
