//! Who decides where everybody may call themselves root.

use std::process::Command;

use insta::assert_snapshot;

use crate::deciding::{configured, digest};
use crate::ledger::{Ledger, receiver};
use crate::run::Ran;

/// A namespace of one's own, in which this is done before the command takes the place of the shell.
const UNSHARE: [&str; 6] = ["--user", "--map-root-user", "--mount", "--", "sh", "-ec"];

/// The command after `first`, inside; none if this machine lets nobody do that.
fn inside(ledger: &Ledger, first: &str, words: &str) -> Option<Ran> {
    let can_be_done = Command::new("unshare").args(UNSHARE).arg(first).output();
    if !can_be_done.is_ok_and(|done| done.status.success()) {
        println!("left out: this machine lets nobody do this in a namespace: {first}");
        return None;
    }
    let outside = ledger.command(words);
    let mut inside = Command::new("unshare");
    inside.args(UNSHARE).arg(format!("{first}; exec \"$0\" \"$@\""));
    inside.arg(outside.get_program()).args(outside.get_args());
    inside.current_dir(ledger.directory()).env("SWAMPBOX_LEDGER", "ledger.db");
    Some(Ran::of(inside.output().unwrap()))
}

/// Denying X, and the ledger in which it waits.
fn waiting() -> (Ledger, String) {
    let ledger = configured(&receiver(204), "");
    for words in ["submit request.json --execution A --consequence X", "release X --execution A"] {
        ledger.run(&format!("{words} --config swampbox.toml"));
    }
    let digest = digest(&ledger, "X");
    let words = format!("decide X --deny --reason no --digest {digest} --config swampbox.toml");
    (ledger, words)
}

#[test]
fn in_a_user_namespace_nobody_decides() {
    let (ledger, words) = waiting();
    let Some(inside) = inside(&ledger, "true", &words) else { return };
    assert_eq!(inside.status, Some(1), "{inside}");
    assert_eq!(
        inside.stderr,
        "error: approver_not_eligible: in a user namespace it can't be told who you are; decide \
         outside of it\n"
    );
    // The same, said outside, counts: nothing else was in the way.
    let outside = ledger.run(&words);
    assert_eq!(outside.status, Some(0), "{outside}");
}

#[test]
fn where_the_kernel_does_not_say_whether_it_is_a_user_namespace_nobody_decides() {
    let (ledger, words) = waiting();
    let map = std::env::temp_dir().join(format!("uid_map-{}", std::process::id()));
    std::fs::write(&map, "0 0 4294967295\n").unwrap();
    let map = map.display();
    let cases = [
        ("nothing at /proc", "mount -t tmpfs none /proc".to_owned()),
        (
            "a directory at /proc",
            format!("mount -t tmpfs none /proc; mkdir /proc/self; cp {map} /proc/self/uid_map"),
        ),
        ("another file", format!("mount --bind {map} /proc/$$/uid_map")),
        ("the map of another process", "mount --bind /proc/1/uid_map /proc/$$/uid_map".to_owned()),
    ];
    let mut shown = String::new();
    for (case, first) in &cases {
        let Some(ran) = inside(&ledger, first, &words) else { return };
        shown += &format!("{case}\n{ran}");
    }
    assert_snapshot!(shown);
    std::fs::remove_file(map.to_string()).unwrap();
}
