//! Decisions that are signed elsewhere, and believed because of who signed them.
//!
//! An envelope holds one decision document and signatures over exactly its bytes. What is used after
//! the check is read from the bytes that were checked, and then validated like any other answer: a
//! good signature on a decision about something else releases nothing.
//!
//! | what is wrong | when the provider is asked | at the edge |
//! | --- | --- | --- |
//! | there is no envelope | `authority_unavailable` | `authority_revoked` |
//! | the envelope is malformed, forged or altered, or its key is not trusted | `authority_unavailable` | `authority_revoked` |
//! | the key is not valid at this time, or may not decide about this | `authority_unavailable` | `authority_revoked` |
//! | the key or the decision was revoked | `authority_revoked` | `authority_revoked` |
//! | the source or the revocations can't be asked, or the time can't be told | `authority_unavailable` | `authority_unavailable` |
//! | the source gives another envelope than before | – | `authority_revoked` |

mod dsse;
mod envelope;
mod key;
mod provider;
mod revocations;
mod role;
mod sign;
mod source;
mod trust;

pub use dsse::pre_authentication_encoding;
pub use envelope::InvalidEnvelope;
pub use key::{InvalidKey, KeyId, PublicKey};
pub use provider::Signed;
pub use revocations::{MemoryRevocations, Revocations};
pub use role::Role;
pub use sign::{DecisionSigner, sign};
pub use source::{EnvelopeSource, FixedEnvelope};
pub use trust::{TrustError, TrustedKey, TrustedKeys, VerifiedEnvelope};

/// The payload type of an envelope with a decision. Nothing else is read as one.
pub const DECISION_TYPE: &str = "application/vnd.swampbox.decision+json";
