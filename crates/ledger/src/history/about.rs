//! The events about one consequence.

use rusqlite::Connection;
use swampbox_custody::{ConsequenceId, ExecutionId};

use super::filter::EventFilter;
use super::page::{Filling, Page};
use crate::error::Failure;
use crate::event::Event;

/// Those of them that are wanted, in their order.
///
/// From its last event each leads back to the one before it, so they are followed from one landmark at a
/// time, and only their numbers are kept meanwhile.
pub(super) fn page(
    connection: &Connection,
    consequence: &ConsequenceId,
    filter: &EventFilter,
) -> Result<Page<Event>, Failure> {
    let sql = format!(
        "SELECT {} FROM events
         WHERE sequence = ?1 AND (?2 IS NULL OR execution = ?2 OR recipient = ?2)",
        Event::COLUMNS
    );
    let mut query = connection.prepare_cached(&sql)?;
    let by = filter.execution.as_ref().map(ExecutionId::as_str);
    let mut filling = Filling::within(filter.bounds());
    // No event has a greater number than SQLite knows.
    let mut from = i64::try_from(filter.from.max(1)).unwrap_or(i64::MAX);
    loop {
        let stretch = stretch(connection, consequence, from)?;
        let next = stretch.last().map(|last| last.checked_add(1));
        for sequence in stretch {
            let mut rows = query.query((sequence, by))?;
            let Some(row) = rows.next()? else { continue };
            if filling.is_full() {
                return Ok(filling.page(true));
            }
            filling.add(row, Event::BODY, |row| Ok(Some(Event::read(row)?)))?;
        }
        match next.flatten() {
            Some(next) => from = next,
            None => return Ok(filling.page(false)),
        }
    }
}

/// The numbers of those up to the next landmark or, if none is left, to the last of all.
fn stretch(
    connection: &Connection,
    consequence: &ConsequenceId,
    from: i64,
) -> Result<Vec<i64>, Failure> {
    // Whatever somebody else wrote there, no link leads forward, and so the last is reached.
    let mut query = connection.prepare_cached(
        "WITH RECURSIVE told (sequence) AS (
             SELECT coalesce(
                 (SELECT sequence FROM landmarks WHERE consequence = ?1 AND sequence >= ?2
                  ORDER BY sequence LIMIT 1),
                 (SELECT latest FROM consequences WHERE id = ?1 AND latest >= ?2))
             UNION ALL
             SELECT before FROM told JOIN links USING (sequence)
             WHERE before BETWEEN ?2 AND told.sequence - 1
         )
         SELECT sequence FROM told WHERE sequence IS NOT NULL ORDER BY sequence",
    )?;
    let sequences = query.query_map((consequence.as_str(), from), |row| row.get(0))?;
    Ok(sequences.collect::<Result<_, _>>()?)
}
