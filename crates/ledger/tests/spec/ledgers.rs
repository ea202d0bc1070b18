//! Ledgers in directories of their own, small requests, and what is to be seen on disk.

use std::fmt::Debug;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::thread;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use swampbox_authority::{
    AuthorityDecision, Clock, ClockError, DecisionDocument, Timestamp, ValidityWindow, Verdict,
};
use swampbox_custody::{AttemptRecord, Custody, CustodyError, Mark, Settlement, Submission};
use swampbox_ledger::{Expectations, LedgerCustody, verify};
use swampbox_material::{Material, Value};
use tempfile::TempDir;

/// What every clock here shows unless a test says otherwise.
pub(crate) const NOW: &str = "2026-01-01T12:00:00Z";

/// Until when decisions hold.
pub(crate) const A_MINUTE_LATER: &str = "2026-01-01T12:01:00Z";

/// A directory with one ledger, or none yet.
pub(crate) struct Home {
    directory: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    /// One with a ledger in which A and B are active, and A holds X.
    pub(crate) fn inhabited() -> Self {
        let home = Self::new();
        let ledger = home.create();
        for execution in ["A", "B"] {
            ledger.register(&id(execution)).unwrap();
        }
        ledger.submit(note("A", "X")).unwrap();
        home
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory().join("ledger")
    }

    pub(crate) fn create(&self) -> LedgerCustody {
        LedgerCustody::create(self.path(), Box::new(Stopped)).unwrap()
    }

    pub(crate) fn open(&self) -> LedgerCustody {
        LedgerCustody::open(self.path(), Box::new(Stopped)).unwrap()
    }

    /// As `open`, but waits for other processes for a short time only.
    pub(crate) fn open_impatient(&self) -> LedgerCustody {
        let patience = Duration::from_millis(100);
        LedgerCustody::open_within(self.path(), Box::new(Stopped), patience).unwrap()
    }

    /// Waits until an open ledger can tell that nobody comes or goes: for about a second, since a file
    /// system does not date what happens more exactly than that. From then on it keeps what it reads.
    pub(crate) fn settle(&self) {
        settle(self.directory());
        settle(&self.directory().join("ledger-instances"));
    }

    /// A connection past the ledger.
    pub(crate) fn sql(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    /// What a query gives, a row a line.
    pub(crate) fn rows(&self, query: &str) -> String {
        rows(&self.sql(), query)
    }

    pub(crate) fn count(&self, table: &str) -> u32 {
        let query = format!("SELECT count(*) FROM {table}");
        self.sql().query_row(&query, [], |row| row.get(0)).unwrap()
    }

    /// All rows that the rules and the history rest on.
    pub(crate) fn everything(&self) -> String {
        let tables = [
            "SELECT * FROM executions ORDER BY id",
            "SELECT * FROM consequences ORDER BY id",
            "SELECT * FROM attempts ORDER BY fence",
            "SELECT sequence, at, kind, body, hex(previous), hex(hash) FROM events
             ORDER BY sequence",
        ];
        tables.map(|table| self.rows(table)).join("\n\n")
    }

    /// The ledger is sound, and its tables are what its history says.
    pub(crate) fn verify(&self) {
        verify(self.path(), &Expectations::default()).unwrap();
    }

    /// The names in the directory, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        names(self.directory())
    }
}

/// Waits until it can be told that nothing happens in a directory.
pub(crate) fn settle(directory: &Path) {
    let since = || {
        let changed = fs::metadata(directory).unwrap();
        let changed = Duration::new(changed.ctime() as u64, changed.ctime_nsec() as u32);
        SystemTime::UNIX_EPOCH.elapsed().unwrap().saturating_sub(changed)
    };
    while since() <= Duration::from_secs(1) {
        thread::sleep(Duration::from_millis(10));
    }
}

/// The names in a directory, in order.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = directory.read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn rows(connection: &Connection, query: &str) -> String {
    let mut query = connection.prepare(query).unwrap();
    let columns = query.column_count();
    let lines = query.query_map([], |row| {
        let cells = (0..columns).map(|column| match row.get_ref(column)? {
            ValueRef::Null => Ok("-".to_owned()),
            ValueRef::Integer(number) => Ok(number.to_string()),
            value => Ok(value.as_str()?.to_owned()),
        });
        Ok(cells.collect::<rusqlite::Result<Vec<_>>>()?.join(" | "))
    });
    lines.unwrap().collect::<rusqlite::Result<Vec<_>>>().unwrap().join("\n")
}

/// An identifier of whatever kind is wanted.
pub(crate) fn id<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// A note to the inbox.
pub(crate) fn note(execution: &str, consequence: &str) -> Submission {
    Submission {
        execution: id(execution),
        consequence: id(consequence),
        material: Material::new("note", "inbox", Value::from(consequence)),
        parent: None,
    }
}

/// What is written ahead of an attempt that is refused before anybody looks at its decision.
pub(crate) fn record() -> AttemptRecord {
    record_of(r#"{"verdict": "ALLOW"}"#)
}

/// The same under this decision.
pub(crate) fn record_of(decision: &str) -> AttemptRecord {
    AttemptRecord {
        decision: decision.into(),
        admitted_at: NOW.into(),
        provider: "a provider".into(),
        actuator: "an actuator".into(),
        basis: None,
        consumes: Vec::new(),
    }
}

/// Marks a consequence under a decision that allows it for a minute.
pub(crate) fn mark(ledger: &LedgerCustody, execution: &str, consequence: &str) -> Mark {
    try_to_mark(ledger, execution, consequence).unwrap()
}

/// The same, if the rules let it.
pub(crate) fn try_to_mark(
    ledger: &LedgerCustody,
    execution: &str,
    consequence: &str,
) -> Result<Mark, CustodyError> {
    let record = allowed(ledger, execution, consequence)?;
    ledger.mark(&id(execution), &id(consequence), &record)
}

fn allowed(
    ledger: &LedgerCustody,
    execution: &str,
    consequence: &str,
) -> Result<AttemptRecord, CustodyError> {
    let snapshot = ledger.request_release(&id(execution), &id(consequence))?;
    let window = ValidityWindow::new(id(NOW), id(A_MINUTE_LATER)).unwrap();
    let decision = id(&format!("decision-{consequence}"));
    let decision = AuthorityDecision::about(&snapshot, decision, Verdict::Allow, window).unwrap();
    Ok(record_of(&DecisionDocument::from(decision).as_received()))
}

/// Marks a consequence, and uses up a decision that may be used once.
pub(crate) fn mark_once(
    ledger: &LedgerCustody,
    execution: &str,
    consequence: &str,
    used: &str,
) -> Result<Mark, CustodyError> {
    let record = allowed(ledger, execution, consequence)?;
    let record = AttemptRecord { basis: Some(BASIS.into()), consumes: vec![id(used)], ..record };
    ledger.mark(&id(execution), &id(consequence), &record)
}

/// What a decision may rest on.
const BASIS: &str = r#"{"approved_by":["Jane"]}"#;

/// One whole attempt: marked, then settled.
pub(crate) fn attempt(
    ledger: &LedgerCustody,
    execution: &str,
    consequence: &str,
    settlement: Settlement,
) -> Result<(), CustodyError> {
    let mark = try_to_mark(ledger, execution, consequence)?;
    ledger.settle(mark, settlement, "as reported")
}

/// `ok`, or the code of what went wrong.
pub(crate) fn code<T>(answer: Result<T, CustodyError>) -> String {
    answer.map_or_else(|error| error.code().to_string(), |_| "ok".into())
}

/// A clock that stands still.
pub(crate) struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Result<Timestamp, ClockError> {
        Ok(id(NOW))
    }
}
