//! A scripted authority, actuator and clock, and everything that can be seen of one release.

use std::fmt::Debug;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument,
    NoDecision, Timestamp, ValidityWindow, Verdict,
};
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorReport, Admission, ReleaseBoundary, ReleaseResult,
};
use swampbox_custody::{
    AttemptRecord, ConsequenceId, Custody, CustodyError, Instance, MemoryCustody, Settlement,
    Snapshot, Submission,
};
use swampbox_material::Material;
use swampbox_material::json::Json;

/// What every clock here shows unless its script says otherwise.
pub(crate) const NOW: &str = "2026-01-01T12:00:00Z";

pub(crate) type Answer = Result<DecisionDocument, NoDecision>;
pub(crate) type Standing = Result<(), NoDecision>;
pub(crate) type Reported = Result<ActuatorReport, ActuatorFailure>;
pub(crate) type Reading = Result<Timestamp, ClockError>;

/// An identifier or a moment.
pub(crate) fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// A store in which exec-A holds X; exec-B is active and holds Y.
pub(crate) fn held() -> MemoryCustody {
    let store = MemoryCustody::new(parsed::<Instance>("box"));
    for (execution, consequence) in [("exec-A", "X"), ("exec-B", "Y")] {
        store.register(&parsed(execution)).unwrap();
        store.submit(note(execution, consequence)).unwrap();
    }
    store
}

/// As [`held`], with an execution that has ended, and a consequence in every other state.
pub(crate) fn inhabited() -> MemoryCustody {
    let store = held();
    store.register(&parsed("ended")).unwrap();
    store.submit(note("ended", "quarantined")).unwrap();
    store.end(&parsed("ended")).unwrap();
    for consequence in ["releasing", "released", "uncertain"] {
        store.submit(note("exec-A", consequence)).unwrap();
    }
    let mark = |consequence| {
        store.mark(&parsed("exec-A"), &parsed(consequence), &AttemptRecord::default()).unwrap()
    };
    store.settle(mark("released"), Settlement::Released, "").unwrap();
    store.settle(mark("uncertain"), Settlement::Uncertain, "").unwrap();
    mark("releasing");
    store
}

/// A note to the inbox.
pub(crate) fn note(execution: &str, consequence: &str) -> Submission {
    let material = br#"{"consequence_type": "note", "target": "inbox", "payload": {"n": 1}}"#;
    Submission {
        execution: parsed(execution),
        consequence: parsed(consequence),
        material: Material::from_json(material).unwrap(),
        parent: None,
    }
}

/// Authority, actuator and clock of one boundary, and how often each was used.
pub(crate) struct Script<'s> {
    authority: Box<dyn Fn(&AuthorityRequest) -> Answer + Send + Sync + 's>,
    stands: Box<dyn Fn(&DecisionDocument) -> Standing + Send + Sync + 's>,
    actuator: Box<dyn Fn(Admission) -> Reported + Send + Sync + 's>,
    clock: Box<dyn Fn(usize) -> Reading + Send + Sync + 's>,
    asked: AtomicUsize,
    entered: Mutex<Vec<String>>,
    read: AtomicUsize,
}

impl<'s> Script<'s> {
    /// The authority allows what it is asked for five minutes, the effect succeeds, and the clock
    /// stands still.
    pub(crate) fn new() -> Self {
        Self {
            authority: Box::new(|request| Ok(allows(request).into())),
            stands: Box::new(|_| Ok(())),
            actuator: Box::new(|_| Ok(ActuatorReport::succeeded("delivered"))),
            clock: Box::new(|_| Ok(parsed(NOW))),
            asked: AtomicUsize::new(0),
            entered: Mutex::default(),
            read: AtomicUsize::new(0),
        }
    }

    pub(crate) fn authority(
        self,
        script: impl Fn(&AuthorityRequest) -> Answer + Send + Sync + 's,
    ) -> Self {
        let authority = Box::new(script);
        Self { authority, ..self }
    }

    /// What the authority says of its decision at the last moment.
    pub(crate) fn stands(
        self,
        script: impl Fn(&DecisionDocument) -> Standing + Send + Sync + 's,
    ) -> Self {
        let stands = Box::new(script);
        Self { stands, ..self }
    }

    pub(crate) fn actuator(
        self,
        script: impl Fn(Admission) -> Reported + Send + Sync + 's,
    ) -> Self {
        let actuator = Box::new(script);
        Self { actuator, ..self }
    }

    /// The script is given the number of the reading, from 1.
    pub(crate) fn clock(self, script: impl Fn(usize) -> Reading + Send + Sync + 's) -> Self {
        let clock = Box::new(script);
        Self { clock, ..self }
    }

    pub(crate) fn release(
        &self,
        store: &impl Custody,
        execution: &str,
        consequence: &str,
    ) -> ReleaseResult {
        ReleaseBoundary::new(store, self, self, self)
            .release(&parsed(execution), &parsed(consequence))
    }

    /// How often the authority was asked, the actuator entered and the clock read.
    pub(crate) fn counts(&self) -> [usize; 3] {
        let entered = self.entered.lock().unwrap().len();
        [self.asked.load(SeqCst), entered, self.read.load(SeqCst)]
    }
}

impl AuthorityProvider for Script<'_> {
    fn evaluate(&self, request: &AuthorityRequest) -> Answer {
        self.asked.fetch_add(1, SeqCst);
        (self.authority)(request)
    }

    fn stands(&self, _: &AuthorityRequest, decision: &DecisionDocument) -> Standing {
        (self.stands)(decision)
    }
}

impl Actuator for Script<'_> {
    fn actuate(&self, admission: Admission<'_>) -> Reported {
        let entry = format!(
            "attempt {} does {} for {} under {}",
            admission.attempt_id(),
            admission.material().to_document(),
            admission.execution_id(),
            admission.decision_id()
        );
        self.entered.lock().unwrap().push(entry);
        (self.actuator)(admission)
    }
}

impl Clock for Script<'_> {
    fn now(&self) -> Reading {
        (self.clock)(self.read.fetch_add(1, SeqCst) + 1)
    }
}

/// Releases X for exec-A, and tells all that can be seen of it.
pub(crate) fn told(store: &impl Custody, script: &Script) -> String {
    let result = script.release(store, "exec-A", "X");
    let [asked, _, read] = script.counts();
    let entered = match &script.entered.lock().unwrap()[..] {
        [] => "never".to_owned(),
        entries => entries.join(", then "),
    };
    format!(
        "{}\nbecause: {}\nauthority asked: {asked}\nclock read: {read}\nactuator entered: {entered}\n{}",
        json(&result),
        result.reason(),
        afterwards(store)
    )
}

/// The five fields of a result.
pub(crate) fn json(result: &ReleaseResult) -> String {
    serde_json::to_string(result).unwrap()
}

/// What became of X, and whether a mark stands on it.
pub(crate) fn afterwards(store: &impl Custody) -> String {
    let x: ConsequenceId = parsed("X");
    let asked = code(store.request_release(&parsed("exec-B"), &x));
    let mark = if asked == "release_in_progress" { "marked" } else { "not marked" };
    format!("afterwards: {}, {mark}", store.state(&x).unwrap())
}

/// `ok`, or the code of the refusal.
pub(crate) fn code<T>(answer: Result<T, CustodyError>) -> String {
    answer.map_or_else(|error| error.code().to_string(), |_| "ok".into())
}

/// The decision that allows exactly what is asked, for five minutes.
pub(crate) fn allows(request: &AuthorityRequest) -> AuthorityDecision {
    decides(Verdict::Allow, &request.snapshot, request.evaluated_at)
}

/// The allowing decision with one field replaced by other JSON.
pub(crate) fn altered(
    request: &AuthorityRequest,
    field: &'static str,
    text: &str,
) -> DecisionDocument {
    let Json::Map(mut decision) = allows(request).to_document() else {
        panic!("a decision is an object");
    };
    decision.insert(field, Json::read(text.as_bytes()).unwrap());
    Json::Map(decision).into()
}

/// A decision about a consequence that is held, for five minutes.
pub(crate) fn decides(
    verdict: Verdict,
    snapshot: &Snapshot,
    issued_at: Timestamp,
) -> AuthorityDecision {
    let valid_until = issued_at.after(Duration::from_secs(300)).unwrap();
    let window = ValidityWindow::new(issued_at, valid_until).unwrap();
    AuthorityDecision::about(snapshot, parsed("decision-1"), verdict, window).unwrap()
}
