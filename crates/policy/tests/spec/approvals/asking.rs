//! What happens when a release asks.

use insta::assert_snapshot;
use swampbox_authority::{AuthorityProvider, AuthorityRequest, Verdict};
use swampbox_custody::Custody;
use swampbox_material::Material;

use super::fixture::{World, ballot, numbered, parsed, state, terms};

#[test]
fn the_first_release_asks_and_the_next_one_finds_the_same_request() {
    let world = World::new();
    world.release("exec-A");
    world.at("12:01:00");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_request_shows_exactly_what_would_be_released_and_who_asked_whom() {
    let world = World::under(terms(2));
    world.release("exec-A");
    let request = world.desk.show(&parsed("X")).unwrap();
    let shown = numbered(&pretty(&request.to_document().to_string()));
    assert_snapshot!(shown);
}

#[test]
fn what_is_allowed_is_released() {
    let world = World::new();
    world.release("exec-A");
    world.at("12:01:00");
    world.vote("carol", Verdict::Allow);
    world.at("12:05:00");
    world.release("exec-A");
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn what_is_denied_is_not_released_and_a_new_request_is_made_only_after_the_window() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Verdict::Deny);
    world.at("12:04:59.999999999");
    world.release("exec-A");
    world.at("12:05:00");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

/// It is made of what was shown; that the store still holds the same is for the boundary to see.
#[test]
fn the_decision_is_bound_to_what_was_shown_and_says_what_it_rests_on() {
    let world = World::under(terms(2));
    world.release("exec-A");
    world.at("12:01:00");
    world.vote("carol@phone", Verdict::Allow);
    world.at("12:02:00");
    world.vote("dave", Verdict::Allow);
    let snapshot = world.store.read(&parsed("exec-A"), &parsed("X")).unwrap();
    let request = AuthorityRequest { snapshot, evaluated_at: parsed("2026-01-01T12:03:00Z") };
    let decision = world.desk.evaluate(&request).unwrap();
    world.tell(pretty(&decision.as_received()));
    world.tell(format!("consumes {:?}", decision.consumes()));
    world.tell(format!("by {}", world.desk.name()));
    world.tell(pretty(&decision.basis().unwrap().to_string()));
    assert_snapshot!(world.story());
}

#[test]
fn what_would_be_answered_asks_nobody() {
    let world = World::new();
    let snapshot = world.store.read(&parsed("exec-A"), &parsed("X")).unwrap();
    let request = AuthorityRequest { snapshot, evaluated_at: parsed("2026-01-01T12:03:00Z") };
    let would = || match world.desk.would_answer(&request) {
        Ok(decision) => {
            assert_eq!(
                decision.as_received(),
                world.desk.evaluate(&request).unwrap().as_received()
            );
            format!("{} consumes {:?}", decision.as_received(), decision.consumes())
        }
        Err(none) => format!("{}: {none}", none.code()),
    };
    let before = would();
    assert!(world.desk.show(&parsed("X")).is_err(), "somebody was asked");
    world.release("exec-A");
    let asked = would();
    world.vote("carol", Verdict::Allow);
    let allowed = would();
    world.release("exec-A");
    assert_snapshot!(numbered(&format!("{before}\n{asked}\n{allowed}\n{}", would())));
}

#[test]
fn a_denial_uses_nothing_up() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Verdict::Deny);
    let snapshot = world.store.read(&parsed("exec-A"), &parsed("X")).unwrap();
    let request = AuthorityRequest { snapshot, evaluated_at: parsed("2026-01-01T12:03:00Z") };
    assert!(world.desk.evaluate(&request).unwrap().consumes().is_empty());
}

#[test]
fn what_differs_from_the_parent_is_shown_if_the_parent_is_known() {
    let world = World::new();
    world.release("exec-A");
    let parent = Material::from_json(
        br#"{"consequence_type": "note", "target": "outbox", "payload": {"n": 1.0}}"#,
    );
    let request = world.desk.show(&parsed("X")).unwrap();
    let differences = request.differences_from(&parent.unwrap());
    let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert_snapshot!(differences.join("\n"));
}

#[test]
fn nobody_is_asked_in_the_name_of_an_execution_that_nobody_is_known_to_be_behind() {
    let world = World::new();
    world.store.register(&parsed("exec-C")).unwrap();
    world.transfer("exec-A", "exec-C");
    world.release("exec-C");
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn nothing_is_shown_decided_or_withdrawn_that_was_not_asked_for() {
    let world = World::new();
    world.show();
    world.withdraw("alice");
    let other = World::new();
    other.release("exec-A");
    let voted = world.desk.decide(&parsed("X"), &other.digest(), &ballot("carol", Verdict::Allow));
    world.tell(format!("carol says ALLOW: {}", state(&voted)));
    assert_snapshot!(world.story());
}

#[test]
fn a_request_that_would_expire_beyond_the_year_9999_is_not_made() {
    let world = World::new();
    world.watch.set(Some("9999-12-31T23:30:00Z"));
    world.release("exec-A");
    world.show();
    assert_snapshot!(world.story());
}

/// JSON with an entry of the outermost object a line.
fn pretty(json: &str) -> String {
    let (mut depth, mut quoted, mut out) = (0, false, String::new());
    for c in json.chars() {
        match c {
            '"' => quoted = !quoted,
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        out.push(c);
        if c == ',' && depth == 1 && !quoted {
            out.push_str("\n ");
        }
    }
    out
}
