//! How requests end.

use insta::assert_snapshot;
use swampbox_authority::Verdict::{Allow, Deny};
use swampbox_custody::{AttemptRecord, Custody, Settlement, Snapshot};
use swampbox_material::{Material, Value};
use swampbox_policy::approvals::Closed;

use super::fixture::{World, parsed, state, terms};

#[test]
fn a_request_that_nobody_decides_expires_at_its_exact_edge() {
    let world = World::new();
    world.release("exec-A");
    world.at("12:59:59.999999999");
    world.release("exec-A");
    world.show();
    world.at("13:00:00");
    world.show();
    world.vote("carol", Allow);
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_vote_is_counted_until_just_before_the_request_expires() {
    let world = World::new();
    world.release("exec-A");
    world.at("12:59:59.999999999");
    world.vote("carol", Allow);
    world.at("13:04:00");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_decision_that_nobody_uses_is_over_with_its_window() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    world.at("12:04:59.999999999");
    world.show();
    world.at("12:05:00");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn who_asked_may_take_it_back_before_and_after_it_is_allowed() {
    for allowed in [false, true] {
        let world = World::new();
        world.release("exec-A");
        if allowed {
            world.vote("carol", Allow);
        }
        world.withdraw("alice@phone");
        world.vote("dave", Allow);
        world.release("exec-A");
        insta::with_settings!({ snapshot_suffix => if allowed { "allowed" } else { "open" } }, {
            assert_snapshot!(world.story());
        });
    }
}

#[test]
fn an_approver_who_allowed_it_may_take_it_back_too() {
    let world = World::under(terms(2));
    world.release("exec-A");
    world.vote("carol", Allow);
    world.withdraw("dave");
    world.vote("dave", Allow);
    world.withdraw("carol@phone");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn nobody_else_takes_it_back() {
    let world = World::new();
    world.release("exec-A");
    world.withdraw("bob");
    world.withdraw("carol");
    world.withdraw("zoe");
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn a_denial_is_not_taken_back() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Deny);
    world.withdraw("alice");
    world.withdraw("carol");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn what_has_ended_is_not_taken_back() {
    let world = World::new();
    world.release("exec-A");
    world.withdraw("alice");
    world.withdraw("alice");
    world.release("exec-A");
    world.at("13:00:00");
    world.withdraw("alice");
    assert_snapshot!(world.story());
}

#[test]
fn an_approval_does_not_go_with_the_consequence_into_other_hands() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    world.transfer("exec-A", "exec-B");
    world.release("exec-B");
    world.transfer("exec-B", "exec-A");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_request_is_void_as_soon_as_something_else_than_was_shown_is_seen() {
    let seen = World::new();
    let original = seen.store.read(&parsed("exec-A"), &parsed("X")).unwrap();
    let mut others = vec![("the same", original.clone())];
    let mut other = |what, change: fn(&mut Snapshot)| {
        let mut snapshot = original.clone();
        change(&mut snapshot);
        others.push((what, snapshot));
    };
    other("quarantined", |snapshot| snapshot.current_execution_id = None);
    other("transferred", |snapshot| snapshot.current_execution_id = Some(parsed("exec-B")));
    other("released", |snapshot| snapshot.release_state = Settlement::Released.state());
    other("another origin", |snapshot| snapshot.origin_execution_id = parsed("exec-B"));
    other("another parent", |snapshot| snapshot.parent_consequence_id = Some(parsed("Y")));
    other("another payload", |snapshot| {
        let material = &snapshot.material;
        let payload = Value::from_json(br#"{"n": 1.0}"#).unwrap();
        snapshot.material =
            Material::new(material.consequence_type().clone(), material.target().clone(), payload);
    });
    for (what, snapshot) in others {
        let world = World::new();
        world.release("exec-A");
        let request = world.desk.show_beside(&snapshot).unwrap();
        let because = match request.closed() {
            Some(Closed::Void { because, .. }) => because.as_str(),
            _ => "nothing",
        };
        seen.tell(format!("{what}: {}, because of {because}", request.state()));
    }
    assert_snapshot!(seen.story());
}

#[test]
fn a_request_about_what_was_released_otherwise_is_void() {
    let world = World::new();
    world.release("exec-A");
    let (a, x) = (&parsed("exec-A"), &parsed("X"));
    let mark = world.store.mark(a, x, &AttemptRecord::default()).unwrap();
    world.store.settle(mark, Settlement::Released, "").unwrap();
    let snapshot = world.store.read(a, x).unwrap();
    world.tell(state(&world.desk.show_beside(&snapshot)));
    world.vote("carol", Allow);
    assert_snapshot!(world.story());
}

#[test]
fn requests_and_decisions_under_other_terms_are_void() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    let stricter = world.again_under(terms(2));
    let result = world.released("exec-A", &stricter);
    world.tell(format!("with a quorum of two: {}", result.reason()));
    world
        .tell(format!("as the first program sees that: {}", state(&world.desk.show(&parsed("X")))));
    assert_snapshot!(world.story());
}

#[test]
fn a_clock_that_steps_back_lets_no_decision_hold_before_what_it_rests_on() {
    let world = World::under(terms(2));
    world.release("exec-A");
    world.at("12:10:00");
    world.vote("carol", Allow);
    world.at("11:00:00");
    world.vote("dave", Allow);
    world.release("exec-A");
    world.at("12:09:59.999999999");
    world.release("exec-A");
    world.at("12:10:00");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn what_has_expired_stays_so_when_the_clock_steps_back() {
    let world = World::new();
    world.release("exec-A");
    world.at("13:00:00");
    world.show();
    world.at("12:00:00");
    world.show();
    world.vote("carol", Allow);
    assert_snapshot!(world.story());
}

#[test]
fn without_a_clock_nothing_is_shown_decided_or_withdrawn() {
    let world = World::new();
    world.release("exec-A");
    let shown = world.digest();
    world.watch.set(None);
    world.show();
    let ballot = super::fixture::ballot("carol", Allow);
    world.tell(state(&world.desk.decide(&parsed("X"), &shown, &ballot)));
    world.withdraw("alice");
    world.release("exec-A");
    assert_snapshot!(world.story());
}
