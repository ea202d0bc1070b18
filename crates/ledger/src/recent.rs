//! Rows that were read lately, for as long as they are what the ledger holds.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use swampbox_custody::{ConsequenceId, ConsequenceRow, ExecutionId, ExecutionState};

use crate::directory::{self, Unchanged};
use crate::instance::Instance;
use crate::rows::Seen;

/// What all that is kept may take, in bytes of text. In memory it is several times that.
const MOST: usize = 1 << 20;

/// What one consequence may take. One more should not crowd out many others.
const MOST_OF_ONE: usize = MOST / 16;

/// What each takes beside its material.
const OVERHEAD: usize = 256;

/// Consequences and executions that were read lately. Whoever asks is given them while nobody can have
/// changed them:
///
/// - No other instance has had the ledger open since. Whoever opens it puts a file beside those of the
///   others, and sees that it is there after each commit and before the answer. So once a change was
///   answered, either this instance has looked who is there after it, or what it knows of the directory
///   no longer holds.
/// - The writer of this instance forgets what a commit changes before it commits.
///
/// What is not kept is read from the ledger, at any time.
//
// INVARIANT (events name what changes): a row of `consequences` or `executions` changes only together
// with an event that has its id among its subjects.
#[derive(Debug)]
pub(crate) struct Recent {
    instance: Arc<Instance>,
    kept: RwLock<Kept>,
}

/// What a commit changes.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// The ids of all whose rows are different afterwards.
    ids: HashSet<Box<str>>,
    /// What is there for the first time, by its id, as it is afterwards. Somebody is going to read it.
    submitted: HashMap<Box<str>, Seen>,
}

impl Changes {
    /// Notes that the row of this id is different afterwards.
    pub(crate) fn change(&mut self, id: &str) {
        self.submitted.remove(id);
        self.ids.insert(id.into());
    }

    /// Notes a row that is there for the first time, with how long its material is as text.
    pub(crate) fn submit(&mut self, row: &ConsequenceRow, material: usize) {
        if size(material) <= MOST_OF_ONE {
            let id = row.snapshot.consequence_id.as_str().into();
            let seen = Seen { consequence: Some(row.clone()), material, execution: None };
            self.submitted.insert(id, seen);
        }
    }
}

/// What a consequence takes.
fn size(material: usize) -> usize {
    OVERHEAD + material
}

/// When something is read. It may be kept if this is so afterwards, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    instances: Unchanged,
    commits: u64,
}

impl Recent {
    /// Of the ledger that this instance has open.
    pub(crate) fn of(instance: Arc<Instance>) -> Self {
        Self { instance, kept: RwLock::default() }
    }

    /// Makes sure that others know of this instance, before anybody is told of what it changed.
    pub(crate) fn stay_listed(&self) -> io::Result<()> {
        self.instance.stay_listed()
    }

    /// What is asked for as the ledger holds it, if all of it is kept. Otherwise it is to be read, and
    /// may be [kept](Recent::keep) if there is a moment.
    pub(crate) fn recall(
        &self,
        consequence: &ConsequenceId,
        execution: Option<&ExecutionId>,
    ) -> Result<Seen, Option<Moment>> {
        let unchanged = directory::unchanged(self.instance.directory()).ok_or(None)?;
        let kept = self.kept();
        if kept.looked != Some(unchanged) {
            drop(kept);
            self.look(unchanged);
            return Err(None);
        }
        kept.recall(consequence, execution).ok_or_else(|| kept.moment())
    }

    /// Keeps what was read if nobody can have changed it since the moment before.
    pub(crate) fn keep(&self, moment: Moment, execution: Option<&ExecutionId>, seen: &Seen) {
        let mut kept = self.kept_to_change();
        if kept.moment() == Some(moment) {
            kept.keep(execution, seen);
        }
    }

    /// Makes changes by a commit.
    pub(crate) fn change<E>(
        &self,
        changes: Changes,
        commit: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let before = self.kept_to_change().begin_to_change();
        for id in changes.ids {
            // One by one, so that nobody who asks meanwhile has to wait.
            let forgotten = self.kept_to_change().forget(&id);
            drop(forgotten);
        }
        let committed = commit();
        let after = self.kept_to_change().end_to_change(before);
        if let (Ok(()), Some(after)) = (&committed, after) {
            for submitted in changes.submitted.values() {
                self.keep(after, None, submitted);
            }
        }
        committed
    }

    /// Looks whether this instance is the only one, after somebody came or went.
    fn look(&self, unchanged: Unchanged) {
        let alone = self.instance.is_alone();
        let mut kept = self.kept_to_change();
        kept.forget_all();
        kept.looked = Some(unchanged);
        kept.alone = alone;
    }

    fn kept(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept_to_change(&self) -> RwLockWriteGuard<'_, Kept> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Kept {
    /// The instances when they were last looked at.
    looked: Option<Unchanged>,
    /// Whether there was no other one then.
    alone: bool,
    /// How many commits there have been.
    commits: u64,
    /// Whether one is under way: what it changes may be read before it or after it.
    committing: bool,
    consequences: HashMap<Box<str>, (ConsequenceRow, usize)>,
    executions: HashMap<Box<str>, ExecutionState>,
    /// What they take.
    size: usize,
}

impl Kept {
    fn recall(&self, consequence: &ConsequenceId, execution: Option<&ExecutionId>) -> Option<Seen> {
        let (row, size) = self.consequences.get(consequence.as_str())?;
        let execution = match execution {
            Some(execution) => Some(*self.executions.get(execution.as_str())?),
            None => None,
        };
        Some(Seen { consequence: Some(row.clone()), material: size - OVERHEAD, execution })
    }

    /// None if what is read now can't be kept.
    fn moment(&self) -> Option<Moment> {
        let instances = self.looked.filter(|_| self.alone && !self.committing)?;
        Some(Moment { instances, commits: self.commits })
    }

    fn keep(&mut self, execution: Option<&ExecutionId>, seen: &Seen) {
        if let Some(row) = &seen.consequence {
            let size = size(seen.material);
            if size <= MOST_OF_ONE {
                self.make_room(size);
                let id = row.snapshot.consequence_id.as_str().into();
                if let Some((_, before)) = self.consequences.insert(id, (row.clone(), size)) {
                    self.size -= before;
                }
            }
        }
        if let (Some(execution), Some(state)) = (execution, seen.execution) {
            self.make_room(OVERHEAD);
            if self.executions.insert(execution.as_str().into(), state).is_some() {
                self.size -= OVERHEAD;
            }
        }
    }

    fn make_room(&mut self, size: usize) {
        if self.size + size > MOST {
            self.forget_all();
        }
        self.size += size;
    }

    fn begin_to_change(&mut self) -> Option<Moment> {
        let before = self.moment();
        self.committing = true;
        before
    }

    /// The moment after the one before.
    fn end_to_change(&mut self, before: Option<Moment>) -> Option<Moment> {
        self.commits += 1;
        self.committing = false;
        before.map(|before| Moment { commits: self.commits, ..before })
    }

    fn forget(&mut self, id: &str) -> Option<(ConsequenceRow, usize)> {
        if self.executions.remove(id).is_some() {
            self.size -= OVERHEAD;
        }
        self.consequences.remove(id).inspect(|(_, size)| self.size -= size)
    }

    fn forget_all(&mut self) {
        self.consequences.clear();
        self.executions.clear();
        self.size = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use swampbox_custody::{ReleaseState, Snapshot};
    use swampbox_material::{Material, Value};
    use tempfile::TempDir;

    use super::*;
    use crate::directory::tests::settled;

    #[test]
    fn what_was_read_is_kept_until_a_commit_changes_it() {
        let ledger = Ledger::new();
        let recent = ledger.opened();
        assert!(!recent.keeps("X", "A"));
        recent.read("X", "A");
        recent.read("Y", "B");
        assert!(recent.keeps("X", "A"));
        assert!(recent.keeps("X", "B"), "both were read, if not together");
        assert!(!recent.keeps("Z", "A"));
        recent.commit(&["A"]);
        assert!(!recent.keeps("X", "A"));
        assert!(recent.keeps("X", "B"));
        recent.commit(&["X"]);
        assert!(!recent.keeps("X", "B"));
        assert!(recent.keeps("Y", "B"));
    }

    #[test]
    fn what_was_read_while_something_was_committed_is_not_kept() {
        let ledger = Ledger::new();
        let recent = ledger.opened();
        let before = recent.moment().unwrap();
        let commit = || {
            assert_eq!(recent.moment(), None);
            recent.keep(before, "X", "A");
            Ok::<_, ()>(())
        };
        recent.recent.change(Changes::default(), commit).unwrap();
        assert!(!recent.keeps("X", "A"));
        recent.keep(before, "X", "A");
        assert!(!recent.keeps("X", "A"), "it was read before the commit");
        recent.read("X", "A");
        assert!(recent.keeps("X", "A"));
    }

    #[test]
    fn what_a_commit_brings_is_kept_if_it_was_committed_and_nobody_came() {
        let ledger = Ledger::new();
        let recent = ledger.opened();
        assert!(recent.moment().is_some(), "it has looked who is there");
        let brings = |consequence| {
            let mut changes = Changes::default();
            let Seen { consequence, material, .. } = seen(consequence);
            changes.submit(&consequence.unwrap(), material);
            changes
        };
        recent.recent.change(brings("X"), || Ok::<_, ()>(())).unwrap();
        recent.recent.change(brings("Y"), || Err(())).unwrap_err();
        let another_comes_and_goes = || {
            drop(Instance::begin(&ledger.path()).unwrap());
            settled(recent.directory());
            recent.moment();
            Ok::<_, ()>(())
        };
        assert!(recent.has("X"));
        assert!(!recent.has("Y"));
        recent.recent.change(brings("Z"), another_comes_and_goes).unwrap();
        assert!(!recent.has("Z"), "the other one may have changed it");
    }

    #[test]
    fn nothing_is_kept_once_another_instance_has_come_even_if_it_has_gone_again() {
        let ledger = Ledger::new();
        let recent = ledger.opened();
        recent.read("X", "A");
        let before = recent.moment().unwrap();
        let other = Instance::begin(&ledger.path()).unwrap();
        assert!(!recent.keeps("X", "A"));
        settled(recent.directory());
        assert!(!recent.keeps("X", "A"));
        assert_eq!(recent.moment(), None, "while it is there");
        drop(other);
        assert!(!recent.keeps("X", "A"));
        settled(recent.directory());
        assert!(!recent.keeps("X", "A"));
        recent.keep(before, "X", "A");
        assert!(!recent.keeps("X", "A"), "it was read before the other one came");
        recent.read("X", "A");
        assert!(recent.keeps("X", "A"));
    }

    #[test]
    fn whatever_else_is_found_among_the_instances_is_taken_for_one() {
        let ledger = Ledger::new();
        let recent = ledger.opened();
        File::create(recent.directory().join("what is this")).unwrap();
        settled(recent.directory());
        assert_eq!(recent.moment(), None);
    }

    #[test]
    fn nothing_is_kept_while_the_own_file_is_gone_and_it_goes_on_once_that_is_there_again() {
        let ledger = Ledger::new();
        let recent = ledger.opened();
        recent.read("X", "A");
        let before = recent.moment().unwrap();
        fs::remove_dir_all(recent.directory()).unwrap();
        assert!(!recent.keeps("X", "A"));
        assert_eq!(recent.moment(), None);
        fs::create_dir(recent.directory()).unwrap();
        settled(recent.directory());
        assert_eq!(recent.moment(), None, "nobody who comes would see it");
        recent.recent.stay_listed().unwrap();
        settled(recent.directory());
        assert!(!recent.keeps("X", "A"));
        recent.keep(before, "X", "A");
        assert!(!recent.keeps("X", "A"));
        recent.read("X", "A");
        assert!(recent.keeps("X", "A"));
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let ledger = Ledger::new();
        let recent = ledger.opened();
        let moment = recent.moment().unwrap();
        recent.keep_large(moment, "large", MOST_OF_ONE - OVERHEAD);
        recent.keep_large(moment, "too large", MOST_OF_ONE - OVERHEAD + 1);
        assert!(recent.keeps("large", "A"));
        assert!(!recent.keeps("too large", "A"));
        for number in 0..10_000 {
            recent.keep_large(moment, &number.to_string(), number % 100);
            recent.keep_large(moment, &number.to_string(), number % 77);
            let kept = recent.recent.kept();
            let counted: usize = kept.consequences.values().map(|(_, size)| size).sum();
            assert_eq!(kept.size, counted + kept.executions.len() * OVERHEAD);
            assert!(kept.size <= MOST);
        }
        assert!(!recent.keeps("large", "A"), "it made room");
        assert!(recent.keeps("9999", "A"));
    }

    struct Ledger(TempDir);

    impl Ledger {
        fn new() -> Self {
            let home = TempDir::new().unwrap();
            File::create(home.path().join("ledger")).unwrap();
            Self(home)
        }

        fn path(&self) -> std::path::PathBuf {
            self.0.path().join("ledger")
        }

        /// The only instance, for long enough.
        fn opened(&self) -> Reading {
            let instance = Arc::new(Instance::begin(&self.path()).unwrap());
            let reading = Reading { recent: Recent::of(instance) };
            settled(reading.directory());
            reading
        }
    }

    fn seen(consequence: &str) -> Seen {
        let snapshot = Snapshot {
            consequence_id: consequence.parse().unwrap(),
            origin_execution_id: "A".parse().unwrap(),
            current_execution_id: None,
            parent_consequence_id: None,
            material: Material::new("note", "inbox", Value::Null),
            release_state: ReleaseState::Contained,
        };
        let consequence = Some(ConsequenceRow { snapshot, mark: None });
        Seen { consequence, material: 10, execution: None }
    }

    /// What reads, and keeps what it read.
    struct Reading {
        recent: Recent,
    }

    impl Reading {
        fn directory(&self) -> &std::path::Path {
            self.recent.instance.directory()
        }

        /// When something is read now that is not kept.
        fn moment(&self) -> Option<Moment> {
            let unknown = || self.recent.recall(&"unknown".parse().unwrap(), None).unwrap_err();
            // At first it looks who is there.
            unknown();
            unknown()
        }

        fn read(&self, consequence: &str, execution: &str) {
            self.keep(self.moment().unwrap(), consequence, execution);
        }

        fn keep(&self, moment: Moment, consequence: &str, execution: &str) {
            self.keep_sized(moment, consequence, execution, 10);
        }

        fn keep_large(&self, moment: Moment, consequence: &str, material: usize) {
            self.keep_sized(moment, consequence, "A", material);
        }

        fn keep_sized(&self, moment: Moment, consequence: &str, execution: &str, material: usize) {
            let state = Some(ExecutionState::Active);
            let seen = Seen { material, execution: state, ..seen(consequence) };
            self.recent.keep(moment, Some(&execution.parse().unwrap()), &seen);
        }

        fn has(&self, consequence: &str) -> bool {
            self.recent.recall(&consequence.parse().unwrap(), None).is_ok()
        }

        fn keeps(&self, consequence: &str, execution: &str) -> bool {
            let (consequence, execution) =
                (consequence.parse().unwrap(), execution.parse().unwrap());
            self.recent.recall(&consequence, Some(&execution)).is_ok()
        }

        fn commit(&self, ids: &[&str]) {
            let mut changes = Changes::default();
            ids.iter().for_each(|id| changes.change(id));
            self.recent.change(changes, || Ok::<_, ()>(())).unwrap();
        }
    }
}
