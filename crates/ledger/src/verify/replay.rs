//! What the events give, kept as plainly as can be. Not by the rules of custody, so that a mistake in
//! those shows here.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::mem;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use swampbox_custody::{ExecutionState, ReleaseState, Settlement, Snapshot};

use crate::attempts::AttemptRow;
use crate::change::{Change, Settled};
use crate::event::Kind;
use crate::format;
use crate::resolution::Resolution;

/// Every row that the events so far give. Long texts are kept as their SHA-256 digests.
#[derive(Default)]
pub(super) struct Replay {
    pub(super) executions: BTreeMap<Arc<str>, ExecutionState>,
    pub(super) bindings: BTreeMap<Arc<str>, String>,
    pub(super) consequences: BTreeMap<Arc<str>, Consequence>,
    pub(super) attempts: BTreeMap<u64, Attempt>,
    pub(super) resolutions: BTreeMap<u64, (Arc<str>, Resolution)>,
    /// The fencing number of the attempt that used each decision up.
    pub(super) consumed: BTreeMap<String, u64>,
    /// By kind and id.
    pub(super) records: BTreeMap<(String, String), Record>,
    /// Each as its consequence and its sequence number, with a line feed between them.
    pub(super) landmarks: BTreeSet<String>,
    /// Each text that comes again and again, once.
    texts: HashSet<Arc<str>>,
}

pub(super) struct Consequence {
    pub(super) origin: Arc<str>,
    pub(super) custodian: Option<Arc<str>>,
    pub(super) parent: Option<Arc<str>>,
    pub(super) state: ReleaseState,
    pub(super) fence: Option<u64>,
    pub(super) latest: u64,
    pub(super) told: u64,
    pub(super) custody_changed: u64,
    pub(super) material: [u8; 32],
}

pub(super) struct Attempt {
    pub(super) id: Box<str>,
    pub(super) instance: Arc<str>,
    pub(super) execution: Arc<str>,
    pub(super) consequence: Arc<str>,
    pub(super) decision: [u8; 32],
    pub(super) admitted_at: Box<str>,
    pub(super) provider: Arc<str>,
    pub(super) actuator: Arc<str>,
    pub(super) basis: Option<[u8; 32]>,
    pub(super) ended: Option<(Settlement, Box<str>)>,
}

pub(super) struct Record {
    pub(super) version: u64,
    pub(super) status: String,
    pub(super) document: [u8; 32],
}

pub(super) struct Counts {
    pub(super) executions: usize,
    pub(super) consequences: usize,
    pub(super) attempts: usize,
    pub(super) resolutions: usize,
}

/// An event that could not have happened after those before it.
pub(super) struct Impossible {
    pub(super) expected: String,
    pub(super) found: String,
}

impl Replay {
    pub(super) fn counts(&self) -> Counts {
        Counts {
            executions: self.executions.len(),
            consequences: self.consequences.len(),
            attempts: self.attempts.len(),
            resolutions: self.resolutions.len(),
        }
    }

    pub(super) fn apply(&mut self, sequence: u64, change: Change) -> Result<(), Impossible> {
        match change {
            Change::Registered(execution) => {
                let id = self.text(execution.as_str());
                match self.executions.insert(id, ExecutionState::Active) {
                    None => Ok(()),
                    Some(state) => impossible("an execution that is new", state.as_str()),
                }
            }
            Change::Bound(execution, binding) => {
                self.expect_execution(execution.as_str(), ExecutionState::Active)?;
                let id = self.text(execution.as_str());
                self.bindings.insert(id, binding);
                Ok(())
            }
            Change::Reaped(execution) => {
                self.expect_execution(execution.as_str(), ExecutionState::Active)
            }
            Change::Ended(execution) => {
                let id = self.text(execution.as_str());
                self.expect_execution(&id, ExecutionState::Active)?;
                self.bindings.remove(&id);
                self.executions.insert(id, ExecutionState::Ended);
                Ok(())
            }
            Change::Quarantined(consequence, execution) => {
                self.expect_execution(execution.as_str(), ExecutionState::Ended)?;
                let row = self.held(consequence.as_str(), Some(execution.as_str()))?;
                row.custodian = None;
                Ok(())
            }
            Change::Submitted(snapshot) => self.submitted(&snapshot),
            Change::Transferred { consequence, source, target } => {
                self.expect_execution(source.as_str(), ExecutionState::Active)?;
                self.expect_execution(target.as_str(), ExecutionState::Active)?;
                let target = self.text(target.as_str());
                let row = self.held(consequence.as_str(), Some(source.as_str()))?;
                row.custodian = Some(target);
                Ok(())
            }
            Change::Adopted(consequence, execution) => {
                self.expect_execution(execution.as_str(), ExecutionState::Active)?;
                let execution = self.text(execution.as_str());
                let row = self.held(consequence.as_str(), None)?;
                row.custodian = Some(execution);
                Ok(())
            }
            Change::Marked(attempt) => self.marked(&attempt),
            Change::Settled(settled) => self.settled(&settled),
            Change::Resolved(consequence, resolution) => {
                let id = self.text(consequence.as_str());
                let state = self.consequences.get(&id).map(|row| row.state);
                if state != Some(ReleaseState::Uncertain) {
                    let found = state.map_or("none", ReleaseState::as_str);
                    return impossible("a consequence that is UNCERTAIN", found);
                }
                self.resolutions.insert(sequence, (id, resolution));
                Ok(())
            }
            Change::Recorded(record) => {
                let document = digest(&record.document.to_string());
                let kept = Record { version: sequence, status: record.status, document };
                self.records.insert((record.kind, record.id), kept);
                Ok(())
            }
            Change::Checkpoint(_) | Change::Nothing => Ok(()),
        }
    }

    /// Notes an event about a consequence, and gives the one before it, or 0; none if the consequence is not
    /// there.
    pub(super) fn tell(&mut self, sequence: u64, consequence: &str, kind: Kind) -> Option<u64> {
        let row = self.consequences.get_mut(consequence);
        let before = row.map(|row| {
            row.told += 1;
            if kind.changes_custody() {
                row.custody_changed = sequence;
            }
            (mem::replace(&mut row.latest, sequence), row.told)
        });
        if before.is_none_or(|(_, told)| told % format::LANDMARK == 0) {
            self.landmarks.insert(format!("{consequence}\n{sequence}"));
        }
        before.map(|(before, _)| before)
    }

    fn submitted(&mut self, snapshot: &Snapshot) -> Result<(), Impossible> {
        let origin = self.text(snapshot.origin_execution_id.as_str());
        self.expect_execution(&origin, ExecutionState::Active)?;
        let parent = snapshot.parent_consequence_id.as_ref().map(|id| self.text(id.as_str()));
        if let Some(parent) = &parent {
            self.held(parent, Some(&origin))?;
        }
        let material = snapshot.material.to_document().to_string();
        let row = Consequence {
            origin: origin.clone(),
            custodian: Some(origin),
            parent,
            state: ReleaseState::Contained,
            fence: None,
            latest: 0,
            told: 0,
            custody_changed: 0,
            material: digest(&material),
        };
        let id = self.text(snapshot.consequence_id.as_str());
        match self.consequences.insert(id, row) {
            None => Ok(()),
            Some(_) => impossible("a consequence that is new", "one of an id that was used"),
        }
    }

    fn marked(&mut self, attempt: &AttemptRow) -> Result<(), Impossible> {
        let last = self.attempts.last_key_value().map_or(0, |(fence, _)| *fence);
        if attempt.fence <= last {
            let found = format!("{} after {last}", attempt.fence);
            return impossible("a fencing number greater than all before", found);
        }
        let intent = &attempt.intent;
        for decision in &intent.record.consumes {
            if let Some(fence) = self.consumed.insert(decision.to_string(), attempt.fence) {
                let found = format!("one that attempt {fence} had used");
                return impossible("a decision that was not used up", found);
            }
        }
        let row = self.held(intent.consequence.as_str(), Some(intent.execution.as_str()))?;
        row.fence = Some(attempt.fence);
        let kept = Attempt {
            id: attempt.id.as_str().into(),
            instance: self.text(&intent.instance),
            execution: self.text(intent.execution.as_str()),
            consequence: self.text(intent.consequence.as_str()),
            decision: digest(&intent.record.decision),
            admitted_at: intent.record.admitted_at.as_str().into(),
            provider: self.text(&intent.record.provider),
            actuator: self.text(&intent.record.actuator),
            basis: intent.record.basis.as_deref().map(digest),
            ended: None,
        };
        self.attempts.insert(attempt.fence, kept);
        Ok(())
    }

    fn settled(&mut self, settled: &Settled) -> Result<(), Impossible> {
        let attempt = self.attempts.get_mut(&settled.fence).filter(|attempt| {
            *attempt.id == *settled.attempt.as_str()
                && *attempt.execution == *settled.execution.as_str()
                && *attempt.consequence == *settled.consequence.as_str()
                && attempt.ended.is_none()
        });
        let Some(attempt) = attempt else {
            return impossible("an attempt that was marked and has not ended", "none");
        };
        attempt.ended = Some((settled.settlement, settled.detail.as_str().into()));
        if let Some(row) = self.consequences.get_mut(settled.consequence.as_str()) {
            row.fence = None;
            row.state = settled.settlement.state();
        }
        Ok(())
    }

    fn expect_execution(&self, id: &str, state: ExecutionState) -> Result<(), Impossible> {
        match self.executions.get(id) {
            Some(found) if *found == state => Ok(()),
            found => {
                let found = found.map_or("none of this id", |state| state.as_str());
                impossible(format!("an execution that is {state}"), found)
            }
        }
    }

    /// A consequence that is CONTAINED, in these hands, and not being released.
    fn held(&mut self, id: &str, custodian: Option<&str>) -> Result<&mut Consequence, Impossible> {
        let Some(row) = self.consequences.get_mut(id) else {
            return impossible("a consequence that is there", "none of this id");
        };
        if row.state != ReleaseState::Contained {
            return impossible("a consequence that is CONTAINED", row.state.as_str());
        }
        if let Some(fence) = row.fence {
            let found = format!("one that attempt {fence} is releasing");
            return impossible("a consequence that nobody is releasing", found);
        }
        if row.custodian.as_deref() != custodian {
            let hands = |custodian: Option<&str>| match custodian {
                Some(id) => format!("held by {id:?}"),
                None => "in quarantine".to_owned(),
            };
            let found = format!("one {}", hands(row.custodian.as_deref()));
            return impossible(format!("a consequence {}", hands(custodian)), found);
        }
        Ok(row)
    }

    fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        self.texts.insert(new.clone());
        new
    }
}

/// What stands for a long text.
pub(super) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn impossible<T>(expected: impl Into<String>, found: impl Into<String>) -> Result<T, Impossible> {
    Err(Impossible { expected: expected.into(), found: found.into() })
}
