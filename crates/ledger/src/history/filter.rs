use rusqlite::types::Value;
use swampbox_custody::{ConsequenceId, ExecutionId, ExecutionState, ReleaseState};

use super::page::Bounds;
use super::{Consequence, parameter};

/// Which events, and how many. For the next page take `from` one greater than the last sequence number
/// of this one.
#[derive(Clone, Debug)]
pub struct EventFilter {
    /// Only those by this execution, and transfers to it.
    pub execution: Option<ExecutionId>,
    /// Only those about this consequence.
    pub consequence: Option<ConsequenceId>,
    /// Only those with this sequence number or a greater one.
    pub from: u64,
    /// This many at the most.
    pub limit: usize,
    /// No more once their bodies have this many bytes. The first comes however long it is.
    pub bytes: usize,
}

/// Which executions, and how many. For the next page take `after` the last id of this one.
#[derive(Clone, Debug)]
pub struct ExecutionFilter {
    /// Only those in this state.
    pub state: Option<ExecutionState>,
    /// Only those whose ids come after this one.
    pub after: Option<ExecutionId>,
    /// This many at the most.
    pub limit: usize,
}

/// Which consequences, and how many. For the next page take `after` the last id of this one.
#[derive(Clone, Debug)]
pub struct ConsequenceFilter {
    /// Only those in this state.
    pub state: Option<ReleaseState>,
    /// Only those that this execution holds, or held last.
    pub custodian: Option<ExecutionId>,
    /// Only those that this execution submitted.
    pub origin: Option<ExecutionId>,
    /// Only those of exactly this type.
    pub consequence_type: Option<String>,
    /// Only those with exactly this target.
    pub target: Option<String>,
    /// Only those that are quarantined.
    pub quarantined: bool,
    /// Only those that were derived from this one.
    pub parent: Option<ConsequenceId>,
    /// Only those whose ids come after this one.
    pub after: Option<ConsequenceId>,
    /// This many at the most.
    pub limit: usize,
    /// No more once their materials have this many bytes. The first comes however long it is.
    pub bytes: usize,
}

impl Default for EventFilter {
    /// All of them.
    fn default() -> Self {
        Self { execution: None, consequence: None, from: 0, limit: usize::MAX, bytes: usize::MAX }
    }
}

impl Default for ExecutionFilter {
    /// All of them.
    fn default() -> Self {
        Self { state: None, after: None, limit: usize::MAX }
    }
}

impl Default for ConsequenceFilter {
    /// All of them.
    fn default() -> Self {
        Self {
            state: None,
            custodian: None,
            origin: None,
            consequence_type: None,
            target: None,
            quarantined: false,
            parent: None,
            after: None,
            limit: usize::MAX,
            bytes: usize::MAX,
        }
    }
}

impl EventFilter {
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { limit: self.limit, bytes: self.bytes }
    }

    /// A condition for events about anything, and its parameters with that of a limit after them: one
    /// more, so that it is seen whether there is one.
    pub(super) fn to_sql(&self) -> (String, Vec<Value>) {
        let mut sql = String::from(" WHERE sequence >= ?");
        let mut values = vec![number(self.from)];
        if let Some(execution) = &self.execution {
            sql.push_str(" AND (execution = ? OR recipient = ?)");
            values.extend([parameter(execution), parameter(execution)]);
        }
        values.push(one_more_than(self.limit));
        (sql, values)
    }
}

impl ExecutionFilter {
    /// A condition, and its parameters with that of a limit after them.
    pub(super) fn to_sql(&self) -> (String, Vec<Value>) {
        let mut conditions = Vec::new();
        let mut values = Vec::new();
        if let Some(state) = self.state {
            conditions.push(format!("state = '{state}'"));
        }
        if let Some(after) = &self.after {
            conditions.push("id > ?".to_owned());
            values.push(parameter(after));
        }
        values.push(number(self.limit as u64));
        (all_of(&conditions), values)
    }
}

impl ConsequenceFilter {
    /// A condition for what has a column, and its parameters.
    pub(super) fn to_sql(&self) -> (String, Vec<Value>) {
        let mut conditions = Vec::new();
        let mut values = Vec::new();
        if let Some(state) = self.state {
            conditions.push(format!("state = '{state}'"));
        }
        if self.quarantined {
            conditions.push("custodian IS NULL AND state = 'CONTAINED'".to_owned());
        }
        let ids = [("custodian = ?", &self.custodian), ("origin = ?", &self.origin)];
        for (condition, id) in ids {
            if let Some(id) = id {
                conditions.push(condition.to_owned());
                values.push(parameter(id));
            }
        }
        if let Some(parent) = &self.parent {
            conditions.push("parent = ?".to_owned());
            values.push(parameter(parent));
        }
        if let Some(after) = &self.after {
            conditions.push("id > ?".to_owned());
            values.push(parameter(after));
        }
        (all_of(&conditions), values)
    }

    pub(super) fn bounds(&self) -> Bounds {
        Bounds { limit: self.limit, bytes: self.bytes }
    }

    /// The rest of the condition.
    pub(super) fn wants(&self, consequence: &Consequence) -> bool {
        let material = &consequence.snapshot.material;
        let wants = |wanted: &Option<String>, found: &str| match wanted {
            Some(wanted) => wanted == found,
            None => true,
        };
        wants(&self.consequence_type, material.consequence_type())
            && wants(&self.target, material.target())
    }
}

fn all_of(conditions: &[String]) -> String {
    match conditions {
        [] => String::new(),
        conditions => format!(" WHERE {}", conditions.join(" AND ")),
    }
}

fn one_more_than(limit: usize) -> Value {
    number((limit as u64).saturating_add(1))
}

/// No ledger has more rows than the greatest number that SQLite knows.
fn number(number: u64) -> Value {
    Value::from(i64::try_from(number).unwrap_or(i64::MAX))
}
