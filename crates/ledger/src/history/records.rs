use rusqlite::Row;
use swampbox_custody::{
    AttemptId, ConsequenceId, ConsequenceRow, ExecutionId, ExecutionState, Settlement, Snapshot,
};
use swampbox_material::Value;
use swampbox_material::json::Json;

use crate::attempts::{settlement, settlement_name};
use crate::error::Failure;
use crate::resolution::Resolution;
use crate::rows::{self, from_integer};

/// An execution, as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Execution {
    /// Its id.
    pub id: ExecutionId,
    /// Whether it may still act.
    pub state: ExecutionState,
    /// What its life hangs on, as a document; none if it is bound to nothing.
    pub binding: Option<Json>,
}

/// A consequence, as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consequence {
    /// What everybody may see of it.
    pub snapshot: Snapshot,
    /// The attempt that is releasing it now, if one is.
    pub releasing: Option<AttemptId>,
}

/// An attempt to release a consequence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// Its id.
    pub id: AttemptId,
    /// Its fencing number: greater than that of every earlier attempt.
    pub fence: u64,
    /// Who ran it: one process's use of the ledger.
    pub instance: String,
    /// The custodian for whom the consequence was to be released.
    pub execution: ExecutionId,
    /// The consequence.
    pub consequence: ConsequenceId,
    /// The decision that allowed it, as it was received.
    pub decision: String,
    /// The SHA-256 digest of that text, in hexadecimal digits.
    pub decision_digest: String,
    /// When the decision was validated, in RFC 3339.
    pub admitted_at: String,
    /// The authority provider.
    pub provider: String,
    /// The actuator.
    pub actuator: String,
    /// What the decision rests on, as JSON text, if the provider told.
    pub basis: Option<String>,
    /// How it ended, and in words what that rests on; none while it goes on.
    pub ended: Option<(Settlement, String)>,
}

/// How much waits for somebody to look into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// How many consequences are quarantined.
    pub quarantined: u64,
    /// How many are UNCERTAIN and have no resolution.
    pub unresolved: u64,
}

/// An attempt in short: without the decision that it was made under.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Its fencing number.
    pub fence: u64,
    /// The consequence.
    pub consequence: ConsequenceId,
    /// When the decision was validated, in RFC 3339.
    pub admitted_at: String,
    /// The actuator.
    pub actuator: String,
    /// How it ended; none while it goes on.
    pub settlement: Option<Settlement>,
}

/// A resolution, as it was attached to a consequence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attached {
    /// The event that attached it.
    pub sequence: u64,
    /// When that was, in RFC 3339; none if the clock could not be read.
    pub at: Option<String>,
    /// The consequence.
    pub consequence: ConsequenceId,
    /// What was found out.
    pub resolution: Resolution,
}

impl Execution {
    pub(super) const COLUMNS: &'static str =
        "id, state, binding FROM executions LEFT JOIN bindings ON execution = id";

    pub(super) fn read(row: &Row<'_>) -> Result<Self, Failure> {
        let binding: Option<String> = row.get(2)?;
        Ok(Self {
            id: rows::id(row, 0)?,
            state: rows::execution_state(&row.get::<_, String>(1)?)?,
            binding: binding.map(|text| Json::read(text.as_bytes())).transpose()?,
        })
    }

    /// The execution as a document.
    pub fn to_document(&self) -> Json {
        Json::object([
            ("execution_id", Json::from(self.id.as_str())),
            ("state", Json::from(self.state.as_str())),
            ("binding", self.binding.clone().unwrap_or(Json::Null)),
        ])
    }
}

impl Consequence {
    /// The consequence as a document: the snapshot's fields, and whether it is being released.
    pub fn to_document(&self) -> Json {
        let snapshot = self.snapshot.to_document();
        let fields = snapshot.as_object().into_iter().flat_map(|object| object.iter());
        let fields = fields.map(|(key, value)| (key.clone(), value.clone()));
        let releasing = Json::Bool(self.releasing.is_some());
        Json::object(fields.chain([("release_in_progress".into(), releasing)]))
    }
}

impl From<ConsequenceRow> for Consequence {
    fn from(row: ConsequenceRow) -> Self {
        Self { snapshot: row.snapshot, releasing: row.mark.map(|mark| mark.attempt) }
    }
}

impl Attempt {
    pub(super) const COLUMNS: &'static str =
        "id, fence, instance, execution, consequence, decision,
        decision_digest, admitted_at, provider, actuator, settlement, detail, basis FROM attempts";

    /// The longest of them.
    pub(super) const DECISION: usize = 5;

    pub(super) fn read(row: &Row<'_>) -> Result<Self, Failure> {
        let ended = match (row.get::<_, Option<String>>(10)?, row.get::<_, Option<String>>(11)?) {
            (Some(name), detail) => Some((ended_as(&name)?, detail.unwrap_or_default())),
            (None, _) => None,
        };
        Ok(Self {
            id: rows::id(row, 0)?,
            fence: from_integer(row.get(1)?),
            instance: row.get(2)?,
            execution: rows::id(row, 3)?,
            consequence: rows::id(row, 4)?,
            decision: row.get(5)?,
            decision_digest: row.get(6)?,
            admitted_at: row.get(7)?,
            provider: row.get(8)?,
            actuator: row.get(9)?,
            basis: row.get(12)?,
            ended,
        })
    }

    /// The attempt as a document, the decision as the text that was received.
    pub fn to_document(&self) -> Json {
        let (settlement, detail) = match &self.ended {
            None => (Json::Null, Json::Null),
            Some((settlement, detail)) => {
                (Json::from(settlement_name(*settlement)), Json::from(detail.as_str()))
            }
        };
        Json::object([
            ("attempt_id", Json::from(self.id.as_str())),
            ("fence", Json::from(self.fence)),
            ("instance", Json::from(self.instance.as_str())),
            ("execution_id", Json::from(self.execution.as_str())),
            ("consequence_id", Json::from(self.consequence.as_str())),
            ("decision", Json::from(self.decision.as_str())),
            ("decision_digest", Json::from(self.decision_digest.as_str())),
            ("admitted_at", Json::from(self.admitted_at.as_str())),
            ("provider", Json::from(self.provider.as_str())),
            ("actuator", Json::from(self.actuator.as_str())),
            ("basis", self.basis.as_deref().map_or(Json::Null, Json::from)),
            ("settlement", settlement),
            ("detail", detail),
        ])
    }
}

impl Outcome {
    pub(super) const COLUMNS: &'static str =
        "fence, consequence, admitted_at, actuator, settlement FROM attempts";

    pub(super) fn read(row: &Row<'_>) -> Result<Self, Failure> {
        let settlement =
            row.get::<_, Option<String>>(4)?.map(|name| ended_as(&name)).transpose()?;
        Ok(Self {
            fence: from_integer(row.get(0)?),
            consequence: rows::id(row, 1)?,
            admitted_at: row.get(2)?,
            actuator: row.get(3)?,
            settlement,
        })
    }
}

fn ended_as(name: &str) -> Result<Settlement, Failure> {
    settlement(name).ok_or_else(|| Failure::corrupt(format!("no attempt ends as `{name}`")))
}

impl Attached {
    pub(super) const COLUMNS: &'static str = "sequence, at, resolutions.consequence, verdict,
        resolved_by, evidence FROM resolutions JOIN events USING (sequence)";

    /// The longest of them.
    pub(super) const EVIDENCE: usize = 5;

    pub(super) fn read(row: &Row<'_>) -> Result<Self, Failure> {
        let verdict = row.get::<_, String>(3)?.parse().map_err(Failure::corrupt)?;
        let evidence = Value::from_json(row.get::<_, String>(5)?.as_bytes())?;
        let resolution = Resolution::new(verdict, evidence, row.get::<_, String>(4)?);
        Ok(Self {
            sequence: from_integer(row.get(0)?),
            at: row.get(1)?,
            consequence: rows::id(row, 2)?,
            resolution: resolution.map_err(Failure::corrupt)?,
        })
    }

    /// The resolution as a document.
    pub fn to_document(&self) -> Json {
        let resolution = &self.resolution;
        Json::object([
            ("sequence", Json::from(self.sequence)),
            ("at", self.at.as_deref().map_or(Json::Null, Json::from)),
            ("consequence_id", Json::from(self.consequence.as_str())),
            ("verdict", Json::from(resolution.verdict().as_str())),
            ("by", Json::from(resolution.by())),
            ("evidence", Json::from(resolution.evidence())),
        ])
    }
}
