//! Two at once.

use std::sync::{Arc, Barrier};
use std::thread;

use insta::assert_snapshot;
use swampbox_authority::Verdict::{self, Allow, Deny};
use swampbox_custody::Custody;
use swampbox_material::Code;
use swampbox_policy::approvals::{Approvals, MemoryShelf, State};

use super::fixture::{Staff, Watch, World, ballot, parsed, state, terms};
use super::shelves::Interrupted;

const ROUNDS: usize = 200;

/// Two do something at once, many times, each time to a new request.
fn at_once<A: Send, B: Send>(
    needed: usize,
    one: impl Fn(&World) -> A + Sync,
    other: impl Fn(&World) -> B + Sync,
    then: impl Fn(&World, A, B),
) {
    for _ in 0..ROUNDS {
        let (world, start) = (&World::under(terms(needed)), &Barrier::new(2));
        world.release("exec-A");
        let (one, other) = thread::scope(|scope| {
            let one = scope.spawn(|| {
                start.wait();
                one(world)
            });
            start.wait();
            let other = other(world);
            (one.join().unwrap(), other)
        });
        then(world, one, other);
    }
}

/// `None` if it was counted.
fn votes(world: &World, approver: &str, verdict: Verdict) -> Option<Code> {
    world.voted(&ballot(approver, verdict)).err().map(|error| error.code())
}

fn ends(world: &World) -> State {
    world.desk.show(&parsed("X")).unwrap().state()
}

#[test]
fn two_approvers_at_once_both_count() {
    at_once(
        2,
        |world| votes(world, "carol", Allow),
        |world| votes(world, "dave", Allow),
        |world, carol, dave| {
            assert_eq!((carol, dave), (None, None));
            assert_eq!(ends(world), State::Allowed);
            assert_eq!(world.desk.show(&parsed("X")).unwrap().votes().len(), 2);
        },
    );
}

#[test]
fn one_approver_twice_at_once_counts_once() {
    at_once(
        2,
        |world| votes(world, "carol@phone", Allow),
        |world| votes(world, "carol@desk", Allow),
        |world, phone, desk| {
            let refused: Vec<Code> = [phone, desk].into_iter().flatten().collect();
            assert_eq!(refused, [Code::AlreadyVoted]);
            assert_eq!(world.desk.show(&parsed("X")).unwrap().votes().len(), 1);
        },
    );
}

#[test]
fn a_denial_and_what_would_have_allowed_it_end_in_one_order_or_the_other() {
    at_once(
        1,
        |world| votes(world, "carol", Allow),
        |world| votes(world, "dave", Deny),
        |world, allow, deny| match (allow, deny) {
            (None, Some(Code::RequestClosed)) => assert_eq!(ends(world), State::Allowed),
            (Some(Code::RequestClosed), None) => assert_eq!(ends(world), State::Denied),
            other => panic!("{other:?}"),
        },
    );
}

#[test]
fn a_vote_and_a_withdrawal_at_once_leave_nothing_that_releases() {
    at_once(
        1,
        |world| votes(world, "carol", Allow),
        |world| world.desk.withdraw(&parsed("X"), &parsed("alice")).err(),
        |world, allow, withdraw| {
            assert!(withdraw.is_none());
            assert!(matches!(allow, None | Some(Code::RequestClosed)));
            assert_eq!(ends(world), State::Withdrawn);
        },
    );
}

#[test]
fn a_vote_and_a_transfer_at_once_release_nothing_to_the_new_custodian() {
    let (a, b, x) = (&parsed("exec-A"), &parsed("exec-B"), &parsed("X"));
    at_once(
        1,
        |world| votes(world, "carol", Allow),
        |world| {
            world.store.transfer(a, b, x).unwrap();
            world.released("exec-B", &world.desk).reason().code()
        },
        |world, allow, released| {
            assert_eq!(released, Code::AuthorityPending);
            // It looked at the request before or after it was made anew.
            assert!(matches!(allow, None | Some(Code::RequestChanged | Code::RequestClosed)));
            let request = world.desk.show(x).unwrap();
            assert_eq!(request.question().execution_id, *b);
        },
    );
}

#[test]
fn two_releases_at_once_ask_once() {
    at_once(
        1,
        |world| {
            world.desk.withdraw(&parsed("X"), &parsed("alice")).unwrap();
            world.released("exec-A", &world.desk).reason().to_string()
        },
        |world| world.released("exec-A", &world.desk).reason().to_string(),
        |world, one, _| {
            let request = world.desk.show(&parsed("X")).unwrap();
            assert!(one.contains(request.question().id.as_str()), "{one}");
        },
    );
}

/// The request expires after the vote has read it and before it is put.
#[test]
fn a_vote_that_is_overtaken_by_the_expiry_is_not_counted() {
    let world = World::with(Interrupted::default(), terms(1));
    world.release("exec-A");
    world.at("12:59:59.999999999");
    let shown = world.digest();
    let watch = world.watch.clone();
    world.shelf.before_the_next(move |shelf| {
        watch.set(Some("2026-01-01T13:00:00Z"));
        let desk = desk_on(shelf, watch, 1);
        assert_eq!(desk.show(&parsed("X")).unwrap().state(), State::Expired);
    });
    let voted = world.desk.decide(&parsed("X"), &shown, &ballot("carol", Allow));
    world.tell(format!("carol says ALLOW: {}", state(&voted)));
    assert_snapshot!(world.story());
}

#[test]
fn a_vote_that_is_overtaken_by_a_withdrawal_is_not_counted() {
    let world = World::with(Interrupted::default(), terms(1));
    world.release("exec-A");
    let (shown, watch) = (world.digest(), world.watch.clone());
    world.shelf.before_the_next(move |shelf| {
        desk_on(shelf, watch, 1).withdraw(&parsed("X"), &parsed("alice")).unwrap();
    });
    let voted = world.desk.decide(&parsed("X"), &shown, &ballot("carol", Allow));
    world.tell(format!("carol says ALLOW: {}", state(&voted)));
    assert_snapshot!(world.story());
}

#[test]
fn a_vote_that_is_overtaken_by_another_is_counted_after_it() {
    let world = World::with(Interrupted::default(), terms(2));
    world.release("exec-A");
    let (shown, watch) = (world.digest(), world.watch.clone());
    world.shelf.before_the_next(move |shelf| {
        desk_on(shelf, watch, 2).decide(&parsed("X"), &shown, &ballot("dave", Allow)).unwrap();
    });
    let voted = world.desk.decide(&parsed("X"), &shown, &ballot("carol", Allow)).unwrap();
    let voters: Vec<&str> = voted.votes().iter().map(|vote| vote.approver.as_str()).collect();
    assert_eq!((voters, voted.state()), (vec!["dave", "carol"], State::Allowed));
}

/// Another program over the same shelf.
fn desk_on(
    shelf: &MemoryShelf,
    watch: Arc<Watch>,
    needed: usize,
) -> Approvals<&MemoryShelf, Arc<Watch>, Staff> {
    Approvals::new(shelf, watch, Staff, terms(needed)).unwrap()
}
