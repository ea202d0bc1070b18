use swampbox_custody::ReleaseState;
use swampbox_ledger::{Consequence, ConsequenceFilter};
use swampbox_material::Shown;

use super::{PAGE, PAGE_BYTES, id, place};
use crate::arguments::{List, State};
use crate::display::{Hands, Name};
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

pub(super) fn run(list: List, out: &mut Output) -> Result<Exit, Failure> {
    let state = list.state.map(|state| match state {
        State::Contained => ReleaseState::Contained,
        State::Released => ReleaseState::Released,
        State::Uncertain => ReleaseState::Uncertain,
    });
    let mut filter = ConsequenceFilter {
        state,
        custodian: list.execution.as_deref().map(id).transpose()?,
        origin: list.origin.as_deref().map(id).transpose()?,
        consequence_type: list.consequence_type,
        target: list.target,
        quarantined: list.quarantined,
        parent: None,
        after: None,
        limit: PAGE,
        bytes: PAGE_BYTES,
    };
    let ledger = place::open(&list.at)?;
    loop {
        let page = ledger.history().consequences(&filter)?;
        let Some(last) = page.last() else { return Ok(Exit::Done) };
        filter.after = Some(last.snapshot.consequence_id.clone());
        for consequence in &page {
            if list.at.json {
                out.json(&consequence.to_document())?;
            } else {
                line(consequence, out)?;
            }
        }
    }
}

/// Shows a consequence on one line.
pub(super) fn line(consequence: &Consequence, out: &mut Output) -> Result<(), Failure> {
    let snapshot = &consequence.snapshot;
    let material = &snapshot.material;
    out.line(format_args!(
        "{:<9}  {}  {}{}; {} to {}",
        Painted::state(snapshot.release_state),
        Name(snapshot.consequence_id.as_str()),
        Hands(snapshot),
        if consequence.releasing.is_some() { ", being released" } else { "" },
        Shown::brief(material.consequence_type()),
        Shown::brief(material.target()),
    ))
}
