//! The approver's queue in a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::deciding::{FILE, configured, digest, told};
use crate::deciding_edge::replace;
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

/// The end of the input at each question, also in the midst of an answer.
#[test]
fn the_end_of_the_input_decides_nothing_at_whatever_question() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit file.json --execution A --consequence F", "release F --execution A"]);
    let before = [&[][..], &[("[q]uit: ", "a")], &[("[q]uit: ", "a"), ("reason: ", "as agreed")]];
    for (answers, asks) in before.into_iter().zip(["[q]uit: ", "reason: ", "[300]: "]) {
        for begun in ["", "6"] {
            let mut terminal = Terminal::open(200);
            let child = terminal.run(ledger.command("decide --config swampbox.toml"));
            for (question, answer) in answers {
                terminal.wait_for(&[question]);
                terminal.say(answer);
            }
            terminal.wait_for(&[asks]);
            // In the midst of a line the first one only hands that over.
            let ends = if begun.is_empty() { "\u{4}" } else { "\u{4}\u{4}" };
            terminal.press(&format!("{begun}{ends}"));
            let ended = child.wait_with_output().unwrap();
            assert_eq!(Ran::of(ended).status, Some(0), "{asks}{begun}");
            let waits = ledger.run("decide --list --config swampbox.toml");
            assert!(
                waits.stdout.contains("file.write"),
                "at {asks}{begun} it was decided: {waits}"
            );
        }
    }
}

#[test]
fn without_a_reason_it_is_asked_again_and_the_window_is_one_that_may_be() {
    let ledger = configured(&receiver(204), "");
    replace(&ledger, |text| {
        text.replace("[approvals]", "[approvals]\nlongest_window_seconds = 60")
    });
    told(&ledger, &["submit file.json --execution A --consequence F", "release F --execution A"]);
    let mut terminal = Terminal::open(200);
    let child = terminal.run(ledger.command("decide --config swampbox.toml"));
    terminal.wait_for(&["[q]uit: "]);
    terminal.say("a");
    for nothing in ["", "  "] {
        terminal.wait_for(&["reason: "]);
        terminal.say(nothing);
        terminal.wait_for(&["It needs a reason."]);
    }
    terminal.wait_for(&["reason: "]);
    terminal.say("as agreed");
    terminal.wait_for(&["[60]: "]);
    terminal.say("");
    terminal.wait_for(&["allowed"]);
    assert_eq!(Ran::of(child.wait_with_output().unwrap()).status, Some(0));
    // From a script too.
    told(&ledger, &["submit patch.json --execution A --consequence P"]);
    replace(&ledger, |text| text.replace("git.*", "nothing"));
    told(&ledger, &["release P --execution A"]);
    let digest = digest(&ledger, "P");
    let words = format!("decide P --deny --digest {digest} --reason no --config swampbox.toml");
    let denied = ledger.run(&words);
    assert_eq!(denied.status, Some(0), "{denied}");
}

/// Whatever the terminal's size, all of a page and the question below it can be seen at once.
#[test]
fn a_page_leaves_room_for_the_question_below_it() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit file.json --execution A --consequence F", "release F --execution A"]);
    for (rows, columns) in [(12, 100), (7, 10), (24, 33), (24, 32), (3, 200)] {
        let mut terminal = Terminal::sized(rows, columns);
        let mut plain = ledger.command("decide --config swampbox.toml");
        plain.env("NO_COLOR", "1");
        let child = terminal.run(plain);
        loop {
            let page = terminal.wait_for(&["to stop -- ", "[q]uit: "]);
            let page = page.trim_start_matches("\r\n");
            let taken: usize = page.split("\r\n").map(|line| rows_of(line, columns)).sum();
            assert!(taken <= usize::from(rows), "{taken} of {rows} rows of {columns}:\n{page}");
            if page.ends_with("[q]uit: ") {
                break;
            }
            terminal.say("");
        }
        terminal.say("q");
        drop(terminal);
        child.wait_with_output().unwrap();
    }
}

/// How many rows a line takes, with the cursor behind it if it is a question.
fn rows_of(line: &str, columns: u16) -> usize {
    let is_question = line.ends_with("to stop -- ") || line.ends_with("[q]uit: ");
    let width = line.chars().count() + usize::from(is_question);
    width.div_ceil(usize::from(columns)).max(1)
}

#[test]
fn what_may_have_been_cut_off_when_the_size_changed_is_shown_again() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit file.json --execution A --consequence F", "release F --execution A"]);
    let mut terminal = Terminal::open(200);
    let child = terminal.run(ledger.command("decide --config swampbox.toml"));
    let whole = terminal.wait_for(&["[q]uit: "]);
    terminal.resize(8, 100);
    terminal.say("a");
    let first = terminal.wait_for(&["for more", "reason"]);
    assert!(first.ends_with("for more"), "it was decided on a page that was cut off: {first}");
    let title = whole.lines().next().unwrap();
    assert!(first.contains(title), "it does not begin again: {first}");
    terminal.wait_for(&["to stop -- "]);
    terminal.say("q");
    drop(terminal);
    child.wait_with_output().unwrap();
    let waits = ledger.run("decide --list --config swampbox.toml");
    assert!(waits.stdout.contains("file.write"), "{waits}");
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
        Self::sized(rows, 100)
    }

    fn sized(rows: u16, columns: u16) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = File::options().read(true).write(true).open(name).unwrap();
        let terminal = Self { ours: File::from(ours), theirs, heard: String::new() };
        terminal.resize(rows, columns);
        terminal
    }

    fn resize(&self, rows: u16, columns: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.theirs, size).unwrap();
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn run(&self, mut command: Command) -> Child {
        let end = || Stdio::from(self.theirs.try_clone().unwrap());
        command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap()
    }

    /// All of it comes at once: the end of a line in a write of its own could come so much later that it
    /// answers the next question.
    pub(crate) fn say(&mut self, line: &str) {
        self.press(&format!("{line}\n"));
    }

    /// Reads on until one of these comes, and gives all that came since it was last waited for.
    pub(crate) fn wait_for(&mut self, wanted: &[&str]) -> String {
        let mut came = String::new();
        let mut byte = [0];
        while !wanted.iter().any(|wanted| came.ends_with(wanted)) {
            let mut ours = [PollFd::new(&self.ours, PollFlags::IN)];
            let minute = Timespec { tv_sec: 60, tv_nsec: 0 };
            assert_ne!(poll(&mut ours, Some(&minute)).unwrap(), 0, "{wanted:?} never came: {came}");
            assert_eq!(self.ours.read(&mut byte).unwrap(), 1, "{came}");
            came.push(char::from(byte[0]));
        }
        self.heard += &came;
        came
    }
}
