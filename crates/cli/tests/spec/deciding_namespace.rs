//! Who decides where everybody may call themselves root.

use std::process::Command;

use crate::deciding::{configured, digest};
use crate::ledger::receiver;
use crate::run::Ran;

#[test]
fn in_a_user_namespace_nobody_decides() {
    let unshare = ["--user", "--map-root-user", "--"];
    let can_be_made = Command::new("unshare").args(unshare).arg("true").output();
    if !can_be_made.is_ok_and(|made| made.status.success()) {
        println!("left out: this machine lets nobody make a user namespace");
        return;
    }
    let ledger = configured(&receiver(204), "");
    for words in ["submit request.json --execution A --consequence X", "release X --execution A"] {
        ledger.run(&format!("{words} --config swampbox.toml"));
    }
    let digest = digest(&ledger, "X");
    let words = format!("decide X --deny --reason no --digest {digest} --config swampbox.toml");
    let outside = ledger.command(&words);
    let mut inside = Command::new("unshare");
    inside.args(unshare).arg(outside.get_program()).args(outside.get_args());
    inside.current_dir(ledger.directory()).env("SWAMPBOX_LEDGER", "ledger.db");
    let inside = Ran::of(inside.output().unwrap());
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
