//! What a shelf has to do, and what happens if it doesn't.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use insta::assert_snapshot;
use swampbox_authority::Verdict::Allow;
use swampbox_custody::{ConsequenceId, StoreFailure};
use swampbox_material::json::Json;
use swampbox_policy::approvals::{Entry, MemoryShelf, Shelf, Shelved, State};

use super::fixture::{World, ballot, parsed, state, terms};

/// A shelf that may break down.
#[derive(Default)]
pub(crate) struct Broken {
    shelf: MemoryShelf,
    down: AtomicBool,
}

impl Broken {
    pub(crate) fn break_down(&self, down: bool) {
        self.down.store(down, SeqCst);
    }

    fn shelf(&self) -> Result<&MemoryShelf, StoreFailure> {
        if self.down.load(SeqCst) { Err(StoreFailure::new("disk full")) } else { Ok(&self.shelf) }
    }
}

impl Shelf for Broken {
    fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure> {
        self.shelf()?.get(consequence)
    }

    fn put(&self, entry: Entry, expected: Option<u64>) -> Result<Option<u64>, StoreFailure> {
        self.shelf()?.put(entry, expected)
    }

    fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure> {
        self.shelf()?.open(after, limit)
    }

    fn custody_mark(&self, consequence: &ConsequenceId) -> Result<u64, StoreFailure> {
        self.shelf()?.custody_mark(consequence)
    }
}

/// A shelf on which something happens just before the next time that something is put.
#[derive(Default)]
pub(crate) struct Interrupted {
    pub(crate) shelf: MemoryShelf,
    #[expect(clippy::type_complexity, reason = "it is named once")]
    next: Mutex<Option<Box<dyn FnOnce(&MemoryShelf) + Send>>>,
    pub(crate) put: AtomicUsize,
}

impl Interrupted {
    pub(crate) fn before_the_next(&self, happens: impl FnOnce(&MemoryShelf) + Send + 'static) {
        *self.next.lock().unwrap() = Some(Box::new(happens));
    }
}

impl Shelf for Interrupted {
    fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure> {
        self.shelf.get(consequence)
    }

    fn put(&self, entry: Entry, expected: Option<u64>) -> Result<Option<u64>, StoreFailure> {
        self.put.fetch_add(1, SeqCst);
        if let Some(happens) = self.next.lock().unwrap().take() {
            happens(&self.shelf);
        }
        self.shelf.put(entry, expected)
    }

    fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure> {
        self.shelf.open(after, limit)
    }

    fn custody_mark(&self, consequence: &ConsequenceId) -> Result<u64, StoreFailure> {
        self.shelf.custody_mark(consequence)
    }
}

/// A shelf on which somebody else is always faster.
#[derive(Default)]
struct Refusing(MemoryShelf);

impl Shelf for Refusing {
    fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure> {
        self.0.get(consequence)
    }

    fn put(&self, _: Entry, _: Option<u64>) -> Result<Option<u64>, StoreFailure> {
        Ok(None)
    }

    fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure> {
        self.0.open(after, limit)
    }

    fn custody_mark(&self, consequence: &ConsequenceId) -> Result<u64, StoreFailure> {
        self.0.custody_mark(consequence)
    }
}

#[test]
fn a_shelf_that_fails_gives_no_decision_and_counts_nothing() {
    let world = World::with(Broken::default(), terms(1));
    world.release("exec-A");
    let shown = world.digest();
    world.shelf.break_down(true);
    world.release("exec-A");
    world.show();
    world.tell(state(&world.desk.decide(&parsed("X"), &shown, &ballot("carol", Allow))));
    world.withdraw("alice");
    world.tell(world.desk.waiting(0, 10).unwrap_err());
    world.shelf.break_down(false);
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_shelf_on_which_somebody_else_is_always_faster_is_given_up() {
    let world = World::with(Refusing::default(), terms(1));
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn what_is_no_request_decides_nothing_and_is_left_as_it_is() {
    let world = World::new();
    put(&*world.shelf, "X", State::Allowed, None).unwrap();
    world.release("exec-A");
    world.show();
    world.withdraw("alice");
    let kept = world.shelf.get(&parsed("X")).unwrap().unwrap();
    world.tell(format!("version {}: {}", kept.version, kept.document));
    assert_snapshot!(world.story());
}

#[test]
fn a_request_that_is_kept_as_that_about_another_consequence_decides_nothing() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    let document = world.shelf.get(&parsed("X")).unwrap().unwrap().document;
    let (consequence, execution) = (parsed::<ConsequenceId>("Y"), parsed("exec-A"));
    let entry = Entry { consequence, execution, state: State::Allowed, document };
    world.shelf.put(entry, None).unwrap();
    world.tell(state(&world.desk.show(&parsed("Y"))));
    assert_snapshot!(world.story());
}

#[test]
fn a_request_takes_the_place_of_exactly_the_version_that_is_named() {
    let shelf = &MemoryShelf::new();
    assert_eq!(put(shelf, "X", State::Open, Some(1)), None, "there is none");
    assert_eq!(put(shelf, "X", State::Open, None), Some(1));
    assert_eq!(put(shelf, "X", State::Open, None), None, "there is one");
    assert_eq!(put(shelf, "Y", State::Open, None), Some(2), "versions are of the shelf");
    assert_eq!(put(shelf, "X", State::Open, Some(2)), None, "that is the other's");
    assert_eq!(put(shelf, "X", State::Allowed, Some(1)), Some(3));
    assert_eq!(put(shelf, "X", State::Used, Some(1)), None, "that was before");
    let kept = shelf.get(&parsed("X")).unwrap().unwrap();
    assert_eq!((kept.version, kept.document), (3, Json::from("allowed")));
}

#[test]
fn those_that_are_open_come_in_the_order_of_their_versions() {
    let shelf = &MemoryShelf::new();
    for id in ["a", "b", "c", "d"] {
        put(shelf, id, State::Open, None).unwrap();
    }
    put(shelf, "b", State::Denied, Some(2)).unwrap();
    put(shelf, "a", State::Open, Some(1)).unwrap();
    let open = |after, limit| {
        let open = shelf.open(after, limit).unwrap().into_iter();
        open.map(|open| format!("{}{}", open.consequence, open.version)).collect::<Vec<_>>()
    };
    assert_eq!(open(0, 10), ["c3", "d4", "a6"]);
    assert_eq!(open(0, 2), ["c3", "d4"]);
    assert_eq!(open(4, 2), ["a6"]);
    assert!(open(6, 2).is_empty());
    assert!(open(u64::MAX, 2).is_empty());
}

/// Puts something that is no request.
pub(crate) fn put(
    shelf: &impl Shelf,
    id: &str,
    state: State,
    expected: Option<u64>,
) -> Option<u64> {
    let document = Json::from(state.as_str());
    let entry = Entry { consequence: parsed(id), execution: parsed("exec-A"), state, document };
    shelf.put(entry, expected).unwrap()
}
