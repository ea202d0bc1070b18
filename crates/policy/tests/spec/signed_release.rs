//! A release under a signed decision, through the boundary, over a store in memory.

use insta::assert_snapshot;
use swampbox_authority::{AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, Verdict};
use swampbox_boundary::ActuatorReport;
use swampbox_custody::{Custody, DecisionId};
use swampbox_material::{Material, Value};
use swampbox_policy::LookupFailure;
use swampbox_policy::signed::{
    DECISION_TYPE, EnvelopeSource, FixedEnvelope, KeyId, MemoryRevocations, Revocations, Signed,
};

use crate::signed_fixture::{
    NOW, attempted, by_ops, decision, envelope, held, id, parsed, provider, released, request,
    sealed, signature, still, times, trusted, window,
};

#[test]
fn a_signed_decision_releases_what_it_is_about() {
    let told = release(&decision());
    assert_snapshot!(told);
}

#[test]
fn its_basis_names_the_keys_their_roles_and_the_envelope() {
    let payload = decision().to_document().to_string();
    let answer = provider(&sealed(payload.as_bytes(), &["ops", "audit"])).evaluate(&request());
    let basis = answer.unwrap().basis().unwrap().to_string();
    assert_snapshot!(basis);
}

#[test]
fn it_is_handed_on_as_it_was_signed() {
    let payload = decision().to_document().to_string().replace(',', " , ");
    let answer = provider(&sealed(payload.as_bytes(), &["ops"])).evaluate(&request()).unwrap();
    assert_eq!(answer.as_received(), payload);
}

#[test]
fn it_releases_once() {
    let provider = provider(&by_ops(&decision()));
    let told = twice(&provider);
    assert_snapshot!(told);
}

#[test]
fn one_that_is_reusable_may_be_tried_again() {
    let provider = provider(&by_ops(&decision())).reusable();
    let told = twice(&provider);
    assert_snapshot!(told);
}

#[test]
fn it_releases_once_in_whatever_envelope_it_comes() {
    let store = held();
    let payload = decision().to_document().to_string();
    let told = ["ops", "audit"].map(|name| {
        let provider = provider(&sealed(payload.as_bytes(), &[name]));
        let not_yet = ActuatorReport::definite_not_executed("nobody listens");
        attempted(&store, ("exec-A", "X"), provider, still(), not_yet)
    });
    let told = told.join("\n\n");
    assert_snapshot!(told);
}

#[test]
fn a_signed_denial_is_a_denial() {
    let told = release(&AuthorityDecision { verdict: Verdict::Deny, ..decision() });
    assert_snapshot!(told);
}

#[test]
fn replayed_for_another_consequence_it_releases_nothing() {
    let provider = provider(&by_ops(&decision()));
    let done = ActuatorReport::succeeded("delivered");
    let told = attempted(&held(), ("exec-B", "Y"), provider, still(), done);
    assert_snapshot!(told);
}

#[test]
fn replayed_for_another_custodian_it_releases_nothing() {
    let store = held();
    store.transfer(&parsed("exec-A"), &parsed("exec-B"), &parsed("X")).unwrap();
    let provider = provider(&by_ops(&decision()));
    let done = ActuatorReport::succeeded("delivered");
    let told = attempted(&store, ("exec-B", "X"), provider, still(), done);
    assert_snapshot!(told);
}

#[test]
fn with_another_payload_it_releases_nothing() {
    let one_float = Value::try_from(1.0).unwrap();
    let material = Material::new("note", "inbox", one_float);
    let told = release(&AuthorityDecision { bound_consequence: material, ..decision() });
    assert_snapshot!(told);
}

#[test]
fn relabelled_after_it_was_signed_it_is_no_decision() {
    let signed = decision().to_document().to_string();
    let signature = signature("ops", DECISION_TYPE, signed.as_bytes());
    let other = AuthorityDecision { consequence_id: parsed("Y"), ..decision() };
    let other = other.to_document().to_string();
    let forged = envelope(DECISION_TYPE, other.as_bytes(), &[signature]);
    let done = ActuatorReport::succeeded("delivered");
    let told = attempted(&held(), ("exec-B", "Y"), provider(&forged), still(), done);
    assert_snapshot!(told);
}

#[test]
fn what_was_signed_and_is_no_decision_is_malformed() {
    let right = decision().to_document().to_string();
    let open_ended = right.replace(r#""2026-01-01T12:05:00Z""#, "null");
    let backwards = right.replace("12:05:00", "11:59:00");
    let told =
        ["yes", "{}", &right.replace("ALLOW", "allow"), &open_ended, &backwards].map(|payload| {
            released(&held(), "X", provider(&sealed(payload.as_bytes(), &["ops"])), still())
        });
    let told = told.join("\n\n");
    assert_snapshot!(told);
}

#[test]
fn a_window_holds_from_its_first_moment_until_just_before_its_last() {
    let second = AuthorityDecision { window: window(NOW, "2026-01-01T12:00:01Z"), ..decision() };
    let envelope = by_ops(&second);
    let told = [
        "2026-01-01T11:59:59.999999999Z",
        NOW,
        "2026-01-01T12:00:00.999999999Z",
        "2026-01-01T12:00:01Z",
    ]
    .map(|now| format!("at {now}: {}", first_line(provider(&envelope), times(&[now]))));
    let told = told.join("\n");
    assert_snapshot!(told);
}

#[test]
fn a_clock_that_steps_back_before_the_window_stops_it_at_the_edge() {
    let clock = times(&[NOW, NOW, "2026-01-01T11:59:59Z"]);
    let told = released(&held(), "X", provider(&by_ops(&decision())), clock);
    assert_snapshot!(told);
}

#[test]
fn a_key_may_be_used_from_its_first_moment_until_just_before_its_last() {
    let always = window("2025-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    let envelope = by_ops(&AuthorityDecision { window: always, ..decision() });
    let told = [
        "2025-12-31T23:59:59.999999999Z",
        "2026-01-01T00:00:00Z",
        "2026-01-01T23:59:59.999999999Z",
        "2026-01-02T00:00:00Z",
    ]
    .map(|now| {
        let source = FixedEnvelope::new(envelope.as_bytes());
        let provider = Signed::new(source, trusted(), MemoryRevocations::new(), times(&[now]));
        format!("at {now}: {}", first_line(provider, times(&[now])))
    });
    let told = told.join("\n");
    assert_snapshot!(told);
}

#[test]
fn a_key_that_is_not_valid_any_more_decides_nothing() {
    let window = window("2026-01-02T00:00:00Z", "2026-01-02T00:05:00Z");
    let provider = provider(&by_ops(&AuthorityDecision { window, ..decision() }));
    let told = released(&held(), "X", provider, times(&["2026-01-02T00:00:00Z"]));
    assert_snapshot!(told);
}

#[test]
fn a_key_decides_nothing_that_its_roles_do_not_cover() {
    let payment = AuthorityDecision {
        consequence_id: parsed("Z"),
        bound_consequence: Material::new("payment", "inbox", Value::from(1)),
        ..decision()
    };
    let told = released(&held(), "Z", provider(&by_ops(&payment)), still());
    assert_snapshot!(told);
}

#[test]
fn every_key_that_signed_needs_a_role() {
    let payment = AuthorityDecision {
        consequence_id: parsed("Z"),
        bound_consequence: Material::new("payment", "inbox", Value::from(1)),
        ..decision()
    };
    let payment = payment.to_document().to_string();
    let told = [&["audit"][..], &["audit", "ops"]]
        .map(|names| released(&held(), "Z", provider(&sealed(payment.as_bytes(), names)), still()));
    let told = told.join("\n\n");
    assert_snapshot!(told);
}

#[test]
fn what_is_revoked_already_decides_nothing() {
    let key = MemoryRevocations::new();
    key.revoke_key(parsed(&id("ops")));
    let decided = MemoryRevocations::new();
    decided.revoke_decision(decision().decision_id);
    let told = [key, decided].map(|revocations| {
        let source = FixedEnvelope::new(by_ops(&decision()).as_bytes());
        let provider = Signed::new(source, trusted(), revocations, still());
        released(&held(), "X", provider, still())
    });
    let told = told.join("\n\n");
    assert_snapshot!(told);
}

#[test]
fn who_is_no_signer_may_be_revoked() {
    let revocations = MemoryRevocations::new();
    revocations.revoke_key(parsed(&id("audit")));
    revocations.revoke_decision(parsed("decision-2"));
    let source = FixedEnvelope::new(by_ops(&decision()).as_bytes());
    let told = first_line(Signed::new(source, trusted(), revocations, still()), still());
    assert_snapshot!(told);
}

#[test]
fn without_an_envelope_there_is_no_decision() {
    let told = [Post::Empty, Post::Closed].map(|post| {
        let provider = Signed::new(post, trusted(), MemoryRevocations::new(), still());
        released(&held(), "X", provider, still())
    });
    let told = told.join("\n\n");
    assert_snapshot!(told);
}

#[test]
fn revocations_that_can_not_be_asked_stop_it() {
    let source = FixedEnvelope::new(by_ops(&decision()).as_bytes());
    let told = released(&held(), "X", Signed::new(source, trusted(), Silent, still()), still());
    assert_snapshot!(told);
}

enum Post {
    Empty,
    Closed,
}

impl EnvelopeSource for Post {
    fn envelope(&self, _request: &AuthorityRequest) -> Result<Option<Vec<u8>>, LookupFailure> {
        match self {
            Post::Empty => Ok(None),
            Post::Closed => Err(LookupFailure::new("the post is closed")),
        }
    }
}

struct Silent;

impl Revocations for Silent {
    fn key_is_revoked(&self, _key: &KeyId) -> Result<bool, LookupFailure> {
        Err(LookupFailure::new("the list is not there"))
    }

    fn decision_is_revoked(&self, _decision: &DecisionId) -> Result<bool, LookupFailure> {
        Err(LookupFailure::new("the list is not there"))
    }
}

fn release(decision: &AuthorityDecision) -> String {
    released(&held(), "X", provider(&by_ops(decision)), still())
}

/// Two attempts under one provider, of which the first surely did nothing.
fn twice(provider: &impl AuthorityProvider) -> String {
    let store = held();
    let not_yet = ActuatorReport::definite_not_executed("nobody listens");
    let first = attempted(&store, ("exec-A", "X"), provider, still(), not_yet);
    format!("{first}\n\n{}", released(&store, "X", provider, still()))
}

fn first_line(provider: impl AuthorityProvider, clock: impl Clock) -> String {
    released(&held(), "X", provider, clock).lines().next().unwrap_or_default().to_owned()
}
