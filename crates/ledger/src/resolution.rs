//! What was found out about an UNCERTAIN consequence. It explains the state, and never changes it.

use std::fmt;
use std::str::FromStr;

use rusqlite::Connection;
use swampbox_custody::{
    ConsequenceId, CustodyError, MAX_IDENTIFIER_BYTES, ReleaseState, StoreFailure,
};
use swampbox_material::json::{Json, MAX_DOCUMENT_VALUES};
use swampbox_material::{Code, Shown, Value};

use crate::LedgerCustody;
use crate::error::Failure;
use crate::event::Kind;
use crate::rows;
use crate::writer::Batch;

/// What somebody found out about an UNCERTAIN consequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    verdict: Finding,
    evidence: Value,
    // INVARIANT (by): not blank, of at most MAX_IDENTIFIER_BYTES bytes, without control characters.
    by: String,
}

/// Whether an effect happened, as far as it could be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It happened.
    ConfirmedExecuted,
    /// It did not happen.
    ConfirmedNotExecuted,
    /// It could not be found out.
    Unresolved,
}

impl Resolution {
    /// A resolution with the evidence that it rests on, and who made it.
    ///
    /// # Errors
    ///
    /// `invalid_identifier` if `by` is blank, longer than [`MAX_IDENTIFIER_BYTES`], or holds a
    /// control character.
    pub fn new(
        verdict: Finding,
        evidence: Value,
        by: impl Into<String>,
    ) -> Result<Self, ResolutionError> {
        let by = by.into();
        let usable = !by.trim().is_empty()
            && by.len() <= MAX_IDENTIFIER_BYTES
            && !by.contains(char::is_control);
        if usable { Ok(Self { verdict, evidence, by }) } else { Err(ResolutionError::NoName(by)) }
    }

    /// Whether the effect happened.
    pub fn verdict(&self) -> Finding {
        self.verdict
    }

    /// What that rests on.
    pub fn evidence(&self) -> &Value {
        &self.evidence
    }

    /// Who found it out.
    pub fn by(&self) -> &str {
        &self.by
    }
}

impl Finding {
    /// `confirmed_executed`, `confirmed_not_executed` or `unresolved`.
    pub fn as_str(self) -> &'static str {
        match self {
            Finding::ConfirmedExecuted => "confirmed_executed",
            Finding::ConfirmedNotExecuted => "confirmed_not_executed",
            Finding::Unresolved => "unresolved",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Finding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Finding::ConfirmedExecuted, Finding::ConfirmedNotExecuted, Finding::Unresolved];
        let found = all.into_iter().find(|finding| finding.as_str() == text);
        found.ok_or_else(|| {
            let names = all.map(Finding::as_str).join("`, `");
            format!("{} is no finding; known are `{names}`", Shown::brief(text))
        })
    }
}

/// A resolution can't be attached.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolutionError {
    /// `invalid_identifier`
    #[error("{} is not the name of who resolves it", Shown::brief(.0))]
    NoName(String),
    /// `consequence_not_found`
    #[error("there is no consequence {0:?}")]
    NotFound(ConsequenceId),
    /// `not_uncertain`
    #[error("consequence {0:?} is {1}, and only what is UNCERTAIN can be resolved")]
    NotUncertain(ConsequenceId, ReleaseState),
    /// `too_large`
    #[error(
        "the resolution of consequence {0:?} does not fit into a record of {1} bytes and {MAX_DOCUMENT_VALUES} values"
    )]
    TooLarge(ConsequenceId, usize),
    /// `store_unavailable`
    #[error(transparent)]
    Store(#[from] StoreFailure),
}

impl ResolutionError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            ResolutionError::NoName(_) => Code::InvalidIdentifier,
            ResolutionError::NotFound(_) => Code::ConsequenceNotFound,
            ResolutionError::NotUncertain(..) => Code::NotUncertain,
            ResolutionError::TooLarge(..) => Code::TooLarge,
            ResolutionError::Store(failure) => failure.code(),
        }
    }
}

impl LedgerCustody {
    /// Attaches a resolution to an UNCERTAIN consequence, which stays UNCERTAIN. There may be
    /// several; each stands as it was made.
    ///
    /// # Errors
    ///
    /// `consequence_not_found`, `not_uncertain`, `too_large`, `store_unavailable`.
    pub fn resolve(
        &self,
        consequence: &ConsequenceId,
        resolution: Resolution,
    ) -> Result<(), ResolutionError> {
        let id = consequence.clone();
        let attached = self.writer.run(move |batch| match batch.resolve(&id, &resolution) {
            // What the store did of it has to be undone.
            Err(ResolutionError::Store(failure)) => Err(failure.into()),
            attached => Ok(attached),
        });
        attached.map_err(|error| match error {
            CustodyError::Store(failure) => failure,
            CustodyError::Refused(refusal) => StoreFailure::new(refusal),
        })?
    }
}

impl Batch<'_> {
    /// What is refused is refused before anything is written.
    fn resolve(
        &mut self,
        consequence: &ConsequenceId,
        resolution: &Resolution,
    ) -> Result<(), ResolutionError> {
        let row = rows::consequence(self.connection(), consequence).map_err(StoreFailure::from)?;
        let row = row.ok_or_else(|| ResolutionError::NotFound(consequence.clone()))?;
        if row.snapshot.release_state != ReleaseState::Uncertain {
            let state = row.snapshot.release_state;
            return Err(ResolutionError::NotUncertain(consequence.clone(), state));
        }
        let body = Json::object([
            ("consequence_id", Json::from(consequence.as_str())),
            ("verdict", Json::from(resolution.verdict.as_str())),
            ("by", Json::from(resolution.by.as_str())),
            ("evidence", Json::from(&resolution.evidence)),
        ]);
        match self.event(Kind::Resolved, &body) {
            Err(Failure::TooLarge(limit)) => {
                return Err(ResolutionError::TooLarge(consequence.clone(), limit));
            }
            noted => noted.map_err(StoreFailure::from)?,
        }
        let inserted = insert(self.connection(), self.head().length, consequence, resolution);
        Ok(inserted.map_err(StoreFailure::from)?)
    }
}

/// Stores a resolution beside the event that it was attached by.
pub(crate) fn insert(
    connection: &Connection,
    sequence: u64,
    consequence: &ConsequenceId,
    resolution: &Resolution,
) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "INSERT INTO resolutions (sequence, consequence, verdict, resolved_by, evidence)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((
            rows::to_integer(sequence)?,
            consequence.as_str(),
            resolution.verdict.as_str(),
            &resolution.by,
            resolution.evidence.to_json(),
        ))?;
    Ok(())
}
