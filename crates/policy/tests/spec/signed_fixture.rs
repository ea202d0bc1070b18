//! Keys, envelopes, and a release through a real boundary under a signed decision.

use std::fmt::Debug;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer, SigningKey};
use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument,
    NoDecision, Timestamp, ValidityWindow, Verdict,
};
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, ReleaseBoundary};
use swampbox_custody::{Custody, Instance, MemoryCustody, Submission};
use swampbox_material::{Material, Value};
use swampbox_policy::signed::{
    DECISION_TYPE, DecisionSigner, FixedEnvelope, MemoryRevocations, Role, Signed, TrustedKey,
    TrustedKeys, pre_authentication_encoding,
};

pub(crate) const NOW: &str = "2026-01-01T12:00:00Z";

/// An identifier, a moment or a pattern.
pub(crate) fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

pub(crate) fn window(issued_at: &str, valid_until: &str) -> ValidityWindow {
    ValidityWindow::new(parsed(issued_at), parsed(valid_until)).unwrap()
}

/// The key that is named so. That of `intruder` nobody trusts.
pub(crate) fn key(name: &str) -> SigningKey {
    let seed = match name {
        "ops" => 1,
        "audit" => 2,
        "intruder" => 3,
        other => panic!("there is no key `{other}`"),
    };
    SigningKey::from_bytes(&[seed; 32])
}

pub(crate) fn id(name: &str) -> String {
    key(name).public_key().id().to_string()
}

/// `ops` may be used for a day, for any note; `audit` for longer, for whatever it likes.
pub(crate) fn trusted() -> TrustedKeys {
    let day = window("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    let year = window("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    let notes = Role::new("secretary", parsed("note"), parsed("inbox*"));
    let all = Role::new("auditor", parsed("*"), parsed("*"));
    TrustedKeys::new([
        TrustedKey::new("ops", key("ops").public_key(), day, [notes]),
        TrustedKey::new("audit", key("audit").public_key(), year, [all]),
    ])
    .unwrap()
}

/// exec-A holds X, a note, and Z, a payment; exec-B holds Y, a note like X.
pub(crate) fn held() -> MemoryCustody {
    let store = MemoryCustody::new(parsed::<Instance>("box"));
    for (execution, consequence, consequence_type) in
        [("exec-A", "X", "note"), ("exec-A", "Z", "payment"), ("exec-B", "Y", "note")]
    {
        store.register(&parsed(execution)).unwrap();
        let submission = Submission {
            execution: parsed(execution),
            consequence: parsed(consequence),
            material: Material::new(consequence_type, "inbox", Value::from(1)),
            parent: None,
        };
        store.submit(submission).unwrap();
    }
    store
}

/// The decision that allows X for five minutes.
pub(crate) fn decision() -> AuthorityDecision {
    AuthorityDecision {
        decision_id: parsed("decision-1"),
        verdict: Verdict::Allow,
        consequence_id: parsed("X"),
        execution_id: parsed("exec-A"),
        bound_consequence: Material::new("note", "inbox", Value::from(1)),
        window: window(NOW, "2026-01-01T12:05:00Z"),
    }
}

/// What exec-A asks about X.
pub(crate) fn request() -> AuthorityRequest {
    let snapshot = held().request_release(&parsed("exec-A"), &parsed("X")).unwrap();
    AuthorityRequest { snapshot, evaluated_at: parsed(NOW) }
}

/// One signature of an envelope, as JSON.
pub(crate) fn signature(name: &str, payload_type: &str, payload: &[u8]) -> String {
    let signature = Signer::sign(&key(name), &pre_authentication_encoding(payload_type, payload));
    let signature = STANDARD.encode(signature.to_bytes());
    format!(r#"{{"keyid":"{}","sig":"{signature}"}}"#, id(name))
}

/// An envelope of these parts, whether they fit or not.
pub(crate) fn envelope(payload_type: &str, payload: &[u8], signatures: &[String]) -> String {
    let (payload, signatures) = (STANDARD.encode(payload), signatures.join(","));
    format!(
        r#"{{"payload":"{payload}","payloadType":"{payload_type}","signatures":[{signatures}]}}"#
    )
}

/// An envelope in which these keys rightly sign this payload as a decision.
pub(crate) fn sealed(payload: &[u8], names: &[&str]) -> String {
    let signatures = names.iter().map(|name| signature(name, DECISION_TYPE, payload));
    envelope(DECISION_TYPE, payload, &signatures.collect::<Vec<_>>())
}

/// An envelope in which `ops` signs this decision.
pub(crate) fn by_ops(decision: &AuthorityDecision) -> String {
    sealed(decision.to_document().to_string().as_bytes(), &["ops"])
}

/// Shows a time for each reading, from the first; the last one from then on.
pub(crate) struct Times {
    times: Vec<Option<Timestamp>>,
    read: AtomicUsize,
}

/// A clock that stands still.
pub(crate) fn still() -> Times {
    times(&[NOW])
}

/// A clock that shows these times; where there is none, it fails.
pub(crate) fn times(times: &[&str]) -> Times {
    let times = times.iter().map(|time| time.parse().ok()).collect();
    Times { times, read: AtomicUsize::new(0) }
}

impl Clock for Times {
    fn now(&self) -> Result<Timestamp, ClockError> {
        let reading = self.read.fetch_add(1, SeqCst).min(self.times.len() - 1);
        self.times[reading].ok_or_else(|| ClockError::new("it stopped"))
    }
}

/// A provider of one envelope, with nothing revoked and a clock that stands still.
pub(crate) fn provider(
    envelope: &str,
) -> Signed<FixedEnvelope, MemoryRevocations, impl Clock + use<>> {
    let source = FixedEnvelope::new(envelope.as_bytes());
    Signed::new(source, trusted(), MemoryRevocations::new(), still())
}

/// Does what it is told to between the answer and the edge.
pub(crate) struct Between<P, F>(pub(crate) P, pub(crate) F);

impl<P: AuthorityProvider, F: Fn() + Send + Sync> AuthorityProvider for Between<P, F> {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let answer = self.0.evaluate(request);
        (self.1)();
        answer
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        self.0.stands(request, decision)
    }
}

struct Count(AtomicUsize, ActuatorReport);

impl Actuator for Count {
    fn actuate(&self, _admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        self.0.fetch_add(1, SeqCst);
        Ok(self.1.clone())
    }
}

/// Releases a consequence for exec-A, and tells all that can be seen of it.
pub(crate) fn released(
    store: &MemoryCustody,
    consequence: &str,
    provider: impl AuthorityProvider,
    clock: impl Clock,
) -> String {
    let done = ActuatorReport::succeeded("delivered");
    attempted(store, ("exec-A", consequence), provider, clock, done)
}

/// The same, for this execution and with this report of the actuator.
pub(crate) fn attempted(
    store: &MemoryCustody,
    (execution, consequence): (&str, &str),
    provider: impl AuthorityProvider,
    clock: impl Clock,
    report: ActuatorReport,
) -> String {
    let actuator = Count(AtomicUsize::new(0), report);
    let boundary = ReleaseBoundary::new(store, provider, &actuator, clock);
    let result = boundary.release(&parsed(execution), &parsed(consequence));
    let decision = result.authority_decision_id().map_or("none", |id| id.as_str()).to_owned();
    format!(
        "{} {}\nbecause: {}\ndecision: {decision}\nactuator entered: {}",
        result.status(),
        result.reason().code(),
        result.reason(),
        actuator.0.load(SeqCst),
    )
}
