//! From a proposal to its effect.

use std::sync::Arc;

use insta::assert_snapshot;
use rstest::rstest;
use swampbox_actuators::Registry;
use swampbox_service::Parts;

use crate::served::{Client, Served, ballot, digest_of, write};

fn vote(client: &Client<'_>, consequence: &str, verdict: &str) -> String {
    let sheet = client.get(&format!("/v1/approvals/{consequence}"));
    if sheet.status != 200 {
        return sheet.outcome();
    }
    let ballot = ballot(&digest_of(client, consequence), verdict);
    client.post(&format!("/v1/approvals/{consequence}/decision"), &ballot).outcome()
}

#[test]
fn what_an_agent_proposes_is_held_until_an_approver_allows_it() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    let id = "X";
    let held = agent.post(
        "/v1/consequences",
        &write("note", "hello\n").replacen('{', r#"{"consequence_id":"X","#, 1),
    );
    let release = format!("/v1/consequences/{id}/release");
    let before = agent.post(&release, "");
    assert_eq!(served.file("note"), None);
    assert_eq!(vote(&served.as_one("carl"), id, "ALLOW"), "200");
    let after = agent.post(&release, "");
    assert_eq!(served.file("note").as_deref(), Some("hello\n"));
    let again = agent.post(&release, "");
    let told = [&before, &after, &again].map(|answer| {
        let [status, reason] = ["status", "reason"].map(|name| answer.text(name));
        format!("{} {status} {reason} {}", answer.status, answer.part("actuator_outcome"))
    });
    assert_snapshot!(format!("{} {}\n{}", held.status, held.body, told.join("\n")));
}

#[test]
fn a_release_that_waits_ends_as_soon_as_it_is_decided() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    let held = agent.post("/v1/consequences", &write("note", "hello"));
    let id = held.text("consequence_id");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            agent.post(&format!("/v1/consequences/{id}/release"), r#"{"wait_seconds":120}"#)
        });
        let carl = served.as_one("carl");
        while carl.get("/v1/approvals").body.to_string().contains(r#""requests":[]"#) {
            std::thread::yield_now();
        }
        assert_eq!(vote(&carl, id, "ALLOW"), "200");
        assert_eq!(waiting.join().unwrap().text("status"), "RELEASED");
    });
    assert_eq!(served.file("note").as_deref(), Some("hello"));
}

#[test]
fn nobody_decides_about_what_an_execution_of_their_own_proposes() {
    let served = Served::new();
    let agent = served.execution("both", "A");
    let held = agent.post("/v1/consequences", &write("note", "hello"));
    let id = held.text("consequence_id");
    agent.post(&format!("/v1/consequences/{id}/release"), "");
    assert_eq!(vote(&served.as_one("both"), id, "ALLOW"), "403 approver_is_proposer");
    assert_eq!(vote(&served.as_one("olga"), id, "ALLOW"), "403 forbidden");
}

#[test]
fn the_same_idempotency_key_submits_once_and_survives_the_service() {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    let key = [("idempotency-key", "first")];
    let submit = |agent: &Client<'_>, body: &str| agent.post_with("/v1/consequences", body, &key);
    let (first, again) = (submit(&agent, &write("a", "a")), submit(&agent, &write("a", "a")));
    assert_eq!((first.status, again.status), (201, 200));
    assert_eq!(first.body, again.body);
    let other = submit(&agent, &write("a", "b"));
    assert_eq!(other.outcome(), "409 idempotency_mismatch");
    let elsewhere = submit(&served.execution("ann", "B"), &write("a", "a"));
    assert_eq!(elsewhere.status, 201, "a key is that of one execution");
}

#[test]
fn an_id_that_could_be_made_of_a_key_is_not_for_others_to_give() {
    let served = Served::new();
    let other = served.execution("amy", "B");
    let with = |id: &str| {
        let body = write("a", "b").replacen('{', &format!(r#"{{"consequence_id":"{id}","#), 1);
        other.post("/v1/consequences", &body).outcome()
    };
    let key = [("idempotency-key", "first")];
    let agent = served.execution("ann", "A");
    let made = agent.post_with("/v1/consequences", &write("a", "a"), &key);
    assert_eq!(with(made.text("consequence_id")), "400 invalid_document");
    assert_eq!(with(&"0".repeat(64)), "400 invalid_document");
    assert_eq!([with(&"0".repeat(63)), with(&"A".repeat(64))], ["201", "201"]);
}

#[test]
fn what_is_submitted_again_is_answered_as_the_first_time_whatever_has_happened_since() {
    let mut served = Served::new();
    let token = served.execution("ann", "A").credential().to_owned();
    let other = served.execution("amy", "B").credential().to_owned();
    let body = write("note", "hello");
    let submit = |served: &Served| {
        let key = [("idempotency-key", "first")];
        let answer = served.with_credential(&token).post_with("/v1/consequences", &body, &key);
        (answer.status, answer.body.to_string())
    };
    let (status, first) = submit(&served);
    assert_eq!(status, 201);
    let listed = served.with_credential(&token).get("/v1/consequences").body.to_string();
    let (_, id) = listed.split_once(r#""consequence_id":""#).unwrap();
    let (id, _) = id.split_once('"').unwrap();
    let path = |rest: &str| format!("/v1/consequences/{id}{rest}");
    let again = (200, first);
    let to_b = r#"{"target_execution_id":"B"}"#;
    let moved = served.with_credential(&token).post(&path("/transfer"), to_b);
    assert_eq!(moved.text("current_execution_id"), "B");
    assert_eq!(submit(&served), again, "it is in other hands");
    let holder = served.with_credential(&other);
    holder.post(&path("/release"), "");
    assert_eq!(vote(&served.as_one("carl"), id, "ALLOW"), "200");
    assert_eq!(holder.post(&path("/release"), "").text("status"), "RELEASED");
    assert_eq!(submit(&served), again, "it is released");
    served.with_credential(&token).post("/v1/executions/A/end", "");
    assert_eq!(submit(&served), again, "its execution has ended");
    served = served.again_made_of(|parts, _| Parts { effects: Arc::new(Registry::new()), ..parts });
    assert_eq!(submit(&served), again, "nothing would carry it out any more");
}

#[rstest]
#[case::no_json("{", "400 invalid_json")]
#[case::twice(r#"{"target":"files","target":"files"}"#, "400 duplicate_key")]
#[case::unknown(
    r#"{"consequence_type":"t","target":"t","payload":1,"playload":1}"#,
    "400 invalid_document"
)]
#[case::nobody_carries_it_out(
    r#"{"consequence_type":"t","target":"t","payload":1}"#,
    "422 no_actuator"
)]
#[case::not_what_it_takes(
    r#"{"consequence_type":"file.write","target":"files","payload":1}"#,
    "422 payload_schema"
)]
#[case::bad_id(
    r#"{"consequence_id":" X","consequence_type":"t","target":"t","payload":1}"#,
    "400 invalid_identifier"
)]
fn what_is_wrong_with_a_proposal_is_said_and_nothing_is_held(
    #[case] body: &str,
    #[case] outcome: &str,
) {
    let served = Served::new();
    let agent = served.execution("ann", "A");
    assert_eq!(agent.post("/v1/consequences", body).outcome(), outcome);
    assert_eq!(
        agent.get("/v1/consequences").body.to_string(),
        r#"{"consequences":[],"next":null}"#
    );
}

#[test]
fn everything_is_there_when_the_service_comes_back() {
    let served = Served::new();
    let token = served.as_one("ann").post("/v1/executions", r#"{"execution_id":"A"}"#);
    let token = token.text("token").to_owned();
    let held = served.with_credential(&token).post("/v1/consequences", &write("note", "hello"));
    let id = held.text("consequence_id").to_owned();
    let release = format!("/v1/consequences/{id}/release");
    served.with_credential(&token).post(&release, "");
    let served = served.again();
    assert_eq!(vote(&served.as_one("cora"), &id, "ALLOW"), "200");
    assert_eq!(served.with_credential(&token).post(&release, "").text("status"), "RELEASED");
}
