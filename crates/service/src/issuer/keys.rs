//! The keys of an issuer: read from a file or a URL, and read again when they change.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use jsonwebtoken::{Algorithm, DecodingKey};
use swampbox_material::Code;
use swampbox_material::json::{Json, Object};
use ureq::Agent;
use ureq::http::Uri;

use super::InvalidIssuer;
use super::budget::Budget;
use crate::file::{read_regular, unread};

/// After this long they are read again, so that one that was taken back is believed no longer.
const REFRESH: Duration = Duration::from_secs(60 * 60);

/// After this long without an answer they are believed no longer.
const OLDEST: Duration = Duration::from_secs(24 * 60 * 60);

/// So long it takes at least until they are read again because they are old, if that failed.
const PAUSE: Duration = Duration::from_secs(30);

/// How long reading them may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest set of keys, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Where a set of keys (JWKS) is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// In a file.
    File(PathBuf),
    /// At a URL: https, or http to this machine.
    Url(String),
}

/// The keys of an issuer, as far as they are known.
#[derive(Debug)]
pub(super) struct Keys {
    source: KeySource,
    known: RwLock<Known>,
    /// Held by whoever reads them.
    reading: Mutex<Budget>,
}

#[derive(Debug, Default)]
struct Known {
    keys: Vec<Key>,
    /// What they were read from.
    text: Vec<u8>,
    read_at: Option<Instant>,
    /// When it was last tried to read them.
    tried_at: Option<Instant>,
}

/// A key that verifies signatures.
#[derive(Clone, Debug)]
pub(super) struct Key {
    id: Option<String>,
    pub(super) decoding: DecodingKey,
    /// By these alone: an algorithm that somebody else chooses for a key breaks it.
    pub(super) algorithms: Vec<Algorithm>,
}

impl Keys {
    pub(super) fn of(source: KeySource) -> Result<Self, InvalidIssuer> {
        if let KeySource::Url(url) = &source
            && !is_safe(url)
        {
            let problem = format!("{url:?}: keys are read by https, or by http from this machine");
            return Err(InvalidIssuer::new(Code::ConfigInvalid, problem));
        }
        Ok(Self { source, known: RwLock::default(), reading: Mutex::default() })
    }

    /// The key of this id; without an id, the only one that there is. One that is not known may be new,
    /// so then they are read again, though not too often and by one at a time: nobody else waits.
    pub(super) fn find(&self, id: Option<&str>) -> Option<Key> {
        let age = |at: Option<Instant>| at.map_or(Duration::MAX, |at| at.elapsed());
        let (found, are_old) = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            (known.find(id), age(known.read_at) > REFRESH && age(known.tried_at) > PAUSE)
        };
        if found.is_some() && !are_old {
            return found;
        }
        let Ok(mut budget) = self.reading.try_lock() else { return found };
        if found.is_none() {
            // Somebody may just have read it.
            let read = self.known.read().unwrap_or_else(PoisonError::into_inner).find(id);
            if read.is_some() || !budget.take(Instant::now()) {
                return read;
            }
        }
        match self.read_in_turn() {
            Ok(Reading { new: true, .. }) if found.is_none() => budget.give_back(),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "the issuer's keys can't be read"),
        }
        self.known.read().unwrap_or_else(PoisonError::into_inner).find(id)
    }

    /// Reads them now, and says how many there are.
    pub(super) fn read(&self) -> Result<usize, InvalidIssuer> {
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.read_in_turn()?.keys)
    }

    fn read_in_turn(&self) -> Result<Reading, InvalidIssuer> {
        let read = self.source.text().and_then(|text| Ok((usable(&text)?, text)));
        let now = Instant::now();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.tried_at = Some(now);
        let (keys, text) = read?;
        let reading = Reading { keys: keys.len(), new: text != known.text };
        (known.keys, known.text, known.read_at) = (keys, text, Some(now));
        Ok(reading)
    }
}

/// What reading the keys has brought.
struct Reading {
    /// How many there are.
    keys: usize,
    /// Whether they are others than before.
    new: bool,
}

impl Known {
    fn find(&self, id: Option<&str>) -> Option<Key> {
        self.read_at.filter(|at| at.elapsed() <= OLDEST)?;
        match (id, &*self.keys) {
            (Some(id), keys) => keys.iter().find(|key| key.id.as_deref() == Some(id)).cloned(),
            (None, [only]) => Some(only.clone()),
            (None, _) => None,
        }
    }
}

impl KeySource {
    fn text(&self) -> Result<Vec<u8>, InvalidIssuer> {
        match self {
            KeySource::File(path) => {
                let text = read_regular(path, MAX_BYTES).map(|(text, _)| text);
                text.map_err(|error| InvalidIssuer::new(Code::ConfigInvalid, unread(path, &error)))
            }
            KeySource::Url(url) => fetched(url).map_err(|error| {
                InvalidIssuer::new(Code::ServiceUnreachable, format!("{url}: {error}"))
            }),
        }
    }
}

/// No proxy, no redirect.
fn fetched(url: &str) -> io::Result<Vec<u8>> {
    let config = Agent::config_builder()
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(TIMEOUT));
    let agent: Agent = config.build().into();
    let mut answer = agent.get(url).call().map_err(io::Error::other)?;
    if answer.status() != 200 {
        return Err(io::Error::other(format!("the answer is {}", answer.status())));
    }
    let body = answer.body_mut().with_config().limit(MAX_BYTES as u64);
    body.read_to_vec().map_err(io::Error::other)
}

/// Whether nobody in between can put keys of their own in the place of those at a URL.
fn is_safe(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let Some(host) = uri.host() else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    let is_loopback =
        host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback());
    match uri.scheme_str() {
        Some("https") => true,
        Some("http") => is_loopback,
        _ => false,
    }
}

/// The keys in a set that verify signatures. What else is in it is for somebody else.
fn usable(text: &[u8]) -> Result<Vec<Key>, InvalidIssuer> {
    let invalid =
        |problem: &dyn ToString| InvalidIssuer::new(Code::ConfigInvalid, problem.to_string());
    let set = Json::read(text).map_err(|error| invalid(&error))?;
    let keys = match set.as_object().and_then(|set| set.get("keys")) {
        Some(Json::List(keys)) => keys.iter().filter_map(|key| key_of(key.as_object()?)),
        _ => return Err(invalid(&"it is no set of keys: it has no list of `keys`")),
    };
    let keys: Vec<Key> = keys.collect();
    match keys.is_empty() {
        true => Err(invalid(&"it holds no key that verifies signatures")),
        false => Ok(keys),
    }
}

fn key_of(key: &Object) -> Option<Key> {
    use Algorithm::{ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512};
    let text = |name: &str| key.get(name).and_then(Json::as_str);
    if text("use").is_some_and(|purpose| purpose != "sig") {
        return None;
    }
    let (decoding, algorithms) = match (text("kty")?, text("crv")) {
        ("RSA", _) => (
            DecodingKey::from_rsa_components(text("n")?, text("e")?),
            vec![RS256, RS384, RS512, PS256, PS384, PS512],
        ),
        ("EC", Some("P-256")) => {
            (DecodingKey::from_ec_components(text("x")?, text("y")?), vec![ES256])
        }
        ("EC", Some("P-384")) => {
            (DecodingKey::from_ec_components(text("x")?, text("y")?), vec![ES384])
        }
        ("OKP", Some("Ed25519")) => (DecodingKey::from_ed_components(text("x")?), vec![EdDSA]),
        _ => return None,
    };
    let algorithms = match text("alg") {
        None => algorithms,
        Some(named) => {
            let named = named.parse().ok()?;
            algorithms.into_iter().filter(|one| *one == named).collect()
        }
    };
    let id = text("kid").map(str::to_owned);
    let decoding = decoding.ok()?;
    (!algorithms.is_empty()).then_some(Key { id, decoding, algorithms })
}
