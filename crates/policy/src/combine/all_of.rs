use std::fmt;
use std::sync::Arc;

use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision, ValidityWindow,
};
use swampbox_material::Code;

use super::answer::{Answer, Says, allow, custodian, made_of, of_unknown_parts, to_be_refused};
use super::children::Children;
use crate::{DecisionIds, RandomIds};

/// Allows what each of its children allows.
///
/// The children are asked in their order, each once, until one denies. Their order makes no
/// difference to whether it is allowed; put first what is quick, and last what asks people.
///
/// | the children | answer |
/// | --- | --- |
/// | one says DENY | the DENY of the first that does, with its id |
/// | else one is pending | no decision yet (`authority_pending`) |
/// | else one says that its decision was revoked | no decision (`authority_revoked`) |
/// | else one answers with what is malformed, or about another consequence, custodian or material | the answer of the first that does, which the boundary refuses with its own code |
/// | else one has no decision | no decision (`authority_unavailable`) |
/// | all say ALLOW, and there is a moment at which all their windows hold | ALLOW, with an id of its own, in the window of those moments |
/// | all say ALLOW, and there is none | no decision (`authority_unavailable`) |
/// | one panics before another denies | the panic goes on; the boundary makes it `authority_unavailable` |
///
/// Whether a window holds now is not asked here: the boundary does that with its own clock, twice.
/// A DENY counts whatever it is bound to, as it does at the boundary.
///
/// The decision is [made of](DecisionDocument::made_of) what the children answered and uses up what
/// they use up. It rests on `{"all_of": [{"provider", "answer", …}, …]}`, an entry for each child
/// that was asked. It stands if each child says that its own still stands. An answer that is only
/// handed on to be refused is made of nothing, and never stands.
///
/// ```
/// use swampbox_policy::{AllOf, Rules};
/// # use swampbox_authority::AuthorityProvider;
/// # fn of(rules: Rules, signed: impl AuthorityProvider + 'static) -> AllOf {
///
/// let both = AllOf::new(rules).and(signed);
/// # both
/// # }
/// ```
pub struct AllOf {
    children: Children,
    ids: Arc<dyn DecisionIds>,
}

const NAME: &str = "all_of";

impl AllOf {
    /// Allows what this child allows, under ids that are [random](RandomIds).
    pub fn new(first: impl AuthorityProvider + 'static) -> Self {
        Self { children: Children::of(first), ids: Arc::new(RandomIds) }
    }

    /// The same, if this child allows it too. It is asked after those before it.
    #[must_use]
    pub fn and(mut self, next: impl AuthorityProvider + 'static) -> Self {
        self.children.push(next);
        self
    }

    /// The same, with the ids of its decisions from here.
    #[must_use]
    pub fn with_ids(self, ids: impl DecisionIds + 'static) -> Self {
        Self { ids: Arc::new(ids), ..self }
    }
}

impl AuthorityProvider for AllOf {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let custodian = custodian(request)?;
        let mut answers = Vec::new();
        for child in self.children.iter() {
            let answer = Answer::of(child, request, custodian);
            if let Says::Deny(document) = &answer.says {
                let denial = document.clone();
                answers.push(answer);
                return Ok(made_of(denial, NAME, answers));
            }
            answers.push(answer);
        }
        let none = foremost(answers.iter().filter_map(Answer::no_decision));
        let unusable = answers.iter().find_map(Answer::unusable);
        match (none, unusable) {
            (Some(none), Some(refused)) if none.code() == Code::AuthorityUnavailable => {
                return Ok(to_be_refused(refused.clone(), NAME, &answers));
            }
            (Some(none), _) => return Err(none),
            (None, _) => {}
        }
        let window = common_window(&answers)?;
        let id = self.ids.fresh().map_err(NoDecision::new)?;
        Ok(made_of(allow(request, id, window)?, NAME, answers))
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        let parts = decision.parts().iter().map(Option::as_ref);
        let parts: Vec<_> = parts.collect::<Option<_>>().ok_or_else(of_unknown_parts)?;
        if parts.len() != self.children.count() {
            return Err(of_unknown_parts());
        }
        for (child, part) in self.children.iter().zip(parts) {
            child.stands(request, part)?;
        }
        Ok(())
    }

    fn name(&self) -> &str {
        NAME
    }
}

impl fmt::Debug for AllOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AllOf").field(&self.children).finish()
    }
}

/// The one to be passed on: somebody who was asked for a decision has to hear that it is wanted,
/// whoever else has none.
fn foremost(none: impl Iterator<Item = NoDecision>) -> Option<NoDecision> {
    none.min_by_key(|none| match none.code() {
        Code::AuthorityPending => 0,
        Code::AuthorityRevoked => 1,
        _ => 2,
    })
}

/// The moments at which all windows hold.
fn common_window(answers: &[Answer]) -> Result<ValidityWindow, NoDecision> {
    let windows = || answers.iter().filter_map(Answer::window);
    let from = windows().map(ValidityWindow::issued_at).max();
    let until = windows().map(ValidityWindow::valid_until).min();
    let common = from.zip(until).and_then(|(from, until)| ValidityWindow::new(from, until).ok());
    common.ok_or_else(|| {
        let answers = answers.iter().map(Answer::to_string).collect::<Vec<_>>().join("; ");
        NoDecision::new(format!("there is no moment at which all windows hold: {answers}"))
    })
}
