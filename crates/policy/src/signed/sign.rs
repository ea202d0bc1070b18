use ed25519_dalek::{Signer, SigningKey};
use swampbox_authority::AuthorityDecision;

use super::envelope::Envelope;
use super::{DECISION_TYPE, PublicKey, pre_authentication_encoding};

/// Holds a private key and signs with it, wherever the key is kept.
pub trait DecisionSigner {
    /// The public half of the key.
    fn public_key(&self) -> PublicKey;

    /// The Ed25519 signature of exactly this message.
    fn sign(&self, message: &[u8]) -> [u8; 64];
}

impl DecisionSigner for SigningKey {
    fn public_key(&self) -> PublicKey {
        PublicKey::of(self.verifying_key())
    }

    fn sign(&self, message: &[u8]) -> [u8; 64] {
        Signer::sign(self, message).to_bytes()
    }
}

/// Signs a decision: the text of an envelope whose payload is exactly its document.
///
/// What is signed here is what the signer was shown, if the decision was made from the same snapshot.
///
/// ```
/// use ed25519_dalek::SigningKey;
/// use swampbox_authority::{AuthorityDecision, ValidityWindow, Verdict};
/// use swampbox_material::{Material, Value};
/// use swampbox_policy::signed::{DecisionSigner, TrustedKey, TrustedKeys, sign};
///
/// let minute = ValidityWindow::new("2026-01-01T12:00:00Z".parse()?, "2026-01-01T12:01:00Z".parse()?)?;
/// let decision = AuthorityDecision {
///     decision_id: "decision-1".parse()?,
///     verdict: Verdict::Allow,
///     consequence_id: "X".parse()?,
///     execution_id: "exec-A".parse()?,
///     bound_consequence: Material::new("note", "inbox", Value::from("hello")),
///     window: minute,
/// };
/// let key = SigningKey::from_bytes(&[7; 32]);
/// let envelope = sign(&decision, &key);
///
/// let keys = TrustedKeys::new([TrustedKey::new("ops", key.public_key(), minute, [])])?;
/// let verified = keys.verify(envelope.as_bytes())?;
/// assert_eq!(verified.payload(), decision.to_document().to_string().as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sign(decision: &AuthorityDecision, key: &(impl DecisionSigner + ?Sized)) -> String {
    let payload = decision.to_document().to_string().into_bytes();
    let signature = key.sign(&pre_authentication_encoding(DECISION_TYPE, &payload));
    Envelope::written(&payload, &[(key.public_key().id(), signature)])
}
