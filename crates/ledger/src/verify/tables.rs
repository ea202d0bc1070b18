//! The tables, beside what the events give.

use std::fmt;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use swampbox_material::Shown;

use super::replay::{Attempt, Consequence, Replay, digest};
use super::{Discrepancy, Location};
use crate::attempts::settlement_name;
use crate::error::LedgerProblem;
use crate::{format, hex};

/// Compares every row of every table with what the events give, and names the first that differs.
pub(super) fn compare(connection: &Connection, replay: Replay) -> Result<(), LedgerProblem> {
    let executions = replay.executions.into_iter();
    let executions = executions.map(|(id, state)| (Key::text(&id), vec![text(state.as_str())]));
    table(connection, "executions", "id, state", executions)?;

    let bindings = replay.bindings.into_iter();
    let bindings = bindings.map(|(id, binding)| (Key::text(&id), vec![Some(binding)]));
    table(connection, "bindings", "execution, binding", bindings)?;

    let linked = format::of(connection)? >= format::LINKED;
    let columns = match linked {
        true => {
            "id, origin, custodian, parent, state, fence, material, latest, told, custody_changed"
        }
        false => "id, origin, custodian, parent, state, fence, material",
    };
    let consequences = replay.consequences.into_iter();
    let consequences = consequences.map(|(id, row)| (Key::text(&id), consequence(&row)));
    table(connection, "consequences", columns, consequences)?;
    if linked {
        links(connection)?;
        let landmarks = replay.landmarks.into_iter().map(|key| (Key::Text(key), Vec::new()));
        table(connection, "landmarks", "consequence || char(10) || sequence", landmarks)?;
    }

    let columns = "fence, id, instance, execution, consequence, decision, decision_digest,
        admitted_at, provider, actuator, basis, settlement, detail";
    let attempts = replay.attempts.into_iter();
    let attempts = attempts.map(|(fence, row)| (Key::number(fence), attempt(&row)));
    table(connection, "attempts", columns, attempts)?;

    let consumed = replay.consumed.into_iter();
    let consumed = consumed.map(|(id, fence)| (Key::text(&id), vec![text(&fence.to_string())]));
    table(connection, "consumed", "decision, fence", consumed)?;

    // Two columns make the key, and no id holds a line feed.
    let key = "kind || char(10) || id";
    let records = replay.records.into_iter().map(|((kind, id), row)| {
        let cells =
            vec![text(&row.version.to_string()), Some(row.status), Some(digested(row.document))];
        (Key::Text(format!("{kind}\n{id}")), cells)
    });
    table(connection, "records", &format!("{key}, version, status, document"), records)?;

    let columns = "sequence, consequence, verdict, resolved_by, evidence";
    let resolutions = replay.resolutions.into_iter().map(|(sequence, (consequence, row))| {
        let cells = vec![
            text(&consequence),
            text(row.verdict().as_str()),
            text(row.by()),
            Some(row.evidence().to_json()),
        ];
        (Key::number(sequence), cells)
    });
    table(connection, "resolutions", columns, resolutions)
}

/// The columns whose texts may be long, and are compared by their digests.
const DIGESTED: [&str; 4] = ["material", "decision", "basis", "document"];

/// What a row holds in a column after the key. None stands for NULL.
type Cell = Option<String>;

fn consequence(row: &Consequence) -> Vec<Cell> {
    vec![
        text(&row.origin),
        row.custodian.as_deref().map(str::to_owned),
        row.parent.as_deref().map(str::to_owned),
        text(row.state.as_str()),
        row.fence.map(|fence| fence.to_string()),
        Some(digested(row.material)),
        text(&row.latest.to_string()),
        text(&row.told.to_string()),
        text(&row.custody_changed.to_string()),
    ]
}

/// That no link is of an event that is not there. Those of all others were compared with their events.
fn links(connection: &Connection) -> Result<(), LedgerProblem> {
    let stray = "SELECT sequence FROM links WHERE sequence NOT IN (SELECT sequence FROM events)
        ORDER BY sequence LIMIT 1";
    match connection.query_row(stray, [], |row| row.get::<_, i64>(0)).optional()? {
        None => Ok(()),
        Some(key) => {
            let at = Location::Row { table: "links", key: key.to_string() };
            Err(Discrepancy::new(at, "no row, since no event gives it", "one").into())
        }
    }
}

fn attempt(row: &Attempt) -> Vec<Cell> {
    let (settlement, detail) = match &row.ended {
        None => (None, None),
        Some((settlement, detail)) => (text(settlement_name(*settlement)), text(detail)),
    };
    vec![
        text(&row.id),
        text(&row.instance),
        text(&row.execution),
        text(&row.consequence),
        Some(digested(row.decision)),
        Some(hex::encode(&row.decision)),
        text(&row.admitted_at),
        text(&row.provider),
        text(&row.actuator),
        row.basis.map(digested),
        settlement,
        detail,
    ]
}

/// Walks through a table and what is expected of it side by side, both in the order of the key, which
/// is the first column.
fn table(
    connection: &Connection,
    table: &'static str,
    columns: &str,
    expected: impl Iterator<Item = (Key, Vec<Cell>)>,
) -> Result<(), LedgerProblem> {
    let differs = |key: &Key, expected: &str, found: &str| {
        let at = Location::Row { table, key: key.to_string() };
        Err(LedgerProblem::from(Discrepancy::new(at, expected, found)))
    };
    let mut expected = expected.peekable();
    let mut rows = connection.prepare(&format!("SELECT {columns} FROM {table} ORDER BY 1"))?;
    let names: Vec<String> = rows.column_names().skip(1).map(str::to_owned).collect();
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let key = Key::of(row)?;
        match expected.next_if(|(next, _)| *next <= key) {
            Some((next, cells)) if next == key => {
                for (index, (name, expected)) in names.iter().zip(cells).enumerate() {
                    let found = cell(name, row.get_ref(index + 1)?);
                    if found != expected {
                        let expected = format!("{name} {}", shown(expected.as_deref()));
                        return differs(&key, &expected, &shown(found.as_deref()));
                    }
                }
            }
            Some((missing, _)) => return differs(&missing, "the row that the events give", "none"),
            None => return differs(&key, "no row, since no event gives it", "one"),
        }
    }
    match expected.next() {
        None => Ok(()),
        Some((missing, _)) => differs(&missing, "the row that the events give", "none"),
    }
}

fn cell(name: &str, value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(format!("the float {number:?}")),
        ValueRef::Blob(bytes) => Some(format!("the bytes {}", hex::encode(bytes))),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Err(_) => Some(format!("the bytes {}", hex::encode(bytes))),
            Ok(text) if DIGESTED.contains(&name) => Some(digested(digest(text))),
            Ok(text) => Some(text.to_owned()),
        },
    }
}

fn digested(digest: [u8; 32]) -> String {
    format!("sha256:{}", hex::encode(&digest))
}

fn shown(cell: Option<&str>) -> String {
    cell.map_or_else(|| "nothing".to_owned(), |text| Shown::brief(text).to_string())
}

fn text(text: &str) -> Cell {
    Some(text.to_owned())
}

/// What tells the rows of a table apart, in the order in which SQLite sorts it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(i64),
    Text(String),
}

impl Key {
    fn number(number: u64) -> Self {
        Key::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }

    fn text(text: &str) -> Self {
        Key::Text(text.to_owned())
    }

    fn of(row: &Row<'_>) -> Result<Self, LedgerProblem> {
        Ok(match row.get_ref(0)? {
            ValueRef::Integer(number) => Key::Number(number),
            value => Key::Text(cell("", value).unwrap_or_default()),
        })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Number(number) => write!(f, "{number}"),
            Key::Text(text) => f.write_str(text),
        }
    }
}
