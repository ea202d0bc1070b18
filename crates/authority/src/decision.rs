use swampbox_custody::{ConsequenceId, DecisionId, ExecutionId, Snapshot};
use swampbox_material::Material;
use swampbox_material::json::Json;

use crate::ValidityWindow;

/// What an authority decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The consequence may be released. That is not yet success.
    Allow,
    /// It may not.
    Deny,
}

impl Verdict {
    /// `ALLOW` or `DENY`.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Allow => "ALLOW",
            Verdict::Deny => "DENY",
        }
    }

    /// The verdict that this text is, exactly.
    pub fn from_exact(text: &str) -> Option<Self> {
        match text {
            "ALLOW" => Some(Verdict::Allow),
            "DENY" => Some(Verdict::Deny),
            _ => None,
        }
    }
}

/// A decision of an authority, bound to one consequence, one custodian, one material and one
/// window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorityDecision {
    /// Its id, given by the authority.
    pub decision_id: DecisionId,
    /// What was decided.
    pub verdict: Verdict,
    /// The consequence that it is about.
    pub consequence_id: ConsequenceId,
    /// The custodian for whom it was decided.
    pub execution_id: ExecutionId,
    /// The material that was decided about.
    pub bound_consequence: Material,
    /// When it holds.
    pub window: ValidityWindow,
}

impl AuthorityDecision {
    /// The fields of a decision document.
    pub const FIELDS: [&'static str; 7] = [
        "decision_id",
        "verdict",
        "consequence_id",
        "execution_id",
        "bound_consequence",
        "issued_at",
        "valid_until",
    ];

    /// A decision about a consequence as `snapshot` shows it, for the execution that holds it; none
    /// if nobody does.
    pub fn about(
        snapshot: &Snapshot,
        decision_id: DecisionId,
        verdict: Verdict,
        window: ValidityWindow,
    ) -> Option<Self> {
        Some(Self {
            decision_id,
            verdict,
            consequence_id: snapshot.consequence_id.clone(),
            execution_id: snapshot.current_execution_id.clone()?,
            bound_consequence: snapshot.material.clone(),
            window,
        })
    }

    /// The decision as a document.
    pub fn to_document(&self) -> Json {
        let [decision_id, verdict, consequence_id, execution_id, bound, issued_at, valid_until] =
            Self::FIELDS;
        Json::object([
            (decision_id, Json::from(self.decision_id.as_str())),
            (verdict, Json::from(self.verdict.as_str())),
            (consequence_id, Json::from(self.consequence_id.as_str())),
            (execution_id, Json::from(self.execution_id.as_str())),
            (bound, self.bound_consequence.to_document()),
            (issued_at, Json::from(self.window.issued_at().to_string().as_str())),
            (valid_until, Json::from(self.window.valid_until().to_string().as_str())),
        ])
    }
}
