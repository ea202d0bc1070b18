//! Requests that are made at the same moment, and what is left of them.

use std::sync::{Arc, Barrier};
use std::thread;

use swampbox_material::json::Json;
use swampbox_service::Limits;

use crate::effects::{ByName, Lines, lines_of, proposal};
use crate::served::{Answer, Client, Served, ballot, digest_of};

/// A service whose effects are lines in a file.
pub(crate) fn served() -> Served {
    let limits = Limits::default();
    Served::made_of(limits, |mut parts, home| {
        parts.effects = Arc::new(ByName(vec![Box::new(Lines::within(home))]));
        parts
    })
}

/// One thing that is done while others are.
pub(crate) type Act<'s> = Box<dyn FnOnce() -> Answer + Send + 's>;

/// Does all of these at the same moment.
pub(crate) fn at_once(acts: Vec<Act<'_>>) -> Vec<Answer> {
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
pub(crate) fn later<'s>(served: &'s Served, by: usize, act: Act<'s>) -> Act<'s> {
    Box::new(move || {
        for _ in 0..by {
            served.as_nobody().get("/healthz");
        }
        act()
    })
}

/// A new execution, and the consequence of the same name that it proposes.
pub(crate) fn proposed(served: &Served) -> (Client<'_>, String) {
    let id = swampbox_ledger::new_id();
    let agent = served.execution("ann", &id);
    let named = format!(r#"{{"consequence_id":{id:?},"#);
    let proposal = proposal("lines", "1").replacen('{', &named, 1);
    assert_eq!(agent.post("/v1/consequences", &proposal).status, 201);
    (agent, id)
}

pub(crate) fn release<'s>(agent: &Client<'s>, id: &str) -> Act<'s> {
    let (agent, path) = (agent.clone(), format!("/v1/consequences/{id}/release"));
    Box::new(move || agent.post(&path, ""))
}

pub(crate) fn transfer<'s>(agent: &Client<'s>, id: &str, target: &str) -> Act<'s> {
    let (agent, path) = (agent.clone(), format!("/v1/consequences/{id}/transfer"));
    let body = format!(r#"{{"target_execution_id":{target:?}}}"#);
    Box::new(move || agent.post(&path, &body))
}

/// The vote of one who has seen the request already.
pub(crate) fn voting<'s>(served: &'s Served, approver: &str, id: &str, verdict: &str) -> Act<'s> {
    let client = served.as_one(approver);
    let ballot = ballot(&digest_of(&client, id), verdict);
    let path = format!("/v1/approvals/{id}/decision");
    Box::new(move || client.post(&path, &ballot))
}

/// The first release, which asks for a decision.
pub(crate) fn ask(agent: &Client<'_>, id: &str) {
    assert_eq!(reason(&release(agent, id)()), "authority_pending");
}

pub(crate) fn allow(served: &Served, approver: &str, id: &str) {
    assert_eq!(voting(served, approver, id, "ALLOW")().status, 200);
}

/// The reason of a result, or the code of a refusal.
pub(crate) fn reason(answer: &Answer) -> String {
    let name = if answer.status == 200 { "reason" } else { "code" };
    answer.text(name).to_owned()
}

/// What the ledger and the file tell of a consequence. They tell the same.
pub(crate) struct Story {
    pub(crate) state: String,
    pub(crate) custodian: Option<String>,
    pub(crate) effects: usize,
}

pub(crate) fn story(served: &Served, id: &str) -> Story {
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
