//! What a request rests on, beside what it shows of the consequence.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_authority::Verdict::Allow;
use swampbox_custody::{ConsequenceId, ExecutionId, Principal, StoreFailure};
use swampbox_policy::approvals::{
    Approvals, Directory, Entry, MemoryShelf, Request, Shelf, Shelved, Terms, UnknownPrincipal,
};

use super::fixture::{Desk, Staff, World, ballot, described, parsed, state, terms};
use crate::signed_fixture::Between;

#[test]
fn a_request_is_void_after_the_consequence_went_away_and_back_while_nobody_looked() {
    let world = World::new();
    world.release("exec-A");
    world.transfer("exec-A", "exec-B");
    world.transfer("exec-B", "exec-A");
    world.vote("carol", Allow);
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_decision_is_void_after_the_consequence_went_away_and_back_while_nobody_looked() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    world.transfer("exec-A", "exec-B");
    world.transfer("exec-B", "exec-A");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn nobody_votes_about_what_is_in_other_hands_nor_is_asked_to() {
    let world = World::new();
    world.release("exec-A");
    let shown = world.digest();
    world.transfer("exec-A", "exec-B");
    assert_eq!(world.desk.waiting(0, 10).unwrap().requests.len(), 0);
    for approver in ["bob", "carol"] {
        let voted = world.desk.decide(&parsed("X"), &shown, &ballot(approver, Allow));
        world.tell(format!("{approver} says ALLOW: {}", state(&voted)));
    }
    world.transfer("exec-B", "exec-A");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

/// It goes away and back between the decision and the attempt.
#[test]
fn a_decision_does_not_stand_at_the_edge_if_custody_has_changed() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    let result = world.released(
        "exec-A",
        Between(&world.desk, || {
            world.transfer("exec-A", "exec-B");
            world.transfer("exec-B", "exec-A");
        }),
    );
    world.tell(described(&result));
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn a_request_is_void_once_any_of_the_terms_it_was_decided_under_is_another() {
    let longer = |seconds| {
        let terms = terms(1);
        let (quorum, lifetime) = (terms.quorum().clone(), terms.lifetime());
        Terms::new(quorum, lifetime, Duration::from_secs(seconds)).unwrap()
    };
    let changes: [(&str, Terms); 4] = [
        ("the same", terms(1)),
        ("proposers may decide", terms(1).with_proposers_deciding()),
        ("a shorter longest window", longer(599)),
        ("a longer longest window", longer(601)),
    ];
    let told = World::new();
    for (what, changed) in changes {
        let world = World::new();
        world.release("exec-A");
        world.vote("carol", Allow);
        let result = world.released("exec-A", world.again_under(changed.clone()));
        told.tell(format!("{what}, at a release: {}", result.reason().code()));
        let world = World::new();
        world.release("exec-A");
        let shown = world.digest();
        let again = world.again_under(changed);
        let voted = again.decide(&parsed("X"), &shown, &ballot("carol", Allow));
        told.tell(format!("{what}, at a vote: {}", state(&voted)));
    }
    assert_snapshot!(told.story());
}

/// The people of the box, of whom one turns out to be behind exec-A.
struct Unmasked;

impl Directory for Unmasked {
    fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        match execution.as_str() {
            "exec-A" => Ok(parsed("carol")),
            _ => Staff.behind(execution),
        }
    }

    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        Staff.known_as(name)
    }
}

#[test]
fn nothing_is_released_on_the_word_of_one_who_turns_out_to_be_the_proposer() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    let over =
        |terms| Approvals::new(world.shelf.clone(), world.watch.clone(), Unmasked, terms).unwrap();
    world.tell(described(&world.released("exec-A", over(terms(1)))));
    world.show();
    assert_snapshot!(world.story());
}

/// A desk whose setting is told by hand.
fn set(world: &World) -> (Desk<MemoryShelf>, Arc<Mutex<Option<String>>>) {
    let setting = Arc::new(Mutex::new(Some("/bin/mail --to inbox".to_owned())));
    let told = setting.clone();
    let desk = world.again_under(terms(1)).under(move |material| {
        let told = told.lock().unwrap().clone();
        told.map(|told| format!("{told}, for {}", material.target()))
    });
    (desk, setting)
}

#[test]
fn a_request_tells_what_would_carry_it_out() {
    let world = World::new();
    let (desk, _) = set(&world);
    world.tell(described(&world.released("exec-A", &desk)));
    let document = desk.show(&parsed("X")).unwrap().to_document();
    let told = document.as_object().unwrap().get("carried_out_by").unwrap();
    assert_eq!(told.as_str(), Some("/bin/mail --to inbox, for inbox"));
    assert_eq!(Request::from_document(&document).unwrap().to_document(), document);
}

#[test]
fn a_request_is_void_once_something_else_would_carry_it_out() {
    let told = World::new();
    for other in [None, Some("/bin/mail --to everybody")] {
        let other = other.map(str::to_owned);
        let world = World::new();
        let (desk, setting) = set(&world);
        drop(world.released("exec-A", &desk));
        let shown = desk.show(&parsed("X")).unwrap().digest();
        *setting.lock().unwrap() = other.clone();
        let voted = desk.decide(&parsed("X"), &shown, &ballot("carol", Allow));
        told.tell(format!("{other:?}, at a vote: {}", state(&voted)));

        for at_edge in [false, true] {
            let world = World::new();
            let (desk, setting) = set(&world);
            drop(world.released("exec-A", &desk));
            let shown = desk.show(&parsed("X")).unwrap().digest();
            desk.decide(&parsed("X"), &shown, &ballot("carol", Allow)).unwrap();
            let change = || *setting.lock().unwrap() = other.clone();
            let result = if at_edge {
                world.released("exec-A", Between(&desk, change))
            } else {
                change();
                world.released("exec-A", &desk)
            };
            let request = desk.show(&parsed("X")).unwrap();
            let place = if at_edge { "edge" } else { "release" };
            told.tell(format!("{other:?}, at the {place}: {}", result.reason().code()));
            told.tell(format!("the request is {}", request.state()));
        }
    }
    assert_snapshot!(told.story());
}

/// A shelf beside a store in which X was released meanwhile.
struct Gone(MemoryShelf);

impl Shelf for Gone {
    fn get(&self, consequence: &ConsequenceId) -> Result<Option<Shelved>, StoreFailure> {
        self.0.get(consequence)
    }

    fn put(&self, entry: Entry, expected: Option<u64>) -> Result<Option<u64>, StoreFailure> {
        self.0.put(entry, expected)
    }

    fn open(&self, after: u64, limit: usize) -> Result<Vec<Shelved>, StoreFailure> {
        self.0.open(after, limit)
    }

    fn custody_mark(&self, consequence: &ConsequenceId) -> Result<u64, StoreFailure> {
        self.0.custody_mark(consequence)
    }

    fn is_there_to_be_released(&self, _: &ConsequenceId) -> Result<bool, StoreFailure> {
        Ok(false)
    }
}

#[test]
fn nobody_is_asked_about_what_was_released_meanwhile() {
    let world = World::with(Gone(MemoryShelf::new()), terms(1));
    world.release("exec-A");
    assert_eq!(world.shelf.open(0, 1).unwrap().len(), 0);
    assert_snapshot!(world.story());
}
