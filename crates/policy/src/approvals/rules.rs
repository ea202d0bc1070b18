//! The rules of approval: each takes a request and what is done to it, and gives the request as it is
//! afterwards, or the refusal.

use swampbox_authority::{ClockError, Timestamp, ValidityWindow, Verdict};
use swampbox_custody::{DecisionId, ExecutionId, Principal, ReleaseState, Snapshot};

use super::{
    ApprovalError, Ballot, Closed, Decided, Digest, Footing, MAX_REASON_BYTES, Question, Quorum,
    Request, State, Terms, Void, Vote,
};

/// A new request about the consequence that `snapshot` shows in the hands of `custodian`, behind
/// which is the principal `asked_by`. It rests on `footing`.
///
/// # Errors
///
/// `clock_invalid` if it would expire beyond the year 9999.
pub fn ask(
    snapshot: &Snapshot,
    custodian: &ExecutionId,
    id: DecisionId,
    asked_by: Principal,
    terms: &Terms,
    footing: Footing,
    now: Timestamp,
) -> Result<Request, ApprovalError> {
    Ok(Request::new(Question {
        id,
        consequence_id: snapshot.consequence_id.clone(),
        origin_execution_id: snapshot.origin_execution_id.clone(),
        execution_id: custodian.clone(),
        parent_consequence_id: snapshot.parent_consequence_id.clone(),
        material: snapshot.material.clone(),
        asked_by,
        asked_at: now,
        expires_at: now.after(terms.lifetime()).map_err(ClockError::new)?,
        quorum: terms.quorum().clone(),
        footing: Some(footing),
    }))
}

/// The request as it is found to be over; none if it isn't, or was before.
///
/// It is void if `snapshot` is another consequence than was shown, or `quorum` or `footing` another one
/// than it was made under, or one that it does not tell. It has expired from `expires_at` on if nobody has
/// decided, else from the end of the decision's window on.
pub fn look(
    request: &Request,
    snapshot: Option<&Snapshot>,
    quorum: &Quorum,
    footing: &Footing,
    now: Timestamp,
) -> Option<Request> {
    if request.closed().is_some() {
        return None;
    }
    let question = request.question();
    let void = snapshot
        .and_then(|snapshot| not_as_shown(question, snapshot))
        .or_else(|| not_as_it_was(question, quorum, footing));
    if let Some(because) = void {
        return Some(void_request(request, because, now));
    }
    let end = request.decided().map_or(question.expires_at, |decided| decided.window.valid_until());
    (now >= end).then(|| request.with_end(Closed::Expired { at: now }))
}

/// The request as it is found to be void.
pub(super) fn void_request(request: &Request, because: Void, now: Timestamp) -> Request {
    request.with_end(Closed::Void { because, at: now })
}

fn not_as_it_was(question: &Question, quorum: &Quorum, footing: &Footing) -> Option<Void> {
    let Some(was) = &question.footing else { return Some(Void::Custodian) };
    let same_terms = question.quorum == *quorum
        && was.proposers_may_decide == footing.proposers_may_decide
        && was.longest_window_seconds == footing.longest_window_seconds;
    if was.custody_mark != footing.custody_mark {
        Some(Void::Custodian)
    } else if !same_terms {
        Some(Void::Terms)
    } else if was.carried_out_by != footing.carried_out_by {
        Some(Void::CarriedOutBy)
    } else {
        None
    }
}

fn not_as_shown(question: &Question, snapshot: &Snapshot) -> Option<Void> {
    let same = question.consequence_id == snapshot.consequence_id
        && question.origin_execution_id == snapshot.origin_execution_id
        && question.parent_consequence_id == snapshot.parent_consequence_id
        && question.material == snapshot.material;
    if !same {
        Some(Void::Consequence)
    } else if snapshot.release_state != ReleaseState::Contained {
        Some(Void::ReleaseState)
    } else if snapshot.current_execution_id.as_ref() != Some(&question.execution_id) {
        Some(Void::Custodian)
    } else {
        None
    }
}

/// Who votes, and whose the consequence is.
#[derive(Clone, Copy, Debug)]
pub struct Voter<'a> {
    /// The principal that votes.
    pub principal: &'a Principal,
    /// Those behind the executions that proposed the consequence and hold it.
    pub proposers: &'a [Principal],
}

/// The request with one more vote. It decides if it denies, or is the last that was needed to allow.
///
/// A vote is never counted as earlier than the request or the vote before it. If the clock has stepped
/// back, the window of a decision begins later than now, and nothing is released until then.
///
/// # Errors
///
/// In this order: `request_changed` if `shown` is not its digest, `request_closed` if it is not open,
/// `approver_not_eligible`, `approver_is_proposer`, `already_voted`, `ballot_invalid`, and
/// `clock_invalid` if the window would end beyond the year 9999.
pub fn vote(
    request: &Request,
    shown: &Digest,
    ballot: &Ballot,
    voter: Voter<'_>,
    terms: &Terms,
    now: Timestamp,
) -> Result<Request, ApprovalError> {
    unchanged(request, shown)?;
    let Voter { principal, proposers } = voter;
    may_vote(request, principal)?;
    let consequence = &request.question().consequence_id;
    if proposers.contains(principal) && !terms.proposers_decide() {
        return Err(ApprovalError::IsProposer(principal.clone(), consequence.clone()));
    }
    has_not_voted(request, principal)?;
    let Ballot { approver, verdict, reason, window } = ballot.clone();
    let longest = terms.longest_window();
    if window > longest {
        let problem = format!("its window is {window:?}, at most {longest:?} are allowed");
        return Err(ApprovalError::InvalidBallot(problem));
    }
    let at = now.max(last_change(request));
    count(request, Vote { approver, principal: principal.clone(), verdict, reason, window, at })
}

/// Counts a vote that may be counted, and finds what the votes come to. What is read back from a shelf
/// is counted again by this.
///
/// # Errors
///
/// `request_closed`, `approver_not_eligible`, `already_voted`, `ballot_invalid` or `clock_invalid`.
pub(super) fn count(request: &Request, vote: Vote) -> Result<Request, ApprovalError> {
    may_vote(request, &vote.principal)?;
    has_not_voted(request, &vote.principal)?;
    well_formed(&vote, last_change(request))?;
    let shortest = request.votes().iter().map(|vote| vote.window).fold(vote.window, Ord::min);
    let window = match vote.verdict {
        Verdict::Deny => Some(vote.window),
        Verdict::Allow => {
            let allowed = request.allowed_by() + 1 == request.question().quorum.needed();
            allowed.then_some(shortest)
        }
    };
    let decided = match window {
        None => None,
        Some(window) => {
            let end = vote.at.after(window).map_err(ClockError::new)?;
            let window = ValidityWindow::new(vote.at, end).map_err(ClockError::new)?;
            Some(Decided { verdict: vote.verdict, window })
        }
    };
    Ok(request.with_vote(vote, decided))
}

fn well_formed(vote: &Vote, last_change: Timestamp) -> Result<(), ApprovalError> {
    let Vote { reason, window, at, .. } = vote;
    let problem = if reason.trim().is_empty() {
        "a reason has to be given".to_owned()
    } else if reason.len() > MAX_REASON_BYTES {
        format!("its reason has {} bytes, at most {MAX_REASON_BYTES} are allowed", reason.len())
    } else if window.is_zero() || window.subsec_nanos() != 0 {
        format!("its window is {window:?}, and has to be whole seconds, at least one")
    } else if *at < last_change {
        format!("it is of {at}, and the request was changed at {last_change}")
    } else {
        return Ok(());
    };
    Err(ApprovalError::InvalidBallot(problem))
}

/// When the last vote was counted, or else the request was made.
fn last_change(request: &Request) -> Timestamp {
    request.votes().last().map_or(request.question().asked_at, |vote| vote.at)
}

fn may_vote(request: &Request, principal: &Principal) -> Result<(), ApprovalError> {
    let question = request.question();
    if request.state() != State::Open {
        return Err(closed(request));
    }
    if !question.quorum.eligible().contains(principal) {
        let consequence = question.consequence_id.clone();
        return Err(ApprovalError::NotEligible(principal.clone(), consequence));
    }
    Ok(())
}

fn has_not_voted(request: &Request, principal: &Principal) -> Result<(), ApprovalError> {
    if request.votes().iter().any(|vote| vote.principal == *principal) {
        let consequence = request.question().consequence_id.clone();
        return Err(ApprovalError::AlreadyVoted(principal.clone(), consequence));
    }
    Ok(())
}

/// The request taken back by who asked, or by one who had allowed it. A decision that was made on it
/// does not stand any more. A denial can't be taken back.
///
/// # Errors
///
/// `not_requester`, then `request_closed`.
pub fn withdraw(
    request: &Request,
    by: &Principal,
    now: Timestamp,
) -> Result<Request, ApprovalError> {
    let question = request.question();
    let allowed = |vote: &Vote| vote.verdict == Verdict::Allow && vote.principal == *by;
    if question.asked_by != *by && !request.votes().iter().any(allowed) {
        return Err(ApprovalError::NotRequester(by.clone(), question.consequence_id.clone()));
    }
    match request.state() {
        State::Open | State::Allowed => {
            Ok(request.with_end(Closed::Withdrawn { by: by.clone(), at: now }))
        }
        _ => Err(closed(request)),
    }
}

/// The request after an attempt was made under its decision, which is known by the id and by the
/// digest of what it was made on.
///
/// # Errors
///
/// `request_changed`, then `request_closed` if it is not allowed, so also if it was used before.
pub fn use_up(
    request: &Request,
    decision: &DecisionId,
    shown: &Digest,
    now: Timestamp,
) -> Result<Request, ApprovalError> {
    if request.question().id != *decision {
        return Err(changed(request));
    }
    unchanged(request, shown)?;
    match request.state() {
        State::Allowed => Ok(request.with_end(Closed::Used { at: now })),
        _ => Err(closed(request)),
    }
}

fn unchanged(request: &Request, shown: &Digest) -> Result<(), ApprovalError> {
    if request.digest() == *shown { Ok(()) } else { Err(changed(request)) }
}

fn changed(request: &Request) -> ApprovalError {
    ApprovalError::Changed(request.question().consequence_id.clone(), request.digest())
}

fn closed(request: &Request) -> ApprovalError {
    ApprovalError::Closed(request.question().consequence_id.clone(), request.state())
}
