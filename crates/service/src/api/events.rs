//! The history, in pages.

use swampbox_ledger::{Event, EventFilter};
use swampbox_material::json::Json;

use super::page::{PAGE_BYTES, Query};
use super::shell::App;
use super::{Call, Problem, Reply};

pub(super) fn list(app: &App, call: &Call) -> Result<Reply, Problem> {
    let mut query = Query::of(&call.query)?;
    let filter = EventFilter {
        from: query.number("from", "a number that is counted from zero")?.unwrap_or(0),
        execution: query.id("execution")?,
        consequence: query.id("consequence")?,
        limit: query.limit()?,
        bytes: PAGE_BYTES,
    };
    query.finish()?;
    let page = app.parts.ledger.history().page_of_events(&filter)?;
    let next = page.items.last().filter(|_| page.more);
    let next = next.map_or(Json::Null, |last| Json::from(last.sequence + 1));
    Ok(Reply::ok(Json::object([
        ("events", Json::List(page.items.iter().map(Event::to_document).collect())),
        ("next", next),
    ])))
}
