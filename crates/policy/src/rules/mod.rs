//! Decides by an ordered list of rules.

mod rule;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision,
    ValidityWindow,
};
use swampbox_custody::{ExecutionId, Principal, Snapshot};
use swampbox_material::Code;
use swampbox_material::json::Json;

use crate::approvals::{Directory, UnknownPrincipal};
use crate::{DecisionIds, RandomIds};
pub use rule::{InvalidWindowLength, Rule, WindowLength};

/// How many rules a list has at most.
pub const MAX_RULES: usize = 100_000;

/// The greatest length of a rule's reason, in bytes of UTF-8.
pub const MAX_REASON_BYTES: usize = 1_024;

/// An ordered list of rules. The first that matches decides; where none does, there is no decision.
///
/// | what matches first | answer |
/// | --- | --- |
/// | a rule whose effect is ALLOW | ALLOW, from the moment of the question for as long as the rule says |
/// | a rule whose effect is DENY | DENY |
/// | none, or nobody holds the consequence | no decision (`authority_unavailable`) |
/// | one that may, if it could be told who is behind the execution | no decision (`authority_unavailable`) |
/// | at the edge: another one than the one that decided | `authority_revoked` |
///
/// A decision is bound to the snapshot, has an id of its own, and rests on
/// `{"rule": number, "reason": text}`, with the rules numbered from 1, and on the `principal` if a rule
/// looked at that. The list never changes, so a decision stands as long as its window holds and the
/// principal is the same.
///
/// An empty list decides nothing. A rule looks at type, target, execution and principal, and not at the
/// payload: what depends on that is for a policy or for a person to decide.
///
/// Who is behind an execution is for a [directory](Directory) to say, never for whoever asks. Rules that
/// look at it decide nothing until they [are given one](Self::with_principals).
///
/// ```
/// use std::time::Duration;
/// use swampbox_authority::Verdict;
/// use swampbox_policy::approvals::ByName;
/// use swampbox_policy::{Rule, Rules, WindowLength};
///
/// let rules = Rules::new(vec![
///     Rule {
///         consequence_type: "http.request".parse()?,
///         target: "https://payments.example.com".parse()?,
///         execution: "*".parse()?,
///         principal: "*".parse()?,
///         effect: Verdict::Deny,
///         lasts: WindowLength::new(Duration::from_secs(60))?,
///         reason: "no agent pays".into(),
///     },
///     Rule {
///         consequence_type: "http.request".parse()?,
///         target: "https://*.example.com".parse()?,
///         execution: "*".parse()?,
///         principal: "triage".parse()?,
///         effect: Verdict::Allow,
///         lasts: WindowLength::new(Duration::from_secs(60))?,
///         reason: "triage may call our own services".into(),
///     },
/// ])?;
/// let rules = rules.with_principals(ByName);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Rules {
    // INVARIANT (bounds): at most MAX_RULES, each with a reason that satisfies `check`.
    rules: Arc<[Rule]>,
    principals: Arc<dyn Directory>,
    ids: Arc<dyn DecisionIds>,
}

/// The rule that decides about a consequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match<'r> {
    /// Its number, from 1.
    pub number: u64,
    /// The rule.
    pub rule: &'r Rule,
    /// Who is behind the execution, if a rule looked at that.
    pub principal: Option<Principal>,
}

/// A list of rules that is not taken (`invalid_document`, or `too_large` for too many of them).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRules {
    /// There are too many.
    #[error("there are {count} rules, and at most {MAX_RULES} are allowed")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// One gives no reason, or one that is too long.
    #[error(
        "the reason of rule {number} has {length} bytes; it needs one, and may have {MAX_REASON_BYTES}"
    )]
    Reason {
        /// Which, from 1.
        number: usize,
        /// How long its reason is, in bytes.
        length: usize,
    },
}

impl Rules {
    /// The rules in their order, with [random](RandomIds) ids for their decisions.
    ///
    /// # Errors
    ///
    /// If there are more than [`MAX_RULES`], or the reason of one is empty or longer than
    /// [`MAX_REASON_BYTES`].
    pub fn new(rules: Vec<Rule>) -> Result<Self, InvalidRules> {
        if rules.len() > MAX_RULES {
            return Err(InvalidRules::TooMany { count: rules.len() });
        }
        for (number, rule) in (1..).zip(&rules) {
            let length = rule.reason.len();
            if !(1..=MAX_REASON_BYTES).contains(&length) {
                return Err(InvalidRules::Reason { number, length });
            }
        }
        let (principals, ids) = (Arc::new(NoDirectory), Arc::new(RandomIds));
        Ok(Self { rules: rules.into(), principals, ids })
    }

    /// The same rules, with who is behind an execution from here.
    #[must_use]
    pub fn with_principals(self, principals: impl Directory + 'static) -> Self {
        Self { principals: Arc::new(principals), ..self }
    }

    /// The same rules, with the ids of their decisions from here.
    #[must_use]
    pub fn with_ids(self, ids: impl DecisionIds + 'static) -> Self {
        Self { ids: Arc::new(ids), ..self }
    }

    /// The rule that decides about the consequence that `snapshot` shows; none if no rule matches.
    ///
    /// # Errors
    ///
    /// If a rule looks at who is behind the execution, and that can't be told.
    pub fn first_match(&self, snapshot: &Snapshot) -> Result<Option<Match<'_>>, UnknownPrincipal> {
        let Some(custodian) = &snapshot.current_execution_id else { return Ok(None) };
        let mut principal = None;
        for (number, rule) in (1..).zip(self.rules.iter()) {
            if !rule.fits(snapshot, custodian) {
                continue;
            }
            if !rule.principal.matches_everything() {
                let known = match &principal {
                    Some(known) => known,
                    None => principal.insert(self.behind(custodian)?),
                };
                if !rule.principal.matches(known.as_str()) {
                    continue;
                }
            }
            return Ok(Some(Match { number, rule, principal }));
        }
        Ok(None)
    }

    /// The one name of the principal behind an execution.
    fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        self.principals.known_as(&self.principals.behind(execution)?)
    }

    fn decide(
        &self,
        request: &AuthorityRequest,
    ) -> Result<DecisionDocument, Box<dyn Error + Send + Sync>> {
        let found = self.first_match(&request.snapshot)?.ok_or("no rule matches")?;
        let rule = found.rule;
        let from = request.evaluated_at;
        let window = ValidityWindow::new(from, from.after(rule.lasts.as_duration())?)?;
        let id = self.ids.fresh()?;
        let decision = AuthorityDecision::about(&request.snapshot, id, rule.effect, window)
            .ok_or("nobody holds the consequence")?;
        Ok(DecisionDocument::from(decision).resting_on(found.basis()))
    }
}

impl Match<'_> {
    fn basis(&self) -> Json {
        let principal = self.principal.as_ref();
        let principal = principal.map(|name| ("principal", Json::from(name.as_str())));
        let rule =
            [("rule", Json::from(self.number)), ("reason", Json::from(self.rule.reason.as_str()))];
        Json::object(rule.into_iter().chain(principal))
    }
}

/// What rules have that were given no directory: nobody knows who is behind an execution.
struct NoDirectory;

impl Directory for NoDirectory {
    fn behind(&self, _: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        Err(UnknownPrincipal::new("the rules were given no directory of principals"))
    }

    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        Ok(name.clone())
    }
}

impl AuthorityProvider for Rules {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        self.decide(request).map_err(NoDecision::new)
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        let now = self.first_match(&request.snapshot).map_err(NoDecision::new)?;
        match now.map(|found| found.basis()).as_ref() == decision.basis() {
            true => Ok(()),
            false => Err(NoDecision::revoked("the rule or the principal is not what decided")),
        }
    }

    fn name(&self) -> &str {
        "rules"
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl InvalidRules {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            InvalidRules::TooMany { .. } => Code::TooLarge,
            InvalidRules::Reason { .. } => Code::InvalidDocument,
        }
    }
}
