use crate::{AttemptId, ConsequenceId, ExecutionId, ReleaseState, Snapshot};

/// What a store keeps of a mark: the attempt that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkRow {
    /// The attempt.
    pub attempt: AttemptId,
    /// Its fencing number.
    pub fence: u64,
}

/// A consequence as a store keeps it: its snapshot, and the mark of a release in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsequenceRow {
    /// What everybody may see of it.
    pub snapshot: Snapshot,
    /// The attempt that is releasing it, if one is.
    pub mark: Option<MarkRow>,
}

impl ConsequenceRow {
    pub(crate) fn id(&self) -> &ConsequenceId {
        &self.snapshot.consequence_id
    }

    pub(crate) fn state(&self) -> ReleaseState {
        self.snapshot.release_state
    }

    pub(crate) fn is_contained(&self) -> bool {
        self.state() == ReleaseState::Contained
    }

    pub(crate) fn is_held_by(&self, execution: &ExecutionId) -> bool {
        self.snapshot.current_execution_id.as_ref() == Some(execution)
    }

    /// The same row in other hands.
    pub(crate) fn held_by(&self, custodian: Option<&ExecutionId>) -> Self {
        let mut row = self.clone();
        row.snapshot.current_execution_id = custodian.cloned();
        row
    }
}
