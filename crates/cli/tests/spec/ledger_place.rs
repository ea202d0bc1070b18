//! Which ledger is meant, and what may be wrong with it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use insta::assert_snapshot;
use tempfile::TempDir;

use crate::ledger::Ledger;
use crate::run::{Files, Ran, swampbox};

#[test]
fn a_ledger_is_for_its_owner_alone_and_so_is_each_directory_that_is_made_for_it() {
    let home = TempDir::new().unwrap();
    let init = |variable: &str| {
        let ran = Ran::of(swampbox(&["init"]).env(variable, home.path()).output().unwrap());
        assert_eq!(ran.status, Some(0), "{ran}");
    };
    init("HOME");
    init("XDG_DATA_HOME");
    let mut seen = String::new();
    for made in [".local", ".local/share/swampbox/ledger.db", "swampbox", "swampbox/ledger.db"] {
        let mode = fs::metadata(home.path().join(made)).unwrap().permissions().mode();
        seen += &format!("{:o} {made}\n", mode & 0o7777);
    }
    assert_snapshot!(seen);
}

#[test]
fn the_argument_comes_before_the_variable_and_the_variable_before_the_home() {
    let home = TempDir::new().unwrap();
    let files = Files::new([]);
    let run = |arguments: &[&str], variable: &str| {
        let mut command = swampbox(arguments);
        command.current_dir(files.path()).env("HOME", home.path());
        Ran::of(command.env("SWAMPBOX_LEDGER", variable).output().unwrap()).to_string()
    };
    let seen = [
        run(&["init", "--ledger", "argument.db"], "variable.db"),
        run(&["init", "--json"], "variable.db"),
        run(&["execution", "--ledger", "argument.db", "start", "A"], "nowhere.db"),
        run(&["execution", "start", "B"], "variable.db"),
        run(&["execution", "start", "B", "--ledger", "nowhere.db"], "variable.db"),
        run(&["execution", "start", "B"], "").replace(home.path().to_str().unwrap(), "HOME"),
    ];
    assert_snapshot!(seen.concat());
}

#[test]
fn a_name_that_sqlite_takes_for_something_else_is_a_file_all_the_same() {
    let files = Files::new([]);
    for name in [":memory:", "file:ledger?mode=memory"] {
        let ran = |command: &str| {
            let mut command = swampbox(&[command, "--ledger", name]);
            Ran::of(command.current_dir(files.path()).output().unwrap()).status
        };
        assert_eq!([ran("init"), ran("list")], [Some(0), Some(0)], "{name}");
        assert!(files.path().join(name).is_file(), "{name}");
    }
}

#[test]
fn what_fails_leaves_no_directory_that_was_made_for_it() {
    let files = Files::new([("empty", b"")]);
    let ran = |arguments: &[&str]| {
        Ran::of(swampbox(arguments).current_dir(files.path()).output().unwrap())
    };
    let import = ran(&["import", "empty", "--ledger", "a/b/ledger.db"]);
    assert_eq!(import.status, Some(2), "{import}");
    let absent = ran(&["import", "absent", "--ledger", "a/b/ledger.db"]);
    assert_eq!(absent.status, Some(2), "{absent}");
    assert!(!files.path().join("a").exists());
}

#[test]
fn a_file_that_may_not_grow_is_an_error_with_a_code_and_no_reason_to_be_killed() {
    let files = Files::new([]);
    let mut limited = Command::new("sh");
    // In blocks of 512 bytes.
    limited.args(["-c", "ulimit -f 20; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_swampbox")]);
    limited.args(["init", "--ledger", "ledger.db"]).current_dir(files.path());
    let ran = Ran::of(limited.output().unwrap());
    assert_eq!(ran.status, Some(3), "{ran}");
    assert!(ran.stderr.contains("store_unavailable"), "{ran}");
    assert_eq!(fs::read_dir(files.path()).unwrap().count(), 0);
}

#[test]
fn where_nobody_says_which_ledger_it_is_an_error_that_says_how() {
    let ran = Ran::of(swampbox(&["execution", "start"]).output().unwrap());
    let relative = swampbox(&["init"]).env("XDG_DATA_HOME", "data").output().unwrap();
    assert_snapshot!(format!("{ran}{}", Ran::of(relative)));
}

#[test]
fn what_is_no_ledger_is_refused_and_left_as_it_is() {
    let files = Files::new([("note.txt", b"a note"), ("empty", b"")]);
    fs::create_dir(files.path().join("directory")).unwrap();
    let mut seen = String::new();
    for path in ["missing.db", "missing/ledger.db", "directory", "note.txt", "empty", "a\u{202e}b"]
    {
        for words in [&["init"][..], &["execution", "start", "A"]] {
            if words == ["init"] && path.starts_with(['m', 'a']) {
                continue;
            }
            let ran = files.run(&[words, &["--ledger", path]].concat());
            assert_eq!(ran.stderr.lines().count(), 1, "{ran}");
            seen += &format!("{path}: {ran}").replace('\u{202e}', "(bidi)");
        }
    }
    assert_eq!(fs::read(files.path().join("note.txt")).unwrap(), b"a note");
    assert_eq!(fs::read(files.path().join("empty")).unwrap(), b"");
    assert_snapshot!(seen);
}

#[test]
fn a_ledger_is_not_made_twice() {
    let ledger = Ledger::with_a_note();
    assert_snapshot!(ledger.story(&["init", "read X --execution A --json"]));
}
