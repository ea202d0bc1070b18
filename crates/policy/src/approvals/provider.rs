use std::fmt;
use std::sync::Arc;

use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, Clock, DecisionDocument, NoDecision, Timestamp, Verdict,
};
use swampbox_custody::{ConsequenceId, DecisionId, ExecutionId, Principal, Snapshot, StoreFailure};
use swampbox_material::json::Json;
use swampbox_material::{Material, MaterialError, Path, Problem};

use super::document::DIGEST;
use super::{
    ApprovalError, Digest, Directory, Entry, Footing, Question, Quorum, Request, Shelf, Terms,
    UnknownPrincipal, Void, rules,
};
use crate::ids::new_uuid;

/// An authority that asks people.
///
/// May be used by many threads and processes at once over the same shelf.
#[derive(Debug)]
pub struct Approvals<S, C, P> {
    shelf: S,
    clock: C,
    principals: P,
    terms: Terms,
    setting: Setting,
}

/// Says what would carry material out.
#[derive(Clone)]
struct Setting(Arc<Saying>);

type Saying = dyn Fn(&Material) -> Option<String> + Send + Sync;

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Setting")
    }
}

/// Beside what a request is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight<'s> {
    /// The consequence as it is now, where that was read.
    snapshot: Option<&'s Snapshot>,
    /// Whether it is to be released.
    releasing: bool,
    now: Timestamp,
}

impl<'s> Sight<'s> {
    /// Without a look at the consequence.
    pub(super) fn at(now: Timestamp) -> Self {
        Self { snapshot: None, releasing: false, now }
    }

    /// Beside the consequence.
    pub(super) fn beside(snapshot: &'s Snapshot, now: Timestamp) -> Self {
        Self { snapshot: Some(snapshot), releasing: false, now }
    }

    /// For a release of it.
    fn releasing(snapshot: &'s Snapshot, now: Timestamp) -> Self {
        Self { snapshot: Some(snapshot), releasing: true, now }
    }
}

/// How often a request that changes under our hands is read again. Each time somebody else got
/// further, so a shelf that refuses this often is broken.
const MAX_TRIES: usize = 1_000;

impl<S: Shelf, C: Clock, P: Directory> Approvals<S, C, P> {
    /// Approvals under these terms, kept on this shelf. Requests that were made for another quorum or
    /// longest window, or when proposers had another say, are void.
    ///
    /// # Errors
    ///
    /// `approval_terms_invalid` if approvers turn out to be the same principal under several names, so
    /// that the quorum can't be reached; `authority_unavailable` if that can't be told.
    pub fn new(shelf: S, clock: C, principals: P, terms: Terms) -> Result<Self, ApprovalError> {
        let names = terms.quorum().eligible().iter();
        let eligible: Result<Vec<_>, _> = names.map(|name| principals.known_as(name)).collect();
        let quorum = Quorum::new(terms.quorum().needed(), eligible?)?;
        Ok(Self {
            shelf,
            clock,
            principals,
            terms: terms.for_quorum(quorum),
            setting: Setting(Arc::new(|_| None)),
        })
    }

    /// The same, and `setting` says of material what would carry it out, such as a program with its
    /// arguments. A request tells what it was when it was made, and is void once it is something
    /// else.
    #[must_use]
    pub fn under(
        self,
        setting: impl Fn(&Material) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { setting: Setting(Arc::new(setting)), ..self }
    }

    pub(super) fn shelf(&self) -> &S {
        &self.shelf
    }

    /// The one name of whoever is known as this.
    pub(super) fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        self.principals.known_as(name)
    }

    /// The one name of whoever is behind an execution.
    pub(super) fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        self.known_as(&self.principals.behind(execution)?)
    }

    /// The terms under which people decide.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// What a request about this consequence rests on, if it is made now.
    pub(super) fn footing(
        &self,
        consequence: &ConsequenceId,
        material: &Material,
    ) -> Result<Footing, StoreFailure> {
        let mark = self.shelf.custody_mark(consequence)?;
        Ok(Footing::new(&self.terms, mark, (self.setting.0)(material)))
    }

    /// Who is behind the execution that proposed what a request is about. An execution's own name says
    /// nothing about that where whoever acts as one also names it.
    ///
    /// # Errors
    ///
    /// `authority_unavailable` if that can't be told.
    pub fn proposed_by(&self, request: &Request) -> Result<Principal, UnknownPrincipal> {
        self.behind(&request.question().origin_execution_id)
    }

    /// Those behind the executions that proposed the consequence of a request and held it.
    pub(super) fn proposers(
        &self,
        question: &Question,
    ) -> Result<[Principal; 3], UnknownPrincipal> {
        Ok([
            self.behind(&question.origin_execution_id)?,
            self.behind(&question.execution_id)?,
            self.known_as(&question.asked_by)?,
        ])
    }

    /// Whether one who allowed it may not, as people are known now.
    fn a_proposer_allowed(&self, request: &Request) -> Result<bool, UnknownPrincipal> {
        let allowed = request.votes().iter().filter(|vote| vote.verdict == Verdict::Allow);
        let mut names = allowed.flat_map(|vote| [&vote.approver, &vote.principal]).peekable();
        if self.terms.proposers_decide() || names.peek().is_none() {
            return Ok(false);
        }
        let proposers = self.proposers(request.question())?;
        for name in names {
            if proposers.contains(&self.known_as(name)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The request as it is found to be over; none if it isn't, or was before.
    pub(super) fn look(
        &self,
        request: &Request,
        sight: Sight<'_>,
    ) -> Result<Option<Request>, ApprovalError> {
        if request.closed().is_some() {
            return Ok(None);
        }
        let Sight { snapshot, releasing, now } = sight;
        let question = request.question();
        let footing = self.footing(&question.consequence_id, &question.material)?;
        let over = rules::look(request, snapshot, self.terms.quorum(), &footing, now);
        if over.is_none() && releasing && self.a_proposer_allowed(request)? {
            return Ok(Some(rules::void_request(request, Void::Proposer, now)));
        }
        Ok(over)
    }

    pub(super) fn now(&self) -> Result<Timestamp, ApprovalError> {
        Ok(self.clock.now()?)
    }

    /// Brings the request about a consequence up to date, beside what `sight` shows, and then changes
    /// it. `change` gives the request that is to take the place of the present one, or none if
    /// that is to stay. It is asked again whenever somebody else was faster.
    pub(super) fn change(
        &self,
        consequence: &ConsequenceId,
        sight: Sight<'_>,
        change: impl Fn(Option<&Request>) -> Result<Option<Request>, ApprovalError>,
    ) -> Result<Request, ApprovalError> {
        for _ in 0..MAX_TRIES {
            let (present, version) = match self.shelf.get(consequence)? {
                None => (None, None),
                Some(shelved) => {
                    let request = read(consequence, &shelved.document)?;
                    (Some(request), Some(shelved.version))
                }
            };
            // What it rests on is read after it, and so never an older state than that it was made in.
            let over = present.as_ref().map(|request| self.look(request, sight)).transpose()?;
            if let Some(over) = over.flatten() {
                self.put(&over, version)?;
                continue;
            }
            match (change(present.as_ref())?, present) {
                (None, Some(present)) => return Ok(present),
                (None, None) => return Err(ApprovalError::NotFound(consequence.clone())),
                (Some(next), _) if self.put(&next, version)? => return Ok(next),
                (Some(_), _) => {}
            }
        }
        Err(StoreFailure::new(format!("others were faster {MAX_TRIES} times in a row")).into())
    }

    /// Whether it was put; else another one is there than that of this version.
    pub(super) fn put(
        &self,
        request: &Request,
        version: Option<u64>,
    ) -> Result<bool, ApprovalError> {
        let entry = Entry {
            consequence: request.question().consequence_id.clone(),
            execution: request.question().execution_id.clone(),
            state: request.state(),
            document: request.to_document(),
        };
        Ok(self.shelf.put(entry, version)?.is_some())
    }
}

/// The request that is kept about a consequence.
pub(super) fn read(consequence: &ConsequenceId, document: &Json) -> Result<Request, ApprovalError> {
    let malformed = |error| ApprovalError::Malformed(consequence.clone(), error);
    let request = Request::from_document(document).map_err(malformed)?;
    let about = &request.question().consequence_id;
    if about != consequence {
        let problem = Problem::InvalidDocument(format!("it is about consequence {about:?}"));
        return Err(malformed(MaterialError::new(problem, Path::root().key("consequence_id"))));
    }
    Ok(request)
}

impl<S: Shelf, C: Clock, P: Directory> Approvals<S, C, P> {
    /// What [`evaluate`](AuthorityProvider::evaluate) would answer. Where it would ask people,
    /// nobody is asked.
    ///
    /// # Errors
    ///
    /// Those of `evaluate`.
    pub fn would_answer(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let AuthorityRequest { snapshot, evaluated_at } = request;
        let consequence = &snapshot.consequence_id;
        let sight = Sight::releasing(snapshot, *evaluated_at);
        match self.change(consequence, sight, |_| Ok(None)) {
            Ok(present) if present.closed().is_none() => answer(&present),
            Ok(_) => Err(NoDecision::pending("a release would ask people again")),
            Err(ApprovalError::NotFound(_)) => {
                Err(NoDecision::pending("a release would ask people"))
            }
            Err(error) => Err(NoDecision::new(error)),
        }
    }
}

impl<S: Shelf, C: Clock, P: Directory> AuthorityProvider for Approvals<S, C, P> {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let AuthorityRequest { snapshot, evaluated_at } = request;
        let custodian = snapshot.current_execution_id.as_ref();
        let custodian = custodian.ok_or_else(|| NoDecision::new("nobody holds the consequence"))?;
        let asked_by = self.behind(custodian).map_err(NoDecision::new)?;
        let consequence = &snapshot.consequence_id;
        let new = || {
            // One that others released meanwhile is nothing to ask about.
            if !self.shelf.is_there_to_be_released(consequence)? {
                return Err(ApprovalError::NotReleasable(consequence.clone()));
            }
            let (id, asked_by) = (new_id()?, asked_by.clone());
            let footing = self.footing(consequence, &snapshot.material)?;
            rules::ask(snapshot, custodian, id, asked_by, &self.terms, footing, *evaluated_at)
        };
        let sight = Sight::releasing(snapshot, *evaluated_at);
        let standing = self.change(consequence, sight, |present| {
            let stands = present.is_some_and(|present| present.closed().is_none());
            if stands { Ok(None) } else { new().map(Some) }
        });
        answer(&standing.map_err(NoDecision::new)?)
    }

    /// Uses the decision up: it stands for the first attempt that asks, and for no other.
    ///
    /// If the shelf fails here, the attempt has used the decision up all the same, and the request
    /// does not say so: releases are refused with `authority_consumed` until its window is over
    /// or it is withdrawn.
    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        let now = self.now().map_err(NoDecision::new)?;
        let (snapshot, unknown) = (&request.snapshot, "it is none that approvers made");
        let id = decision.decision_id().ok_or_else(|| NoDecision::revoked(unknown))?;
        let shown = shown(decision).ok_or_else(|| NoDecision::revoked(unknown))?;
        let consequence = &snapshot.consequence_id;
        let sight = Sight::releasing(snapshot, now);
        let used = self.change(consequence, sight, |present| match present {
            Some(present) => rules::use_up(present, &id, &shown, now).map(Some),
            None => Ok(None),
        });
        match used {
            Ok(_) => Ok(()),
            Err(
                error @ (ApprovalError::NotFound(_)
                | ApprovalError::Changed(..)
                | ApprovalError::Closed(..)),
            ) => Err(NoDecision::revoked(error)),
            Err(error) => Err(NoDecision::new(error)),
        }
    }

    fn name(&self) -> &str {
        "approvals"
    }
}

/// What a release is told of a request that is not over.
fn answer(request: &Request) -> Result<DecisionDocument, NoDecision> {
    let Some(decision) = request.decision() else {
        let (question, digest) = (request.question(), request.digest());
        let (id, expires_at) = (&question.id, question.expires_at);
        let (allowed, needed) = (request.allowed_by(), question.quorum.needed());
        return Err(NoDecision::pending(format!(
            "request {id} with digest {digest} has {allowed} of {needed} approvals, and waits \
             until {expires_at}"
        )));
    };
    let (id, verdict) = (decision.decision_id.clone(), decision.verdict);
    let document = DecisionDocument::from(decision).resting_on(request.basis());
    Ok(match verdict {
        Verdict::Allow => document.consuming(id),
        Verdict::Deny => document,
    })
}

/// The digest of what a decision was made on, as its basis has it.
fn shown(decision: &DecisionDocument) -> Option<Digest> {
    decision.basis()?.as_object()?.get(DIGEST)?.as_str()?.parse().ok()
}

/// An id that no other request has.
fn new_id() -> Result<DecisionId, ApprovalError> {
    let id = format!("approval-{}", new_uuid());
    DecisionId::try_from(id.as_str()).map_err(|error| StoreFailure::new(error).into())
}
