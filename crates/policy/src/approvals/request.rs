use std::fmt;
use std::time::Duration;

use swampbox_authority::{AuthorityDecision, Timestamp, ValidityWindow, Verdict};
use swampbox_custody::{ConsequenceId, DecisionId, ExecutionId, Principal};
use swampbox_material::{Difference, Material};

use super::document::digested;
use super::{Digest, Quorum, Terms};

/// The greatest length of the reason of a vote, in bytes of UTF-8.
pub const MAX_REASON_BYTES: usize = 4096;

/// A request for approval: what is asked, the votes so far, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    question: Question,
    // INVARIANT (digests): those of `question`.
    pub(super) digests: Digests,
    // INVARIANT (votes): each was counted by `rules`, in this order, and `decided` is what they come
    // to.
    votes: Vec<Vote>,
    decided: Option<Decided>,
    closed: Option<Closed>,
}

/// What approvers are asked. It never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The id of the request, and of the decision that is made on it.
    pub id: DecisionId,
    /// The consequence that is to be released.
    pub consequence_id: ConsequenceId,
    /// The execution that submitted it.
    pub origin_execution_id: ExecutionId,
    /// The execution that holds it and asked.
    pub execution_id: ExecutionId,
    /// The consequence that it was derived from, if any.
    pub parent_consequence_id: Option<ConsequenceId>,
    /// What it would do.
    pub material: Material,
    /// The principal behind the execution that asked.
    pub asked_by: Principal,
    /// When that was.
    pub asked_at: Timestamp,
    /// The first moment at which it is too late to decide.
    pub expires_at: Timestamp,
    /// Who decides.
    pub quorum: Quorum,
    /// What else was so; none if it was asked in an older form, which did not say.
    pub footing: Option<Footing>,
}

/// What a request rests on beside what it shows of the consequence. Once that is not so any more, it is
/// void.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footing {
    /// Which change of its custody was the last one of the consequence, as the [`Shelf`](super::Shelf)
    /// tells.
    pub custody_mark: u64,
    /// Whether the proposer of a consequence may decide about it.
    pub proposers_may_decide: bool,
    /// The longest that a decision may hold, in whole seconds.
    pub longest_window_seconds: u64,
    /// What would carry the material out, in words; none if that is not told.
    pub carried_out_by: Option<String>,
}

/// What stands for a question and its material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digests {
    pub(super) question: Digest,
    pub(super) material: Digest,
    /// The length of the material as JSON.
    pub(super) material_bytes: usize,
}

/// What an approver hands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// Who votes, as whoever embeds this has authenticated them.
    pub approver: Principal,
    /// To allow or to deny.
    pub verdict: Verdict,
    /// Why: not blank, and of at most [`MAX_REASON_BYTES`] bytes.
    pub reason: String,
    /// For how long the decision shall hold: whole seconds, at least one.
    pub window: Duration,
}

/// A vote that was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// The name under which the approver was authenticated.
    pub approver: Principal,
    /// Who that is.
    pub principal: Principal,
    /// To allow or to deny.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// For how long the decision shall hold.
    pub window: Duration,
    /// When it was counted; never before the request was made, nor before an earlier vote.
    pub at: Timestamp,
}

/// What the votes come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// ALLOW if the quorum allowed it, DENY if one denied it.
    pub verdict: Verdict,
    /// From the vote that decided, for the shortest time that was voted.
    pub window: ValidityWindow,
}

/// Why a request is over, and when that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closed {
    /// An attempt was made under the decision.
    Used {
        /// When.
        at: Timestamp,
    },
    /// Nobody decided in time, or the decision's window is over.
    Expired {
        /// When that was found.
        at: Timestamp,
    },
    /// It was taken back.
    Withdrawn {
        /// By whom: who asked, or one who had allowed it.
        by: Principal,
        /// When.
        at: Timestamp,
    },
    /// Something is not as it was shown.
    Void {
        /// What that is.
        because: Void,
        /// When that was found.
        at: Timestamp,
    },
}

/// What is not any more as a request showed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Void {
    /// Another execution holds the consequence, or none, or one has held it since.
    Custodian,
    /// The consequence is RELEASED or UNCERTAIN.
    ReleaseState,
    /// Material or lineage are other ones. They never change, so the store is another one.
    Consequence,
    /// The approvers, how many of them are needed, for how long a decision may hold at the most, or
    /// whether proposers may decide.
    Terms,
    /// One who allowed it turns out to be behind an execution that proposed the consequence or holds it.
    Proposer,
    /// Something else would carry it out.
    CarriedOutBy,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits for votes.
    Open,
    /// The quorum has allowed it.
    Allowed,
    /// An approver has denied it.
    Denied,
    /// See [`Closed::Expired`].
    Expired,
    /// See [`Closed::Withdrawn`].
    Withdrawn,
    /// See [`Closed::Void`].
    Void,
    /// See [`Closed::Used`].
    Used,
}

impl Footing {
    /// What a request under these terms rests on.
    pub fn new(terms: &Terms, custody_mark: u64, carried_out_by: Option<String>) -> Self {
        Self {
            custody_mark,
            proposers_may_decide: terms.proposers_decide(),
            longest_window_seconds: terms.longest_window().as_secs(),
            carried_out_by,
        }
    }
}

impl Request {
    /// A request for which nobody has voted.
    pub(super) fn new(question: Question) -> Self {
        let digests = digested(&question);
        Self { question, digests, votes: Vec::new(), decided: None, closed: None }
    }

    /// The same with one more vote, and what they come to now.
    pub(super) fn with_vote(&self, vote: Vote, decided: Option<Decided>) -> Self {
        let mut request = self.clone();
        request.votes.push(vote);
        Self { decided, ..request }
    }

    /// The same, but over.
    pub(super) fn with_end(&self, closed: Closed) -> Self {
        Self { closed: Some(closed), ..self.clone() }
    }

    /// What is asked.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// The digest of what is asked, to be named with each vote.
    pub fn digest(&self) -> Digest {
        self.digests.question
    }

    /// The digest of the material as JSON.
    pub fn material_digest(&self) -> Digest {
        self.digests.material
    }

    /// The length of the material as JSON, in bytes.
    pub fn material_bytes(&self) -> usize {
        self.digests.material_bytes
    }

    /// The votes, in the order in which they were counted.
    pub fn votes(&self) -> &[Vote] {
        &self.votes
    }

    /// What they come to, as soon as they decide.
    pub fn decided(&self) -> Option<&Decided> {
        self.decided.as_ref()
    }

    /// Why it is over, if it is.
    pub fn closed(&self) -> Option<&Closed> {
        self.closed.as_ref()
    }

    /// What became of it.
    pub fn state(&self) -> State {
        match (&self.closed, &self.decided) {
            (Some(Closed::Used { .. }), _) => State::Used,
            (Some(Closed::Expired { .. }), _) => State::Expired,
            (Some(Closed::Withdrawn { .. }), _) => State::Withdrawn,
            (Some(Closed::Void { .. }), _) => State::Void,
            (None, None) => State::Open,
            (None, Some(Decided { verdict: Verdict::Allow, .. })) => State::Allowed,
            (None, Some(Decided { verdict: Verdict::Deny, .. })) => State::Denied,
        }
    }

    /// How many have allowed it.
    pub fn allowed_by(&self) -> usize {
        self.votes.iter().filter(|vote| vote.verdict == Verdict::Allow).count()
    }

    /// Where the material differs from that of its parent.
    pub fn differences_from(&self, parent: &Material) -> Vec<Difference> {
        parent.differences(&self.question.material)
    }

    /// The decision about what was shown, if there is one and the request is not over.
    pub fn decision(&self) -> Option<AuthorityDecision> {
        let Decided { verdict, window } = *self.decided.as_ref()?;
        if self.closed.is_some() {
            return None;
        }
        Some(AuthorityDecision {
            decision_id: self.question.id.clone(),
            verdict,
            consequence_id: self.question.consequence_id.clone(),
            execution_id: self.question.execution_id.clone(),
            bound_consequence: self.question.material.clone(),
            window,
        })
    }
}

impl State {
    /// The state as a word, such as `open`.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Allowed => "allowed",
            State::Denied => "denied",
            State::Expired => "expired",
            State::Withdrawn => "withdrawn",
            State::Void => "void",
            State::Used => "used",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Void {
    /// The word that it is written as.
    pub fn as_str(self) -> &'static str {
        match self {
            Void::Custodian => "custodian",
            Void::ReleaseState => "release_state",
            Void::Consequence => "consequence",
            Void::Terms => "terms",
            Void::Proposer => "proposer",
            Void::CarriedOutBy => "carried_out_by",
        }
    }

    /// The one that is written as exactly this word.
    pub fn from_exact(word: &str) -> Option<Self> {
        [
            Void::Custodian,
            Void::ReleaseState,
            Void::Consequence,
            Void::Terms,
            Void::Proposer,
            Void::CarriedOutBy,
        ]
        .into_iter()
        .find(|void| void.as_str() == word)
    }
}
