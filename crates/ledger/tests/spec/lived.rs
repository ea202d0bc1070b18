//! A ledger in which everything has happened once, and words for what verification says of it.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use sha2::{Digest, Sha256};
use swampbox_authority::{Clock, ClockError, Timestamp};
use swampbox_custody::{Custody, RefusedRelease, Settlement, Submission};
use swampbox_ledger::{
    Binding, Expectations, Finding, Lease, LedgerError, NewRecord, Resolution, SecretKey, Verified,
    verify,
};
use swampbox_material::json::Json;
use swampbox_material::{Code, Material, Value};

use crate::ledgers::{Home, NOW, attempt, id, mark_once};

/// A directory with a ledger in which everything has happened once, and the key that signed it.
pub(crate) fn lived() -> (Home, SecretKey) {
    let home = Home::new();
    let key = SecretKey::create(home.directory().join("key")).unwrap();
    let ledger = home.create();
    for execution in ["A", "B", "gone"] {
        ledger.register(&id(execution)).unwrap();
    }
    let lease = Lease::of(60, id(NOW)).unwrap();
    ledger.register_bound(&id("leased"), Binding::Lease(lease)).unwrap();
    for (execution, consequence) in [("A", "X"), ("gone", "left")] {
        ledger.submit(submission(execution, consequence)).unwrap();
    }
    let derived = Submission { parent: Some(id("X")), ..submission("A", "derived") };
    ledger.submit(derived).unwrap();
    ledger.transfer(&id("A"), &id("B"), &id("X")).unwrap();
    ledger.end(&id("gone")).unwrap();
    ledger.adopt(&id("B"), &id("left")).unwrap();
    let outcomes = [
        ("did", Settlement::Released),
        ("maybe", Settlement::Uncertain),
        ("did-not", Settlement::NotExecuted),
    ];
    for (consequence, settlement) in outcomes {
        ledger.submit(submission("A", consequence)).unwrap();
        attempt(&ledger, "A", consequence, settlement).unwrap();
    }
    ledger.resolve(&id("maybe"), found(Finding::ConfirmedExecuted)).unwrap();
    let refusal = RefusedRelease {
        execution: id("A"),
        consequence: id("did-not"),
        reason: Code::AuthorityNotAllowed,
        decision: Some(r#"{"verdict": "DENY"}"#.into()),
        basis: Some(r#"{"policy":"deny all"}"#.into()),
    };
    ledger.note_refusal(&refusal).unwrap();
    ledger.checkpoint(&key).unwrap();
    ledger.submit(submission("B", "later")).unwrap();
    drop(ledger);
    (home, key)
}

/// The same, and after it what was used up and put beside custody.
pub(crate) fn lived_and_approved() -> Home {
    let (home, _) = lived();
    let ledger = home.open();
    ledger.submit(submission("A", "approved")).unwrap();
    let mark = mark_once(&ledger, "A", "approved", "approval-1").unwrap();
    ledger.settle(mark, Settlement::Released, "as reported").unwrap();
    ledger.put_record(request("open"), None).unwrap();
    drop(ledger);
    home
}

pub(crate) fn submission(execution: &str, consequence: &str) -> Submission {
    let material = br#"{"consequence_type": "note", "target": "inbox", "payload": {"n": 1}}"#;
    Submission {
        execution: id(execution),
        consequence: id(consequence),
        material: Material::from_json(material).unwrap(),
        parent: None,
    }
}

/// A record of a request for approval.
pub(crate) fn request(status: &str) -> NewRecord {
    NewRecord {
        kind: "approval".into(),
        id: "approval-1".into(),
        status: status.into(),
        document: Json::object([("asked_by", Json::from("A"))]),
        execution: Some(id("A")),
        consequence: Some(id("approved")),
    }
}

pub(crate) fn found(finding: Finding) -> Resolution {
    let evidence = Value::from_json(br#"{"seen": "in the inbox", "status": 200}"#).unwrap();
    Resolution::new(finding, evidence, "Jane").unwrap()
}

/// What verification says, without what differs from one run to the next.
pub(crate) fn told(path: &Path) -> String {
    told_of(verify(path, &Expectations::default()), path)
}

pub(crate) fn told_of(answer: Result<Verified, LedgerError>, path: &Path) -> String {
    let told = match answer {
        Ok(verified) => verified.to_document().to_string(),
        Err(error) => format!("{}: {error}", error.code()),
    };
    redacted(&told.replace(&*path.to_string_lossy(), "PATH"))
}

/// Changes a ledger past all that protects it.
pub(crate) fn tamper(home: &Home, sql: &str) {
    let connection = unprotected(home);
    connection.execute_batch(sql).unwrap();
}

pub(crate) fn unprotected(home: &Home) -> Connection {
    let connection = home.sql();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.pragma_update(None, "ignore_check_constraints", true).unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false).unwrap();
    connection
}

/// Makes the chain of hashes right again, as whoever has the program's source can.
pub(crate) fn chain_again(connection: &Connection) {
    let ledger: String =
        connection.query_row("SELECT id FROM ledger", [], |row| row.get(0)).unwrap();
    let mut previous: [u8; 32] = Sha256::digest(ledger).into();
    let all = "SELECT rowid, coalesce(at, ''), kind, body FROM events ORDER BY sequence";
    let mut all = connection.prepare(all).unwrap();
    let mut rows = all.query([]).unwrap();
    let mut sequence = 0_u64;
    while let Some(row) = rows.next().unwrap() {
        sequence += 1;
        let mut hasher = Sha256::new();
        hasher.update(previous);
        hasher.update(sequence.to_be_bytes());
        for column in 1..4 {
            let text: String = row.get(column).unwrap();
            hasher.update((text.len() as u64).to_be_bytes());
            hasher.update(text);
        }
        let hash: [u8; 32] = hasher.finalize().into();
        let rowid: i64 = row.get(0).unwrap();
        connection
            .execute(
                "UPDATE events SET previous = ?2, hash = ?3 WHERE rowid = ?1",
                (rowid, previous, hash),
            )
            .unwrap();
        previous = hash;
    }
}

/// With a word in place of each hash, key, signature and UUID.
pub(crate) fn redacted(text: &str) -> String {
    let mut told = String::new();
    let mut run = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_hexdigit() || c == '-' {
            run.push(c);
            continue;
        }
        let digits = run.chars().filter(|c| *c != '-').count();
        match (run.len(), digits) {
            (64.., _) if run.len() == digits => told.push_str("HEX"),
            (36, 32) => told.push_str("UUID"),
            _ => told.push_str(&run),
        }
        run.clear();
        told.push(c);
    }
    told.pop();
    told
}

/// A clock that can't be read.
pub(crate) struct Broken;

impl Clock for Broken {
    fn now(&self) -> Result<Timestamp, ClockError> {
        Err(ClockError::new("it is broken"))
    }
}
