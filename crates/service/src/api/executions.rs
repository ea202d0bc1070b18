//! Executions: made by agents, ended by themselves or by operators.

use swampbox_custody::{Custody, ExecutionId, ExecutionState};
use swampbox_ledger::{Execution, ExecutionFilter, new_id};
use swampbox_material::Code;
use swampbox_material::json::Json;

use super::call::quoted;
use super::page::Query;
use super::shell::App;
use super::{Call, Caller, Problem, Reply};
use crate::kept::{Owner, Owning};
use crate::secret::ExecutionToken;

/// Makes an execution in the caller's name.
///
/// It is claimed first, then registered, and then owned. If the service ends in between, the same
/// request makes it anew, with another token.
pub(super) fn create(app: &App, call: &Call) -> Result<Reply, Problem> {
    let ledger = &app.parts.ledger;
    let mut fields = call.fields()?;
    let execution: ExecutionId = match fields.optional("execution_id") {
        Some(_) => fields.string("execution_id")?.parse()?,
        None => new_id().parse()?,
    };
    fields.finish()?;
    let taken = || {
        let message = format!("execution {} is there already", quoted(execution.as_str()));
        Problem::new(Code::ExecutionExists, message)
    };
    let known = ledger.history().execution(&execution)?;
    if let Some(Execution { state: ExecutionState::Ended, .. }) = known {
        // So that the refusal is that of the rules.
        ledger.register(&execution)?;
    }
    if known.is_some() && ledger.owner(&execution)?.is_none() {
        return Err(taken());
    }
    let token = ExecutionToken::generate(&execution)?;
    let issuer = match &call.caller {
        Caller::Key(holder) => holder.issuer.clone(),
        _ => None,
    };
    let principal = call.caller.principal()?.clone();
    let owner = Owner { principal, issuer, token: token.hash() };
    let claim = ledger.claim(&execution, &owner)?.ok_or_else(taken)?;
    let state = ledger.register(&execution)?;
    if !ledger.own(claim)? {
        return Err(taken());
    }
    Ok(Reply::created(Json::object([
        ("execution_id", Json::from(execution.as_str())),
        ("state", Json::from(state.as_str())),
        ("token", Json::from(token.reveal().as_str())),
    ])))
}

pub(super) fn list(app: &App, call: &Call) -> Result<Reply, Problem> {
    let mut query = Query::of(&call.query)?;
    let state = match query.text("state") {
        None => None,
        Some("ACTIVE") => Some(ExecutionState::Active),
        Some("ENDED") => Some(ExecutionState::Ended),
        Some(_) => {
            let message = "the parameter `state` has to be ACTIVE or ENDED";
            return Err(Problem::new(Code::InvalidArguments, message));
        }
    };
    let filter = ExecutionFilter { state, after: query.id("after")?, limit: query.limit()? };
    query.finish()?;
    let executions = app.parts.ledger.history().executions(&filter)?;
    let items = executions.iter().map(Execution::to_document).collect();
    Ok(Reply::ok(Json::object([("executions", Json::List(items))])))
}

/// Ends an execution: by itself, or by an operator.
pub(super) fn end(app: &App, call: &Call) -> Result<Reply, Problem> {
    let execution: ExecutionId = call.id()?;
    if let Caller::Execution { id, .. } = &call.caller
        && *id != execution
    {
        let message = "the token of an execution ends no other one";
        return Err(Problem::new(Code::Forbidden, message));
    }
    let state = app.parts.ledger.end(&execution)?;
    Ok(Reply::ok(Json::object([
        ("execution_id", Json::from(execution.as_str())),
        ("state", Json::from(state.as_str())),
    ])))
}
