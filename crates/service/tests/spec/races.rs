//! Many at once: one effect at the most, one story, and a ledger that verifies.

use std::sync::{Arc, Barrier};
use std::thread;

use swampbox_material::json::Json;
use swampbox_service::Limits;

use crate::effects::{ByName, Lines, lines_of, proposal};
use crate::served::{Answer, Client, Served, ballot, digest_of};

/// How often each race is run.
const ROUNDS: usize = 12;

#[test]
fn fifty_releases_at_once_have_one_effect() {
    let served = served();
    for _ in 0..ROUNDS {
        let (agent, id) = proposed(&served);
        ask(&agent, &id);
        allow(&served, "carl", &id);
        let releases = (0..50).map(|_| release(&agent, &id));
        let reasons: Vec<String> = at_once(releases.collect()).iter().map(reason).collect();
        let done = reasons.iter().filter(|reason| *reason == "actuator_succeeded").count();
        assert_eq!((done, story(&served, &id).effects), (1, 1), "{reasons:?}");
        for reason in reasons {
            let known = [
                "actuator_succeeded",
                "release_in_progress",
                "consequence_not_releasable",
                "authority_pending",
                "authority_revoked",
                "authority_consumed",
                "overloaded",
            ];
            assert!(known.contains(&&*reason), "{reason}");
        }
    }
    assert!(served.verifies());
}

#[test]
fn of_allow_and_deny_at_once_one_is_counted_and_decides() {
    let served = served();
    let mut allowed = 0;
    for _ in 0..ROUNDS {
        let (agent, id) = proposed(&served);
        ask(&agent, &id);
        let votes = at_once(vec![
            voting(&served, "carl", &id, "ALLOW"),
            voting(&served, "cora", &id, "DENY"),
            release(&agent, &id),
        ]);
        let [allow, deny] = [&votes[0], &votes[1]].map(Answer::outcome);
        assert!(
            matches!(
                (&*allow, &*deny),
                ("200", "409 request_closed") | ("409 request_closed", "200")
            ),
            "{allow} {deny}"
        );
        let after = release(&agent, &id)();
        let story = story(&served, &id);
        match &*allow {
            "200" => assert_eq!((story.effects, &*story.state), (1, "RELEASED")),
            _ => {
                assert_eq!((story.effects, &*story.state), (0, "CONTAINED"));
                assert_eq!(reason(&after), "authority_not_allowed");
            }
        }
        allowed += story.effects;
    }
    println!("{allowed} of {ROUNDS} were allowed");
    assert!(served.verifies());
}

#[test]
fn of_two_approvers_at_once_one_decides_where_one_is_enough() {
    let served = served();
    for _ in 0..ROUNDS {
        let (agent, id) = proposed(&served);
        ask(&agent, &id);
        let names = ["carl", "cora", "carl", "cora"];
        let votes = names.map(|name| voting(&served, name, &id, "ALLOW"));
        let outcomes: Vec<String> = at_once(votes.into()).iter().map(Answer::outcome).collect();
        let counted = outcomes.iter().filter(|outcome| *outcome == "200").count();
        assert_eq!(counted, 1, "{outcomes:?}");
        at_once((0..4).map(|_| release(&agent, &id)).collect());
        assert_eq!(story(&served, &id).effects, 1);
    }
    assert!(served.verifies());
}

#[test]
fn what_is_approved_for_one_custodian_is_not_released_by_the_next() {
    let served = served();
    let other = served.execution("amy", "other");
    let mut transferred = 0;
    for round in 0..ROUNDS {
        let (agent, id) = proposed(&served);
        ask(&agent, &id);
        let waits = r#"{"wait_seconds":1}"#;
        let (waiting, path) = (agent.clone(), format!("/v1/consequences/{id}/release"));
        let done = at_once(vec![
            voting(&served, "carl", &id, "ALLOW"),
            later(&served, round, transfer(&agent, &id, "other")),
            Box::new(move || waiting.post(&path, waits)),
            release(&other, &id),
        ]);
        let moved = done[1].status == 200;
        let (by_first, by_other) = (release(&agent, &id)(), release(&other, &id)());
        let story = story(&served, &id);
        assert_eq!(story.effects, usize::from(!moved), "{}", done[1].body);
        if moved {
            assert_eq!(reason(&by_first), "not_current_custodian");
            assert_eq!(reason(&by_other), "authority_pending", "it takes a decision of its own");
        } else {
            assert_eq!(&*story.state, "RELEASED");
        }
        transferred += usize::from(moved);
    }
    println!("{transferred} of {ROUNDS} were transferred");
    assert!(served.verifies());
}

#[test]
fn of_withdrawing_and_releasing_at_once_one_comes_too_late() {
    let served = served();
    let mut withdrawn = 0;
    for round in 0..ROUNDS {
        let (agent, id) = proposed(&served);
        ask(&agent, &id);
        allow(&served, "carl", &id);
        let path = format!("/v1/approvals/{id}/withdraw");
        // The agent takes its request back, or the approver his vote.
        let who = if round % 2 == 0 { agent.clone() } else { served.as_one("carl") };
        let withdraw: Act<'_> = Box::new(move || who.post(&path, ""));
        let done = at_once(vec![later(&served, round, withdraw), release(&agent, &id)]);
        let taken_back = done[0].status == 200;
        let released = reason(&done[1]) == "actuator_succeeded";
        assert_ne!(taken_back, released, "{} {}", done[0].body, done[1].body);
        release(&agent, &id)();
        assert_eq!(story(&served, &id).effects, usize::from(released));
        withdrawn += usize::from(taken_back);
    }
    println!("{withdrawn} of {ROUNDS} were withdrawn");
    assert!(served.verifies());
}

#[test]
fn what_is_withdrawn_while_its_release_waits_is_not_asked_for_again_by_that_release() {
    let served = served();
    let (agent, id) = proposed(&served);
    thread::scope(|scope| {
        let wait = r#"{"wait_seconds":120}"#;
        let waiting = scope.spawn(|| agent.post(&format!("/v1/consequences/{id}/release"), wait));
        let carl = served.as_one("carl");
        while carl.get(&format!("/v1/approvals/{id}")).status != 200 {
            thread::yield_now();
        }
        assert_eq!(agent.post(&format!("/v1/approvals/{id}/withdraw"), "").status, 200);
        let ended = waiting.join().unwrap();
        let message = ended.text("message");
        assert_eq!(message, "the decision that it waited for will not come: withdrawn");
    });
    let waiting = served.as_one("carl").get("/v1/approvals");
    assert_eq!(waiting.part("requests"), &Json::List(Vec::new()));
}

#[test]
fn a_release_that_waits_ends_when_its_consequence_is_handed_on() {
    let served = served();
    served.execution("amy", "other");
    let (agent, id) = proposed(&served);
    thread::scope(|scope| {
        let wait = r#"{"wait_seconds":120}"#;
        let waiting = scope.spawn(|| agent.post(&format!("/v1/consequences/{id}/release"), wait));
        let carl = served.as_one("carl");
        while carl.get(&format!("/v1/approvals/{id}")).status != 200 {
            thread::yield_now();
        }
        assert_eq!(transfer(&agent, &id, "other")().status, 200);
        assert_eq!(reason(&waiting.join().unwrap()), "not_current_custodian");
    });
}

#[test]
fn ending_an_execution_and_releasing_at_once_leave_one_story() {
    let served = served();
    for round in 0..ROUNDS {
        let (agent, id) = proposed(&served);
        ask(&agent, &id);
        allow(&served, "carl", &id);
        let operator = served.as_one("olga");
        let path = format!("/v1/executions/{id}/end");
        let end: Act<'_> = Box::new(move || operator.post(&path, ""));
        let done = at_once(vec![later(&served, round, end), release(&agent, &id)]);
        let released = reason(&done[1]) == "actuator_succeeded";
        let ended = done[0].outcome();
        assert!(ended == "200" || released && ended == "409 release_in_progress", "{ended}");
        let story = story(&served, &id);
        assert_eq!(story.effects, usize::from(released));
        assert_eq!(story.custodian.is_none(), !released, "what was not released is quarantined");
    }
    assert!(served.verifies());
}

#[test]
fn of_many_who_adopt_at_once_one_has_it() {
    let served = served();
    let heirs: Vec<Client<'_>> =
        (0..8).map(|number| served.execution("ann", &format!("heir-{number}"))).collect();
    for _ in 0..ROUNDS {
        let (agent, id) = proposed(&served);
        agent.post(&format!("/v1/executions/{id}/end"), "");
        let path = format!("/v1/consequences/{id}/adopt");
        let adopts = heirs.iter().map(|heir| Box::new(|| heir.post(&path, "")) as Act<'_>);
        let outcomes = at_once(adopts.collect());
        let outcomes: Vec<String> = outcomes.iter().map(Answer::outcome).collect();
        let adopted = outcomes.iter().filter(|outcome| *outcome == "200").count();
        let late = outcomes.iter().filter(|outcome| *outcome == "409 not_quarantined").count();
        assert_eq!((adopted, late), (1, 7), "{outcomes:?}");
    }
    assert!(served.verifies());
}

#[test]
fn the_same_key_at_once_submits_one_consequence() {
    let served = served();
    let agent = served.execution("ann", "A");
    for round in 0..ROUNDS {
        let (key, body) = (format!("key-{round}"), proposal("lines", "1"));
        let submit = || {
            let (agent, key, body) = (agent.clone(), key.clone(), body.clone());
            let submit =
                move || agent.post_with("/v1/consequences", &body, &[("idempotency-key", &key)]);
            Box::new(submit) as Act<'_>
        };
        let answers = at_once((0..20).map(|_| submit()).collect());
        let made = answers.iter().filter(|answer| answer.status == 201).count();
        assert_eq!(made, 1);
        let first = answers[0].text("consequence_id");
        assert!(answers.iter().all(|answer| answer.text("consequence_id") == first));
    }
    assert!(served.verifies());
}

#[test]
fn of_many_who_make_one_execution_at_once_one_has_a_token_that_works() {
    let served = served();
    for round in 0..ROUNDS {
        let body = format!(r#"{{"execution_id":"E-{round}"}}"#);
        let make = |name: &str| {
            let (client, body) = (served.as_one(name), body.clone());
            Box::new(move || client.post("/v1/executions", &body)) as Act<'_>
        };
        let names = ["ann", "amy", "both"].iter().cycle().take(12);
        let answers = at_once(names.map(|name| make(name)).collect());
        let tokens: Vec<&str> =
            answers.iter().filter(|one| one.status == 201).map(|one| one.text("token")).collect();
        let work = tokens
            .iter()
            .filter(|token| served.with_credential(token).get("/v1/consequences").status == 200);
        assert_eq!((tokens.len(), work.count()), (1, 1));
        assert!(
            answers.iter().all(|one| matches!(&*one.outcome(), "201" | "409 execution_exists"))
        );
    }
    assert!(served.verifies());
}

/// A service whose effects are lines in a file.
fn served() -> Served {
    let limits = Limits::default();
    Served::made_of(limits, |mut parts, home| {
        parts.effects = Arc::new(ByName(vec![Box::new(Lines::within(home))]));
        parts
    })
}

/// One thing that is done while others are.
type Act<'s> = Box<dyn FnOnce() -> Answer + Send + 's>;

/// Does all of these at the same moment.
fn at_once(acts: Vec<Act<'_>>) -> Vec<Answer> {
    let start = &Barrier::new(acts.len());
    thread::scope(|scope| {
        let threads = acts.into_iter().map(|act| {
            scope.spawn(move || {
                start.wait();
                act()
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The same, after some other requests: so that it comes at another moment in each round.
fn later<'s>(served: &'s Served, by: usize, act: Act<'s>) -> Act<'s> {
    Box::new(move || {
        for _ in 0..by {
            served.as_nobody().get("/healthz");
        }
        act()
    })
}

/// A new execution, and the consequence of the same name that it proposes.
fn proposed(served: &Served) -> (Client<'_>, String) {
    let id = swampbox_ledger::new_id();
    let agent = served.execution("ann", &id);
    let named = format!(r#"{{"consequence_id":{id:?},"#);
    let proposal = proposal("lines", "1").replacen('{', &named, 1);
    assert_eq!(agent.post("/v1/consequences", &proposal).status, 201);
    (agent, id)
}

fn release<'s>(agent: &Client<'s>, id: &str) -> Act<'s> {
    let (agent, path) = (agent.clone(), format!("/v1/consequences/{id}/release"));
    Box::new(move || agent.post(&path, ""))
}

fn transfer<'s>(agent: &Client<'s>, id: &str, target: &str) -> Act<'s> {
    let (agent, path) = (agent.clone(), format!("/v1/consequences/{id}/transfer"));
    let body = format!(r#"{{"target_execution_id":{target:?}}}"#);
    Box::new(move || agent.post(&path, &body))
}

/// The vote of one who has seen the request already.
fn voting<'s>(served: &'s Served, approver: &str, id: &str, verdict: &str) -> Act<'s> {
    let client = served.as_one(approver);
    let ballot = ballot(&digest_of(&client, id), verdict);
    let path = format!("/v1/approvals/{id}/decision");
    Box::new(move || client.post(&path, &ballot))
}

/// The first release, which asks for a decision.
fn ask(agent: &Client<'_>, id: &str) {
    assert_eq!(reason(&release(agent, id)()), "authority_pending");
}

fn allow(served: &Served, approver: &str, id: &str) {
    assert_eq!(voting(served, approver, id, "ALLOW")().status, 200);
}

/// The reason of a result, or the code of a refusal.
fn reason(answer: &Answer) -> String {
    let name = if answer.status == 200 { "reason" } else { "code" };
    answer.text(name).to_owned()
}

/// What the ledger and the file tell of a consequence. They tell the same.
struct Story {
    state: String,
    custodian: Option<String>,
    effects: usize,
}

fn story(served: &Served, id: &str) -> Story {
    let told = served.as_one("udo").get(&format!("/v1/consequences/{id}/story"));
    let consequence = told.part("consequence").as_object().unwrap();
    let text = |name: &str| consequence.get(name).and_then(Json::as_str).map(str::to_owned);
    let state = text("release_state").unwrap();
    let Json::List(attempts) = told.part("attempts") else { panic!("no attempts") };
    let settled = |attempt: &&Json| {
        let settlement = attempt.as_object().unwrap().get("settlement");
        settlement.and_then(Json::as_str) == Some("RELEASED")
    };
    let effects = lines_of(served.home.path(), id);
    assert_eq!(attempts.iter().filter(settled).count(), effects, "{}", told.body);
    assert_eq!(state == "RELEASED", effects == 1, "{}", told.body);
    assert!(effects <= 1, "{id} had {effects} effects");
    Story { state, custodian: text("current_execution_id"), effects }
}
