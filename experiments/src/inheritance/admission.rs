//! Admission: somebody's answer to whether a consequence may take effect.

use serde::{Deserialize, Serialize};

use super::store::{Artifact, Consequence};

/// What an admission says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The named consequence may take effect.
    #[serde(rename = "ALLOW")]
    Allow,
    /// Not now; nothing may take effect.
    #[serde(rename = "HOLD")]
    Hold,
    /// No; nothing may take effect.
    #[serde(rename = "DENY")]
    Deny,
}

/// A well-formed answer: a verdict on exactly one consequence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Admission {
    /// The verdict.
    pub verdict: Verdict,
    /// The consequence that the verdict is about.
    pub consequence: Consequence,
}

/// The answer was not an admission: not JSON, a field too many or too few, or another verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer is no admission: {detail}")]
pub struct MalformedAdmission {
    detail: String,
}

impl Admission {
    /// Reads an answer.
    ///
    /// # Errors
    ///
    /// [`MalformedAdmission`] for everything that is not exactly a verdict on one consequence.
    pub fn from_json(text: &str) -> Result<Self, MalformedAdmission> {
        serde_json::from_str(text).map_err(|error| MalformedAdmission { detail: error.to_string() })
    }
}

/// Answers whether an artifact may take effect. `None` is no answer at all.
pub trait AdmissionProvider {
    /// The answer for `artifact`, as it came over the wire.
    fn admission(&self, artifact: &Artifact) -> Option<String>;
}

/// A provider that gives one prepared answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntheticAdmission {
    /// This verdict on the artifact's own consequence.
    On(Verdict),
    /// ALLOW for a consequence of its own choosing.
    AllowOther(Consequence),
    /// These characters, whatever they are.
    Raw(String),
    /// No answer.
    Silent,
}

impl AdmissionProvider for SyntheticAdmission {
    fn admission(&self, artifact: &Artifact) -> Option<String> {
        let (verdict, consequence) = match self {
            Self::On(verdict) => (*verdict, artifact.consequence.clone()),
            Self::AllowOther(consequence) => (Verdict::Allow, consequence.clone()),
            Self::Raw(text) => return Some(text.clone()),
            Self::Silent => return None,
        };
        serde_json::to_string(&Admission { verdict, consequence }).ok()
    }
}
