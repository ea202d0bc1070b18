//! All that is to be seen of a request before somebody decides: the material, and beside what.

use swampbox_custody::{ConsequenceId, Settlement};
use swampbox_ledger::Consequence;
use swampbox_policy::approvals::Request;

use crate::api::{App, Problem, Sheet};
use crate::console::sheet::Sheet as Lines;

/// Among how many of the last attempts the last one is looked for that was released to the same target.
const ATTEMPTS: usize = 200;

/// The last consequence of the same type that was released to the same target, among the last
/// attempts. Nothing is released that was not allowed.
pub(super) fn last_released(
    app: &App,
    request: &Request,
) -> Result<Option<ConsequenceId>, Problem> {
    let history = app.parts.ledger.history();
    let wanted = &request.question().material;
    for outcome in history.outcomes(ATTEMPTS)? {
        if outcome.settlement != Some(Settlement::Released) {
            continue;
        }
        let found = history.consequence(&outcome.consequence)?;
        if found.is_some_and(|found| {
            let material = &found.snapshot.material;
            material.consequence_type() == wanted.consequence_type()
                && material.target() == wanted.target()
        }) {
            return Ok(Some(outcome.consequence));
        }
    }
    Ok(None)
}

/// The material in lines, with what differs from its parent and from `last`.
pub(super) fn lines(sheet: &Sheet, last: Option<&Consequence>) -> Lines {
    const PARENT: &str = "What differs from its parent";
    const LAST: &str = "What differs from the last one that was released to the same target";
    let request = &sheet.request;
    let lines = Lines::of(&request.question().material);
    let lines = match (&request.question().parent_consequence_id, &sheet.parent) {
        (None, _) => lines.beside_nothing(PARENT, "It has no parent."),
        (Some(_), None) => lines.beside_nothing(PARENT, "The parent is not there any more."),
        (Some(_), Some(_)) => lines.beside(PARENT, &sheet.differences()),
    };
    match last {
        None => {
            let because =
                format!("Of the last {ATTEMPTS} attempts, none released this type to this target.");
            lines.beside_nothing(LAST, &because)
        }
        Some(last) => lines.beside(LAST, &request.differences_from(&last.snapshot.material)),
    }
}
