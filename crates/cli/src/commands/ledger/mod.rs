//! The commands that work on a ledger.

mod checkpoint;
mod config;
mod copies;
mod custody;
mod decide;
mod doctor;
mod execution;
mod graph;
mod keys;
mod list;
mod log;
mod observe;
mod person;
mod place;
mod policy;
mod principal;
mod release;
mod resolve;
mod serve;
mod show;
mod sign;
mod told;
mod verify;

use std::str::FromStr;

use swampbox_custody::InvalidIdentifier;
use swampbox_ledger::new_id;

use crate::arguments::{KeyCommand, LedgerCommand};
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(super) fn run(command: LedgerCommand, out: &mut Output) -> Result<Exit, Failure> {
    match command {
        LedgerCommand::Init { at } => place::init(&at, out),
        LedgerCommand::Execution { at, command } => execution::run(command, &at, out),
        LedgerCommand::Submit(submit) => custody::submit(submit, out),
        LedgerCommand::List(list) => list::run(list, out),
        LedgerCommand::Show { consequence, at } => show::run(&consequence, &at, out),
        LedgerCommand::Graph { format, at } => graph::run(format, &at, out),
        LedgerCommand::Log { consequence, execution, from, at } => {
            log::run(consequence.as_deref(), execution.as_deref(), from, &at, out)
        }
        LedgerCommand::Read { consequence, execution, at } => {
            custody::read(&consequence, &execution, &at, out)
        }
        LedgerCommand::Transfer { consequence, from, to, at } => {
            custody::transfer(&consequence, &from, &to, &at, out)
        }
        LedgerCommand::Inspect { consequence, at } => custody::inspect(&consequence, &at, out),
        LedgerCommand::Adopt { consequence, execution, at } => {
            custody::adopt(&consequence, &execution, &at, out)
        }
        LedgerCommand::Release(release) => release::run(release, out),
        LedgerCommand::Observe { consequence, at } => observe::run(&consequence, &at, out),
        LedgerCommand::Resolve(resolve) => resolve::run(resolve, out),
        LedgerCommand::Checkpoint { key, at } => checkpoint::run(&key, &at, out),
        LedgerCommand::Verify { expect, at } => verify::run(&expect, &at, out),
        LedgerCommand::Export { file, at } => copies::export(&file, &at, out),
        LedgerCommand::Import { file, expect, at } => copies::import(&file, &expect, &at, out),
        LedgerCommand::Backup { file, at } => copies::backup(&file, &at, out),
        LedgerCommand::Key(KeyCommand::Generate { file, json }) => {
            checkpoint::generate_key(&file, json, out)
        }
        LedgerCommand::Key(KeyCommand::List { at }) => keys::list(&at, out),
        LedgerCommand::Key(KeyCommand::Revoke { key, decision, reason, at }) => {
            keys::revoke(key.as_deref(), decision.as_deref(), &reason, &at, out)
        }
        LedgerCommand::Decide(decide) => decide::run(decide, out),
        LedgerCommand::Serve(serve) => serve::run(&serve, out),
        LedgerCommand::Principal(principal) => principal::run(&principal, out),
        LedgerCommand::Sign(sign) => sign::run(&sign, out),
        LedgerCommand::Policy(command) => policy::run(command, out),
        LedgerCommand::Config(command) => config::run(command, out),
        LedgerCommand::Doctor { at } => doctor::run(&at, out),
    }
}

/// How many rows are read from a ledger at once.
const PAGE: usize = 64;

/// How many bytes of bodies or materials, but for the last of them.
const PAGE_BYTES: usize = 16 << 20;

/// An id as somebody wrote it.
fn id<T: FromStr<Err = InvalidIdentifier>>(written: &str) -> Result<T, Failure> {
    written.parse().map_err(|error: InvalidIdentifier| Failure::plain(error.code(), error))
}

/// An id as somebody wrote it, or else a new one.
fn id_or_new<T: FromStr<Err = InvalidIdentifier>>(written: Option<&str>) -> Result<T, Failure> {
    match written {
        Some(written) => id(written),
        None => id(&new_id()),
    }
}
