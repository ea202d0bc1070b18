use std::collections::BTreeSet;
use std::time::Duration;

use swampbox_custody::Principal;
use swampbox_material::Code;

/// The greatest number of approvers of one request.
pub const MAX_APPROVERS: usize = 100;

/// Under which terms requests are made and decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    // INVARIANT (lengths): neither length is zero.
    quorum: Quorum,
    lifetime: Duration,
    longest_window: Duration,
    proposers_decide: bool,
}

impl Terms {
    /// Requests wait for this quorum for as long as `lifetime`, and a decision holds for
    /// `longest_window` at most. Whoever proposed something has no say in it.
    ///
    /// # Errors
    ///
    /// `approval_terms_invalid` if a length is zero.
    pub fn new(
        quorum: Quorum,
        lifetime: Duration,
        longest_window: Duration,
    ) -> Result<Self, InvalidTerms> {
        if lifetime.is_zero() {
            return Err(InvalidTerms::NoLifetime);
        }
        if longest_window.is_zero() {
            return Err(InvalidTerms::NoWindow);
        }
        Ok(Self { quorum, lifetime, longest_window, proposers_decide: false })
    }

    /// The same terms, but whoever proposed something may decide about it like every approver.
    #[must_use]
    pub fn with_proposers_deciding(self) -> Self {
        Self { proposers_decide: true, ..self }
    }

    /// The same terms for another quorum.
    pub(crate) fn for_quorum(self, quorum: Quorum) -> Self {
        Self { quorum, ..self }
    }

    /// Who decides.
    pub fn quorum(&self) -> &Quorum {
        &self.quorum
    }

    /// How long a request waits for its decision.
    pub fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// The longest that a decision may hold.
    pub fn longest_window(&self) -> Duration {
        self.longest_window
    }

    /// Whether the proposer of a consequence may decide about it.
    pub fn proposers_decide(&self) -> bool {
        self.proposers_decide
    }
}

/// How many of which approvers have to allow something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quorum {
    // INVARIANT (quorum): needed is at least 1 and at most the number of those who are eligible,
    // who are at most MAX_APPROVERS.
    needed: usize,
    eligible: BTreeSet<Principal>,
}

impl Quorum {
    /// `needed` of those who are `eligible`. One who is named twice counts once.
    ///
    /// # Errors
    ///
    /// `approval_terms_invalid` if nobody, or more than [`MAX_APPROVERS`], is eligible, or if `needed` is
    /// zero or more than they are.
    pub fn new(
        needed: usize,
        eligible: impl IntoIterator<Item = Principal>,
    ) -> Result<Self, InvalidTerms> {
        let eligible: BTreeSet<Principal> = eligible.into_iter().collect();
        let there_are = eligible.len();
        if there_are > MAX_APPROVERS {
            return Err(InvalidTerms::TooManyApprovers { there_are });
        }
        if needed == 0 || needed > there_are {
            return Err(InvalidTerms::NoQuorum { needed, there_are });
        }
        Ok(Self { needed, eligible })
    }

    /// How many have to allow it.
    pub fn needed(&self) -> usize {
        self.needed
    }

    /// Who may decide.
    pub fn eligible(&self) -> &BTreeSet<Principal> {
        &self.eligible
    }
}

/// Terms that nobody could keep (`approval_terms_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTerms {
    /// More approvers than are allowed.
    #[error("{there_are} approvers are too many, at most {MAX_APPROVERS} are allowed")]
    TooManyApprovers {
        /// How many there are, each counted once.
        there_are: usize,
    },
    /// The quorum is zero, or more than there are approvers.
    #[error(
        "{needed} of {there_are} approvers is no quorum; it takes at least one approver, and from 1 to \
         as many of them as there are"
    )]
    NoQuorum {
        /// How many would have to allow it.
        needed: usize,
        /// How many there are, each counted once.
        there_are: usize,
    },
    /// Requests would expire as soon as they are made.
    #[error("a request has to wait for longer than no time")]
    NoLifetime,
    /// No decision would ever hold.
    #[error("the longest window has to be longer than no time")]
    NoWindow,
}

impl InvalidTerms {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::ApprovalTermsInvalid
    }
}
