//! Rows of attempts.

use rusqlite::{Connection, OptionalExtension};
use swampbox_custody::{
    AttemptId, AttemptRecord, ConsequenceId, DecisionId, ExecutionId, Settlement,
};
use swampbox_material::json::Json;

use crate::error::Failure;
use crate::hex;
use crate::rows::{from_integer, to_integer};

/// What is written ahead of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttemptRow {
    pub(crate) id: AttemptId,
    pub(crate) fence: u64,
    pub(crate) intent: Intent,
}

/// What is known of an attempt before it has an id and a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Intent {
    /// Who runs it.
    pub(crate) instance: String,
    pub(crate) execution: ExecutionId,
    pub(crate) consequence: ConsequenceId,
    pub(crate) record: AttemptRecord,
    // INVARIANT (digest): of the record's decision.
    decision_digest: String,
}

impl Intent {
    pub(crate) fn new(
        instance: String,
        execution: ExecutionId,
        consequence: ConsequenceId,
        record: AttemptRecord,
    ) -> Self {
        let decision_digest = hex::sha256(&record.decision);
        Self { instance, execution, consequence, record, decision_digest }
    }

    /// The SHA-256 digest of the decision document as it was received.
    pub(crate) fn decision_digest(&self) -> &str {
        &self.decision_digest
    }
}

impl AttemptRow {
    /// The body of the event that it is marked by.
    pub(crate) fn to_document(&self) -> Json {
        let Intent { instance, execution, consequence, record, decision_digest } = &self.intent;
        Json::object([
            ("attempt_id", Json::from(self.id.as_str())),
            ("fence", Json::from(self.fence)),
            ("instance", Json::from(instance.as_str())),
            ("execution_id", Json::from(execution.as_str())),
            ("consequence_id", Json::from(consequence.as_str())),
            ("decision", Json::from(record.decision.as_str())),
            ("decision_digest", Json::from(decision_digest.as_str())),
            ("admitted_at", Json::from(record.admitted_at.as_str())),
            ("provider", Json::from(record.provider.as_str())),
            ("actuator", Json::from(record.actuator.as_str())),
            ("basis", record.basis.as_deref().map_or(Json::Null, Json::from)),
            ("consumes", Json::List(record.consumes.iter().map(named).collect())),
        ])
    }
}

/// The fencing number of the next attempt.
pub(crate) fn next_fence(connection: &Connection) -> Result<u64, Failure> {
    let last = "SELECT fence FROM attempts ORDER BY fence DESC LIMIT 1";
    let mut last = connection.prepare_cached(last)?;
    let last = last.query_row([], |row| row.get(0)).optional()?;
    Ok(last.map_or(0, from_integer) + 1)
}

pub(crate) fn insert(connection: &Connection, row: &AttemptRow) -> Result<(), Failure> {
    let Intent { instance, execution, consequence, record, decision_digest } = &row.intent;
    connection
        .prepare_cached(
            "INSERT INTO attempts (fence, id, instance, execution, consequence, decision,
                 decision_digest, admitted_at, provider, actuator, basis)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute((
            to_integer(row.fence)?,
            row.id.as_str(),
            instance,
            execution.as_str(),
            consequence.as_str(),
            &record.decision,
            decision_digest,
            &record.admitted_at,
            &record.provider,
            &record.actuator,
            &record.basis,
        ))?;
    for decision in &record.consumes {
        connection
            .prepare_cached("INSERT INTO consumed (decision, fence) VALUES (?1, ?2)")?
            .execute((decision.as_str(), to_integer(row.fence)?))?;
    }
    Ok(())
}

/// The first of these decisions that an attempt has used up.
pub(crate) fn first_consumed<'d>(
    connection: &Connection,
    decisions: &'d [DecisionId],
) -> Result<Option<&'d DecisionId>, Failure> {
    for decision in decisions {
        let mut query = connection.prepare_cached("SELECT 1 FROM consumed WHERE decision = ?1")?;
        if query.exists([decision.as_str()])? {
            return Ok(Some(decision));
        }
    }
    Ok(None)
}

/// Stores how an attempt ended.
pub(crate) fn close(
    connection: &Connection,
    fence: u64,
    settlement: Settlement,
    detail: &str,
) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "UPDATE OR FAIL attempts SET settlement = ?2, detail = ?3 WHERE fence = ?1",
        )?
        .execute((to_integer(fence)?, settlement_name(settlement), detail))?;
    Ok(())
}

/// How a settlement is stored.
pub(crate) fn settlement_name(settlement: Settlement) -> &'static str {
    match settlement {
        Settlement::NotEntered => "NOT_ENTERED",
        Settlement::NotExecuted => "NOT_EXECUTED",
        Settlement::Released => "RELEASED",
        Settlement::Uncertain => "UNCERTAIN",
    }
}

/// The settlement that is stored under this name.
pub(crate) fn settlement(name: &str) -> Option<Settlement> {
    let all = [
        Settlement::NotEntered,
        Settlement::NotExecuted,
        Settlement::Released,
        Settlement::Uncertain,
    ];
    all.into_iter().find(|settlement| settlement_name(*settlement) == name)
}

fn named(decision: &DecisionId) -> Json {
    Json::from(decision.as_str())
}
