//! Whether the service works, and how much.

use swampbox_material::json::Json;

use super::shell::App;
use super::{Call, Problem, Reply};

pub(super) fn live(_: &App, _: &Call) -> Result<Reply, Problem> {
    Ok(Reply::ok(Json::object([("status", Json::from("ok"))])))
}

/// Reads and writes the ledger: whoever sends requests here wants both to work.
pub(super) fn ready(app: &App, _: &Call) -> Result<Reply, Problem> {
    if app.stop.is_set() {
        return Ok(Reply::unready(Json::object([("status", Json::from("stopping"))])));
    }
    match app.readiness.of(&app.parts.ledger) {
        Ok(()) => Ok(Reply::ok(Json::object([("status", Json::from("ok"))]))),
        Err(error) => Ok(Reply::unready(Json::object([
            ("status", Json::from("unready")),
            ("code", Json::from(error.code().as_str())),
        ]))),
    }
}

pub(super) fn metrics(app: &App, _: &Call) -> Result<Reply, Problem> {
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let last = app.parts.ledger.history().last_event()?.map_or(0, |last| last.sequence);
    Ok(Reply::text(content_type, app.metrics.encode(last, &app.pump, &app.budget)?))
}
