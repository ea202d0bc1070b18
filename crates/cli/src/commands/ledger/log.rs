use swampbox_ledger::EventFilter;

use super::told::Told;
use super::{PAGE, PAGE_BYTES, id, place};
use crate::arguments::LedgerArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(super) fn run(
    consequence: Option<&str>,
    execution: Option<&str>,
    from: u64,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let mut filter = EventFilter {
        execution: execution.map(id).transpose()?,
        consequence: consequence.map(id).transpose()?,
        from,
        limit: PAGE,
        bytes: PAGE_BYTES,
    };
    let ledger = place::open(at)?;
    loop {
        let page = ledger.history().events(&filter)?;
        let Some(last) = page.last() else { return Ok(Exit::Done) };
        filter.from = last.sequence.saturating_add(1);
        for event in &page {
            if at.json {
                out.json(&event.to_document())?;
            } else {
                out.line(Told(event))?;
            }
        }
    }
}
