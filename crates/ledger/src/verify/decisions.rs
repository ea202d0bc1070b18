//! Whether each attempt was made under a decision that allowed it.

use rusqlite::{Connection, Row};
use swampbox_authority::{DecisionDocument, Timestamp, validate};
use swampbox_custody::ExecutionId;

use super::{Discrepancy, Location};
use crate::error::{Failure, LedgerProblem};
use crate::rows;

/// Validates the decision of every attempt again, for the consequence, the custodian and the time for
/// which it was validated then. The tables have to be what the events give.
pub(super) fn check(connection: &Connection) -> Result<(), LedgerProblem> {
    let columns = rows::COLUMNS;
    let mut attempts = connection.prepare(&format!(
        "SELECT {columns}, number, execution, decision, admitted_at
         FROM (SELECT fence AS number, execution, consequence, decision, admitted_at FROM attempts)
         JOIN consequences ON id = consequence ORDER BY number"
    ))?;
    let mut attempts = attempts.query([])?;
    while let Some(row) = attempts.next()? {
        if let Err(found) = allowed(row)? {
            let key = row.get::<_, i64>("number")?.to_string();
            let at = Location::Row { table: "attempts", key };
            let expected = "a decision that allowed the attempt when it was admitted";
            return Err(Discrepancy::new(at, expected, found).into());
        }
    }
    Ok(())
}

/// Whether a decision allowed an attempt, or else why not.
fn allowed(row: &Row<'_>) -> Result<Result<(), String>, Failure> {
    let snapshot = rows::consequence_row(row)?.snapshot;
    let execution: ExecutionId = rows::id(row, "execution")?;
    let decision = DecisionDocument::read(row.get::<_, String>("decision")?.as_bytes());
    let admitted_at = row.get::<_, String>("admitted_at")?;
    Ok(match admitted_at.parse::<Timestamp>() {
        Err(error) => Err(error.to_string()),
        Ok(now) => validate(&decision, &snapshot, &execution, now)
            .map(drop)
            .map_err(|refusal| format!("{}: {refusal}", refusal.code())),
    })
}
