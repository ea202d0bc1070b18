//! Input and output that would break a careless program.

use std::fs::{self, File};
use std::io::pipe;

use insta::assert_snapshot;

use crate::ledger::{Ledger, NOTE};
use crate::run::{Files, Ran, run_with, scenario, swampbox};

/// Each command that reads a document from standard input.
const READERS: [&[&str]; 3] =
    [&["compare", "-"], &["scenario", "run", "-"], &["submit", "--execution", "A", "-"]];

/// Each command that writes, with its shortest arguments.
const WRITERS: [&[&str]; 9] = [
    &["--help"],
    &["--version"],
    &["demo"],
    &["demo", "--json"],
    &["experiment", "inheritance"],
    &["experiment", "validation", "--json"],
    &["completions", "zsh"],
    &["man"],
    &["docs", "codes"],
];

/// The same on a ledger on which A holds X.
const ON_A_LEDGER: [&str; 22] = [
    "init --ledger another.db",
    "execution start",
    "execution start C --json",
    "execution list",
    "submit note.json --execution A",
    "submit note.json --execution A --json",
    "list",
    "list --json",
    "show X",
    "show X --json",
    "graph",
    "graph --format dot",
    "log",
    "read X --execution A",
    "transfer X --from A --to B",
    "release X --execution B --decision note.json",
    "execution end B",
    "inspect X",
    "checkpoint --key key.pem",
    "key generate another.pem",
    "verify",
    "export",
];

#[test]
fn text_that_is_no_document_is_refused_in_one_line_with_code_and_path() {
    let nested = "[".repeat(100_000);
    let cases: [(&str, &[u8]); 8] = [
        ("nothing", b""),
        ("binary", b"\x00\x01\xfe\xff\x7fELF"),
        ("not UTF-8", b"{\"declaration\": \"\xc3\x28\"}"),
        ("100,000 nested arrays", nested.as_bytes()),
        ("a duplicate key", br#"{"scenario": "a", "scenario": "b"}"#),
        ("another type", b"[1, 2]"),
        ("unknown fields", br#"{"a": 1}"#),
        ("text that ends early", br#"{"declaration": {"payload""#),
    ];
    let mut seen = String::new();
    for (name, text) in cases {
        for arguments in READERS {
            let ran = run_with(arguments, text);
            assert_eq!(ran.stderr.lines().count(), 1, "{ran}");
            seen += &format!("{name}, {}\n{ran}\n", arguments.join(" "));
        }
    }
    assert_snapshot!(seen);
}

#[test]
fn a_text_of_100_mib_is_refused_as_too_large() {
    let text = vec![b' '; 100 << 20];
    let seen: Vec<String> =
        READERS.iter().map(|arguments| run_with(arguments, &text).to_string()).collect();
    assert_snapshot!(seen.join("\n"));
}

#[test]
fn a_file_that_can_not_be_read_is_named() {
    let files = Files::new([("declared.json", b"{}")]);
    fs::create_dir(files.path().join("directory")).unwrap();
    let mut seen = String::new();
    for file in ["missing.json", "directory", "bad\u{202e}name", "new\nline"] {
        for arguments in [&["compare", file, "declared.json"], &["scenario", "run", file]] {
            seen += &files.run(arguments).to_string();
        }
    }
    assert_snapshot!(seen);
}

#[test]
fn a_pipe_that_nobody_reads_is_an_error_and_no_panic() {
    assert_snapshot!(every_writer(|| {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        writer.into()
    }));
}

#[test]
fn a_full_disk_is_an_error_and_nothing_is_lost_silently() {
    assert_snapshot!(every_writer(|| File::create("/dev/full").unwrap().into()));
}

/// Runs every writer with an output that can't take anything.
fn every_writer(output: impl Fn() -> std::process::Stdio) -> String {
    let file = scenario("actuation-hinders-no-reads.json");
    let compared =
        Files::new([("same.json", br#"{"consequence_type":"","target":"","payload":1}"#)]);
    let same = compared.path().join("same.json");
    let (file, same) = (file.to_str().unwrap(), same.to_str().unwrap());
    let with_files: [&[&str]; 3] = [
        &["compare", same, same],
        &["scenario", "run", file],
        &["scenario", "run", "--trace", file],
    ];
    let mut seen = String::new();
    for arguments in WRITERS.iter().chain(&with_files) {
        let ran = Ran::of(swampbox(arguments).stdout(output()).output().unwrap());
        let name: Vec<&str> =
            arguments.iter().copied().filter(|name| !name.contains('/')).collect();
        seen += &format!("{}: {ran}", name.join(" "));
    }
    let ledger = Ledger::with_a_note();
    ledger.run("key generate key.pem");
    ledger.run("export history.jsonl");
    ledger.write("note.json", NOTE);
    for words in ON_A_LEDGER {
        let ran = Ran::of(ledger.command(words).stdout(output()).output().unwrap());
        seen += &format!("{words}: {ran}");
    }
    seen
}

#[test]
fn an_argument_that_is_not_unicode_is_no_panic() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"\xff.json");
    let ran = Ran::of(swampbox(&["scenario", "run"]).arg(name).output().unwrap());
    assert_snapshot!(ran);
}
