//! The exact-match boundary: an artifact takes effect only if exactly it was admitted.

use serde::Serialize;

use super::{
    actuator::SimulatedActuator,
    admission::{Admission, AdmissionProvider, Verdict},
    store::{Artifact, Consequence},
};

/// Commits an artifact's consequence under an admission that names exactly that consequence.
///
/// It looks at the answer and at the consequence, never at the artifact's author or provenance.
#[derive(Debug)]
pub struct ExactBoundary<P> {
    provider: P,
}

impl<P: AdmissionProvider> ExactBoundary<P> {
    /// A boundary that asks `provider`.
    pub const fn new(provider: P) -> Self {
        Self { provider }
    }

    /// Asks once, and commits to `actuator` only on an exact ALLOW.
    pub fn present(&self, artifact: &Artifact, actuator: &mut SimulatedActuator) -> Receipt {
        let answer = self.provider.admission(artifact);
        let reason = match admit(artifact, answer.as_deref()) {
            Ok(admitted) => {
                actuator.commit(admitted);
                ReceiptReason::ExactAllow
            }
            Err(reason) => reason,
        };
        Receipt {
            artifact_id: artifact.artifact_id.clone(),
            consequence: artifact.consequence.clone(),
            status: reason.status(),
            reason,
        }
    }
}

/// Proof that exactly this consequence was allowed. [`admit`] alone makes one.
#[derive(Debug)]
pub(super) struct Admitted<'a> {
    consequence: &'a Consequence,
}

impl<'a> Admitted<'a> {
    /// The consequence, giving up the proof.
    pub(super) const fn into_consequence(self) -> &'a Consequence {
        self.consequence
    }
}

fn admit<'a>(artifact: &'a Artifact, answer: Option<&str>) -> Result<Admitted<'a>, ReceiptReason> {
    let text = answer.ok_or(ReceiptReason::NoAdmission)?;
    let admission = Admission::from_json(text).map_err(|_| ReceiptReason::MalformedAdmission)?;
    match admission.verdict {
        Verdict::Deny => Err(ReceiptReason::Denied),
        Verdict::Hold => Err(ReceiptReason::Held),
        Verdict::Allow if admission.consequence != artifact.consequence => {
            Err(ReceiptReason::ConsequenceMismatch)
        }
        Verdict::Allow => Ok(Admitted { consequence: &artifact.consequence }),
    }
}

/// What the boundary did with an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The artifact presented.
    pub artifact_id: String,
    /// Its consequence.
    pub consequence: Consequence,
    /// Whether it took effect.
    pub status: ReceiptStatus,
    /// Why.
    pub reason: ReceiptReason,
}

/// Whether an artifact took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReceiptStatus {
    /// The effect happened.
    Committed,
    /// Nothing happened.
    NotCommitted,
}

impl ReceiptStatus {
    /// The status as it stands in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Committed => "COMMITTED",
            Self::NotCommitted => "NOT_COMMITTED",
        }
    }
}

/// Why the boundary decided as it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReceiptReason {
    /// ALLOW for exactly this consequence.
    ExactAllow,
    /// The provider gave no answer.
    NoAdmission,
    /// The provider said DENY.
    Denied,
    /// The provider said HOLD.
    Held,
    /// The provider said ALLOW for another consequence.
    ConsequenceMismatch,
    /// The answer is no admission.
    MalformedAdmission,
}

impl ReceiptReason {
    /// The reason as it stands in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ExactAllow => "exact_allow",
            Self::NoAdmission => "no_admission",
            Self::Denied => "denied",
            Self::Held => "held",
            Self::ConsequenceMismatch => "consequence_mismatch",
            Self::MalformedAdmission => "malformed_admission",
        }
    }

    const fn status(self) -> ReceiptStatus {
        match self {
            Self::ExactAllow => ReceiptStatus::Committed,
            _ => ReceiptStatus::NotCommitted,
        }
    }
}
