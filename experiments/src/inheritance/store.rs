//! Artifacts: records of intended consequences that outlive whoever made them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What an artifact would do if it ran. Two consequences are the same only if all fields are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Consequence {
    /// The kind of effect.
    pub consequence_type: String,
    /// What the effect acts on.
    pub target: String,
    /// What it does there.
    pub payload: String,
}

/// A record of an intended consequence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artifact {
    /// The id, unique within a store.
    pub artifact_id: String,
    /// Who made it.
    pub author: String,
    /// What it would do.
    pub consequence: Consequence,
    /// Where it came from: claims about its past, in order. Nothing here is a permission.
    pub provenance: Vec<String>,
}

/// Whether an author still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthorState {
    /// The author runs.
    Active,
    /// The author has ended and writes nothing more.
    Ended,
}

/// Why the store refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The author has ended.
    #[error("the author has ended; an ended author publishes nothing")]
    AuthorEnded,
    /// The id is in use.
    #[error("an artifact with this id exists; choose another id")]
    ArtifactExists,
}

impl StoreError {
    /// The stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::AuthorEnded => "author_ended",
            Self::ArtifactExists => "artifact_exists",
        }
    }
}

/// Holds artifacts and knows which authors have ended. Reading asks nobody.
#[derive(Debug, Default)]
pub struct ArtifactStore {
    artifacts: BTreeMap<String, Artifact>,
    authors: BTreeMap<String, AuthorState>,
}

impl ArtifactStore {
    /// Keeps `artifact`.
    ///
    /// # Errors
    ///
    /// [`StoreError::AuthorEnded`] and [`StoreError::ArtifactExists`]. Nothing is kept then.
    pub fn publish(&mut self, artifact: Artifact) -> Result<(), StoreError> {
        if self.author(&artifact.author) == Some(AuthorState::Ended) {
            return Err(StoreError::AuthorEnded);
        }
        if self.artifacts.contains_key(&artifact.artifact_id) {
            return Err(StoreError::ArtifactExists);
        }
        self.authors.insert(artifact.author.clone(), AuthorState::Active);
        self.artifacts.insert(artifact.artifact_id.clone(), artifact);
        Ok(())
    }

    /// Ends `author`. The author's artifacts stay.
    pub fn end(&mut self, author: &str) {
        self.authors.insert(author.to_owned(), AuthorState::Ended);
    }

    /// The artifact, whoever asks and whether or not its author still runs.
    pub fn read(&self, artifact_id: &str) -> Option<&Artifact> {
        self.artifacts.get(artifact_id)
    }

    /// The state of `author`, if it ever published or ended.
    pub fn author(&self, author: &str) -> Option<AuthorState> {
        self.authors.get(author).copied()
    }
}
