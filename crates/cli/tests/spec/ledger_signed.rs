//! Checkpoints, verification, and taking a ledger elsewhere.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::ledger::{Ledger, steady};

#[test]
fn a_whole_ledger_verifies() {
    let ledger = Ledger::with_a_note();
    assert_snapshot!(ledger.story(&["verify", "verify --json"]));
}

#[test]
fn bindings_and_reaped_executions_verify_and_can_be_taken_elsewhere() {
    let ledger = Ledger::new();
    // It ends with its input.
    let mut process = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let short = process.id();
    let long = std::process::id();
    assert_eq!(ledger.run(&format!("execution start A --pid {short}")).status, Some(0));
    drop(process.stdin.take());
    process.wait().unwrap();
    let start = format!("execution start B --pid {long}");
    for words in [&start, "execution start C --lease 60", "execution renew C", "execution reap"] {
        assert_eq!(ledger.run(words).status, Some(0), "{words}");
    }
    ledger.run("export history.jsonl");
    let told = ledger.story(&["verify", "import history.jsonl --ledger restored.db"]);
    let bound = |words: &str| ledger.run(words).stdout;
    assert_eq!(bound("execution list"), bound("execution list --ledger restored.db"));
    let log = steady(&bound("log"));
    let log = log.replace(&format!("process {short}"), "process SHORT");
    assert_snapshot!(told + &log.replace(&format!("process {long}"), "process LONG"));
}

#[test]
fn what_is_signed_is_told_from_what_came_after() {
    let ledger = Ledger::with_a_note();
    let key = ledger.run("key generate key.pem").stdout;
    let checkpoint = ledger.run("checkpoint --key key.pem");
    ledger.write("checkpoint.json", &checkpoint.stdout);
    ledger.run("execution end A");
    let expect = format!("verify --expect-checkpoint checkpoint.json --key {}", key.trim());
    let verified = ledger.run(&expect);
    assert_snapshot!(steady(&format!("{checkpoint}{verified}")));
}

#[test]
fn a_key_is_for_its_owner_alone_and_never_replaced() {
    let ledger = Ledger::new();
    let made = ledger.story(&["key generate key.pem --json", "key generate key.pem"]);
    let file = ledger.directory().join("key.pem");
    let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o7777;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    ledger.write("no.pem", "no key");
    fs::set_permissions(ledger.directory().join("no.pem"), fs::Permissions::from_mode(0o600))
        .unwrap();
    let refused = ledger.story(&[
        "checkpoint --key key.pem",
        "checkpoint --key no.pem",
        "checkpoint --key missing.pem",
    ]);
    assert_snapshot!(format!("{made}\nmode {mode:o}\n\n{refused}"));
}

#[test]
fn a_ledger_that_was_changed_beside_the_command_is_found_out() {
    let ledger = Ledger::with_a_note();
    let file = ledger.directory().join("ledger.db");
    let bytes = fs::read(&file).unwrap();
    let place = bytes.windows(5).rposition(|window| window == b"inbox").unwrap();
    let mut changed = bytes.clone();
    changed[place..place + 5].copy_from_slice(b"outbx");
    fs::write(&file, changed).unwrap();
    assert_snapshot!(ledger.story(&["verify", "verify --json"]));
}

#[test]
fn a_tail_that_was_cut_off_is_found_out_by_a_checkpoint_kept_elsewhere() {
    let ledger = Ledger::with_a_note();
    ledger.run("backup before.db");
    ledger.run("key generate key.pem");
    ledger.run("execution end A");
    ledger.write("checkpoint.json", ledger.run("checkpoint --key key.pem").stdout);
    let verify = ["verify", "--ledger", "before.db"];
    let alone = ledger.run_of(&verify);
    let expected =
        ledger.run_of(&[&verify[..], &["--expect-checkpoint", "checkpoint.json"]].concat());
    assert_snapshot!(steady(&format!("{alone}{expected}")));
}

#[test]
fn what_is_expected_has_to_be_well_formed_and_trusted() {
    let ledger = Ledger::with_a_note();
    ledger.run("key generate key.pem");
    let other = ledger.run("key generate other.pem").stdout;
    let checkpoint = ledger.run("checkpoint --key key.pem").stdout;
    ledger.write("forged.json", checkpoint.replace("length 3", "length 2"));
    ledger.write("none.json", "{}");
    let untrusted = format!("verify --key {}", other.trim());
    assert_snapshot!(ledger.story(&[
        &untrusted,
        "verify --key 12",
        "verify --expect-checkpoint forged.json",
        "verify --expect-checkpoint none.json",
        "verify --expect-checkpoint missing.json",
    ]));
}

#[test]
fn a_history_that_was_exported_makes_the_same_ledger_again() {
    let ledger = Ledger::with_a_note();
    let told = ledger.story(&[
        "export",
        "export history.jsonl",
        "export history.jsonl",
        "import history.jsonl --ledger new/restored.db",
        "import history.jsonl --ledger new/restored.db",
        "read X --execution A --ledger new/restored.db",
        "export nowhere/history.jsonl",
    ]);
    let whole = ledger.run("export").stdout;
    assert_eq!(whole, ledger.run("export --ledger new/restored.db").stdout);
    assert_eq!(whole.as_bytes(), fs::read(ledger.directory().join("history.jsonl")).unwrap());
    assert_snapshot!(told);
}

#[test]
fn what_is_no_export_makes_no_ledger() {
    let ledger = Ledger::with_a_note();
    let whole = ledger.run("export").stdout;
    let import = |text: &str| {
        let ran = ledger.run_with("import - --ledger new.db", text.as_bytes());
        assert!(!ledger.directory().join("new.db").exists());
        steady(&ran.to_string())
    };
    let (first, rest) = whole.split_once('\n').unwrap();
    let seen = [
        import(""),
        import("{}"),
        import("\u{0}\u{1}"),
        import(first),
        import(rest),
        import(&whole.replace("inbox", "outbox")),
        import(&format!("{whole}{rest}")),
        import(&whole.replace("\"version\":1", "\"version\":2")),
        steady(&ledger.run("import missing.jsonl --ledger new.db").to_string()),
    ];
    assert_snapshot!(seen.concat());
}

#[test]
fn a_backup_is_a_ledger_and_replaces_nothing() {
    let ledger = Ledger::with_a_note();
    assert_snapshot!(ledger.story(&[
        "backup copy.db",
        "backup copy.db",
        "read X --execution A --ledger copy.db",
        "backup copy.db --ledger nowhere.db",
    ]));
    let mode = fs::metadata(ledger.directory().join("copy.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
