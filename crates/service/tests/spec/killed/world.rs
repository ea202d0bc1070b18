//! What was acknowledged, and whether it is there.

use std::fs;
use std::path::Path;

use swampbox_material::json::Json;

use super::remote::Remote;
use super::victim::{ENTERED, key};
use crate::effects::{lines_of, proposal};
use crate::served::Answer;

/// All that the agents tried, and were told.
#[derive(Default)]
pub(super) struct World {
    pub(super) facts: Vec<Fact>,
}

/// One consequence.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// The token of its execution.
    pub(super) token: String,
    /// The key under which it was submitted.
    pub(super) key: String,
    pub(super) target: &'static str,
    /// Its id, if that was ever told.
    pub(super) id: Option<String>,
    /// Whether it was told that a decision is pending.
    pub(super) asked: bool,
    /// Whether a vote to allow it was counted.
    pub(super) decided: bool,
    /// Whether a release was asked for after that.
    pub(super) tried: bool,
    /// The state that a release was told to have led to.
    pub(super) ended: Option<String>,
}

/// How much the test has shown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) kills: usize,
    pub(super) acknowledged: usize,
    /// Releases and submissions whose answers never came.
    pub(super) unacknowledged: usize,
    /// Attempts in the midst of which the service was killed.
    pub(super) interrupted: usize,
    pub(super) events: usize,
}

impl Seen {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            kills: self.kills + other.kills,
            acknowledged: self.acknowledged + other.acknowledged,
            unacknowledged: self.unacknowledged + other.unacknowledged,
            interrupted: self.interrupted + other.interrupted,
            events: self.events + other.events,
        }
    }
}

impl World {
    /// Compares all that was acknowledged with what the service says that came back, and forgets it.
    pub(super) fn check(&mut self, remote: &Remote, home: &Path, context: &str) -> Seen {
        let verified = remote.post("/v1/ledger/verify", &key("olga"), "", None).unwrap();
        assert_eq!(verified.part("verified"), &Json::Bool(true), "{context}: {}", verified.body);
        let mut seen = Seen::default();
        for fact in self.facts.drain(..) {
            let context = format!("{context}: {fact:?}");
            seen = seen.and(fact.check(remote, home, &context));
        }
        seen
    }
}

impl Fact {
    fn check(&self, remote: &Remote, home: &Path, context: &str) -> Seen {
        let again = self.submit(remote).unwrap();
        let expected: &[u16] = if self.id.is_some() { &[200] } else { &[200, 201] };
        assert!(expected.contains(&again.status), "{context}: {}", again.body);
        let id = again.text("consequence_id");
        assert!(self.id.as_ref().is_none_or(|known| known == id), "{context}: {id}");
        if self.asked {
            let sheet = remote.get(&format!("/v1/approvals/{id}"), "carl").unwrap();
            assert_eq!(sheet.status, 200, "{context}: {}", sheet.body);
            let state = sheet.part("request").as_object().unwrap().get("state").unwrap();
            let open = state.as_str() == Some("open");
            assert!(!(self.decided && open), "{context}: {}", sheet.body);
        }
        if self.decided && !self.tried {
            // The decision is there, so it takes no other.
            let released = self.release(remote, id).unwrap();
            assert_eq!(released.text("status"), "RELEASED", "{context}: {}", released.body);
        }
        let interrupted = self.compare(remote, id, home, context);
        let told = [self.id.is_some(), self.asked, self.decided, self.ended.is_some()];
        let untold = [self.id.is_none(), self.tried && self.ended.is_none()];
        Seen {
            acknowledged: told.into_iter().filter(|told| *told).count(),
            unacknowledged: untold.into_iter().filter(|untold| *untold).count(),
            interrupted: usize::from(interrupted),
            ..Seen::default()
        }
    }

    /// Compares the ledger with the effects. Gives whether an attempt was interrupted.
    fn compare(&self, remote: &Remote, id: &str, home: &Path, context: &str) -> bool {
        let story = remote.get(&format!("/v1/consequences/{id}/story"), "carl").unwrap();
        let context = format!("{context}: {}", story.body);
        let consequence = story.part("consequence").as_object().unwrap();
        let state = consequence.get("release_state").and_then(Json::as_str).unwrap();
        let Json::List(attempts) = story.part("attempts") else { panic!("{context}") };
        for attempt in attempts {
            let settlement = attempt.as_object().unwrap().get("settlement").unwrap();
            assert_ne!(settlement, &Json::Null, "{context}: it was not settled");
        }
        let effects = lines_of(home, id);
        let may_be = match state {
            "CONTAINED" => 0..=0,
            "RELEASED" => 1..=1,
            _ => 0..=1,
        };
        assert!(may_be.contains(&effects), "{context}: {effects} effects");
        assert!(self.ended.as_ref().is_none_or(|ended| ended == state), "{context}");
        let entered = fs::read_to_string(home.join(ENTERED)).unwrap_or_default();
        let interrupted = entered.lines().any(|entered| entered == id);
        assert!(!interrupted || state == "UNCERTAIN", "{context}: it was interrupted");
        state == "UNCERTAIN"
    }

    pub(super) fn submit(&self, remote: &Remote) -> Option<Answer> {
        let body = proposal(self.target, "1");
        remote.post("/v1/consequences", &self.token, &body, Some(&self.key))
    }

    pub(super) fn release(&self, remote: &Remote, id: &str) -> Option<Answer> {
        remote.post(&format!("/v1/consequences/{id}/release"), &self.token, "", None)
    }
}
