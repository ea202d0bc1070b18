//! Proposing, passing on and looking at what is held.

use swampbox_custody::{Custody, Snapshot, Submission};
use swampbox_material::Material;

use super::{id, id_or_new, place};
use crate::arguments::{LedgerArguments, Submit};
use crate::config::Config;
use crate::display::{Hands, Name};
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, Painted};

pub(super) fn submit(submit: Submit, out: &mut Output) -> Result<Exit, Failure> {
    let (execution, consequence) =
        (id(&submit.execution)?, id_or_new(submit.consequence.as_deref())?);
    let parent = submit.parent.as_deref().map(id).transpose()?;
    let input = input::read(&submit.file)?;
    let material = Material::from_json(&input.text);
    let material = material.map_err(|error| Failure::material(&input.name, &error))?;
    Config::load(submit.at.config.as_deref())?.admit(&material)?;
    let ledger = place::open(&submit.at)?;
    let snapshot = ledger.submit(Submission { execution, consequence, material, parent })?;
    if submit.at.json {
        out.json(&snapshot.to_document())?;
    } else {
        out.line(Name(snapshot.consequence_id.as_str()))?;
    }
    Ok(Exit::Done)
}

pub(super) fn read(
    consequence: &str,
    execution: &str,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let (execution, consequence) = (id(execution)?, id(consequence)?);
    show(&place::open(at)?.read(&execution, &consequence)?, at, out)
}

pub(super) fn transfer(
    consequence: &str,
    from: &str,
    to: &str,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let (from, to, consequence) = (id(from)?, id(to)?, id(consequence)?);
    show(&place::open(at)?.transfer(&from, &to, &consequence)?, at, out)
}

pub(super) fn inspect(
    consequence: &str,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let consequence = id(consequence)?;
    show(&place::open(at)?.inspect(&consequence)?, at, out)
}

pub(super) fn adopt(
    consequence: &str,
    execution: &str,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let (execution, consequence) = (id(execution)?, id(consequence)?);
    show(&place::open(at)?.adopt(&execution, &consequence)?, at, out)
}

fn show(snapshot: &Snapshot, at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    if at.json {
        out.json(&snapshot.to_document())?;
    } else {
        let (name, state) = (Name(snapshot.consequence_id.as_str()), snapshot.release_state);
        out.line(format_args!("{name}  {}", Painted::state(state)))?;
        out.line(Hands(snapshot))?;
        out.bytes(snapshot.material.shown().to_string().as_bytes())?;
    }
    Ok(Exit::Done)
}
