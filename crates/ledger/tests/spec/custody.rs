//! What a ledger keeps, what it adds to its history, and how it says that it can't be opened.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::sync::{Barrier, Mutex};
use std::thread;

use insta::assert_snapshot;
use rusqlite::Connection;
use swampbox_custody::{Custody, RefusedRelease, Settlement};
use swampbox_ledger::{Expectations, LedgerCustody, LedgerError, verify};
use swampbox_material::{Code, Material};

use crate::ledgers::{Home, Stopped, attempt, code, id, names, note, record};

#[test]
fn everything_is_as_it_was_when_the_ledger_is_opened_again() {
    let home = Home::inhabited();
    let ledger = home.open();
    for consequence in ["released", "uncertain", "tried", "transferred", "parent"] {
        ledger.submit(note("A", consequence)).unwrap();
    }
    let mut child = note("A", "child");
    child.parent = Some(id("parent"));
    ledger.submit(child).unwrap();
    attempt(&ledger, "A", "released", Settlement::Released).unwrap();
    attempt(&ledger, "A", "uncertain", Settlement::Uncertain).unwrap();
    attempt(&ledger, "A", "tried", Settlement::NotExecuted).unwrap();
    ledger.transfer(&id("A"), &id("B"), &id("transferred")).unwrap();
    ledger.register(&id("ended")).unwrap();
    ledger.submit(note("ended", "quarantined")).unwrap();
    ledger.end(&id("ended")).unwrap();
    let before = home.everything();
    drop(ledger);
    drop(home.open());
    assert_eq!(home.everything(), before);
    assert_snapshot!(
        home.rows("SELECT id, custodian, parent, state FROM consequences ORDER BY id")
    );
}

#[test]
fn a_material_is_read_as_it_was_submitted() {
    let home = Home::inhabited();
    let text = r#"{"consequence_type": "note", "target": "i\u0000n", "payload": {
        "z": [1, 1.0, -0.0, 1e300, 340282366920938463463374607431768211456], "a": "\u0301"}}"#;
    let mut submission = note("A", "exact");
    submission.material = Material::from_json(text.as_bytes()).unwrap();
    let written = submission.material.to_document().to_string();
    home.open().submit(submission).unwrap();
    let read = home.open().read(&id("A"), &id("exact")).unwrap().material;
    assert_eq!(read.to_document().to_string(), written);
}

#[test]
fn a_refused_operation_is_no_event() {
    let home = Home::inhabited();
    let ledger = home.open();
    let before = home.everything();
    let refused = [
        code(ledger.submit(note("A", "X"))),
        code(ledger.submit(note("nobody", "Y"))),
        code(ledger.transfer(&id("A"), &id("A"), &id("X"))),
        code(ledger.adopt(&id("B"), &id("X"))),
        code(ledger.end(&id("nobody"))),
        code(ledger.mark(&id("B"), &id("X"), &record())),
        code(ledger.read(&id("B"), &id("X"))),
        code(ledger.inspect(&id("X"))),
    ];
    assert_snapshot!(refused.join("\n"));
    assert_eq!(code(ledger.register(&id("A"))), "ok", "again, and nothing changes");
    assert_eq!(home.everything(), before);
}

#[test]
fn a_refused_release_is_an_event() {
    let home = Home::inhabited();
    let refusal = RefusedRelease {
        execution: id("A"),
        consequence: id("X"),
        reason: Code::AuthorityNotAllowed,
        decision: Some(r#"{"verdict": "DENY"}"#.into()),
        basis: Some(r#"{"policy":"deny all"}"#.into()),
    };
    home.open().note_refusal(&refusal).unwrap();
    assert_snapshot!(home.rows("SELECT kind, body FROM events ORDER BY sequence DESC LIMIT 1"));
}

#[test]
fn of_many_threads_that_submit_the_same_one_alone_succeeds_and_no_other_is_hurt() {
    const THREADS: usize = 64;
    let home = Home::inhabited();
    let ledger = home.open();
    let start = Barrier::new(THREADS);
    let answers: Mutex<BTreeMap<String, u32>> = Mutex::default();
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (ledger, start, answers) = (&ledger, &start, &answers);
            scope.spawn(move || {
                start.wait();
                for turn in 0..10 {
                    let own = ledger.submit(note("A", &format!("own-{number}-{turn}")));
                    let shared = ledger.submit(note("A", &format!("shared-{turn}")));
                    let mut answers = answers.lock().unwrap();
                    *answers.entry(format!("own: {}", code(own))).or_default() += 1;
                    *answers.entry(format!("shared: {}", code(shared))).or_default() += 1;
                }
            });
        }
    });
    let answers = answers.into_inner().unwrap();
    let answers: Vec<_> = answers.iter().map(|(code, count)| format!("{code} {count}")).collect();
    assert_snapshot!(answers.join("\n"));
    drop(ledger);
    assert_eq!(home.count("consequences"), 1 + 640 + 10);
    assert_eq!(home.count("events WHERE kind = 'consequence_submitted'"), 1 + 640 + 10);
    home.verify();
}

#[test]
fn whoever_has_a_ledger_open_goes_on_while_it_is_brought_up_to_a_newer_format() {
    let home = Home::inhabited();
    let ledger = home.open();
    home.sql().execute_batch("PRAGMA user_version = 9").unwrap();
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                // All at once, so that each needs a connection of its own.
                barrier.wait();
                for _ in 0..20 {
                    assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok");
                }
            });
        }
    });
    assert_eq!(code(ledger.submit(note("A", "Y"))), "ok");
    let refused = LedgerCustody::open(home.path(), Box::new(Stopped)).err().unwrap();
    assert_eq!(refused.code(), Code::LedgerNewer);
}

#[test]
fn who_reads_and_who_opens_does_not_wait_for_who_writes() {
    let home = Home::inhabited();
    let ledger = home.open();
    let lock = home.sql();
    lock.execute_batch("BEGIN IMMEDIATE; DELETE FROM consequences").unwrap();
    assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok");
    assert_eq!(code(home.open().read(&id("A"), &id("X"))), "ok");
    lock.execute_batch("ROLLBACK").unwrap();
}

#[test]
fn what_is_made_beside_a_ledger_is_for_those_who_may_use_its_file() {
    let home = Home::inhabited();
    fs::set_permissions(home.path(), Permissions::from_mode(0o660)).unwrap();
    // Only root can give a file away.
    let root = chown(home.path(), Some(65_534), Some(65_534)).is_ok();
    let ledger = home.open();
    let instances = home.directory().join("ledger-instances");
    let one = instances.join(&names(&instances)[0]);
    let told = [(&instances, 0o770), (&one, 0o660)].map(|(path, mode)| {
        let found = fs::metadata(path).unwrap();
        assert_eq!(found.mode() & 0o777, mode, "{}", path.display());
        found.uid() == 65_534 && found.gid() == 65_534
    });
    assert_eq!(told, [root; 2]);
    drop(ledger);
}

#[test]
fn all_files_of_a_ledger_are_its_owners_alone() {
    let home = Home::inhabited();
    let ledger = home.open();
    let directory = home.directory();
    let mut modes = Vec::new();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for name in home.files() {
        modes.push(format!("{name}: {:o}", mode(&directory.join(&name))));
    }
    let instances = directory.join("ledger-instances");
    for name in names(&instances) {
        modes.push(format!("one instance: {:o}", mode(&instances.join(name))));
    }
    assert_snapshot!(modes.join("\n"));
    drop(ledger);
}

#[test]
fn what_is_in_the_way_of_opening_or_making_a_ledger_is_said() {
    let home = Home::inhabited();
    let directory = home.directory();
    fs::write(
        directory.join("text"),
        "This is a text, and longer than a header ought to be. ".repeat(9),
    )
    .unwrap();
    fs::write(directory.join("empty"), "").unwrap();
    Connection::open(directory.join("other")).unwrap().execute_batch("CREATE TABLE t (c)").unwrap();
    fs::copy(home.path(), directory.join("newer")).unwrap();
    Connection::open(directory.join("newer"))
        .unwrap()
        .execute_batch("PRAGMA user_version = 9")
        .unwrap();
    fs::copy(home.path(), directory.join("forged")).unwrap();
    Connection::open(directory.join("forged"))
        .unwrap()
        .execute_batch("PRAGMA user_version = 1")
        .unwrap();
    fs::create_dir(directory.join("directory")).unwrap();
    let mut said = Vec::new();
    let mut say = |made: Result<LedgerCustody, LedgerError>| {
        let error = made.err().unwrap();
        let message = error.to_string().replace(&directory.display().to_string(), "");
        said.push(format!("{}: {message}", error.code()));
    };
    for name in
        ["absent", "text", "empty", "other", "newer", "forged", "directory", "absent/ledger"]
    {
        say(LedgerCustody::open(directory.join(name), Box::new(Stopped)));
    }
    for name in ["ledger", "text", "empty", "directory"] {
        say(LedgerCustody::create(directory.join(name), Box::new(Stopped)));
    }
    assert_snapshot!(said.join("\n"));
}

#[test]
fn a_ledger_that_can_not_be_made_leaves_nothing_behind() {
    let home = Home::new();
    let before = home.files();
    let absent = home.directory().join("absent").join("ledger");
    let error = LedgerCustody::create(absent, Box::new(Stopped)).unwrap_err();
    assert_eq!(error.code().as_str(), "store_unavailable");
    fs::write(home.path(), "something else").unwrap();
    LedgerCustody::create(home.path(), Box::new(Stopped)).unwrap_err();
    assert_eq!(fs::read_to_string(home.path()).unwrap(), "something else");
    fs::remove_file(home.path()).unwrap();
    assert_eq!(home.files(), before);
}

#[test]
fn another_database_is_left_as_it_is() {
    let home = Home::new();
    home.sql().execute_batch("CREATE TABLE t (c)").unwrap();
    let before = fs::read(home.path()).unwrap();
    LedgerCustody::open(home.path(), Box::new(Stopped)).unwrap_err();
    assert_eq!(fs::read(home.path()).unwrap(), before);
    assert_eq!(home.files(), ["ledger"]);
}

#[test]
fn that_it_can_be_written_is_found_out_without_a_change() {
    let home = Home::inhabited();
    let ledger = home.open();
    let before = home.everything();
    ledger.check_writable().unwrap();
    assert_eq!(home.everything(), before);
    verify(home.path(), &Expectations::default()).unwrap();
    let aside = home.path().with_extension("aside");
    fs::rename(home.path(), &aside).unwrap();
    let failure = ledger.check_writable().unwrap_err();
    assert_eq!(failure.code(), Code::StoreUnavailable);
    fs::rename(aside, home.path()).unwrap();
    ledger.check_writable().unwrap();
}
