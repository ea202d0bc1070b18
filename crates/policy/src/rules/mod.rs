//! Decides by an ordered list of rules.

mod rule;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision,
    ValidityWindow,
};
use swampbox_custody::Snapshot;
use swampbox_material::Code;
use swampbox_material::json::Json;

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
///
/// A decision is bound to the snapshot, has an id of its own, and rests on
/// `{"rule": number, "reason": text}`, with the rules numbered from 1. The list never changes, so a
/// decision stands as long as its window holds.
///
/// An empty list decides nothing. A rule looks at type, target and execution, and not at the
/// payload: what depends on that is for a policy or for a person to decide.
///
/// ```
/// use std::time::Duration;
/// use swampbox_authority::Verdict;
/// use swampbox_policy::{Rule, Rules, WindowLength};
///
/// let rules = Rules::new(vec![
///     Rule {
///         consequence_type: "http.request".parse()?,
///         target: "https://payments.example.com".parse()?,
///         execution: "*".parse()?,
///         effect: Verdict::Deny,
///         lasts: WindowLength::new(Duration::from_secs(60))?,
///         reason: "no agent pays".into(),
///     },
///     Rule {
///         consequence_type: "http.request".parse()?,
///         target: "https://*.example.com".parse()?,
///         execution: "triage-*".parse()?,
///         effect: Verdict::Allow,
///         lasts: WindowLength::new(Duration::from_secs(60))?,
///         reason: "triage may call our own services".into(),
///     },
/// ])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Rules {
    // INVARIANT (bounds): at most MAX_RULES, each with a reason that satisfies `check`.
    rules: Arc<[Rule]>,
    ids: Arc<dyn DecisionIds>,
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
        Ok(Self { rules: rules.into(), ids: Arc::new(RandomIds) })
    }

    /// The same rules, with the ids of their decisions from here.
    #[must_use]
    pub fn with_ids(self, ids: impl DecisionIds + 'static) -> Self {
        Self { ids: Arc::new(ids), ..self }
    }

    /// The rule that decides about the consequence that `snapshot` shows, with its number, from 1;
    /// none if no rule matches.
    pub fn first_match(&self, snapshot: &Snapshot) -> Option<(usize, &Rule)> {
        (1..).zip(self.rules.iter()).find(|(_, rule)| rule.matches(snapshot))
    }

    fn decide(
        &self,
        request: &AuthorityRequest,
    ) -> Result<DecisionDocument, Box<dyn Error + Send + Sync>> {
        let (number, rule) = self.first_match(&request.snapshot).ok_or("no rule matches")?;
        let from = request.evaluated_at;
        let window = ValidityWindow::new(from, from.after(rule.lasts.as_duration())?)?;
        let id = self.ids.fresh()?;
        let decision = AuthorityDecision::about(&request.snapshot, id, rule.effect, window)
            .ok_or("nobody holds the consequence")?;
        let number = u64::try_from(number)?;
        let basis = [("rule", Json::from(number)), ("reason", Json::from(rule.reason.as_str()))];
        Ok(DecisionDocument::from(decision).resting_on(Json::object(basis)))
    }
}

impl AuthorityProvider for Rules {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        self.decide(request).map_err(NoDecision::new)
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
