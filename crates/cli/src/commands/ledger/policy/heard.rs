//! What each provider says while a release would ask it.

use std::sync::OnceLock;

use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, Clock, DecisionDocument, NoDecision,
};
use swampbox_experiments::parts::SystemClock;
use swampbox_service::HeldApprovals;

use crate::config::Named;

/// A provider that is asked in its place by whoever combines it, and what it was heard to say then.
///
/// People are not asked, and what they have decided is not used up.
pub(super) struct Heard {
    provider: Named,
    /// If it is people.
    approvals: Option<HeldApprovals>,
    answer: OnceLock<Result<DecisionDocument, NoDecision>>,
    stands: OnceLock<Result<(), NoDecision>>,
}

/// What it answered, as one that whoever combines it hears too.
pub(super) struct Said(Result<DecisionDocument, NoDecision>);

impl Heard {
    pub(super) fn new(provider: Named, approvals: Option<HeldApprovals>) -> Self {
        Self { provider, approvals, answer: OnceLock::new(), stands: OnceLock::new() }
    }

    /// The name that the configuration gives it.
    pub(super) fn called(&self) -> &str {
        self.provider.called()
    }

    /// What it answered; none if it was not asked.
    pub(super) fn answer(&self) -> Option<Said> {
        self.answer.get().cloned().map(Said)
    }

    /// Whether it said at the edge that its decision still stands. One that was not asked there has
    /// not said otherwise.
    pub(super) fn stood(&self) -> Result<(), NoDecision> {
        self.stands.get().cloned().unwrap_or(Ok(()))
    }
}

impl AuthorityProvider for Heard {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let answer = match &self.approvals {
            Some(approvals) => approvals.would_answer(request),
            None => self.provider.evaluate(request),
        };
        self.answer.get_or_init(|| answer).clone()
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        let stands = match &self.approvals {
            Some(approvals) => still_decided(approvals, request, decision),
            None => self.provider.stands(request, decision),
        };
        self.stands.get_or_init(|| stands).clone()
    }

    fn name(&self) -> &str {
        self.called()
    }
}

impl AuthorityProvider for Said {
    fn evaluate(&self, _: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        self.0.clone()
    }

    fn name(&self) -> &str {
        "what was said"
    }
}

/// Whether people would still be found to have decided this.
fn still_decided(
    approvals: &HeldApprovals,
    request: &AuthorityRequest,
    decision: &DecisionDocument,
) -> Result<(), NoDecision> {
    let evaluated_at = SystemClock.now().map_err(NoDecision::new)?;
    let again = AuthorityRequest { snapshot: request.snapshot.clone(), evaluated_at };
    let again = approvals.would_answer(&again).map_err(NoDecision::revoked)?;
    match again.decision_id() == decision.decision_id() && again.basis() == decision.basis() {
        true => Ok(()),
        false => Err(NoDecision::revoked("people have decided otherwise")),
    }
}
