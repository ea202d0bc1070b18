//! Who is logged in, and what was shown to them.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use swampbox_custody::{ConsequenceId, StoreFailure};
use swampbox_policy::approvals::Digest;

use crate::principal::{Holder, KeyHash};
use crate::secret::random;

/// How many sessions one principal may have. One more ends the one that was left alone for longest.
const SESSIONS_OF_ONE: usize = 20;

/// How many requests a session remembers to have been shown. Of one more the first is forgotten, and
/// has to be shown again.
const READINGS: usize = 64;

/// The sessions, in memory alone: after a restart everybody logs in again.
pub(super) struct Sessions {
    idle: Duration,
    age: Duration,
    all: Mutex<HashMap<KeyHash, Session>>,
}

struct Session {
    holder: Holder,
    token: String,
    begun: Instant,
    used: Instant,
    readings: VecDeque<Reading>,
}

/// Who comes with a session.
#[derive(Clone, Debug)]
pub(super) struct Visitor {
    pub(super) holder: Holder,
    /// By what the session is found: the hash of its id, which is nowhere kept.
    pub(super) session: KeyHash,
    /// What a form has to carry that belongs to this session.
    pub(super) token: String,
}

/// How far somebody has been shown a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) digest: Digest,
    /// Beside which other consequence it is shown, chosen when it was first opened, so that what stands
    /// on its pages stays the same.
    pub(super) beside: Option<ConsequenceId>,
    /// How many pages there are.
    pub(super) of: usize,
    shown: BTreeSet<usize>,
}

impl Reading {
    /// Nothing of it has been shown.
    pub(super) fn new(digest: Digest, beside: Option<ConsequenceId>, of: usize) -> Self {
        Self { digest, beside, of, shown: BTreeSet::new() }
    }

    /// The pages that were not shown.
    pub(super) fn missing(&self) -> Vec<usize> {
        (1..=self.of).filter(|page| !self.shown.contains(page)).collect()
    }
}

impl Sessions {
    /// None yet. Each lasts until it has been idle for so long, or is so old.
    pub(super) fn lasting(idle: Duration, age: Duration) -> Self {
        Self { idle, age, all: Mutex::default() }
    }

    /// Begins a session, and gives its id.
    pub(super) fn begin(&self, holder: &Holder, now: Instant) -> Result<String, StoreFailure> {
        let (id, token) = (random()?, random()?);
        let mut all = self.all();
        all.retain(|_, session| self.lasts(session, now));
        let theirs = all.iter().filter(|(_, session)| session.holder.name == holder.name);
        let mut theirs: Vec<_> = theirs.map(|(key, session)| (session.used, *key)).collect();
        theirs.sort_by_key(|(used, _)| *used);
        let too_many = (theirs.len() + 1).saturating_sub(SESSIONS_OF_ONE);
        for (_, key) in theirs.iter().take(too_many) {
            all.remove(key);
        }
        let readings = VecDeque::new();
        let session = Session { holder: holder.clone(), token, begun: now, used: now, readings };
        all.insert(KeyHash::of(&id), session);
        Ok(id)
    }

    /// Who shows this id. If it is a person and no script that asks, the session is not idle.
    pub(super) fn visitor(&self, id: &str, now: Instant, person: bool) -> Option<Visitor> {
        let key = KeyHash::of(id);
        let mut all = self.all();
        let session = all.get_mut(&key)?;
        if !self.lasts(session, now) {
            all.remove(&key);
            return None;
        }
        if person {
            session.used = now;
        }
        let (holder, token) = (session.holder.clone(), session.token.clone());
        Some(Visitor { holder, session: key, token })
    }

    /// Ends a session.
    pub(super) fn end(&self, session: &KeyHash) {
        self.all().remove(session);
    }

    /// How far the request with this digest has been shown.
    pub(super) fn reading(&self, session: &KeyHash, digest: &Digest) -> Option<Reading> {
        let all = self.all();
        let readings = &all.get(session)?.readings;
        readings.iter().find(|reading| reading.digest == *digest).cloned()
    }

    /// Notes that a page is shown of a request that is read like this, and gives how far that is.
    pub(super) fn note(&self, session: &KeyHash, reading: Reading, page: usize) -> Reading {
        let mut all = self.all();
        let Some(Session { readings, .. }) = all.get_mut(session) else { return reading };
        let place = readings.iter().position(|known| known.digest == reading.digest);
        let mut reading = place.and_then(|place| readings.remove(place)).unwrap_or(reading);
        reading.shown.insert(page);
        if readings.len() >= READINGS {
            readings.pop_front();
        }
        readings.push_back(reading.clone());
        reading
    }

    fn lasts(&self, session: &Session, now: Instant) -> bool {
        now - session.used < self.idle && now - session.begun < self.age
    }

    fn all(&self) -> MutexGuard<'_, HashMap<KeyHash, Session>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    const MINUTE: Duration = Duration::from_secs(60);

    fn sessions() -> Sessions {
        Sessions::lasting(30 * MINUTE, 720 * MINUTE)
    }

    fn carl() -> Holder {
        Holder { name: "carl".parse().unwrap(), roles: vec![Role::Approver], issuer: None }
    }

    fn digest(digit: char) -> Digest {
        digit.to_string().repeat(64).parse().unwrap()
    }

    #[test]
    fn a_session_ends_when_nobody_did_anything_for_long_enough() {
        let (sessions, begun) = (sessions(), Instant::now());
        let id = sessions.begin(&carl(), begun).unwrap();
        let there = |minutes: u32, person| {
            sessions.visitor(&id, begun + minutes * MINUTE, person).is_some()
        };
        assert!(there(29, true));
        assert!(there(58, false), "a script looks, which is not somebody doing anything");
        assert!(!there(59, true));
        assert!(!there(58, true), "it does not come back");
    }

    #[test]
    fn a_session_ends_when_it_is_old_enough_however_busy_it_is() {
        let (sessions, begun) = (sessions(), Instant::now());
        let id = sessions.begin(&carl(), begun).unwrap();
        let there = |minutes: u32| sessions.visitor(&id, begun + minutes * MINUTE, true).is_some();
        assert!((0..36).all(|times| there(20 * times)));
        assert!(!there(720));
    }

    #[test]
    fn one_principal_has_so_many_sessions_and_the_one_left_alone_for_longest_ends() {
        let (sessions, begun) = (sessions(), Instant::now());
        let ids: Vec<_> = (0..21)
            .map(|second| sessions.begin(&carl(), begun + Duration::from_secs(second)).unwrap())
            .collect();
        let there = ids.iter().map(|id| sessions.visitor(id, begun + MINUTE, true).is_some());
        assert_eq!(there.collect::<Vec<_>>(), [vec![false], vec![true; 20]].concat());
    }

    #[test]
    fn what_was_shown_is_kept_for_each_digest_and_session() {
        let (sessions, now) = (sessions(), Instant::now());
        let id = sessions.begin(&carl(), now).unwrap();
        let one = sessions.visitor(&id, now, true).unwrap().session;
        let id = sessions.begin(&carl(), now).unwrap();
        let other = sessions.visitor(&id, now, true).unwrap().session;
        let reading = Reading::new(digest('a'), None, 3);
        assert_eq!(sessions.note(&one, reading.clone(), 3).missing(), [1, 2]);
        assert_eq!(sessions.note(&one, reading.clone(), 1).missing(), [2]);
        assert_eq!(sessions.reading(&one, &digest('b')), None);
        assert_eq!(sessions.reading(&other, &digest('a')), None);
        let elsewhere = Some("X".parse().unwrap());
        let again = sessions.note(&one, Reading::new(digest('a'), elsewhere, 9), 2);
        assert_eq!((again.missing(), again.beside), (vec![], None), "it is as it was begun");
    }

    #[test]
    fn a_session_remembers_so_many_requests_and_forgets_the_first() {
        let (sessions, now) = (sessions(), Instant::now());
        let id = sessions.begin(&carl(), now).unwrap();
        let session = sessions.visitor(&id, now, true).unwrap().session;
        let digests: Vec<Digest> =
            (0..=READINGS).map(|number| format!("{number:064x}").parse().unwrap()).collect();
        for digest in &digests {
            sessions.note(&session, Reading::new(*digest, None, 1), 1);
        }
        let kept = digests.iter().filter(|digest| sessions.reading(&session, digest).is_some());
        assert_eq!(kept.count(), READINGS);
        assert_eq!(sessions.reading(&session, &digests[0]), None);
    }
}
