//! Whose votes count, and what they come to.

use std::time::Duration;

use insta::assert_snapshot;
use swampbox_authority::Verdict::{Allow, Deny};
use swampbox_policy::approvals::{Ballot, MAX_REASON_BYTES};

use super::fixture::{World, ballot, parsed, state, terms};

#[test]
fn two_of_three_allow_it_together() {
    let world = World::under(terms(2));
    world.release("exec-A");
    world.at("12:01:00");
    world.vote("carol", Allow);
    world.release("exec-A");
    world.at("12:02:00");
    world.vote("dave", Allow);
    world.vote("erin", Allow);
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_denial_after_one_has_allowed_denies() {
    let world = World::under(terms(2));
    world.release("exec-A");
    world.vote("carol", Allow);
    world.vote("dave", Deny);
    world.vote("erin", Allow);
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn the_decision_holds_from_the_last_vote_for_the_shortest_window() {
    let world = World::under(terms(3));
    world.release("exec-A");
    for (time, approver, seconds) in
        [("12:01:00", "carol", 600), ("12:02:00", "dave", 1), ("12:03:00", "erin", 300)]
    {
        world.at(time);
        let window = Duration::from_secs(seconds);
        let voted = world.voted(&Ballot { window, ..ballot(approver, Allow) });
        world.tell(format!("{approver} allows it for {seconds} s: {}", state(&voted)));
    }
    let request = world.desk.show(&parsed("X")).unwrap();
    let window = request.decided().unwrap().window;
    world.tell(format!("it holds from {} until {}", window.issued_at(), window.valid_until()));
    assert_snapshot!(world.story());
}

#[test]
fn nobody_votes_twice_whatever_they_say() {
    let world = World::under(terms(2));
    world.release("exec-A");
    world.vote("carol", Allow);
    world.vote("carol", Allow);
    world.vote("carol", Deny);
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn one_principal_under_two_names_is_one_approver() {
    let world = World::under(terms(2));
    world.release("exec-A");
    world.vote("carol@phone", Allow);
    world.vote("carol@desk", Allow);
    world.vote("carol", Allow);
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn who_is_no_approver_decides_nothing() {
    let world = World::new();
    world.release("exec-A");
    world.vote("zoe", Allow);
    world.vote("zoe", Deny);
    world.vote("Carol", Allow);
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn a_proposer_does_not_approve_its_own_under_any_name() {
    let world = World::new();
    world.release("exec-A");
    world.vote("alice", Allow);
    world.vote("alice@laptop", Allow);
    world.vote("alice@phone", Deny);
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn neither_who_proposed_it_nor_who_holds_it_now_approves_it() {
    let world = World::new();
    world.transfer("exec-A", "exec-B");
    world.release("exec-B");
    world.vote("alice@phone", Allow);
    world.vote("bob@phone", Allow);
    world.vote("carol", Allow);
    assert_snapshot!(world.story());
}

#[test]
fn a_proposer_approves_its_own_where_the_terms_say_so() {
    let world = World::under(terms(1).with_proposers_deciding());
    world.release("exec-A");
    world.vote("alice@phone", Allow);
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn an_approver_of_whom_nobody_can_tell_who_it_is_decides_nothing() {
    let world = World::new();
    world.release("exec-A");
    world.vote("mallory", Allow);
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn a_vote_about_another_digest_than_the_one_that_is_asked_is_not_counted() {
    let world = World::new();
    world.release("exec-A");
    let shown = world.digest();
    world.withdraw("alice");
    world.release("exec-A");
    let voted = world.desk.decide(&parsed("X"), &shown, &ballot("carol", Allow));
    world.tell(format!("carol allows what she was shown before: {}", state(&voted)));
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_vote_has_a_reason_and_a_window_of_whole_seconds_within_the_terms() {
    let world = World::new();
    world.release("exec-A");
    let reason = |reason: &str| Ballot { reason: reason.into(), ..ballot("carol", Allow) };
    let window = |window| Ballot { window, ..ballot("carol", Allow) };
    for ballot in [
        reason(""),
        reason(" \n\t\u{a0}"),
        reason(&"x".repeat(MAX_REASON_BYTES + 1)),
        window(Duration::ZERO),
        window(Duration::from_millis(1_500)),
        window(Duration::from_secs(601)),
        window(Duration::MAX),
        Ballot {
            reason: "\u{e9}".repeat(MAX_REASON_BYTES / 2),
            window: Duration::from_secs(600),
            ..ballot("carol", Allow)
        },
    ] {
        world.tell(state(&world.voted(&ballot)));
    }
    assert_snapshot!(world.story());
}

#[test]
fn a_window_that_would_end_beyond_the_year_9999_is_not_decided() {
    let world = World::new();
    world.watch.set(Some("9999-12-31T22:58:00Z"));
    world.release("exec-A");
    world.watch.set(Some("9999-12-31T23:57:00Z"));
    world.vote("carol", Allow);
    assert_snapshot!(world.story());
}

/// Each of these has every later fault too.
#[test]
fn the_first_fault_of_a_vote_is_the_one_that_is_named() {
    let world = World::under(terms(2));
    world.release("exec-A");
    let (x, first) = (parsed("X"), world.digest());
    let no_reason = |name| Ballot { reason: String::new(), ..ballot(name, Allow) };
    world.vote("carol", Allow);
    world.tell(format!("no reason: {}", state(&world.voted(&no_reason("dave")))));
    world.tell(format!("a second vote: {}", state(&world.voted(&no_reason("carol")))));
    world.tell(format!("by the proposer: {}", state(&world.voted(&no_reason("alice")))));
    world.tell(format!("by a stranger: {}", state(&world.voted(&no_reason("zoe")))));
    world.vote("dave", Deny);
    world.tell(format!("after the end: {}", state(&world.voted(&no_reason("zoe")))));
    world.at("12:05:00");
    world.release("exec-A");
    world.at("13:05:00");
    let voted = world.desk.decide(&x, &first, &no_reason("zoe"));
    world.tell(format!("about another: {}", state(&voted)));
    assert_snapshot!(world.story());
}
