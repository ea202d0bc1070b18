//! What happens between the answer and the edge.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use insta::assert_snapshot;
use swampbox_authority::{AuthorityDecision, AuthorityRequest};
use swampbox_custody::DecisionId;
use swampbox_policy::LookupFailure;
use swampbox_policy::signed::{
    EnvelopeSource, FixedEnvelope, KeyId, MemoryRevocations, Revocations, Signed,
};

use crate::signed_fixture::{
    Between, NOW, by_ops, decision, held, id, parsed, released, sealed, still, times, trusted,
};

#[test]
fn if_nothing_happens_it_stands() {
    let provider = Between(fixed(MemoryRevocations::new(), NOW), || {});
    let told = released(&held(), "X", provider, still());
    assert_snapshot!(told);
}

#[test]
fn a_key_that_is_revoked_meanwhile_stops_it() {
    let revocations = MemoryRevocations::new();
    let revoke = || revocations.revoke_key(parsed(&id("ops")));
    let told = released(&held(), "X", Between(fixed(&revocations, NOW), revoke), still());
    assert_snapshot!(told);
}

#[test]
fn a_decision_that_is_revoked_meanwhile_is_stopped() {
    let revocations = MemoryRevocations::new();
    let revoke = || revocations.revoke_decision(decision().decision_id);
    let told = released(&held(), "X", Between(fixed(&revocations, NOW), revoke), still());
    assert_snapshot!(told);
}

#[test]
fn after_one_that_was_revoked_another_decision_releases() {
    let (store, revocations) = (held(), MemoryRevocations::new());
    let revoke = || revocations.revoke_key(parsed(&id("ops")));
    drop(released(&store, "X", Between(fixed(&revocations, NOW), revoke), still()));
    let other = AuthorityDecision { decision_id: parsed("decision-2"), ..decision() };
    let source = FixedEnvelope::new(
        sealed(other.to_document().to_string().as_bytes(), &["audit"]).into_bytes(),
    );
    let told =
        released(&store, "X", Signed::new(source, trusted(), &revocations, still()), still());
    assert_snapshot!(told);
}

#[test]
fn a_key_whose_time_ends_meanwhile_stops_it() {
    let provider = fixed(MemoryRevocations::new(), "2026-01-02T00:00:00Z");
    let told = released(&held(), "X", provider, still());
    assert_snapshot!(told);
}

#[test]
fn a_clock_that_steps_back_before_the_key_s_time_stops_it() {
    let provider = fixed(MemoryRevocations::new(), "2025-12-31T23:59:59Z");
    let told = released(&held(), "X", provider, still());
    assert_snapshot!(told);
}

#[test]
fn a_clock_that_fails_stops_it() {
    let told = released(&held(), "X", fixed(MemoryRevocations::new(), "no time"), still());
    assert_snapshot!(told);
}

#[test]
fn revocations_that_can_not_be_asked_any_more_stop_it() {
    let revocations = Failing::default();
    let fail = || revocations.fails.store(true, SeqCst);
    let told = released(&held(), "X", Between(fixed(&revocations, NOW), fail), still());
    assert_snapshot!(told);
}

#[test]
fn another_envelope_does_not_stand_for_the_one_that_was_used() {
    let payload = decision().to_document().to_string();
    let told = replaced_by(Some(sealed(payload.as_bytes(), &["audit"])));
    assert_snapshot!(told);
}

#[test]
fn the_same_decision_laid_out_otherwise_does_not_stand() {
    let told = replaced_by(Some(by_ops(&decision()).replacen('{', "{ ", 1)));
    assert_snapshot!(told);
}

#[test]
fn a_forged_envelope_does_not_stand() {
    let told = replaced_by(Some(by_ops(&decision()).replace(&id("ops"), &id("audit"))));
    assert_snapshot!(told);
}

#[test]
fn an_envelope_that_was_taken_away_does_not_stand() {
    let told = replaced_by(None);
    assert_snapshot!(told);
}

/// A provider of the decision about X whose own clock shows `edge`.
fn fixed<R: Revocations>(
    revocations: R,
    edge: &str,
) -> Signed<FixedEnvelope, R, impl swampbox_authority::Clock + use<R>> {
    let source = FixedEnvelope::new(by_ops(&decision()).into_bytes());
    Signed::new(source, trusted(), revocations, times(&[edge]))
}

/// A release in which the envelope is replaced between the answer and the edge.
fn replaced_by(other: Option<String>) -> String {
    let post = Post(Mutex::new(Some(by_ops(&decision()))));
    let replace = || post.0.lock().unwrap().clone_from(&other);
    let provider = Signed::new(&post, trusted(), MemoryRevocations::new(), still());
    released(&held(), "X", Between(provider, replace), still())
}

struct Post(Mutex<Option<String>>);

impl EnvelopeSource for Post {
    fn envelope(&self, _request: &AuthorityRequest) -> Result<Option<Vec<u8>>, LookupFailure> {
        Ok(self.0.lock().unwrap().clone().map(String::into_bytes))
    }
}

#[derive(Default)]
struct Failing {
    fails: AtomicBool,
}

impl Failing {
    fn answer(&self) -> Result<bool, LookupFailure> {
        match self.fails.load(SeqCst) {
            true => Err(LookupFailure::new("the list is not there")),
            false => Ok(false),
        }
    }
}

impl Revocations for Failing {
    fn key_is_revoked(&self, _key: &KeyId) -> Result<bool, LookupFailure> {
        self.answer()
    }

    fn decision_is_revoked(&self, _decision: &DecisionId) -> Result<bool, LookupFailure> {
        self.answer()
    }
}
