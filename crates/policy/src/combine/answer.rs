use std::fmt;

use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, DecisionDocument, DecisionRefusal,
    NoDecision, ValidatedDecision, ValidityWindow, Verdict, validate,
};
use swampbox_custody::{DecisionId, ExecutionId};
use swampbox_material::json::Json;

/// What one child was heard to say.
pub(super) struct Answer {
    provider: String,
    pub(super) says: Says,
}

pub(super) enum Says {
    /// ALLOW, about this consequence, this custodian and this material. Its window is one; whether
    /// it holds is for the boundary to say.
    Allow(DecisionDocument, ValidatedDecision),
    /// DENY.
    Deny(DecisionDocument),
    /// It gave no decision.
    Nothing(NoDecision),
    /// It gave one that is malformed or about something else.
    Unusable(DecisionDocument, DecisionRefusal),
}

/// For whom a decision is asked for.
pub(super) fn custodian(request: &AuthorityRequest) -> Result<&ExecutionId, NoDecision> {
    let custodian = request.snapshot.current_execution_id.as_ref();
    custodian.ok_or_else(nobody_holds_it)
}

fn nobody_holds_it() -> NoDecision {
    NoDecision::new("nobody holds the consequence")
}

/// An ALLOW of what was asked for.
pub(super) fn allow(
    request: &AuthorityRequest,
    id: DecisionId,
    window: ValidityWindow,
) -> Result<DecisionDocument, NoDecision> {
    let decision = AuthorityDecision::about(&request.snapshot, id, Verdict::Allow, window);
    decision.map(DecisionDocument::from).ok_or_else(nobody_holds_it)
}

/// The decision of a combination, made of the answers of the children that were asked.
pub(super) fn made_of(
    decision: DecisionDocument,
    combination: &'static str,
    answers: Vec<Answer>,
) -> DecisionDocument {
    let basis = answers.iter().map(Answer::basis).collect();
    let parts = answers.into_iter().map(Answer::into_document).collect();
    decision.made_of(parts).resting_on(Json::object([(combination, Json::List(basis))]))
}

/// An answer that can't be used, for the boundary to refuse with the code of what is wrong with it. It
/// is made of no answers, so even if it were not refused, it would not stand.
pub(super) fn to_be_refused(
    document: DecisionDocument,
    combination: &'static str,
    answers: &[Answer],
) -> DecisionDocument {
    let basis = answers.iter().map(Answer::basis).collect();
    let basis = Json::object([(combination, Json::List(basis))]);
    document.made_of(Vec::new()).resting_on(basis)
}

/// That which children a decision rests on can't be told, so nobody can be asked whether it stands.
pub(super) fn of_unknown_parts() -> NoDecision {
    NoDecision::new("the decision does not tell which answers it rests on")
}

impl Answer {
    /// Asks a child, once.
    pub(super) fn of(
        child: &dyn AuthorityProvider,
        request: &AuthorityRequest,
        custodian: &ExecutionId,
    ) -> Self {
        let provider = child.name().to_owned();
        let says = match child.evaluate(request) {
            Ok(document) => judge(document, request, custodian),
            Err(none) => Says::Nothing(none),
        };
        Self { provider, says }
    }

    /// The window, if it allows.
    pub(super) fn window(&self) -> Option<&ValidityWindow> {
        match &self.says {
            Says::Allow(_, decision) => Some(decision.window()),
            _ => None,
        }
    }

    /// That there is no decision that could be used, if there is none.
    pub(super) fn no_decision(&self) -> Option<NoDecision> {
        match &self.says {
            Says::Allow(..) | Says::Deny(_) => None,
            Says::Nothing(none) => Some(none.clone()),
            Says::Unusable(..) => Some(NoDecision::new(self.to_string())),
        }
    }

    /// What can't be used, if that is what it answered.
    pub(super) fn unusable(&self) -> Option<&DecisionDocument> {
        match &self.says {
            Says::Unusable(document, _) => Some(document),
            _ => None,
        }
    }

    /// The answer in one word: its verdict, or the code of why it is none.
    fn word(&self) -> &'static str {
        match &self.says {
            Says::Allow(..) => Verdict::Allow.as_str(),
            Says::Deny(_) => Verdict::Deny.as_str(),
            Says::Nothing(none) => none.code().as_str(),
            Says::Unusable(_, refusal) => refusal.code().as_str(),
        }
    }

    /// The answer as part of what a combination rests on. The material is left out: the decision of
    /// the combination carries it, and it was found to be the same.
    fn basis(&self) -> Json {
        let mut basis = vec![
            ("provider", Json::from(self.provider.as_str())),
            ("answer", Json::from(self.word())),
        ];
        let id = self.document().and_then(DecisionDocument::decision_id);
        basis.extend(id.map(|id| ("decision_id", Json::from(id.as_str()))));
        if let Some(window) = self.window() {
            basis.push(("issued_at", Json::from(window.issued_at().to_string().as_str())));
            basis.push(("valid_until", Json::from(window.valid_until().to_string().as_str())));
        }
        let own = self.document().and_then(DecisionDocument::basis);
        basis.extend(own.map(|own| ("basis", own.clone())));
        Json::object(basis)
    }

    fn document(&self) -> Option<&DecisionDocument> {
        match &self.says {
            Says::Allow(document, _) | Says::Deny(document) | Says::Unusable(document, _) => {
                Some(document)
            }
            Says::Nothing(_) => None,
        }
    }

    fn into_document(self) -> Option<DecisionDocument> {
        match self.says {
            Says::Allow(document, _) | Says::Deny(document) | Says::Unusable(document, _) => {
                Some(document)
            }
            Says::Nothing(_) => None,
        }
    }
}

/// Who says what, for whoever has to mend it.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: ", self.provider)?;
        match &self.says {
            Says::Allow(_, decision) => {
                let window = decision.window();
                write!(f, "ALLOW from {} until {}", window.issued_at(), window.valid_until())
            }
            Says::Deny(_) => f.write_str("DENY"),
            Says::Nothing(none) => none.fmt(f),
            Says::Unusable(_, refusal) => write!(f, "{refusal} ({})", refusal.code()),
        }
    }
}

/// Validates an answer as the boundary does, but for the time: the boundary reads its clock after
/// the answer, and once more. An authority with a clock of its own has often decided after the time
/// of the question. So a window that does not hold then is judged at a moment at which it does.
fn judge(document: DecisionDocument, request: &AuthorityRequest, custodian: &ExecutionId) -> Says {
    let at = |moment| validate(&document, &request.snapshot, custodian, moment);
    let judged = match at(request.evaluated_at) {
        Err(DecisionRefusal::NotYetValid { issued_at, .. }) => at(issued_at),
        Err(DecisionRefusal::Expired { valid_until, now }) => {
            at(valid_until.moved_by(-1).unwrap_or(now))
        }
        judged => judged,
    };
    match judged {
        Ok(decision) => Says::Allow(document, decision),
        Err(DecisionRefusal::NotAllowed) => Says::Deny(document),
        Err(refusal) => Says::Unusable(document, refusal),
    }
}
