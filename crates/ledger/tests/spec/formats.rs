//! Ledgers that an older program made, in its format.

use std::fs::{self, File};
use std::thread;

use insta::assert_snapshot;
use rstest::rstest;
use swampbox_custody::Custody;
use swampbox_ledger::{EventFilter, Expectations, LedgerCustody, export, import, verify};

use crate::ledgers::{Home, Stopped, id, mark};
use crate::lived::{tamper, told, unprotected};

/// Everything has happened once in it. `late` was refused before it was there, and then transferred and
/// refused in turns; `never` was refused and never there.
const THIRD: &str = include_str!("formats/3.sql");

/// Makes an older format out of the third.
const SECOND: &str = "DROP INDEX custody_changes; PRAGMA user_version = 2";
const FIRST: &str = "DROP INDEX uncertain; PRAGMA user_version = 1";

fn of_format(format: i64) -> Home {
    let home = Home::new();
    let connection = unprotected(&home);
    connection.execute_batch(THIRD).unwrap();
    for (older, step) in [(2, SECOND), (1, FIRST)] {
        if format <= older {
            connection.execute_batch(step).unwrap();
        }
    }
    home
}

fn format_of(home: &Home) -> i64 {
    home.sql().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[rstest]
fn a_ledger_of_an_older_format_becomes_one_of_the_newest_when_it_is_opened(
    #[values(1, 2, 3)] format: i64,
) {
    let home = of_format(format);
    let rows = |home: &Home| {
        let material = "id, origin, custodian, parent, state, fence, material";
        [
            home.rows(&format!("SELECT {material} FROM consequences ORDER BY rowid")),
            home.rows("SELECT * FROM attempts"),
            home.rows("SELECT sequence, at, kind, body, hex(previous), hex(hash) FROM events"),
        ]
    };
    let before = rows(&home);
    let verified = verify(home.path(), &Expectations::default()).unwrap();
    assert_eq!(format_of(&home), format, "verifying changes nothing");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| drop(home.open()));
        }
    });
    assert_eq!(format_of(&home), 4);
    assert_eq!(rows(&home), before);
    assert_eq!(verify(home.path(), &Expectations::default()).unwrap(), verified);
}

#[test]
fn what_happened_before_a_ledger_was_brought_up_is_found_as_what_happens_after() {
    let home = of_format(3);
    let ledger = home.open();
    let last = if ledger.read(&id("A"), &id("late")).is_ok() { "A" } else { "B" };
    drop(mark(&ledger, last, "late"));
    let found = |name: &str| {
        let filter = EventFilter { consequence: Some(id(name)), ..EventFilter::default() };
        let events = ledger.history().events(&filter).unwrap();
        let found: Vec<String> = events.iter().map(|event| event.sequence.to_string()).collect();
        let there = home.rows(&format!("SELECT sequence FROM events WHERE consequence = {name:?}"));
        assert_eq!(found.join("\n"), there);
        let custody = ledger.history().last_change_of_custody(&id(name)).unwrap();
        format!("{name}: {}, custody changed at {custody:?}", found.join(" "))
    };
    let all = ["X", "left", "maybe", "approved", "late", "never"].map(found);
    assert_snapshot!(all.join("\n"));
    drop(ledger);
    home.verify();
}

#[rstest]
fn the_export_of_a_ledger_that_was_brought_up_makes_one_whose_tables_are_the_same(
    #[values(1, 3)] format: i64,
) {
    let home = of_format(format);
    let mut text = Vec::new();
    export(home.path(), &mut text).unwrap();
    let copy = Home::new();
    import(copy.path(), &*text, &Expectations::default()).unwrap();
    drop(home.open());
    let tables = ["consequences", "links", "landmarks"];
    for table in tables.map(|table| format!("SELECT * FROM {table} ORDER BY 1, 2")) {
        assert_eq!(home.rows(&table), copy.rows(&table));
    }
}

/// What is made anew would hide it.
#[test]
fn a_ledger_of_an_older_format_that_was_changed_by_other_means_is_left_as_it_is() {
    let changes = [
        "CREATE TRIGGER t AFTER INSERT ON consequences BEGIN DELETE FROM events; END",
        "ALTER TABLE consequences ADD COLUMN extra TEXT",
        "DROP INDEX held",
        "CREATE TABLE links (a)",
        "INSERT INTO events SELECT 1000, at, kind, execution, recipient, consequence, body,
             previous, hash FROM events WHERE kind = 'consequence_submitted' AND consequence = 'X'",
    ];
    let said = changes.map(|change| {
        let home = of_format(3);
        tamper(&home, change);
        let before = told(&home.path());
        let error = LedgerCustody::open(home.path(), Box::new(Stopped)).unwrap_err();
        assert_eq!((format_of(&home), told(&home.path())), (3, before.clone()));
        let message = error.to_string().replace(&home.path().display().to_string(), "PATH");
        format!("{change}\n    {}: {message}\n    {before}", error.code())
    });
    assert_snapshot!(said.join("\n"));
}

#[test]
fn a_ledger_that_somebody_has_open_who_could_not_go_on_is_left_in_its_format() {
    let home = of_format(3);
    let instances = home.directory().join("ledger-instances");
    fs::create_dir(&instances).unwrap();
    fs::write(instances.join("something-else"), "").unwrap();
    let other = File::create(instances.join("01a23014-8acf-701a-997f-29e7fe3f55a6")).unwrap();
    other.lock().unwrap();
    let before = told(&home.path());
    let error = LedgerCustody::open(home.path(), Box::new(Stopped)).unwrap_err();
    let message = error.to_string().replace(&home.path().display().to_string(), "PATH");
    assert_snapshot!(format!("{}: {message}", error.code()));
    assert_eq!((format_of(&home), told(&home.path())), (3, before));
    other.unlock().unwrap();
    drop(home.open());
    assert_eq!(format_of(&home), 4);
}
