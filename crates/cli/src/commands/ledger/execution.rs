//! Beginning and ending executions.

use swampbox_authority::{Clock, Timestamp};
use swampbox_custody::{Custody, ExecutionId, ExecutionState};
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::{
    Binding, ExecutionFilter, Fate, Lease, LedgerCustody, NotRenewed, Process, Reaped,
};
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};

use super::told::bound;
use super::{PAGE, id, id_or_new, place};
use crate::arguments::{ExecutionCommand, LedgerArguments, LifeState, Start};
use crate::display::Name;
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

pub(super) fn run(
    command: ExecutionCommand,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    match command {
        ExecutionCommand::Start(start) => begin(&start, at, out),
        ExecutionCommand::End { id: written } => end(&id(&written)?, at, out),
        ExecutionCommand::List { state } => list(state, at, out),
        ExecutionCommand::Renew { id: written } => renew(&id(&written)?, at, out),
        ExecutionCommand::Reap => reap(at, out),
    }
}

fn begin(start: &Start, at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let execution = id_or_new(start.id.as_deref())?;
    let binding = match (start.pid, start.lease) {
        (Some(pid), _) => {
            let process = Process::running(pid);
            Some(Binding::Process(process.map_err(|error| Failure::plain(error.code(), error))?))
        }
        (None, Some(seconds)) => Some(Binding::Lease(lease(seconds)?)),
        (None, None) => None,
    };
    let ledger = place::open(at)?;
    let state = match &binding {
        Some(binding) => ledger.register_bound(&execution, binding.clone())?,
        None => ledger.register(&execution)?,
    };
    if at.json {
        out.json(&document(&ledger, &execution, state)?)?;
    } else {
        out.line(Name(execution.as_str()))?;
    }
    Ok(Exit::Done)
}

fn end(execution: &ExecutionId, at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let ledger = place::open(at)?;
    let state = ledger.end(execution)?;
    if at.json {
        out.json(&document(&ledger, execution, state)?)?;
    } else {
        out.line(format_args!("{} {state}", Name(execution.as_str())))?;
    }
    Ok(Exit::Done)
}

fn list(state: Option<LifeState>, at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let ledger = place::open(at)?;
    let state = state.map(|state| match state {
        LifeState::Active => ExecutionState::Active,
        LifeState::Ended => ExecutionState::Ended,
    });
    let mut filter = ExecutionFilter { state, after: None, limit: PAGE };
    loop {
        let page = ledger.history().executions(&filter)?;
        let Some(last) = page.last() else { return Ok(Exit::Done) };
        filter.after = Some(last.id.clone());
        for execution in &page {
            if at.json {
                out.json(&execution.to_document())?;
                continue;
            }
            let name = Name(execution.id.as_str());
            match execution.binding.as_ref().map(bound) {
                Some(bound) => out.line(format_args!("{:<6}  {name}  {bound}", execution.state))?,
                None => out.line(format_args!("{:<6}  {name}", execution.state))?,
            }
        }
    }
}

fn renew(execution: &ExecutionId, at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let ledger = place::open(at)?;
    let lease = ledger.renew(execution, now()?).map_err(|error| match error {
        NotRenewed::Custody(error) => error.into(),
        error @ NotRenewed::NoLease(_) => Failure::refusal(error.code(), error),
    })?;
    if at.json {
        out.json(&document(&ledger, execution, ExecutionState::Active)?)?;
    } else {
        out.line(format_args!("{} lives until {}", Name(execution.as_str()), lease.until()))?;
    }
    Ok(Exit::Done)
}

fn reap(at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    for Reaped { execution, found, fate } in place::open(at)?.reap(now()?)? {
        let (word, code) = match &fate {
            Fate::Ended => ("ended", None),
            Fate::Refused(refusal) => ("refused", Some(refusal.code().as_str())),
            Fate::Unknown => ("left", None),
        };
        if at.json {
            out.json(&Json::object([
                ("execution_id", Json::from(execution.as_str())),
                ("fate", Json::from(word)),
                ("code", code.map_or(Json::Null, Json::from)),
                ("found", Json::from(found.as_str())),
            ]))?;
            continue;
        }
        let painted = match fate {
            Fate::Ended => Painted::good(word),
            Fate::Refused(_) => Painted::bad(word),
            Fate::Unknown => Painted::held(word),
        };
        let (name, found) = (Name(execution.as_str()), Shown::json(&found));
        match code {
            Some(code) => out.line(format_args!("{painted:<8} {name}  {code}; {found}"))?,
            None => out.line(format_args!("{painted:<8} {name}  {found}"))?,
        }
    }
    Ok(Exit::Done)
}

fn document(
    ledger: &LedgerCustody,
    execution: &ExecutionId,
    state: ExecutionState,
) -> Result<Json, Failure> {
    let binding = ledger.binding(execution)?;
    Ok(Json::object([
        ("execution_id", Json::from(execution.as_str())),
        ("state", Json::from(state.as_str())),
        ("binding", binding.map_or(Json::Null, |binding| binding.to_document())),
    ]))
}

fn lease(seconds: u64) -> Result<Lease, Failure> {
    Lease::of(seconds, now()?).map_err(|error| Failure::plain(Code::ClockInvalid, error))
}

fn now() -> Result<Timestamp, Failure> {
    SystemClock.now().map_err(|error| Failure::plain(error.code(), error))
}
