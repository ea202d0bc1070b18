//! The ledger as a whole.

use swampbox_ledger::{Checkpoint, Expectations};
use swampbox_material::Code;
use swampbox_material::json::Json;

use super::shell::App;
use super::{Call, Problem, Reply};

pub(super) fn show(app: &App, _: &Call) -> Result<Reply, Problem> {
    let history = app.parts.ledger.history();
    let checkpoints = history.checkpoints()?;
    let last = history.last_event()?;
    Ok(Reply::ok(Json::object([
        ("last_event", last.map_or(Json::Null, |last| last.to_document())),
        ("checkpoints", Json::List(checkpoints.iter().map(Checkpoint::to_document).collect())),
    ])))
}

/// That it does not verify is an answer, and not a failure to answer.
pub(super) fn verify(app: &App, _: &Call) -> Result<Reply, Problem> {
    let verified = swampbox_ledger::verify(&app.parts.ledger_path, &Expectations::default());
    match verified {
        Ok(verified) => Ok(Reply::ok(Json::object([
            ("verified", Json::Bool(true)),
            ("ledger", verified.to_document()),
        ]))),
        Err(error) if error.code() == Code::LedgerTampered => Ok(Reply::ok(Json::object([
            ("verified", Json::Bool(false)),
            ("code", Json::from(error.code().as_str())),
            ("detail", Json::from(error.to_string().as_str())),
        ]))),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn checkpoint(app: &App, _: &Call) -> Result<Reply, Problem> {
    let Some(key) = &app.parts.checkpoint_key else {
        let message = "the service has no key to sign with; name one as `checkpoint_key`";
        return Err(Problem::new(Code::KeyUnusable, message));
    };
    Ok(Reply::created(app.parts.ledger.checkpoint(key)?.to_document()))
}
