//! A decision releases once, and only as long as it stands.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use insta::assert_snapshot;
use swampbox_authority::Verdict::Allow;
use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision,
    ValidityWindow,
};
use swampbox_boundary::ActuatorOutcome;
use swampbox_custody::Custody;
use swampbox_material::json::Json;
use swampbox_policy::approvals::{Shelf, State};

use super::fixture::{Counted, World, described, parsed, refused, terms};
use super::shelves::Broken;

#[test]
fn fifty_releases_of_one_approval_make_one_effect() {
    let allowed = ["authority_consumed", "authority_pending", "authority_revoked"];
    for outcome in [ActuatorOutcome::Succeeded, ActuatorOutcome::DefiniteNotExecuted] {
        for _ in 0..20 {
            let mut world = World::new();
            world.actuator = Counted::new(outcome);
            world.release("exec-A");
            world.vote("carol", Allow);
            let codes = releases_at_once(&world, 50);

            assert_eq!(world.actuator.entered.load(SeqCst), 1, "effects");
            let mut refusals = codes.clone();
            let effect = match outcome {
                ActuatorOutcome::Succeeded => refusals.remove("actuator_succeeded"),
                _ => refusals.remove("actuator_definitely_not_executed"),
            };
            assert_eq!(effect, Some(1), "{codes:?}");
            assert_eq!(refusals.values().sum::<usize>(), 49, "{codes:?}");
            let final_too = |code: &&str| match outcome {
                ActuatorOutcome::Succeeded => *code == "consequence_not_releasable",
                _ => false,
            };
            let known = |code: &&str| {
                allowed.contains(code) || *code == "release_in_progress" || final_too(code)
            };
            assert!(refusals.keys().all(known), "{codes:?}");
        }
    }
}

/// How many releases of X, all at once, ended with which code.
fn releases_at_once(world: &World, count: usize) -> BTreeMap<&'static str, usize> {
    let start = &Barrier::new(count);
    thread::scope(|scope| {
        let release = || {
            start.wait();
            world.released("exec-A", &world.desk).reason().code().as_str()
        };
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(release)).collect();
        let mut codes = BTreeMap::new();
        for thread in threads {
            *codes.entry(thread.join().unwrap()).or_default() += 1;
        }
        codes
    })
}

#[test]
fn what_did_not_happen_under_one_approval_needs_another() {
    let mut world = World::new();
    world.actuator = Counted::new(ActuatorOutcome::DefiniteNotExecuted);
    world.release("exec-A");
    world.vote("carol", Allow);
    world.release("exec-A");
    world.show();
    world.vote("dave", Allow);
    world.withdraw("carol");
    world.release("exec-A");
    world.vote("dave", Allow);
    world.release("exec-A");
    assert_snapshot!(world.story());
}

/// Approvals, and something that happens between its decision and the edge.
struct Meanwhile<'w, S, F> {
    world: &'w World<S>,
    happens: F,
}

impl<S: Shelf, F: Fn(&World<S>) + Send + Sync> AuthorityProvider for Meanwhile<'_, S, F> {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let decision = self.world.desk.evaluate(request);
        (self.happens)(self.world);
        decision
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        self.world.desk.stands(request, decision)
    }
}

/// What is allowed is released, and meanwhile something happens.
fn meanwhile(happens: impl Fn(&World) + Send + Sync) -> String {
    let world = &World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    let result = world.released("exec-A", Meanwhile { world, happens });
    world.tell(format!("exec-A releases X: {}", described(&result)));
    world.tell(format!("effects: {}", world.actuator.entered.load(SeqCst)));
    world.show();
    world.story()
}

#[test]
fn an_approval_that_is_withdrawn_at_the_last_moment_releases_nothing() {
    assert_snapshot!(meanwhile(|world| world.withdraw("carol")));
}

#[test]
fn an_approval_that_was_used_at_the_last_moment_releases_nothing() {
    assert_snapshot!(meanwhile(|world| {
        let snapshot = world.store.read(&parsed("exec-A"), &parsed("X")).unwrap();
        let request = AuthorityRequest { snapshot, evaluated_at: parsed("2026-01-01T12:00:00Z") };
        let decision = world.desk.evaluate(&request).unwrap();
        world.desk.stands(&request, &decision).unwrap();
        world.show();
    }));
}

#[test]
fn an_approval_in_whose_place_is_another_request_releases_nothing() {
    assert_snapshot!(meanwhile(|world| {
        world.withdraw("alice");
        world.release("exec-A");
        world.vote("dave", Allow);
    }));
}

#[test]
fn a_transfer_after_the_decision_releases_nothing() {
    assert_snapshot!(meanwhile(|world| world.transfer("exec-A", "exec-B")));
}

#[test]
fn an_approval_whose_window_ends_while_the_store_is_asked_is_revoked() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    let snapshot = world.store.read(&parsed("exec-A"), &parsed("X")).unwrap();
    let request = AuthorityRequest { snapshot, evaluated_at: parsed("2026-01-01T12:00:00Z") };
    let decision = world.desk.evaluate(&request).unwrap();
    world.at("12:05:00");
    world.tell(standing(world.desk.stands(&request, &decision)));
    world.show();
    assert_snapshot!(world.story());
}

#[test]
fn a_decision_under_terms_that_were_changed_is_revoked() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    let snapshot = world.store.read(&parsed("exec-A"), &parsed("X")).unwrap();
    let request = AuthorityRequest { snapshot, evaluated_at: parsed("2026-01-01T12:00:00Z") };
    let decision = world.desk.evaluate(&request).unwrap();
    world.tell(standing(world.again_under(terms(2)).stands(&request, &decision)));
    assert_snapshot!(world.story());
}

#[test]
fn only_the_decision_that_the_approvers_made_stands() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    let snapshot = world.store.read(&parsed("exec-A"), &parsed("X")).unwrap();
    let request = AuthorityRequest { snapshot, evaluated_at: parsed("2026-01-01T12:00:00Z") };
    let decision = world.desk.evaluate(&request).unwrap();
    let window =
        ValidityWindow::new(parsed("2026-01-01T12:00:00Z"), parsed("2026-01-01T12:05:00Z"));
    let made = |id: &str| {
        let (id, window) = (parsed(id), window.clone().unwrap());
        AuthorityDecision::about(&request.snapshot, id, Allow, window).unwrap()
    };
    let id = decision.decision_id().unwrap();
    let digest = |digest: &str| Json::object([("digest", Json::from(digest))]);
    let shown = world.digest().to_string();
    for (what, other) in [
        ("unreadable", DecisionDocument::read(b"{")),
        ("without a basis", made(id.as_str()).into()),
        ("of another id", DecisionDocument::from(made("forged")).resting_on(digest(&shown))),
        (
            "about another digest",
            DecisionDocument::from(made(id.as_str())).resting_on(digest(&"0".repeat(64))),
        ),
        (
            "about something that is no digest",
            DecisionDocument::from(made(id.as_str())).resting_on(digest(&shown.to_uppercase())),
        ),
        ("the one that was made", decision.clone()),
        ("the same again", decision),
    ] {
        world.tell(format!("{what}: {}", standing(world.desk.stands(&request, &other))));
    }
    assert_snapshot!(world.story());
}

#[test]
fn a_shelf_that_fails_at_the_edge_releases_nothing() {
    let world = World::with(Broken::default(), terms(1));
    world.release("exec-A");
    world.vote("carol", Allow);
    let breaks = |world: &World<Broken>| world.shelf.break_down(true);
    let result = world.released("exec-A", Meanwhile { world: &world, happens: breaks });
    world.tell(format!("exec-A releases X: {}", described(&result)));
    assert_eq!(world.actuator.entered.load(SeqCst), 0);
    // Its decision was used up with the mark, so it has to be taken back.
    world.shelf.break_down(false);
    world.release("exec-A");
    world.withdraw("alice");
    world.release("exec-A");
    assert_snapshot!(world.story());
}

#[test]
fn a_used_request_stays_used_when_the_consequence_is_seen_to_be_released() {
    let world = World::new();
    world.release("exec-A");
    world.vote("carol", Allow);
    world.release("exec-A");
    let snapshot = world.store.read(&parsed("exec-A"), &parsed("X")).unwrap();
    assert_eq!(world.desk.show_beside(&snapshot).unwrap().state(), State::Used);
}

fn standing(answer: Result<(), NoDecision>) -> String {
    answer.map_or_else(|error| refused(error.code(), &error), |()| "stands".into())
}
