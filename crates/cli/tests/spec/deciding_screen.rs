//! The approver's queue in a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::deciding::{FILE, configured, told};
use crate::ledger::receiver;
use crate::run::Ran;

/// The buttons are there only when the whole has been shown.
#[test]
fn in_a_terminal_the_whole_is_shown_page_by_page_and_then_asked() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit file.json --execution A --consequence F", "release F --execution A"]);
    let mut terminal = Terminal::open(12);
    let child = terminal.run(ledger.command("decide --config swampbox.toml"));
    let mut pages = 0;
    while !terminal.wait_for(&["for more", "[a]llow"]).ends_with("[a]llow") {
        pages += 1;
        terminal.say("");
    }
    assert!(pages > 0, "it fits on one page");
    assert!(terminal.heard.contains("\\u{202e}hello"), "{}", terminal.heard);
    terminal.wait_for(&["[q]uit: "]);
    terminal.say("a");
    terminal.wait_for(&["reason: "]);
    terminal.say("as agreed");
    terminal.wait_for(&["[300]: "]);
    terminal.say("60");
    terminal.wait_for(&["allowed"]);
    assert_eq!(Ran::of(child.wait_with_output().unwrap()).status, Some(0));
    let released = ledger.run("release F --execution A --config swampbox.toml");
    assert_eq!(released.status, Some(0), "{released}");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer_to_it() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit file.json --execution A --consequence F", "release F --execution A"]);
    let mut terminal = Terminal::open(200);
    for typed in ["a", "prepared", "300"] {
        terminal.say(typed);
    }
    let child = terminal.run(ledger.command("decide --config swampbox.toml"));
    terminal.wait_for(&["[q]uit: "]);
    terminal.say("d\nno\n60\na");
    terminal.wait_for(&["reason: "]);
    terminal.say("q");
    terminal.wait_for(&["[300]: "]);
    terminal.say("none");
    terminal.wait_for(&["nothing was decided"]);
    drop(terminal);
    child.wait_with_output().unwrap();
    let waits = ledger.run("decide --list --config swampbox.toml");
    assert!(waits.stdout.contains("file.write"), "{waits}");
}

#[test]
fn a_line_that_is_longer_than_a_row_takes_as_many_rows_as_it_needs() {
    let ledger = configured(&receiver(204), "");
    ledger.write("long.json", FILE.replace("hello", &"x".repeat(10_000)));
    told(&ledger, &["submit long.json --execution A --consequence F", "release F --execution A"]);
    let mut terminal = Terminal::open(22);
    let child = terminal.run(ledger.command("decide --config swampbox.toml"));
    let mut pages = 1;
    while !terminal.wait_for(&["for more", "[a]llow"]).ends_with("[a]llow") {
        pages += 1;
        terminal.say("");
    }
    assert!(pages >= 6, "10,000 characters stood on {pages} pages of 20 rows of 100");
    terminal.say("q");
    drop(terminal);
    child.wait_with_output().unwrap();
}

/// A terminal of our own, with somebody in front of it.
pub(crate) struct Terminal {
    ours: File,
    theirs: File,
    heard: String,
}

impl Terminal {
    /// One with so many rows.
    pub(crate) fn open(rows: u16) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = File::options().read(true).write(true).open(name).unwrap();
        let size = Winsize { ws_row: rows, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&theirs, size).unwrap();
        Self { ours: File::from(ours), theirs, heard: String::new() }
    }

    pub(crate) fn run(&self, mut command: Command) -> Child {
        let end = || Stdio::from(self.theirs.try_clone().unwrap());
        command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap()
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.ours, "{line}").unwrap();
    }

    /// Reads on until one of these comes, and gives all that came since it was last waited for.
    pub(crate) fn wait_for(&mut self, wanted: &[&str]) -> String {
        let mut came = String::new();
        let mut byte = [0];
        while !wanted.iter().any(|wanted| came.ends_with(wanted)) {
            assert_eq!(self.ours.read(&mut byte).unwrap(), 1, "{came}");
            came.push(char::from(byte[0]));
        }
        self.heard += &came;
        came
    }
}
