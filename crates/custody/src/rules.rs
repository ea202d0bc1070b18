//! Every rule of custody, once, as a pure function.
//!
//! A rule is given the rows that it reads and the request, and gives the row that is to be
//! stored, or a [`Refusal`]. Checks run in the order of the contract; the first that fails decides.
//! A store loads the rows, calls the rule and commits what it gives, in one atomic step.

use crate::{
    ConsequenceId, ConsequenceRow, DecisionId, ExecutionId, ExecutionState, Mark, MarkRow, Refusal,
    ReleaseState, Settlement, Snapshot, Submission,
};

/// An execution that a request names, and what the store has of it.
#[derive(Clone, Copy, Debug)]
pub struct Party<'a> {
    /// The id in the request.
    pub id: &'a ExecutionId,
    /// The state in the store, none if it was never registered.
    pub state: Option<ExecutionState>,
}

/// A consequence that a request names, and what the store has of it.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// The id in the request.
    pub id: &'a ConsequenceId,
    /// The row in the store, if there is one.
    pub row: Option<&'a ConsequenceRow>,
}

impl Party<'_> {
    fn active(self) -> Result<(), Refusal> {
        match self.state {
            None => Err(Refusal::ExecutionNotRegistered(self.id.clone())),
            Some(ExecutionState::Ended) => Err(Refusal::ExecutionNotActive(self.id.clone())),
            Some(ExecutionState::Active) => Ok(()),
        }
    }
}

impl<'a> Item<'a> {
    fn or(
        self,
        refusal: impl FnOnce(ConsequenceId) -> Refusal,
    ) -> Result<&'a ConsequenceRow, Refusal> {
        self.row.ok_or_else(|| refusal(self.id.clone()))
    }
}

/// `register`: the execution's new state.
///
/// # Errors
///
/// `execution_ended`.
pub fn register(execution: Party<'_>) -> Result<ExecutionState, Refusal> {
    match execution.state {
        Some(ExecutionState::Ended) => Err(Refusal::ExecutionEnded(execution.id.clone())),
        Some(ExecutionState::Active) | None => Ok(ExecutionState::Active),
    }
}

/// `end`: the execution's new state. `releasing` is the first, in the order of the ids, of those
/// consequences in its custody that are being released.
///
/// From then on each consequence that it held is what [`after_end`] says.
///
/// # Errors
///
/// `execution_not_registered`, `execution_not_active`, `release_in_progress`.
pub fn end(
    execution: Party<'_>,
    releasing: Option<&ConsequenceId>,
) -> Result<ExecutionState, Refusal> {
    execution.active()?;
    match releasing {
        Some(id) => Err(Refusal::ReleaseInProgress(id.clone())),
        None => Ok(ExecutionState::Ended),
    }
}

/// Who has a consequence that is in this state once its `custodian` has ended: nobody, if it is
/// CONTAINED. A final one keeps its last custodian's id.
///
/// A store may write this down for each at the end of the execution, or find it whenever it looks
/// at one.
pub fn after_end(state: ReleaseState, custodian: ExecutionId) -> Option<ExecutionId> {
    match state {
        ReleaseState::Contained => None,
        ReleaseState::Released | ReleaseState::Uncertain => Some(custodian),
    }
}

/// `submit`: the new consequence. `existing` is what the store has under its id; `parent` what it
/// has under the parent's id, if the submission names one.
///
/// # Errors
///
/// `execution_not_registered`, `execution_not_active`, `consequence_exists`, `own_parent`,
/// `parent_not_found`, `parent_release_in_progress`, `parent_not_contained`,
/// `parent_not_in_custody`.
pub fn submit(
    execution: Option<ExecutionState>,
    existing: Option<&ConsequenceRow>,
    parent: Option<&ConsequenceRow>,
    submission: Submission,
) -> Result<ConsequenceRow, Refusal> {
    let submitter = &submission.execution;
    Party { id: submitter, state: execution }.active()?;
    if existing.is_some() {
        return Err(Refusal::ConsequenceExists(submission.consequence));
    }
    if let Some(id) = &submission.parent {
        if *id == submission.consequence {
            return Err(Refusal::OwnParent(id.clone()));
        }
        let parent = Item { id, row: parent }.or(Refusal::ParentNotFound)?;
        if parent.mark.is_some() {
            return Err(Refusal::ParentReleaseInProgress(id.clone()));
        }
        if !parent.is_contained() {
            return Err(Refusal::ParentNotContained(id.clone(), parent.state()));
        }
        if !parent.is_held_by(submitter) {
            return Err(Refusal::ParentNotInCustody(id.clone(), submitter.clone()));
        }
    }
    let snapshot = Snapshot {
        consequence_id: submission.consequence,
        origin_execution_id: submission.execution.clone(),
        current_execution_id: Some(submission.execution),
        parent_consequence_id: submission.parent,
        material: submission.material,
        release_state: ReleaseState::Contained,
    };
    Ok(ConsequenceRow { snapshot, mark: None })
}

/// `read`: the row, if the execution may see it.
///
/// # Errors
///
/// `execution_not_registered`, `execution_not_active`, `not_visible`.
pub fn read<'a>(execution: Party<'_>, item: Item<'a>) -> Result<&'a ConsequenceRow, Refusal> {
    execution.active()?;
    let not_visible = |id| Refusal::NotVisible(id, execution.id.clone());
    let row = item.or(not_visible)?;
    if row.is_held_by(execution.id) { Ok(row) } else { Err(not_visible(item.id.clone())) }
}

/// `transfer`: the row in the target's hands.
///
/// # Errors
///
/// `execution_not_registered` and `execution_not_active` for the source, then for the target;
/// `same_execution`, `not_visible`, `release_in_progress`, `not_contained`, `not_visible`.
pub fn transfer(
    source: Party<'_>,
    target: Party<'_>,
    item: Item<'_>,
) -> Result<ConsequenceRow, Refusal> {
    source.active()?;
    target.active()?;
    if source.id == target.id {
        return Err(Refusal::SameExecution(source.id.clone()));
    }
    let not_visible = |id| Refusal::NotVisible(id, source.id.clone());
    let row = item.or(not_visible)?;
    unmarked(row)?;
    if !row.is_contained() {
        return Err(Refusal::NotContained(row.id().clone(), row.state()));
    }
    if !row.is_held_by(source.id) {
        return Err(not_visible(row.id().clone()));
    }
    Ok(row.held_by(Some(target.id)))
}

/// `inspect`: the row, if it is quarantined.
///
/// # Errors
///
/// `not_quarantined`.
pub fn inspect(item: Item<'_>) -> Result<&ConsequenceRow, Refusal> {
    let row = item.or(Refusal::NotQuarantined)?;
    quarantined(row)?;
    Ok(row)
}

/// `adopt`: the row in the adopter's hands.
///
/// # Errors
///
/// `execution_not_registered`, `execution_not_active`, `consequence_not_found`,
/// `release_in_progress`, `not_adoptable`, `not_quarantined`.
pub fn adopt(execution: Party<'_>, item: Item<'_>) -> Result<ConsequenceRow, Refusal> {
    execution.active()?;
    let row = item.or(Refusal::ConsequenceNotFound)?;
    unmarked(row)?;
    if !row.is_contained() {
        return Err(Refusal::NotAdoptable(row.id().clone(), row.state()));
    }
    quarantined(row)?;
    Ok(row.held_by(Some(execution.id)))
}

/// `state`: what became of the consequence.
///
/// # Errors
///
/// `consequence_not_found`.
pub fn state(item: Item<'_>) -> Result<ReleaseState, Refusal> {
    item.or(Refusal::ConsequenceNotFound).map(ConsequenceRow::state)
}

/// Before the authority is asked: the row, if a release of it may be asked for.
///
/// # Errors
///
/// `execution_not_registered`, `execution_not_active`, `consequence_not_found`,
/// `release_in_progress`, `consequence_not_releasable`, `consequence_not_in_active_custody`,
/// `not_current_custodian`.
pub fn request_release<'a>(
    execution: Party<'_>,
    item: Item<'a>,
) -> Result<&'a ConsequenceRow, Refusal> {
    execution.active()?;
    let row = item.or(Refusal::ConsequenceNotFound)?;
    unmarked(row)?;
    releasable(row)?;
    if row.snapshot.current_execution_id.is_none() {
        return Err(Refusal::ConsequenceNotInActiveCustody(row.id().clone()));
    }
    if !row.is_held_by(execution.id) {
        return Err(Refusal::NotCurrentCustodian(row.id().clone(), execution.id.clone()));
    }
    Ok(row)
}

/// After the authority has answered: the row, if it is still there to be released.
///
/// Whoever holds a consequence that is CONTAINED is active, since ending an execution quarantines
/// what it holds; so the row alone tells whether the execution ended.
///
/// # Errors
///
/// `consequence_not_found`, `consequence_not_releasable`, `custody_changed_before_release`,
/// `release_in_progress`.
pub fn recheck_release<'a>(
    execution: &ExecutionId,
    item: Item<'a>,
) -> Result<&'a ConsequenceRow, Refusal> {
    let row = item.or(Refusal::ConsequenceNotFound)?;
    releasable(row)?;
    if !row.is_held_by(execution) {
        let (id, execution) = (row.id().clone(), execution.clone());
        return Err(Refusal::CustodyChangedBeforeRelease(id, execution));
    }
    unmarked(row)?;
    Ok(row)
}

/// The row with the mark of this attempt. `consumed` is the first of the decisions that the attempt
/// would use up and that was used up before. The store keeps the others with the mark.
///
/// # Errors
///
/// Those of [`recheck_release`], then `authority_consumed`.
pub fn mark(
    execution: &ExecutionId,
    item: Item<'_>,
    consumed: Option<&DecisionId>,
    attempt: MarkRow,
) -> Result<ConsequenceRow, Refusal> {
    let mut row = recheck_release(execution, item)?.clone();
    if let Some(decision) = consumed {
        return Err(Refusal::DecisionConsumed(decision.clone()));
    }
    row.mark = Some(attempt);
    Ok(row)
}

/// The row after the attempt that holds `mark` has ended. The mark must be the row's in everything:
/// consequence, custodian, attempt and fencing number.
///
/// # Errors
///
/// `stale_attempt`.
pub fn settle(
    mark: &Mark,
    row: Option<&ConsequenceRow>,
    settlement: Settlement,
) -> Result<ConsequenceRow, Refusal> {
    let holds = |row: &&ConsequenceRow| {
        row.id() == mark.consequence()
            && row.is_held_by(mark.execution())
            && row
                .mark
                .as_ref()
                .is_some_and(|own| own.attempt == *mark.attempt() && own.fence == mark.fence())
    };
    let stale = || Refusal::StaleAttempt(mark.attempt().clone(), mark.consequence().clone());
    let mut row = row.filter(holds).ok_or_else(stale)?.clone();
    row.mark = None;
    row.snapshot.release_state = settlement.state();
    Ok(row)
}

fn unmarked(row: &ConsequenceRow) -> Result<(), Refusal> {
    match &row.mark {
        Some(_) => Err(Refusal::ReleaseInProgress(row.id().clone())),
        None => Ok(()),
    }
}

fn releasable(row: &ConsequenceRow) -> Result<(), Refusal> {
    if row.is_contained() {
        return Ok(());
    }
    Err(Refusal::ConsequenceNotReleasable(row.id().clone(), row.state()))
}

fn quarantined(row: &ConsequenceRow) -> Result<(), Refusal> {
    if row.is_contained() && row.snapshot.current_execution_id.is_none() {
        return Ok(());
    }
    Err(Refusal::NotQuarantined(row.id().clone()))
}
