//! Keys, and what is signed with them.

use std::path::Path;

use swampbox_ledger::{KeyError, SecretKey};
use swampbox_material::json::Json;

use super::place;
use crate::arguments::LedgerArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(super) fn run(key: &Path, at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let key = SecretKey::load(key).map_err(unusable)?;
    out.json(&place::open(at)?.checkpoint(&key)?.to_document())?;
    Ok(Exit::Done)
}

pub(super) fn generate_key(file: &Path, json: bool, out: &mut Output) -> Result<Exit, Failure> {
    let public = SecretKey::create(file).map_err(unusable)?.public().to_string();
    if json {
        let file = file.to_string_lossy();
        let made = [("file", Json::from(&*file)), ("public_key", Json::from(public.as_str()))];
        out.json(&Json::object(made))?;
    } else {
        out.line(public)?;
    }
    Ok(Exit::Done)
}

fn unusable(error: KeyError) -> Failure {
    Failure::plain(error.code(), error)
}
