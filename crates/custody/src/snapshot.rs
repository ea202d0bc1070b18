use std::fmt;

use serde::Serialize;
use swampbox_material::Material;
use swampbox_material::json::Json;

use crate::{ConsequenceId, ExecutionId};

/// Whether an execution may still act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ExecutionState {
    /// It may act.
    Active,
    /// It has ended, for good.
    Ended,
}

/// What became of a consequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReleaseState {
    /// It is held; nothing of it has happened.
    Contained,
    /// It happened. Final.
    Released,
    /// Nobody knows whether it happened. Final, and never a reason to try again.
    Uncertain,
}

impl ExecutionState {
    /// `ACTIVE` or `ENDED`.
    pub fn as_str(self) -> &'static str {
        match self {
            ExecutionState::Active => "ACTIVE",
            ExecutionState::Ended => "ENDED",
        }
    }
}

impl ReleaseState {
    /// `CONTAINED`, `RELEASED` or `UNCERTAIN`.
    pub fn as_str(self) -> &'static str {
        match self {
            ReleaseState::Contained => "CONTAINED",
            ReleaseState::Released => "RELEASED",
            ReleaseState::Uncertain => "UNCERTAIN",
        }
    }
}

impl fmt::Display for ExecutionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for ReleaseState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A consequence as it was at one moment. Detached: nothing done to it changes the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its id.
    pub consequence_id: ConsequenceId,
    /// The execution that submitted it.
    pub origin_execution_id: ExecutionId,
    /// The execution that holds it, none in quarantine. Of a final one: the last that held it.
    pub current_execution_id: Option<ExecutionId>,
    /// The consequence that it was derived from, none for a root.
    pub parent_consequence_id: Option<ConsequenceId>,
    /// What it would do.
    pub material: Material,
    /// What became of it.
    pub release_state: ReleaseState,
}

impl Snapshot {
    /// The snapshot as a document, the material's fields beside the others.
    pub fn to_document(&self) -> Json {
        let optional = |id: Option<&str>| id.map_or(Json::Null, Json::from);
        let current = self.current_execution_id.as_ref().map(ExecutionId::as_str);
        let parent = self.parent_consequence_id.as_ref().map(ConsequenceId::as_str);
        Json::object([
            ("consequence_id", Json::from(self.consequence_id.as_str())),
            ("origin_execution_id", Json::from(self.origin_execution_id.as_str())),
            ("current_execution_id", optional(current)),
            ("parent_consequence_id", optional(parent)),
            ("consequence_type", Json::String(self.material.consequence_type().clone())),
            ("target", Json::String(self.material.target().clone())),
            ("payload", Json::from(self.material.payload())),
            ("release_state", Json::from(self.release_state.as_str())),
        ])
    }
}
