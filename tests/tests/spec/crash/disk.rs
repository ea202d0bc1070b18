//! What is on disk, read past the ledger.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::world::Thing;

pub(super) struct Disk {
    pub(super) standing: BTreeMap<Thing, String>,
    /// In the order of their fencing numbers.
    pub(super) attempts: Vec<Attempt>,
    /// Of which consequence, by which attempt.
    pub(super) effects: Vec<(String, String)>,
}

#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) id: String,
    pub(super) consequence: String,
    pub(super) settlement: Option<String>,
    /// Settled by somebody else than its owner.
    pub(super) recovered: bool,
}

impl Disk {
    pub(super) fn read(ledger: &Path) -> Self {
        let connection = Connection::open(ledger).unwrap();
        let mut standing = BTreeMap::new();
        let executions = "SELECT id, state FROM executions";
        let consequences =
            "SELECT id, state || ' ' || coalesce(custodian, 'nobody') FROM consequences";
        for [id, state] in rows(&connection, executions) {
            standing.insert(Thing::Execution(id), state);
        }
        for [id, state] in rows(&connection, consequences) {
            standing.insert(Thing::Consequence(id), state);
        }
        let attempts = "SELECT id, consequence, coalesce(settlement, ''), coalesce(detail, '')
                        FROM attempts ORDER BY fence";
        let attempts =
            rows(&connection, attempts).into_iter().map(|[id, consequence, settlement, detail]| {
                Attempt {
                    id,
                    consequence,
                    settlement: Some(settlement).filter(|text| !text.is_empty()),
                    recovered: detail == "its owner was gone before it was settled",
                }
            });
        Self { standing, attempts: attempts.collect(), effects: effects(ledger) }
    }

    pub(super) fn consequence(&self, id: &str) -> &str {
        &self.standing[&Thing::Consequence(id.to_owned())]
    }

    pub(super) fn consequences(&self) -> impl Iterator<Item = (&str, &str)> {
        self.standing.iter().filter_map(|(thing, standing)| match thing {
            Thing::Consequence(id) => Some((id.as_str(), standing.as_str())),
            Thing::Execution(_) => None,
        })
    }
}

/// Where the effects of a ledger's consequences go.
pub(super) fn effects_beside(ledger: &Path) -> PathBuf {
    ledger.with_file_name("effects")
}

fn effects(ledger: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(effects_beside(ledger)).unwrap_or_default();
    assert!(text.is_empty() || text.ends_with('\n'), "the last effect is half there");
    let line = |line: &str| line.split_once(' ').map(|(one, two)| (one.into(), two.into()));
    text.lines().map(|text| line(text).unwrap()).collect()
}

fn rows<const N: usize>(connection: &Connection, query: &str) -> Vec<[String; N]> {
    let mut query = connection.prepare(query).unwrap();
    let rows = query.query_map([], |row| {
        let cells: Vec<String> = (0..N).map(|column| row.get(column)).collect::<Result<_, _>>()?;
        Ok(cells.try_into().unwrap())
    });
    rows.unwrap().map(Result::unwrap).collect()
}
