use swampbox_custody::{ConsequenceId, DecisionId, ExecutionId, Snapshot};
use swampbox_material::json::{Fields, Json};
use swampbox_material::{Material, Path, Shown};

use crate::document::Content;
use crate::{
    AuthorityDecision, DecisionDocument, DecisionRefusal, Timestamp, ValidityWindow, Verdict,
};

/// A decision that allows exactly one consequence, in the hands of one custodian, within a window.
///
/// Only [`validate`] makes one.
#[derive(Debug)]
pub struct ValidatedDecision {
    decision_id: DecisionId,
    window: ValidityWindow,
}

impl ValidatedDecision {
    /// The decision's id.
    pub fn decision_id(&self) -> &DecisionId {
        &self.decision_id
    }

    /// When the decision holds. To be checked again at the last moment.
    pub fn window(&self) -> &ValidityWindow {
        &self.window
    }
}

/// Checks that `document` allows the release of the consequence that `snapshot` shows, for
/// `execution`, at `now`.
///
/// # Errors
///
/// In this order: `authority_invalid` (not well formed), `authority_not_allowed`,
/// `authority_consequence_mismatch`, `authority_custodian_mismatch`, `authority_invalid` (the bound
/// material is not within material's domain), `authority_material_mismatch`,
/// `authority_invalid_timestamp`, `authority_not_yet_valid`, `authority_expired`.
pub fn validate(
    document: &DecisionDocument,
    snapshot: &Snapshot,
    execution: &ExecutionId,
    now: Timestamp,
) -> Result<ValidatedDecision, DecisionRefusal> {
    let claim = Claim::of(document)?;
    if claim.verdict == Verdict::Deny {
        return Err(DecisionRefusal::NotAllowed);
    }
    if claim.consequence_id != snapshot.consequence_id {
        let (bound, actual) = (claim.consequence_id, snapshot.consequence_id.clone());
        return Err(DecisionRefusal::ConsequenceMismatch { bound, actual });
    }
    if claim.execution_id != *execution {
        let (bound, actual) = (claim.execution_id, execution.clone());
        return Err(DecisionRefusal::CustodianMismatch { bound, actual });
    }
    let bound = claim.bindings.material()?;
    if bound != snapshot.material {
        return Err(DecisionRefusal::MaterialMismatch(bound.differences(&snapshot.material)));
    }
    let window = claim.bindings.window()?;
    window.check(now)?;
    Ok(ValidatedDecision { decision_id: claim.decision_id, window })
}

/// A decision that is well formed: its ids are ids, its verdict is a verdict, and it has exactly
/// the fields of a decision. Its bindings are read when their turn comes.
struct Claim<'a> {
    decision_id: DecisionId,
    verdict: Verdict,
    consequence_id: ConsequenceId,
    execution_id: ExecutionId,
    bindings: Bindings<'a>,
}

enum Bindings<'a> {
    Typed(&'a AuthorityDecision),
    Written { bound_consequence: &'a Json, issued_at: &'a Json, valid_until: &'a Json },
}

impl<'a> Claim<'a> {
    fn of(document: &'a DecisionDocument) -> Result<Self, DecisionRefusal> {
        match &document.content {
            Content::Decision(decision) => Ok(Self {
                decision_id: decision.decision_id.clone(),
                verdict: decision.verdict,
                consequence_id: decision.consequence_id.clone(),
                execution_id: decision.execution_id.clone(),
                bindings: Bindings::Typed(decision),
            }),
            Content::Document(document) => Self::read(document),
            Content::Unreadable(error) => Err(invalid(error)),
        }
    }

    fn read(document: &'a Json) -> Result<Self, DecisionRefusal> {
        let mut fields = Fields::of(document, &Path::root()).map_err(invalid)?;
        let verdict = fields.string("verdict").map_err(invalid)?;
        let verdict = Verdict::from_exact(verdict).ok_or_else(|| {
            invalid(format!("{} at $.verdict is neither ALLOW nor DENY", Shown::brief(verdict)))
        })?;
        let claim = Self {
            decision_id: identifier(&mut fields, "decision_id")?,
            verdict,
            consequence_id: identifier(&mut fields, "consequence_id")?,
            execution_id: identifier(&mut fields, "execution_id")?,
            bindings: Bindings::Written {
                bound_consequence: fields.required("bound_consequence").map_err(invalid)?,
                issued_at: fields.required("issued_at").map_err(invalid)?,
                valid_until: fields.required("valid_until").map_err(invalid)?,
            },
        };
        fields.finish().map_err(invalid)?;
        Ok(claim)
    }
}

impl Bindings<'_> {
    fn material(&self) -> Result<Material, DecisionRefusal> {
        match self {
            Bindings::Typed(decision) => Ok(decision.bound_consequence.clone()),
            Bindings::Written { bound_consequence, .. } => {
                let path = Path::root().key("bound_consequence");
                Material::from_document(bound_consequence, &path).map_err(invalid)
            }
        }
    }

    fn window(&self) -> Result<ValidityWindow, DecisionRefusal> {
        match self {
            Bindings::Typed(decision) => Ok(decision.window),
            Bindings::Written { issued_at, valid_until, .. } => {
                let issued_at = timestamp("issued_at", issued_at)?;
                let valid_until = timestamp("valid_until", valid_until)?;
                ValidityWindow::new(issued_at, valid_until)
                    .map_err(|error| DecisionRefusal::InvalidTimestamp(error.to_string()))
            }
        }
    }
}

fn identifier<T>(fields: &mut Fields<'_>, name: &'static str) -> Result<T, DecisionRefusal>
where
    T: for<'t> TryFrom<&'t str, Error = swampbox_custody::InvalidIdentifier>,
{
    let text: &str = fields.string(name).map_err(invalid)?;
    T::try_from(text).map_err(|error| invalid(format!("{error} at $.{name}")))
}

fn timestamp(name: &str, written: &Json) -> Result<Timestamp, DecisionRefusal> {
    let refusal =
        |problem: String| DecisionRefusal::InvalidTimestamp(format!("{problem} at $.{name}"));
    let text = written
        .as_str()
        .ok_or_else(|| refusal(format!("a string was expected, not {}", written.kind())))?;
    text.parse().map_err(|error: crate::InvalidTimestamp| refusal(error.to_string()))
}

fn invalid(problem: impl ToString) -> DecisionRefusal {
    DecisionRefusal::Invalid(problem.to_string())
}
