//! The ledger as a whole.

use swampbox_ledger::{Checkpoint, Expectations, LedgerError, Verified};
use swampbox_material::Code;
use swampbox_material::json::Json;

use super::page::PAGE;
use super::shell::App;
use super::{Call, Problem, Reply};

pub(super) fn show(app: &App, _: &Call) -> Result<Reply, Problem> {
    let history = app.parts.ledger.history();
    let mut checkpoints = history.newest_checkpoints(0, PAGE)?;
    checkpoints.reverse();
    let last = history.last_event()?;
    Ok(Reply::ok(Json::object([
        ("last_event", last.map_or(Json::Null, |last| last.to_document())),
        ("checkpoints", Json::List(checkpoints.iter().map(Checkpoint::to_document).collect())),
    ])))
}

pub(super) fn verify(app: &App, _: &Call) -> Result<Reply, Problem> {
    match verification(app)? {
        Ok(verified) => Ok(Reply::ok(Json::object([
            ("verified", Json::Bool(true)),
            ("ledger", verified.to_document()),
        ]))),
        Err(tampered) => Ok(Reply::ok(Json::object([
            ("verified", Json::Bool(false)),
            ("code", Json::from(tampered.code().as_str())),
            ("detail", Json::from(tampered.to_string().as_str())),
        ]))),
    }
}

/// Verifies the ledger. That it does not verify is an answer, and not a failure to answer.
pub(crate) fn verification(app: &App) -> Result<Result<Verified, LedgerError>, Problem> {
    match swampbox_ledger::verify(&app.parts.ledger_path, &Expectations::default()) {
        Err(error) if error.code() != Code::LedgerTampered => Err(error.into()),
        answer => Ok(answer),
    }
}

pub(super) fn checkpoint(app: &App, _: &Call) -> Result<Reply, Problem> {
    Ok(Reply::created(sign(app)?.to_document()))
}

/// Signs what the ledger holds now.
pub(crate) fn sign(app: &App) -> Result<Checkpoint, Problem> {
    let Some(key) = &app.parts.checkpoint_key else {
        let message = "the service has no key to sign with; name one as `checkpoint_key`";
        return Err(Problem::new(Code::KeyUnusable, message));
    };
    Ok(app.parts.ledger.checkpoint(key)?)
}
