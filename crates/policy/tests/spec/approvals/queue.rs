//! The requests that wait, page by page.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use insta::assert_snapshot;
use swampbox_authority::Verdict::Allow;
use swampbox_custody::{ConsequenceId, Custody, StoreFailure};
use swampbox_policy::approvals::{Entry, MAX_PAGE, MemoryShelf, Page, Shelf, Shelved, State};

use super::fixture::{World, note, numbered, parsed, state, terms};
use super::shelves::put;

/// Asks for the release of these besides X.
fn ask<S: Shelf>(world: &World<S>, consequences: &[&str]) {
    use swampbox_boundary::ReleaseBoundary;
    for id in consequences {
        world.store.submit(note(id)).unwrap();
        let boundary =
            ReleaseBoundary::new(&world.store, &world.desk, &world.actuator, &world.watch);
        drop(boundary.release(&parsed("exec-A"), &parsed(id)));
    }
}

fn ids(page: &Page) -> Vec<&str> {
    page.requests.iter().map(|request| request.question().consequence_id.as_str()).collect()
}

#[test]
fn requests_wait_in_the_order_in_which_they_were_changed_last() {
    let world = World::under(terms(2));
    ask(&world, &["a", "b", "c", "d"]);
    let shown = world.desk.show(&parsed("b")).unwrap().digest();
    let ballot = super::fixture::ballot("carol", Allow);
    world.desk.decide(&parsed("b"), &shown, &ballot).unwrap();
    let first = world.desk.waiting(0, 3).unwrap();
    assert_eq!(ids(&first), ["a", "c", "d"]);
    let second = world.desk.waiting(first.next.unwrap(), 3).unwrap();
    assert_eq!((ids(&second), second.next), (vec!["b"], None));
}

#[test]
fn what_is_decided_or_over_does_not_wait() {
    let world = World::new();
    ask(&world, &["allowed", "withdrawn", "open"]);
    let shown = world.desk.show(&parsed("allowed")).unwrap().digest();
    let ballot = super::fixture::ballot("carol", Allow);
    world.desk.decide(&parsed("allowed"), &shown, &ballot).unwrap();
    world.desk.withdraw(&parsed("withdrawn"), &parsed("alice")).unwrap();
    assert_eq!(ids(&world.desk.waiting(0, 10).unwrap()), ["open"]);
}

#[test]
fn what_is_found_to_have_expired_is_closed_and_left_out() {
    let world = World::new();
    ask(&world, &["old"]);
    world.at("12:30:00");
    ask(&world, &["new"]);
    world.at("13:00:00");
    let page = world.desk.waiting(0, 1).unwrap();
    assert!(page.requests.is_empty(), "a page may be empty and not the last");
    assert_eq!(ids(&world.desk.waiting(page.next.unwrap(), 1).unwrap()), ["new"]);
    let open = world.shelf.open(0, 10).unwrap();
    assert_eq!(open.len(), 1, "the other was closed");
}

#[test]
fn what_was_asked_under_other_terms_is_closed_and_left_out() {
    let world = World::new();
    ask(&world, &["old"]);
    let page = world.again_under(terms(2)).waiting(0, 10).unwrap();
    assert!(page.requests.is_empty());
    world.tell(state(&world.desk.show(&parsed("old"))));
    assert_snapshot!(world.story());
}

#[test]
fn one_that_can_not_be_read_keeps_nobody_else_waiting() {
    let world = World::new();
    put(&*world.shelf, "bad", State::Open, None).unwrap();
    ask(&world, &["good"]);
    let page = world.desk.waiting(0, 10).unwrap();
    assert_eq!(ids(&page), ["good"]);
    let malformed: Vec<String> =
        page.malformed.iter().map(|error| format!("{}: {error}", error.code())).collect();
    assert_snapshot!(numbered(&malformed.join("\n")));
}

#[test]
fn a_page_has_at_least_one_place_and_at_most_its_bound() {
    let world = World::new();
    let names: Vec<String> = (0..MAX_PAGE + 1).map(|number| format!("n{number}")).collect();
    ask(&world, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let lengths = [0, 1, MAX_PAGE, usize::MAX]
        .map(|limit| world.desk.waiting(0, limit).unwrap().requests.len());
    assert_eq!(lengths, [1, 1, MAX_PAGE, MAX_PAGE]);
}

/// A shelf that counts how it is used.
#[derive(Default)]
struct Watched {
    shelf: MemoryShelf,
    gets: AtomicUsize,
    puts: AtomicUsize,
    listings: AtomicUsize,
}

impl Shelf for Watched {
    fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure> {
        self.gets.fetch_add(1, SeqCst);
        self.shelf.get(consequence)
    }

    fn put(&self, entry: Entry, expected: Option<u64>) -> Result<Option<u64>, StoreFailure> {
        self.puts.fetch_add(1, SeqCst);
        self.shelf.put(entry, expected)
    }

    fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure> {
        self.listings.fetch_add(1, SeqCst);
        self.shelf.open(after, limit)
    }

    fn custody_mark(&self, consequence: &ConsequenceId) -> Result<u64, StoreFailure> {
        self.shelf.custody_mark(consequence)
    }
}

#[test]
fn a_decision_reads_one_request_however_many_wait() {
    let world = World::with(Watched::default(), terms(1));
    let names: Vec<String> = (0..1_000).map(|number| format!("n{number}")).collect();
    ask(&world, &names.iter().map(String::as_str).collect::<Vec<_>>());
    world.release("exec-A");
    let shown = world.digest();
    let counts = || {
        [&world.shelf.gets, &world.shelf.puts, &world.shelf.listings]
            .map(|count| count.swap(0, SeqCst))
    };
    counts();
    let ballot = super::fixture::ballot("carol", Allow);
    world.desk.decide(&parsed("X"), &shown, &ballot).unwrap();
    assert_eq!(counts(), [1, 1, 0], "a vote");
    world.release("exec-A");
    assert_eq!(counts(), [2, 1, 0], "a release: evaluated, then used up");
}
