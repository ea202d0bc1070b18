use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument, NoDecision,
    Timestamp, ValidityWindow,
};
use swampbox_custody::DecisionId;
use swampbox_material::Shown;
use swampbox_material::json::Json;

use super::{
    EnvelopeSource, InvalidEnvelope, Revocations, Role, TrustedKey, TrustedKeys, VerifiedEnvelope,
};
use crate::LookupFailure;

/// Answers with a decision that somebody signed beforehand.
///
/// Every key that signed has to be trusted, valid at this time, not revoked, and in a role that covers
/// the consequence. A decision releases once, and is used up by the attempt, unless it is said to be
/// [`reusable`](Signed::reusable).
///
/// Its basis names, for each signature, the key, its id and the role that it signed in, and the
/// envelope's digest.
#[derive(Debug)]
pub struct Signed<S, R, K> {
    source: S,
    keys: TrustedKeys,
    revocations: R,
    clock: K,
    single_use: bool,
}

impl<S: EnvelopeSource, R: Revocations, K: Clock> Signed<S, R, K> {
    /// Takes envelopes from `source`, and believes what these keys signed. `clock` tells at the edge
    /// whether a key is valid still.
    pub fn new(source: S, keys: TrustedKeys, revocations: R, clock: K) -> Self {
        Self { source, keys, revocations, clock, single_use: true }
    }

    /// The same, but a decision may release as often as its window lasts.
    #[must_use]
    pub fn reusable(self) -> Self {
        Self { single_use: false, ..self }
    }

    /// The answer to a request, if it stands at `now`.
    fn answer(
        &self,
        request: &AuthorityRequest,
        now: Timestamp,
    ) -> Result<DecisionDocument, Failing> {
        let envelope = self.source.envelope(request)?.ok_or(Failing::Absent)?;
        let verified = self.keys.verify(&envelope)?;
        let mut signed_by = Vec::new();
        for key in verified.signers() {
            signed_by.push(described(key, self.entitled(key, request, now)?));
        }
        let document = DecisionDocument::read(verified.payload());
        let decision = document.decision_id();
        if let Some(decision) = &decision
            && self.revocations.decision_is_revoked(decision)?
        {
            return Err(Failing::RevokedDecision(decision.clone()));
        }
        let document = document.resting_on(basis(signed_by, &verified));
        // Without a good id the decision is malformed, and validation refuses it.
        Ok(match decision {
            Some(decision) if self.single_use => document.consuming(decision),
            _ => document,
        })
    }

    /// The role in which a key may decide about what is asked, at `now`.
    fn entitled<'k>(
        &self,
        key: &'k TrustedKey,
        request: &AuthorityRequest,
        now: Timestamp,
    ) -> Result<&'k Role, Failing> {
        let name = || key.name().to_owned();
        if self.revocations.key_is_revoked(key.id())? {
            return Err(Failing::RevokedKey(name()));
        }
        if key.window().check(now).is_err() {
            return Err(Failing::NotValid { name: name(), window: *key.window(), now });
        }
        let role = key.roles().iter().find(|role| role.covers(&request.snapshot));
        role.ok_or_else(|| Failing::NoRole {
            name: name(),
            consequence_type: request.snapshot.material.consequence_type().to_string(),
            target: request.snapshot.material.target().to_string(),
        })
    }
}

impl<S: EnvelopeSource, R: Revocations, K: Clock> AuthorityProvider for Signed<S, R, K> {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        self.answer(request, request.evaluated_at).map_err(Failing::when_asked)
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        let again = self.clock.now().map_err(Failing::from);
        let again = again.and_then(|now| self.answer(request, now));
        // The basis holds the digest of the envelope, so it is the same only for the same bytes.
        match again.map_err(Failing::at_the_edge)?.basis() == decision.basis() {
            true => Ok(()),
            false => Err(Failing::Replaced.at_the_edge()),
        }
    }

    fn name(&self) -> &str {
        "signed"
    }
}

fn described(key: &TrustedKey, role: &Role) -> Json {
    Json::object([
        ("key", Json::from(key.name())),
        ("key_id", Json::from(key.id().as_str())),
        ("role", Json::from(role.name())),
    ])
}

fn basis(signed_by: Vec<Json>, verified: &VerifiedEnvelope) -> Json {
    Json::object([
        ("signed_by", Json::List(signed_by)),
        ("envelope_sha256", Json::from(verified.digest())),
    ])
}

/// Why there is no signed decision that could be used.
#[derive(Debug, thiserror::Error)]
enum Failing {
    #[error("there is no signed decision about this consequence")]
    Absent,
    #[error("what the signed decision rests on can't be looked up: {0}")]
    Lookup(#[from] LookupFailure),
    #[error("whether the key is still valid can't be told: {0}")]
    Clock(#[from] ClockError),
    #[error("the signed decision is refused: {0}")]
    Envelope(#[from] InvalidEnvelope),
    #[error(
        "the key {} may be used from {} until {}, and it is {now}",
        Shown::brief(name),
        window.issued_at(),
        window.valid_until()
    )]
    NotValid { name: String, window: ValidityWindow, now: Timestamp },
    #[error(
        "the key {} has no role for {} to {}",
        Shown::brief(name),
        Shown::brief(consequence_type),
        Shown::brief(target)
    )]
    NoRole { name: String, consequence_type: String, target: String },
    #[error("the key {} was revoked", Shown::brief(.0))]
    RevokedKey(String),
    #[error("the decision {0:?} was revoked")]
    RevokedDecision(DecisionId),
    #[error("there is another envelope now than the one that was used")]
    Replaced,
}

impl Failing {
    fn when_asked(self) -> NoDecision {
        match self {
            Failing::RevokedKey(_) | Failing::RevokedDecision(_) => NoDecision::revoked(self),
            _ => NoDecision::new(self),
        }
    }

    /// What was good when it was asked for, and is not any more, has been taken back.
    fn at_the_edge(self) -> NoDecision {
        match self {
            Failing::Lookup(_) | Failing::Clock(_) => NoDecision::new(self),
            _ => NoDecision::revoked(self),
        }
    }
}
