//! A box in which exec-A holds X, with approvers, a clock that is set by hand, and what happens told
//! line by line.

use std::fmt::{Debug, Display};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use swampbox_authority::{AuthorityProvider, Clock, ClockError, Timestamp, Verdict};
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorOutcome, ActuatorReport, Admission, ReleaseBoundary,
    ReleaseResult,
};
use swampbox_custody::{Custody, ExecutionId, Instance, MemoryCustody, Principal, Submission};
use swampbox_material::{Code, Material};
use swampbox_policy::approvals::{
    ApprovalError, Approvals, Ballot, Digest, Directory, MemoryShelf, Quorum, Request, Shelf,
    Terms, UnknownPrincipal,
};

/// What the clock shows at first.
pub(crate) const NOW: &str = "2026-01-01T12:00:00Z";

/// An identifier or a moment.
pub(crate) fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// A clock that is set by hand.
pub(crate) struct Watch {
    now: Mutex<Option<Timestamp>>,
}

impl Watch {
    pub(crate) fn set(&self, now: Option<&str>) {
        *self.now.lock().unwrap() = now.map(parsed);
    }
}

impl Clock for Watch {
    fn now(&self) -> Result<Timestamp, ClockError> {
        self.now.lock().unwrap().ok_or_else(|| ClockError::new("it stopped"))
    }
}

/// Alice is behind exec-A and Bob behind exec-B; both, and Carol, have another name too.
pub(crate) struct Staff;

impl Directory for Staff {
    fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        match execution.as_str() {
            "exec-A" => Ok(parsed("alice@laptop")),
            "exec-B" => Ok(parsed("bob")),
            _ => Err(UnknownPrincipal::new("the directory is closed")),
        }
    }

    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        match name.as_str() {
            "mallory" => Err(UnknownPrincipal::new("the directory is closed")),
            name => Ok(parsed(name.split('@').next().unwrap_or(name))),
        }
    }
}

/// This many of Alice, Bob, Carol, Dave and Erin; a request waits an hour, a decision holds for ten
/// minutes at most.
pub(crate) fn terms(needed: usize) -> Terms {
    let eligible = ["alice", "bob", "carol", "dave", "erin"].map(parsed);
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    Terms::new(Quorum::new(needed, eligible).unwrap(), minutes(60), minutes(10)).unwrap()
}

pub(crate) type Desk<S> = Approvals<Arc<S>, Arc<Watch>, Staff>;

pub(crate) struct World<S = MemoryShelf> {
    pub(crate) store: MemoryCustody,
    pub(crate) watch: Arc<Watch>,
    pub(crate) shelf: Arc<S>,
    pub(crate) desk: Desk<S>,
    pub(crate) actuator: Counted,
    told: Mutex<Vec<String>>,
}

impl World {
    /// One approver is needed.
    pub(crate) fn new() -> Self {
        Self::under(terms(1))
    }

    pub(crate) fn under(terms: Terms) -> Self {
        Self::with(MemoryShelf::new(), terms)
    }

    pub(crate) fn transfer(&self, source: &str, target: &str) {
        self.store.transfer(&parsed(source), &parsed(target), &parsed("X")).unwrap();
        self.shelf.changed_hands(&parsed("X"));
        self.tell(format!("{source} transfers X to {target}"));
    }
}

impl<S: Shelf> World<S> {
    pub(crate) fn with(shelf: S, terms: Terms) -> Self {
        let store = MemoryCustody::new(parsed::<Instance>("box"));
        for execution in ["exec-A", "exec-B"] {
            store.register(&parsed(execution)).unwrap();
        }
        store.submit(note("X")).unwrap();
        let watch = Arc::new(Watch { now: Mutex::new(Some(parsed(NOW))) });
        let shelf = Arc::new(shelf);
        let desk = Approvals::new(shelf.clone(), watch.clone(), Staff, terms).unwrap();
        let actuator = Counted::new(ActuatorOutcome::Succeeded);
        Self { store, watch, shelf, desk, actuator, told: Mutex::default() }
    }

    /// The same box with other terms, as after a change of the configuration.
    pub(crate) fn again_under(&self, terms: Terms) -> Desk<S> {
        Approvals::new(self.shelf.clone(), self.watch.clone(), Staff, terms).unwrap()
    }

    pub(crate) fn tell(&self, line: impl Display) {
        self.told.lock().unwrap().push(line.to_string());
    }

    /// What was told, with ids and digests numbered in the order in which they come.
    pub(crate) fn story(&self) -> String {
        numbered(&self.told.lock().unwrap().join("\n"))
    }

    /// Sets the clock, to this time of the day.
    pub(crate) fn at(&self, time: &str) {
        self.watch.set(Some(&format!("2026-01-01T{time}Z")));
        self.tell(format!("-- {time}"));
    }

    pub(crate) fn release(&self, execution: &str) {
        let result = self.released(execution, &self.desk);
        self.tell(format!("{execution} releases X: {}", described(&result)));
    }

    pub(crate) fn released(
        &self,
        execution: &str,
        provider: impl AuthorityProvider,
    ) -> ReleaseResult {
        ReleaseBoundary::new(&self.store, provider, &self.actuator, &self.watch)
            .release(&parsed(execution), &parsed("X"))
    }

    /// Looks at the request, and votes about what is shown.
    pub(crate) fn vote(&self, approver: &str, verdict: Verdict) {
        let voted = self.voted(&ballot(approver, verdict));
        self.tell(format!("{approver} says {}: {}", verdict.as_str(), state(&voted)));
    }

    pub(crate) fn voted(&self, ballot: &Ballot) -> Result<Request, ApprovalError> {
        let shown = self.digest();
        self.desk.decide(&parsed("X"), &shown, ballot)
    }

    pub(crate) fn withdraw(&self, by: &str) {
        let withdrawn = self.desk.withdraw(&parsed("X"), &parsed(by));
        self.tell(format!("{by} withdraws: {}", state(&withdrawn)));
    }

    /// The digest of the request about X as it is shown.
    pub(crate) fn digest(&self) -> Digest {
        self.desk.show(&parsed("X")).unwrap().digest()
    }

    pub(crate) fn show(&self) {
        self.tell(format!("the request is {}", state(&self.desk.show(&parsed("X")))));
    }
}

/// Gives a vote with a reason, for five minutes.
pub(crate) fn ballot(approver: &str, verdict: Verdict) -> Ballot {
    Ballot {
        approver: parsed(approver),
        verdict,
        reason: "looked at it".into(),
        window: Duration::from_secs(300),
    }
}

/// A note to the inbox, from exec-A.
pub(crate) fn note(consequence: &str) -> Submission {
    let material = br#"{"consequence_type": "note", "target": "inbox", "payload": {"n": 1}}"#;
    Submission {
        execution: parsed("exec-A"),
        consequence: parsed(consequence),
        material: Material::from_json(material).unwrap(),
        parent: None,
    }
}

/// An actuator that counts how often it is entered.
pub(crate) struct Counted {
    outcome: ActuatorOutcome,
    pub(crate) entered: AtomicUsize,
}

impl Counted {
    pub(crate) fn new(outcome: ActuatorOutcome) -> Self {
        Self { outcome, entered: AtomicUsize::new(0) }
    }
}

impl Actuator for Counted {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        self.entered.fetch_add(1, SeqCst);
        Ok(self.outcome.into())
    }
}

pub(crate) fn described(result: &ReleaseResult) -> String {
    let decision = result.authority_decision_id().map(|id| format!(" under {id}"));
    let (status, reason) = (result.status(), result.reason());
    format!("{status}{}, {}: {reason}", decision.unwrap_or_default(), reason.code())
}

/// The state of a request, or the refusal.
pub(crate) fn state(answer: &Result<Request, ApprovalError>) -> String {
    match answer {
        Ok(request) => request.state().to_string(),
        Err(error) => refused(error.code(), error),
    }
}

pub(crate) fn refused(code: Code, error: impl Display) -> String {
    format!("refused, {code}: {error}")
}

/// The text with the ids of requests and with digests numbered in the order in which they come.
pub(crate) fn numbered(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words: Vec<&str> = text.split(|c| !is_part(c)).collect();
    let is_id = |word: &&&str| word.len() == 45 && word.starts_with("approval-");
    let is_digest = |word: &&&str| word.len() == 64 && word.chars().all(|c| c.is_ascii_hexdigit());
    let ids = number("request", words.iter().filter(is_id));
    let digests = number("digest", words.iter().filter(is_digest));
    let names = ids.into_iter().chain(digests);
    names.fold(text.to_owned(), |text, (word, name)| text.replace(word, &name))
}

fn number<'a>(what: &str, words: impl Iterator<Item = &'a &'a str>) -> Vec<(&'a str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for word in words {
        if !found.iter().any(|(known, _)| known == word) {
            found.push((word, format!("<{what} {}>", found.len() + 1)));
        }
    }
    found
}
