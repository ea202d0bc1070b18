//! The keys of those who sign decisions.

use std::sync::Arc;

use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};
use swampbox_policy::signed::Revocations;
use swampbox_service::Revoked;

use super::person::person;
use super::{id, place};
use crate::arguments::LedgerArguments;
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

pub(super) fn list(at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let keys = Config::load(at.config.as_deref())?.keys()?;
    let revoked = Revoked::of(Arc::new(place::open(at)?));
    for key in keys.iter() {
        let is_revoked = revoked.key_is_revoked(key.id());
        let is_revoked = is_revoked.map_err(|error| Failure::plain(error.code(), error))?;
        let (from, until) = (key.window().issued_at(), key.window().valid_until());
        if at.json {
            out.json(&Json::object([
                ("name", Json::from(key.name())),
                ("key_id", Json::from(key.id().as_str())),
                ("valid_from", Json::from(from.to_string().as_str())),
                ("valid_until", Json::from(until.to_string().as_str())),
                ("revoked", Json::Bool(is_revoked)),
            ]))?;
        } else {
            let word = match is_revoked {
                true => Painted::bad("revoked"),
                false => Painted::good("trusted"),
            };
            let (name, id) = (Shown::text(key.name()), key.id());
            out.line(format_args!("{name}  {word}  {id}  from {from} until {until}"))?;
        }
    }
    Ok(Exit::Done)
}

pub(super) fn revoke(
    key: Option<&str>,
    decision: Option<&str>,
    reason: &str,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let by = person()?;
    let new = match (key, decision) {
        (Some(key), _) => {
            // By its name, if the configuration has one of that name; else by its id.
            let keys = Config::load(at.config.as_deref())?.keys()?;
            let named = keys.iter().find(|known| known.name() == key).map(|key| key.id().clone());
            let id = named.map_or_else(|| key.parse(), Ok);
            let id = id.map_err(|error| Failure::plain(Code::KeyInvalid, error))?;
            Revoked::of(Arc::new(place::open(at)?)).key(&id, by.as_str(), reason)?
        }
        (None, Some(decision)) => {
            let decision = id(decision)?;
            Revoked::of(Arc::new(place::open(at)?)).decision(&decision, by.as_str(), reason)?
        }
        (None, None) => {
            let message = "a key or a decision is needed";
            return Err(Failure::plain(Code::InvalidArguments, message));
        }
    };
    if at.json {
        out.json(&Json::object([("revoked", Json::Bool(true)), ("new", Json::Bool(new))]))?;
    } else {
        out.line(if new { "revoked" } else { "it was revoked already" })?;
    }
    Ok(Exit::Done)
}
