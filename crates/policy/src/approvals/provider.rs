use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, Clock, DecisionDocument, NoDecision, Timestamp, Verdict,
};
use swampbox_custody::{ConsequenceId, DecisionId, ExecutionId, Principal, Snapshot, StoreFailure};
use swampbox_material::json::Json;
use swampbox_material::{MaterialError, Path, Problem};

use super::document::DIGEST;
use super::{
    ApprovalError, Digest, Directory, Entry, Quorum, Request, Shelf, Terms, UnknownPrincipal, rules,
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
}

/// How often a request that changes under our hands is read again. Each time somebody else got
/// further, so a shelf that refuses this often is broken.
const MAX_TRIES: usize = 1_000;

impl<S: Shelf, C: Clock, P: Directory> Approvals<S, C, P> {
    /// Approvals under these terms, kept on this shelf. Requests that were made for another quorum are
    /// void.
    ///
    /// # Errors
    ///
    /// `approval_terms_invalid` if approvers turn out to be the same principal under several names, so
    /// that the quorum can't be reached; `authority_unavailable` if that can't be told.
    pub fn new(shelf: S, clock: C, principals: P, terms: Terms) -> Result<Self, ApprovalError> {
        let names = terms.quorum().eligible().iter();
        let eligible: Result<Vec<_>, _> = names.map(|name| principals.known_as(name)).collect();
        let quorum = Quorum::new(terms.quorum().needed(), eligible?)?;
        Ok(Self { shelf, clock, principals, terms: terms.for_quorum(quorum) })
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

    pub(super) fn now(&self) -> Result<Timestamp, ApprovalError> {
        Ok(self.clock.now()?)
    }

    /// Brings the request about a consequence up to date, by `snapshot` too if there is one, and then
    /// changes it. `change` gives the request that is to take the place of the present one, or none if
    /// that is to stay. It is asked again whenever somebody else was faster.
    pub(super) fn change(
        &self,
        consequence: &ConsequenceId,
        snapshot: Option<&Snapshot>,
        now: Timestamp,
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
            let over = present
                .as_ref()
                .and_then(|request| rules::look(request, snapshot, self.terms.quorum(), now));
            if let Some(over) = over {
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
        match self.change(consequence, Some(snapshot), *evaluated_at, |_| Ok(None)) {
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
        let new = || {
            let (id, asked_by) = (new_id()?, asked_by.clone());
            rules::ask(snapshot, custodian, id, asked_by, &self.terms, *evaluated_at)
        };
        let consequence = &snapshot.consequence_id;
        let standing = self.change(consequence, Some(snapshot), *evaluated_at, |present| {
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
        let used = self.change(consequence, Some(snapshot), now, |present| match present {
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
