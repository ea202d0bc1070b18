use std::fmt;

use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision};
use swampbox_material::Code;

use super::answer::{Answer, Says, allow, custodian, made_of, of_unknown_parts, to_be_refused};
use super::children::Children;

/// Decides as the first of its children does that decides at all.
///
/// The children are asked in their order, each once, until one answers. One that has no decision
/// leaves it to those after it; every other answer is the last word, whatever it is:
///
/// | the first child that says more than that it has no decision | answer |
/// | --- | --- |
/// | says ALLOW | the same ALLOW, with its id and its window |
/// | says DENY | the same DENY |
/// | is pending | no decision yet (`authority_pending`) |
/// | says that its decision was revoked | no decision (`authority_revoked`) |
/// | answers with what is malformed, or about another consequence, custodian or material | the same answer, which the boundary refuses with its own code: what was meant can't be told, and it may have been a DENY |
/// | panics | the panic goes on; the boundary makes it `authority_unavailable` |
/// | there is none | no decision (`authority_unavailable`) |
///
/// **A child that fails leaves it to the next, like one that has no opinion.** So each child has to
/// be one that may allow by itself. What must never be left out is a child of an
/// [`AllOf`](crate::AllOf).
///
/// Whether a window holds now is not asked here: the boundary does that with its own clock, twice,
/// so an ALLOW that has expired is the answer, and releases nothing.
///
/// The decision is [made of](DecisionDocument::made_of) what the children answered and uses up what
/// they use up. It rests on `{"first_that_answers": [{"provider", "answer", …}, …]}`, an entry for
/// each child that was asked. It stands if the child that decided says so; no other is asked. An
/// answer that is only handed on to be refused is made of nothing, and never stands.
///
/// # An allow-list before approvals
///
/// What the rules allow or deny, they decide; all else is for people:
///
/// ```
/// use std::time::Duration;
/// use swampbox_authority::Verdict;
/// # use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision};
/// use swampbox_policy::{FirstThatAnswers, Rule, Rules, WindowLength};
/// # struct Approvals;
/// # impl AuthorityProvider for Approvals {
/// #     fn evaluate(&self, _: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
/// #         Err(NoDecision::pending("request 1 waits for an approver"))
/// #     }
/// # }
/// # let approvals = Approvals;
///
/// let allow_list = Rules::new(vec![Rule {
///     consequence_type: "http.request".parse()?,
///     target: "https://status.example.com".parse()?,
///     execution: "*".parse()?,
///     principal: "*".parse()?,
///     effect: Verdict::Allow,
///     lasts: WindowLength::new(Duration::from_secs(60))?,
///     reason: "whoever has news may post it".into(),
/// }])?;
/// let authority = FirstThatAnswers::new(allow_list).then(approvals);
/// # let snapshot = |target| swampbox_custody::Snapshot {
/// #     consequence_id: "X".parse().unwrap(),
/// #     origin_execution_id: "exec-A".parse().unwrap(),
/// #     current_execution_id: Some("exec-A".parse().unwrap()),
/// #     parent_consequence_id: None,
/// #     material: swampbox_material::Material::new("http.request", target, "up".into()),
/// #     release_state: swampbox_custody::ReleaseState::Contained,
/// # };
/// # let asked = |target| {
/// #     let evaluated_at = "2026-01-01T12:00:00Z".parse().unwrap();
/// #     AuthorityRequest { snapshot: snapshot(target), evaluated_at }
/// # };
///
/// assert!(authority.evaluate(&asked("https://status.example.com")).is_ok());
/// let other = authority.evaluate(&asked("https://example.com")).unwrap_err();
/// assert_eq!(other.code().as_str(), "authority_pending");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FirstThatAnswers {
    children: Children,
}

const NAME: &str = "first_that_answers";

impl FirstThatAnswers {
    /// Decides as this child does.
    pub fn new(first: impl AuthorityProvider + 'static) -> Self {
        Self { children: Children::of(first) }
    }

    /// The same, and where nobody before this child decides, as this child does.
    #[must_use]
    pub fn then(mut self, next: impl AuthorityProvider + 'static) -> Self {
        self.children.push(next);
        self
    }
}

impl AuthorityProvider for FirstThatAnswers {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let custodian = custodian(request)?;
        let mut answers = Vec::new();
        for child in self.children.iter() {
            let answer = Answer::of(child, request, custodian);
            let decision = decided(&answer, request)?;
            let is_unusable = answer.unusable().is_some();
            answers.push(answer);
            match decision {
                Some(refused) if is_unusable => return Ok(to_be_refused(refused, NAME, &answers)),
                Some(decision) => return Ok(made_of(decision, NAME, answers)),
                None => {}
            }
        }
        let answers = answers.iter().map(Answer::to_string).collect::<Vec<_>>().join("; ");
        Err(NoDecision::new(format!("nobody decides: {answers}")))
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        let Some((Some(answer), before)) = decision.parts().split_last() else {
            return Err(of_unknown_parts());
        };
        let child = self.children.iter().nth(before.len());
        match child {
            Some(child) if before.iter().all(Option::is_none) => child.stands(request, answer),
            _ => Err(of_unknown_parts()),
        }
    }

    fn name(&self) -> &str {
        NAME
    }
}

impl fmt::Debug for FirstThatAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FirstThatAnswers").field(&self.children).finish()
    }
}

/// What the combination decides by this answer; nothing if it leaves that to the next.
fn decided(
    answer: &Answer,
    request: &AuthorityRequest,
) -> Result<Option<DecisionDocument>, NoDecision> {
    match &answer.says {
        // A decision of its own under the child's id, since the child's is to be a part of it, and
        // what that uses up is to count once.
        Says::Allow(_, decision) => {
            allow(request, decision.decision_id().clone(), *decision.window()).map(Some)
        }
        Says::Deny(document) | Says::Unusable(document, _) => Ok(Some(document.clone())),
        Says::Nothing(none) if none.code() == Code::AuthorityUnavailable => Ok(None),
        Says::Nothing(none) => Err(none.clone()),
    }
}
