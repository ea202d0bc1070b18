//! Decisions that somebody signed, or did not.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::SigningKey;
use insta::assert_snapshot;
use swampbox_authority::{
    AuthorityDecision, AuthorityRequest, Clock, Timestamp, ValidityWindow, Verdict,
};
use swampbox_material::{Material, Value};
use swampbox_policy::LookupFailure;
use swampbox_policy::signed::{
    DecisionSigner, EnvelopeSource, Role, Signed, TrustedKey, TrustedKeys, sign,
};
use swampbox_service::{Limits, Revoked};

use crate::effects::{ByName, Lines, lines_of, proposal};
use crate::served::{Client, Served, SystemClock};

/// What is signed about a question.
type Answer = Box<dyn Fn(&AuthorityRequest) -> Option<String> + Send>;

/// A mailbox into which a test puts what it likes.
#[derive(Clone)]
struct Mailbox(Arc<Mutex<Answer>>);

impl EnvelopeSource for Mailbox {
    fn envelope(&self, request: &AuthorityRequest) -> Result<Option<Vec<u8>>, LookupFailure> {
        Ok((*self.0.lock().unwrap())(request).map(String::into_bytes))
    }
}

fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

fn moment(from_now: i64) -> Timestamp {
    // The same for all, as an envelope that is made anew has to be the same one.
    static NOW: OnceLock<Timestamp> = OnceLock::new();
    let now = NOW.get_or_init(|| SystemClock.now().unwrap());
    now.moved_by(i128::from(from_now) * 1_000_000_000).unwrap()
}

fn window(from: i64, until: i64) -> ValidityWindow {
    ValidityWindow::new(moment(from), moment(until)).unwrap()
}

/// An hour around now.
fn now() -> ValidityWindow {
    window(-1_800, 1_800)
}

/// A service that believes key 1 about notes, and key 2 about something else; and its mailbox.
fn served() -> (Served, Mailbox) {
    let mailbox = Mailbox(Arc::new(Mutex::new(Box::new(|_| None))));
    let source = mailbox.clone();
    let served = Served::made_of(Limits::default(), move |mut parts, home| {
        let pattern = |text: &str| text.parse().unwrap();
        let notes = Role::new("secretary", pattern("note"), pattern("*"));
        let mail = Role::new("postmaster", pattern("mail"), pattern("*"));
        let keys = TrustedKeys::new([
            TrustedKey::new("ops", key(1).public_key(), now(), [notes.clone()]),
            TrustedKey::new("post", key(2).public_key(), now(), [mail]),
            TrustedKey::new("old", key(3).public_key(), window(-3_600, -1_800), [notes]),
        ]);
        let revoked = Revoked::of(parts.ledger.clone());
        let signed = Signed::new(source, keys.unwrap(), revoked, parts.clock.clone());
        parts.authority = Arc::new(signed);
        parts.approvals = None;
        parts.effects = Arc::new(ByName(vec![Box::new(Lines::within(home))]));
        parts
    });
    (served, mailbox)
}

/// The decision that would be right.
fn right(request: &AuthorityRequest) -> AuthorityDecision {
    let id = format!("decision-{}", request.snapshot.consequence_id);
    AuthorityDecision::about(&request.snapshot, id.parse().unwrap(), Verdict::Allow, now()).unwrap()
}

fn proposed(agent: &Client<'_>) -> String {
    let held = agent.post("/v1/consequences", &proposal("lines", r#"{"amount":1}"#));
    held.text("consequence_id").to_owned()
}

#[test]
fn a_decision_releases_only_what_it_says_as_it_says_and_from_whom_it_must_be() {
    let (served, mailbox) = served();
    let agent = served.execution("ann", "A");
    let signed = |change: fn(&mut AuthorityDecision)| -> Answer {
        Box::new(move |request| {
            let mut decision = right(request);
            change(&mut decision);
            Some(sign(&decision, &key(1)))
        })
    };
    let by =
        |seed: u8| -> Answer { Box::new(move |request| Some(sign(&right(request), &key(seed)))) };
    let cases: Vec<(&str, Answer)> = vec![
        ("none", Box::new(|_| None)),
        ("forged, by a key that nobody knows", by(9)),
        ("by a key for something else", by(2)),
        ("by a key whose time is over", by(3)),
        (
            "altered after it was signed",
            Box::new(|request| altered(&sign(&right(request), &key(1)))),
        ),
        ("without its signature", Box::new(|request| unsigned(&sign(&right(request), &key(1))))),
        ("expired", signed(|decision| decision.window = window(-60, -1))),
        ("early", signed(|decision| decision.window = window(60, 120))),
        (
            "for another consequence",
            signed(|decision| {
                decision.consequence_id = "another".parse().unwrap();
            }),
        ),
        (
            "for another custodian",
            signed(|decision| {
                decision.execution_id = "B".parse().unwrap();
            }),
        ),
        (
            "for another payload",
            signed(|decision| {
                let other = Value::from(2);
                decision.bound_consequence = Material::new("note", "lines", other);
            }),
        ),
        ("a denial", signed(|decision| decision.verdict = Verdict::Deny)),
        ("no envelope at all", Box::new(|_| Some("{}".to_owned()))),
    ];
    let mut told = Vec::new();
    for (name, answer) in cases {
        *mailbox.0.lock().unwrap() = answer;
        let id = proposed(&agent);
        let ended = agent.post(&format!("/v1/consequences/{id}/release"), "");
        assert_eq!(ended.text("status"), "CONTAINED", "{name}");
        assert_eq!(lines_of(served.home.path(), &id), 0, "{name}");
        told.push(format!("{name}: {}", ended.text("reason")));
    }
    assert_snapshot!(told.join("\n"));
    *mailbox.0.lock().unwrap() = by(1);
    let id = proposed(&agent);
    let ended = agent.post(&format!("/v1/consequences/{id}/release"), "");
    assert_eq!(ended.text("status"), "RELEASED", "or the refusals above show nothing");
    assert!(served.verifies());
}

#[test]
fn a_decision_that_is_replayed_releases_nothing() {
    let (served, mailbox) = served();
    let agent = served.execution("ann", "A");
    let kept = Arc::new(Mutex::new(None));
    *mailbox.0.lock().unwrap() = Box::new(move |request| {
        let mut kept = kept.lock().unwrap();
        Some(kept.get_or_insert_with(|| sign(&right(request), &key(1))).clone())
    });
    let (first, second) = (proposed(&agent), proposed(&agent));
    let release = |id: &str| agent.post(&format!("/v1/consequences/{id}/release"), "");
    assert_eq!(release(&first).text("reason"), "actuator_succeeded");
    assert_eq!(release(&first).text("reason"), "consequence_not_releasable");
    assert_eq!(release(&second).text("reason"), "authority_consequence_mismatch");
    assert_eq!(lines_of(served.home.path(), &second), 0);
}

#[test]
fn nobody_votes_where_decisions_are_signed() {
    let (served, _) = served();
    let agent = served.execution("ann", "A");
    let id = proposed(&agent);
    agent.post(&format!("/v1/consequences/{id}/release"), "");
    let carl = served.as_one("carl");
    assert_eq!(carl.get(&format!("/v1/approvals/{id}")).outcome(), "404 request_not_found");
    let begun = Instant::now();
    let wait = agent.post(&format!("/v1/consequences/{id}/release"), r#"{"wait_seconds":100}"#);
    assert_eq!(wait.text("reason"), "authority_unavailable");
    assert!(begun.elapsed() < Duration::from_secs(50), "there is nothing to wait for");
}

/// The same with another amount.
fn altered(envelope: &str) -> Option<String> {
    let start = envelope.find(r#""payload":""#)? + r#""payload":""#.len();
    let length = envelope[start..].find('"')?;
    let payload = &envelope[start..start + length];
    let text = String::from_utf8(STANDARD.decode(payload).ok()?).ok()?;
    let other = text.replace(r#""amount":1"#, r#""amount":2"#);
    assert_ne!(text, other);
    Some(envelope.replace(payload, &STANDARD.encode(other)))
}

/// The same with an empty list of signatures.
fn unsigned(envelope: &str) -> Option<String> {
    let start = envelope.find(r#""signatures":["#)? + r#""signatures":["#.len();
    Some(format!("{}]}}", &envelope[..start]))
}
