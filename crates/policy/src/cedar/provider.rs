use std::sync::Arc;
use std::time::Duration;

use cedar_policy::{Authorizer, Decision};
use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision,
    ValidityWindow, Verdict,
};
use swampbox_custody::{ConsequenceId, DecisionId, ExecutionId, Snapshot};
use swampbox_material::json::Json;

use super::policies::{CedarPolicies, CheckedPolicies};
use super::question::Question;
use crate::{LookupFailure, hex};

/// Says on whose behalf an execution acts. Where people approve too, ask what their
/// [directory](crate::approvals::Directory) says of it.
pub trait PrincipalOf: Send + Sync {
    /// The principal of an execution: an authenticated one, never a name that a caller supplies.
    ///
    /// # Errors
    ///
    /// If that can't be told: then there is no decision.
    fn principal_of(&self, execution: &ExecutionId) -> Result<String, LookupFailure>;
}

impl<F> PrincipalOf for F
where
    F: Fn(&ExecutionId) -> Result<String, LookupFailure> + Send + Sync,
{
    fn principal_of(&self, execution: &ExecutionId) -> Result<String, LookupFailure> {
        self(execution)
    }
}

/// Decides by policies.
///
/// | what happens | answer |
/// | --- | --- |
/// | a `permit` applies, no `forbid` does, and no policy fails | ALLOW |
/// | a `forbid` applies, or no `permit` | DENY |
/// | a policy fails, whatever the others say | DENY |
/// | the consequence does not fit the schema, or can't be shown to a policy | DENY |
/// | the principal can't be told | `authority_unavailable` |
/// | at the edge: policies, schema or principal are not those that decided | `authority_revoked` |
///
/// The basis of a decision holds `policies_sha256`, `schema_sha256`, `principal`, `determined_by` (the
/// ids of the policies that did) and `errors`.
#[derive(Debug)]
pub struct Cedar<P> {
    policies: Arc<CedarPolicies>,
    principals: P,
    lasts: Duration,
    authorizer: Authorizer,
}

impl<P: PrincipalOf> Cedar<P> {
    /// Decides by these policies. A decision holds from when it was asked for, and for as long as
    /// `lasts`: enough until the actuator is entered.
    pub fn new(policies: Arc<CedarPolicies>, principals: P, lasts: Duration) -> Self {
        Self { policies, principals, lasts, authorizer: Authorizer::new() }
    }

    fn judge(
        &self,
        policies: &CheckedPolicies,
        request: &AuthorityRequest,
        custodian: &ExecutionId,
        principal: &str,
    ) -> Judgement {
        let question = Question::about(&request.snapshot, custodian, principal, policies);
        let Question { request, entities } = match question {
            Ok(question) => question,
            Err(problem) => return Judgement::denied(problem.to_string()),
        };
        let response = self.authorizer.is_authorized(&request, &policies.set, &entities);
        let diagnostics = response.diagnostics();
        let mut determined_by: Vec<_> = diagnostics.reason().map(ToString::to_string).collect();
        let mut errors: Vec<_> = diagnostics.errors().map(ToString::to_string).collect();
        determined_by.sort_unstable();
        errors.sort_unstable();
        let verdict = match response.decision() {
            Decision::Allow if errors.is_empty() => Verdict::Allow,
            Decision::Deny => Verdict::Deny,
            Decision::Allow => {
                // Cedar left out the policies that failed, perhaps a `forbid`. What permits determines
                // nothing then; the errors do.
                determined_by.clear();
                Verdict::Deny
            }
        };
        Judgement { verdict, determined_by, errors }
    }
}

impl<P: PrincipalOf> AuthorityProvider for Cedar<P> {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let custodian = custodian(request)?;
        let principal = self.principals.principal_of(custodian).map_err(NoDecision::new)?;
        let policies = self.policies.current();
        let judgement = self.judge(&policies, request, custodian, &principal);
        let from = request.evaluated_at;
        let until = from.after(self.lasts).map_err(NoDecision::new)?;
        let window = ValidityWindow::new(from, until).map_err(NoDecision::new)?;
        let id = decision_id(request, &policies, &principal)?;
        let decision = AuthorityDecision::about(&request.snapshot, id, judgement.verdict, window);
        let decision = decision.ok_or_else(unheld)?;
        Ok(DecisionDocument::from(decision).resting_on(judgement.basis(&policies, &principal)))
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        let custodian = custodian(request)?;
        let principal = self.principals.principal_of(custodian).map_err(NoDecision::new)?;
        let basis = decision.basis().and_then(Json::as_object);
        let ground = ground(&self.policies.current(), &principal);
        match ground.iter().all(|(name, now)| basis.and_then(|then| then.get(name)) == Some(now)) {
            true => Ok(()),
            false => Err(NoDecision::revoked(
                "the policies, their schema or the principal are not those that decided",
            )),
        }
    }

    fn name(&self) -> &str {
        "cedar"
    }
}

/// What policies said about one consequence.
struct Judgement {
    verdict: Verdict,
    determined_by: Vec<String>,
    errors: Vec<String>,
}

impl Judgement {
    fn denied(error: String) -> Self {
        Self { verdict: Verdict::Deny, determined_by: Vec::new(), errors: vec![error] }
    }

    fn basis(self, policies: &CheckedPolicies, principal: &str) -> Json {
        let list = |texts: Vec<String>| {
            Json::List(texts.iter().map(|text| Json::from(text.as_str())).collect())
        };
        let said = [("determined_by", list(self.determined_by)), ("errors", list(self.errors))];
        Json::object(ground(policies, principal).into_iter().chain(said))
    }
}

/// What a decision rests on and has to be the same at the edge.
fn ground(policies: &CheckedPolicies, principal: &str) -> [(&'static str, Json); 3] {
    [
        ("policies_sha256", Json::from(policies.policies_digest())),
        ("schema_sha256", Json::from(policies.schema_digest())),
        ("principal", Json::from(principal)),
    ]
}

/// The id follows from what was asked and what decided: the same question at the same moment is the
/// same decision.
fn decision_id(
    request: &AuthorityRequest,
    policies: &CheckedPolicies,
    principal: &str,
) -> Result<DecisionId, NoDecision> {
    let Snapshot {
        consequence_id,
        origin_execution_id,
        current_execution_id,
        parent_consequence_id,
        material,
        release_state,
    } = &request.snapshot;
    let (kind, target) = (material.consequence_type(), material.target());
    // What may hold a line feed has its length before it, so that nothing else reads the same.
    let whole = format!(
        "{}\n{}\n{}\n{consequence_id}\n{origin_execution_id}\n{}\n{}\n{release_state}\n{}\n{kind}\n\
         {}\n{target}\n{}\n{principal}",
        policies.policies_digest(),
        policies.schema_digest(),
        request.evaluated_at,
        current_execution_id.as_ref().map_or("", ExecutionId::as_str),
        parent_consequence_id.as_ref().map_or("", ConsequenceId::as_str),
        kind.len(),
        target.len(),
        material.payload().to_json(),
    );
    let id = format!("cedar-{}", hex::sha256(whole.as_bytes()));
    DecisionId::try_from(id.as_str()).map_err(NoDecision::new)
}

fn custodian(request: &AuthorityRequest) -> Result<&ExecutionId, NoDecision> {
    request.snapshot.current_execution_id.as_ref().ok_or_else(unheld)
}

fn unheld() -> NoDecision {
    NoDecision::new("nobody holds the consequence")
}
