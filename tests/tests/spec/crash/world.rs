//! What must be on disk, by what was acknowledged, and what may be.

use std::collections::{BTreeMap, BTreeSet};

use super::disk::Disk;
use super::operation::{Operation, Outcome};
use super::watch::Answered;

/// Executions and consequences, and how each stands: `ACTIVE` or `ENDED`, or the state of a
/// consequence and who holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct World {
    standing: BTreeMap<Thing, String>,
    attempts: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Thing {
    Execution(String),
    Consequence(String),
}

type Change = BTreeMap<Thing, String>;

impl World {
    /// How many attempts there were when this was read from disk.
    pub(super) fn attempts(&self) -> usize {
        self.attempts
    }

    /// The world after an operation that was acknowledged.
    pub(super) fn after(mut self, Answered { operation, answer }: &Answered) -> Self {
        let change = match (operation, answer.as_str()) {
            (Operation::Release { execution, consequence, .. }, state) => match state {
                "RELEASED" | "UNCERTAIN" => consequence_is(consequence, state, execution),
                _ => return self,
            },
            (_, "ok") => self.changes(operation).remove(0),
            _ => return self,
        };
        self.standing.extend(change);
        self
    }

    /// The world on disk, if it is this one, except that each unanswered operation may have been
    /// carried out: as a whole, or not at all.
    pub(super) fn explains(&self, unanswered: &[Operation], disk: &Disk) -> Result<World, String> {
        if self.reaches(unanswered, disk) {
            return Ok(World { standing: disk.standing.clone(), attempts: disk.attempts.len() });
        }
        let differences = different(&self.standing, &disk.standing).map(|thing| {
            let (expected, found) = (self.standing.get(thing), disk.standing.get(thing));
            format!("{thing:?}: acknowledged {expected:?}, found {found:?}")
        });
        Err(differences.collect::<Vec<_>>().join("\n"))
    }

    /// How many things stand otherwise than in another world.
    pub(super) fn differences(&self, other: &World) -> usize {
        different(&self.standing, &other.standing).count()
    }

    fn reaches(&self, unanswered: &[Operation], disk: &Disk) -> bool {
        let Some((operation, rest)) = unanswered.split_first() else {
            return self.standing == disk.standing;
        };
        self.reaches(rest, disk)
            || self.changes(operation).into_iter().any(|change| {
                let mut world = self.clone();
                world.standing.extend(change);
                world.reaches(rest, disk)
            })
    }

    /// What an operation that is not refused may lead to.
    fn changes(&self, operation: &Operation) -> Vec<Change> {
        match operation {
            Operation::Register { execution } => vec![execution_is(execution, "ACTIVE")],
            Operation::End { execution } => vec![self.end(execution)],
            Operation::Submit { execution, consequence }
            | Operation::Adopt { execution, consequence }
            | Operation::Transfer { target: execution, consequence, .. } => {
                vec![consequence_is(consequence, "CONTAINED", execution)]
            }
            Operation::Release { execution, consequence, outcome } => {
                let mut states = vec!["UNCERTAIN"];
                if *outcome == Outcome::Succeeds {
                    states.push("RELEASED");
                }
                let change = |state| consequence_is(consequence, state, execution);
                states.into_iter().map(change).collect()
            }
        }
    }

    fn end(&self, execution: &str) -> Change {
        let mut change = execution_is(execution, "ENDED");
        let held = format!("CONTAINED {execution}");
        for (thing, standing) in &self.standing {
            if *standing == held {
                change.insert(thing.clone(), "CONTAINED nobody".into());
            }
        }
        change
    }
}

fn different<'w>(one: &'w Change, other: &'w Change) -> impl Iterator<Item = &'w Thing> {
    let things: BTreeSet<&Thing> = one.keys().chain(other.keys()).collect();
    things.into_iter().filter(|thing| one.get(thing) != other.get(thing))
}

fn execution_is(execution: &str, state: &str) -> Change {
    Change::from([(Thing::Execution(execution.into()), state.into())])
}

fn consequence_is(consequence: &str, state: &str, custodian: &str) -> Change {
    Change::from([(Thing::Consequence(consequence.into()), format!("{state} {custodian}"))])
}
