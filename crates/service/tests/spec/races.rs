//! Many at once: one effect at the most, one story, and a ledger that verifies.

use std::thread;

use swampbox_material::json::Json;

use crate::at_once::{
    Act, allow, ask, at_once, later, proposed, reason, release, served, story, transfer, voting,
};
use crate::effects::proposal;
use crate::served::{Answer, Client};

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
                "authority_unavailable",
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
    for _ in 0..ROUNDS {
        let (agent, id) = proposed(&served);
        thread::scope(|scope| {
            let wait = r#"{"wait_seconds":120}"#;
            let waiting =
                scope.spawn(|| agent.post(&format!("/v1/consequences/{id}/release"), wait));
            let carl = served.as_one("carl");
            while carl.get(&format!("/v1/approvals/{id}")).status != 200 {
                thread::yield_now();
            }
            assert_eq!(transfer(&agent, &id, "other")().status, 200);
            assert_eq!(reason(&waiting.join().unwrap()), "not_current_custodian");
        });
    }
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
