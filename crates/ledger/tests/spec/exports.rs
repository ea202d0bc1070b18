//! Exports, imports and backups: the same ledger in another place, or none.

use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use swampbox_custody::{Custody, Settlement};
use swampbox_ledger::{Expectations, LedgerError, backup, export, import, verify};

use crate::ledgers::{Home, attempt, id, mark};
use crate::lived::{lived, redacted, submission, tamper, told, told_of};

fn exported(home: &Home) -> String {
    let mut text = Vec::new();
    export(home.path(), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// What is said of the import of a text, and the files that it leaves.
fn imported(text: impl AsRef<[u8]>) -> (String, Vec<String>) {
    let home = Home::new();
    let answer = import(home.path(), text.as_ref(), &Expectations::default());
    (told_of(answer, &home.path()), home.files())
}

fn failure(answer: Result<impl Sized, LedgerError>, home: &Home) -> String {
    let error = answer.err().unwrap();
    let told = error.to_string().replace(&*home.path().to_string_lossy(), "PATH");
    format!("{}: {told}", error.code())
}

#[test]
fn an_export_says_what_follows_and_then_each_event_as_it_is_stored() {
    let home = Home::inhabited();
    assert_snapshot!(redacted(&exported(&home)));
}

#[test]
fn an_import_is_the_same_ledger() {
    let (home, _) = lived();
    let text = exported(&home);
    let copy = Home::new();
    import(copy.path(), text.as_bytes(), &Expectations::default()).unwrap();
    let verified = |home: &Home| verify(home.path(), &Expectations::default()).unwrap();
    assert_eq!(verified(&copy), verified(&home));
    assert_eq!(exported(&copy), text);
    for table in ["executions", "bindings", "consequences", "attempts", "resolutions"] {
        let all = format!("SELECT * FROM {table} ORDER BY 1");
        assert_eq!(copy.rows(&all), home.rows(&all), "{table}");
    }
}

#[test]
fn an_import_goes_on_where_the_export_ended() {
    let (home, key) = lived();
    let copy = Home::new();
    import(copy.path(), exported(&home).as_bytes(), &Expectations::default()).unwrap();
    let ledger = copy.open();
    ledger.submit(submission("A", "more")).unwrap();
    attempt(&ledger, "A", "more", Settlement::Released).unwrap();
    ledger.checkpoint(&key).unwrap();
    drop(ledger);
    assert_snapshot!(told(&copy.path()));
}

#[test]
fn an_attempt_that_was_open_is_uncertain_when_the_import_is_opened() {
    let home = Home::inhabited();
    let ledger = home.open();
    let mark = mark(&ledger, "A", "X");
    let copy = Home::new();
    import(copy.path(), exported(&home).as_bytes(), &Expectations::default()).unwrap();
    assert_eq!(copy.open().state(&id("X")).unwrap().as_str(), "UNCERTAIN");
    ledger.settle(mark, Settlement::Released, "").unwrap();
    assert_eq!(ledger.state(&id("X")).unwrap().as_str(), "RELEASED");
}

#[test]
fn an_import_leaves_one_file_that_its_owner_alone_can_read() {
    let copy = Home::new();
    let (home, _) = lived();
    import(copy.path(), exported(&home).as_bytes(), &Expectations::default()).unwrap();
    assert_eq!(copy.files(), ["ledger"]);
    let mode = fs::metadata(copy.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
}

#[test]
fn what_is_no_export_or_was_changed_is_refused_and_leaves_nothing() {
    let (home, _) = lived();
    let text = exported(&home);
    let lines: Vec<&str> = text.lines().collect();
    let without = |left_out: usize| {
        let kept = lines.iter().enumerate().filter(|(index, _)| *index != left_out);
        kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    let mut swapped = lines.clone();
    swapped.swap(6, 7);
    let texts = [
        ("nothing", String::new()),
        ("an empty line", "\n".into()),
        ("something else", "{\"format\":\"else\"}\n".into()),
        ("a newer version", text.replacen("\"version\":1", "\"version\":2", 1)),
        ("another id", text.replacen("\"ledger_id\":\"0", "\"ledger_id\":\"1", 1)),
        ("no id", "{\"format\":\"swampbox-ledger\",\"version\":1,\"ledger_id\":\"\",\"events\":0,\"head\":\"\"}\n".into()),
        ("no first line", without(0)),
        ("no second line", without(1)),
        ("no sixth line", without(5)),
        ("no last line", without(lines.len() - 1)),
        ("cut off", text[..text.len() - 20].into()),
        ("no line feed at the end", text.trim_end().into()),
        ("two lines swapped", swapped.join("\n") + "\n"),
        ("a line twice", format!("{text}{}\n", lines.last().unwrap())),
        ("an empty line at the end", format!("{text}\n")),
        ("a changed body", text.replacen("inbox", "outbox", 1)),
        ("a changed kind", text.replacen("execution_registered", "execution_ended", 1)),
("a field more", text.replacen("{\"sequence\":3", "{\"more\":0,\"sequence\":3", 1)),
        ("a number that is none", text.replacen("\"sequence\":3", "\"sequence\":3.0", 1)),
    ];
    let told = texts.map(|(what, text)| {
        let (told, files) = imported(text);
        assert!(files.is_empty(), "{what}: {files:?}");
        format!("{what}: {told}")
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_history_that_could_not_have_happened_is_refused_and_leaves_nothing() {
    let changes = [
        // Its execution was never registered.
        "UPDATE events SET body = replace(body, '\"A\"', '\"Z\"'), execution = 'Z'
             WHERE sequence = 6",
        // It was submitted before.
        "UPDATE events SET body = replace(body, 'left', 'X'), consequence = 'X'
             WHERE sequence = 7",
        // It was adopted already.
        "UPDATE events SET body = replace(body, 'left', 'derived'), consequence = 'derived'
             WHERE sequence = 12",
        // Its owner is a path.
        "UPDATE events SET body = replace(body, '\"instance\":\"', '\"instance\":\"../')
             WHERE kind = 'attempt_marked'",
    ];
    let told = changes.map(|sql| {
        let (home, _) = lived();
        tamper(&home, sql);
        crate::lived::chain_again(&home.sql());
        let (told, files) = imported(exported(&home));
        assert!(files.is_empty(), "{files:?}");
        told
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn an_import_that_is_not_what_is_expected_leaves_nothing() {
    let (home, _) = lived();
    let (_other, stranger) = lived();
    let copy = Home::new();
    let expectations =
        Expectations { trusted_keys: vec![stranger.public()], ..Expectations::default() };
    let answer = import(copy.path(), exported(&home).as_bytes(), &expectations);
    assert!(copy.files().is_empty());
    assert_snapshot!(told_of(answer, &copy.path()));
}

#[test]
fn neither_an_import_nor_a_backup_replaces_a_file() {
    let (home, _) = lived();
    let text = exported(&home);
    let before = fs::read(home.path()).unwrap();
    let answers = [
        failure(import(home.path(), text.as_bytes(), &Expectations::default()), &home),
        failure(backup(home.path(), home.path()), &home),
    ];
    assert_eq!(fs::read(home.path()).unwrap(), before);
    assert_snapshot!(answers.join("\n"));
}

#[test]
fn a_source_that_fails_leaves_nothing() {
    let (home, _) = lived();
    let text = exported(&home);
    let source = text.as_bytes().take(3000).chain(Unreadable);
    let copy = Home::new();
    let answer = import(copy.path(), BufReader::new(source), &Expectations::default());
    assert!(copy.files().is_empty());
    assert_snapshot!(failure(answer, &copy));
}

#[test]
fn an_output_that_fails_is_said_to() {
    let (home, _) = lived();
    assert_snapshot!(failure(export(home.path(), Full), &home));
}

#[test]
fn a_backup_of_a_ledger_in_use_is_the_same_ledger() {
    let (home, _) = lived();
    let ledger = home.open();
    ledger.submit(submission("A", "in the log only")).unwrap();
    let copy = Home::new();
    let verified = backup(home.path(), copy.path()).unwrap();
    assert_eq!(verified, verify(home.path(), &Expectations::default()).unwrap());
    assert_eq!(exported(&copy), exported(&home));
    let later = ledger.submit(submission("A", "after the backup"));
    later.unwrap();
    assert_eq!(copy.files(), ["ledger"]);
    assert_eq!(copy.count("events"), 26);
}

#[test]
fn a_backup_of_a_ledger_that_was_tampered_with_leaves_nothing() {
    let (home, _) = lived();
    tamper(&home, "UPDATE consequences SET state = 'CONTAINED'");
    let copy = Home::new();
    let answer = backup(home.path(), copy.path());
    assert!(copy.files().is_empty());
    assert_snapshot!(failure(answer, &home));
}

#[test]
fn a_ledger_that_is_not_there_is_neither_exported_nor_backed_up() {
    let (home, copy) = (Home::new(), Home::new());
    let answers = [
        failure(export(home.path(), Vec::new()), &home),
        failure(backup(home.path(), copy.path()), &home),
    ];
    assert!(copy.files().is_empty());
    assert_snapshot!(answers.join("\n"));
}

/// Fails when it is read.
struct Unreadable;

impl Read for Unreadable {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the pipe broke"))
    }
}

/// Takes nothing.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("no room"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
