//! Each operation that changes the ledger: load rows, ask the rule, store what it gives, and add
//! the event.

use swampbox_custody::rules::{self, Item, Party};
use swampbox_custody::{
    AttemptId, ConsequenceId, ConsequenceRow, CustodyError, ExecutionId, ExecutionState, Mark,
    MarkRow, Refusal, RefusedRelease, ReleaseState, Settlement, Snapshot, StoreFailure, Submission,
};
use swampbox_material::json::Json;

use crate::attempts::{self, AttemptRow, Intent, settlement_name};
use crate::binding;
use crate::error::Failure;
use crate::event::{Kind, MAX_BODY_BYTES};
use crate::hex;
use crate::rows;
use crate::schema::new_id;
use crate::writer::Batch;

/// The longest decision, and the longest basis of one, that is kept when it is refused, in bytes.
/// Escaped as JSON each of them takes up to six, and beside the two stand the ids.
const LONGEST_REFUSED: usize = (MAX_BODY_BYTES - 8 * 1024) / 12;

/// The longest words to an outcome, in bytes. What follows is left out: no outcome is lost because
/// too much was said about it.
const LONGEST_DETAIL: usize = 64 * 1024;

type Outcome<T> = Result<T, CustodyError>;

impl Batch<'_> {
    pub(crate) fn register(&mut self, execution: &ExecutionId) -> Outcome<ExecutionState> {
        let before = self.execution(execution)?;
        let state = rules::register(Party { id: execution, state: before })?;
        if before != Some(state) {
            stored(rows::put_execution(self.connection(), execution, state))?;
            self.note(Kind::Registered, [("execution_id", text(execution))])?;
        }
        Ok(state)
    }

    pub(crate) fn end(&mut self, execution: &ExecutionId) -> Outcome<ExecutionState> {
        let party = Party { id: execution, state: self.execution(execution)? };
        let releasing = stored(rows::first_releasing(self.connection(), execution))?;
        let state = rules::end(party, releasing.as_ref())?;
        stored(rows::put_execution(self.connection(), execution, state))?;
        stored(binding::remove(self.connection(), execution))?;
        self.note(Kind::Ended, [("execution_id", text(execution))])?;
        for consequence in stored(rows::contained(self.connection(), execution))? {
            let custodian = rules::after_end(ReleaseState::Contained, execution.clone());
            stored(rows::put_custodian(
                self.connection(),
                &consequence,
                custodian.as_ref(),
                self.next(),
            ))?;
            let id = ("consequence_id", text(&consequence));
            self.note(Kind::Quarantined, [id, ("execution_id", text(execution))])?;
        }
        Ok(state)
    }

    pub(crate) fn submit(&mut self, submission: Submission) -> Outcome<Snapshot> {
        let execution = self.execution(&submission.execution)?;
        let existing = self.consequence(&submission.consequence)?;
        let parent = submission.parent.as_ref().map(|id| self.consequence(id)).transpose()?;
        let parent = parent.flatten();
        let row = rules::submit(execution, existing.as_ref(), parent.as_ref(), submission)?;
        let material = row.snapshot.material.to_document().to_string();
        stored(rows::insert_consequence(self.connection(), &row, &material, self.next()))?;
        match self.event(Kind::Submitted, &row.snapshot.to_document()) {
            Err(Failure::TooLarge(limit)) => {
                return Err(Refusal::TooLarge(row.snapshot.consequence_id, limit).into());
            }
            noted => stored(noted)?,
        }
        self.submitted(&row, material.len());
        Ok(row.snapshot)
    }

    pub(crate) fn transfer(
        &mut self,
        source: &ExecutionId,
        target: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Outcome<Snapshot> {
        let from = Party { id: source, state: self.execution(source)? };
        let to = Party { id: target, state: self.execution(target)? };
        let row = self.consequence(consequence)?;
        let row = rules::transfer(from, to, Item { id: consequence, row: row.as_ref() })?;
        stored(rows::put_custodian(
            self.connection(),
            consequence,
            row.snapshot.current_execution_id.as_ref(),
            self.next(),
        ))?;
        let body = [
            ("consequence_id", text(consequence)),
            ("source", text(source)),
            ("target", text(target)),
        ];
        self.note(Kind::Transferred, body)?;
        Ok(row.snapshot)
    }

    pub(crate) fn adopt(
        &mut self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Outcome<Snapshot> {
        let party = Party { id: execution, state: self.execution(execution)? };
        let row = self.consequence(consequence)?;
        let row = rules::adopt(party, Item { id: consequence, row: row.as_ref() })?;
        stored(rows::put_custodian(
            self.connection(),
            consequence,
            row.snapshot.current_execution_id.as_ref(),
            self.next(),
        ))?;
        let body = [("consequence_id", text(consequence)), ("execution_id", text(execution))];
        self.note(Kind::Adopted, body)?;
        Ok(row.snapshot)
    }

    pub(crate) fn mark(&mut self, intent: &Intent) -> Outcome<Mark> {
        let Intent { execution, consequence, record, .. } = intent;
        let row = stored(rows::without_material(self.connection(), consequence))?;
        let fence = stored(attempts::next_fence(self.connection()))?;
        let id: AttemptId = stored(rows::parsed(&new_id()))?;
        let mark = MarkRow { attempt: id.clone(), fence };
        let consumed = stored(attempts::first_consumed(self.connection(), &record.consumes))?;
        let item = Item { id: consequence, row: row.as_ref() };
        let row = rules::mark(execution, item, consumed, mark)?;
        let attempt = AttemptRow { id, fence, intent: intent.clone() };
        stored(rows::put_release(self.connection(), &row, self.next()))?;
        stored(attempts::insert(self.connection(), &attempt))?;
        stored(self.event(Kind::Marked, &attempt.to_document()))?;
        Ok(Mark::issue(attempt.id, execution.clone(), consequence.clone(), fence))
    }

    /// Settles an attempt. That an attempt which no longer holds the mark tried to is an event too,
    /// and so not an error of this transaction.
    pub(crate) fn settle(
        &mut self,
        kind: Kind,
        mark: &Mark,
        settlement: Settlement,
        detail: &str,
    ) -> Outcome<Result<(), Refusal>> {
        let row = stored(rows::without_material(self.connection(), mark.consequence()))?;
        let detail = detail.get(..detail.floor_char_boundary(LONGEST_DETAIL)).unwrap_or(detail);
        let body = [
            ("attempt_id", text(mark.attempt())),
            ("fence", Json::from(mark.fence())),
            ("execution_id", text(mark.execution())),
            ("consequence_id", text(mark.consequence())),
            ("settlement", Json::from(settlement_name(settlement))),
            ("detail", Json::from(detail)),
        ];
        match rules::settle(mark, row.as_ref(), settlement) {
            Ok(row) => {
                stored(rows::put_release(self.connection(), &row, self.next()))?;
                stored(attempts::close(self.connection(), mark.fence(), settlement, detail))?;
                self.note(kind, body)?;
                Ok(Ok(()))
            }
            Err(refusal) => {
                self.note(Kind::SettlementRefused, body)?;
                Ok(Err(refusal))
            }
        }
    }

    pub(crate) fn refused(&mut self, refusal: &RefusedRelease) -> Outcome<()> {
        let decision = refusal.decision.as_deref();
        let short = |text: &&str| text.len() <= LONGEST_REFUSED;
        // The digest is there for one that is too long to be kept, too.
        let kept = decision.filter(short);
        let digest = decision.map(hex::sha256);
        let optional = |text: Option<&str>| text.map_or(Json::Null, Json::from);
        let body = [
            ("execution_id", text(&refusal.execution)),
            ("consequence_id", text(&refusal.consequence)),
            ("reason", Json::from(refusal.reason.as_str())),
            ("decision", optional(kept)),
            ("decision_digest", optional(digest.as_deref())),
            ("basis", optional(refusal.basis.as_deref().filter(short))),
        ];
        self.note(Kind::Refused, body)
    }

    fn execution(&self, id: &ExecutionId) -> Outcome<Option<ExecutionState>> {
        stored(rows::execution(self.connection(), id))
    }

    fn consequence(&self, id: &ConsequenceId) -> Outcome<Option<ConsequenceRow>> {
        stored(rows::consequence(self.connection(), id))
    }

    fn note<const N: usize>(&mut self, kind: Kind, body: [(&str, Json); N]) -> Outcome<()> {
        stored(self.event(kind, &Json::object(body)))
    }
}

fn stored<T>(result: Result<T, Failure>) -> Outcome<T> {
    result.map_err(|failure| StoreFailure::from(failure).into())
}

fn text(id: &impl AsRef<str>) -> Json {
    Json::from(id.as_ref())
}
