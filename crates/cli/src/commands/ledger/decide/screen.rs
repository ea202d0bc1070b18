//! Going through the queue in a terminal.

use std::io::{BufRead, stdin, stdout};

use rustix::termios::{QueueSelector, tcflush, tcgetwinsize};
use swampbox_authority::Verdict;
use swampbox_custody::ConsequenceId;

use super::{Desk, Sheet, summary};
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

/// How large a terminal is taken to be that does not say.
const ROWS: u16 = 20;
const COLUMNS: u16 = 80;

/// What somebody says after a request.
enum Said {
    Vote(Verdict),
    Next,
    Enough,
}

pub(super) fn go_through(desk: &dyn Desk, out: &mut Output) -> Result<Exit, Failure> {
    let mut after = 0;
    let mut shown = 0;
    loop {
        let page = desk.waiting(after)?;
        for request in &page.requests {
            let consequence = &request.question().consequence_id;
            shown += 1;
            out.line(Painted::title(&summary(request)))?;
            if !one(desk, consequence, out)? {
                return Ok(Exit::Done);
            }
        }
        match page.next {
            Some(next) => after = next,
            None if shown == 0 => {
                out.line("Nothing waits for a decision.")?;
                return Ok(Exit::Done);
            }
            None => return Ok(Exit::Done),
        }
    }
}

/// Shows one request to its end, and only then asks. False if it was enough.
fn one(desk: &dyn Desk, consequence: &ConsequenceId, out: &mut Output) -> Result<bool, Failure> {
    let sheet = match desk.sheet(consequence) {
        Ok(sheet) => sheet,
        Err(gone) => {
            out.report(&gone);
            return Ok(true);
        }
    };
    if !shown_to_the_end(&sheet, out)? {
        return Ok(false);
    }
    match asked(out)? {
        Said::Enough => Ok(false),
        Said::Next => Ok(true),
        Said::Vote(verdict) => {
            let reason = answer("reason: ", out)?.unwrap_or_default();
            let window = answer("for how many seconds [300]: ", out)?.unwrap_or_default();
            let window = if window.is_empty() { Ok(300) } else { window.parse() };
            let Ok(window) = window else {
                out.line("That is no number of seconds; nothing was decided.")?;
                return Ok(true);
            };
            let digest = sheet.request.digest();
            match desk.cast(consequence, &digest, verdict, &reason, window) {
                Ok(request) => out.line(Painted::held(request.state().as_str()))?,
                Err(refused) => out.report(&refused),
            }
            Ok(true)
        }
    }
}

fn shown_to_the_end(sheet: &Sheet, out: &mut Output) -> Result<bool, Failure> {
    let (rows, columns) = size();
    let text = sheet.to_string();
    let lines: Vec<&str> = text.lines().flat_map(|line| wrapped(line, columns)).collect();
    let mut pages = lines.chunks(rows).peekable();
    while let Some(page) = pages.next() {
        for line in page {
            out.line(line)?;
        }
        if pages.peek().is_some()
            && answer("-- Enter for more, q to stop -- ", out)?.as_deref() != Some("")
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn asked(out: &mut Output) -> Result<Said, Failure> {
    loop {
        match answer("[a]llow, [d]eny, [s]kip, [q]uit: ", out)?.as_deref() {
            Some("a" | "allow") => return Ok(Said::Vote(Verdict::Allow)),
            Some("d" | "deny") => return Ok(Said::Vote(Verdict::Deny)),
            Some("s" | "skip") => return Ok(Said::Next),
            Some("q" | "quit") | None => return Ok(Said::Enough),
            Some(_) => {}
        }
    }
}

/// A line that somebody types; none at the end of the input. What was typed before the question is no
/// answer to it, and is thrown away.
fn answer(prompt: &str, out: &mut Output) -> Result<Option<String>, Failure> {
    let unreadable = |error| Failure::unreadable("standard input", &error);
    tcflush(stdin(), QueueSelector::IFlush).map_err(|error| unreadable(error.into()))?;
    out.bytes(prompt.as_bytes())?;
    out.finish()?;
    let mut line = String::new();
    match stdin().lock().read_line(&mut line) {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(line.trim().to_owned())),
        Err(error) => Err(unreadable(error)),
    }
}

/// How many rows fit on the terminal beside the question, and how many columns they have.
fn size() -> (usize, usize) {
    let size = tcgetwinsize(stdout());
    let (rows, columns) = size.map_or((0, 0), |size| (size.ws_row, size.ws_col));
    let rows = if rows == 0 { ROWS } else { rows };
    let columns = if columns == 0 { COLUMNS } else { columns };
    (usize::from(rows).saturating_sub(2).max(1), usize::from(columns).max(2))
}

/// A line in the pieces that a terminal shows on a row each. A character that is not ASCII may be two
/// columns wide, and counts as that.
fn wrapped(line: &str, columns: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut begin, mut width) = (0, 0);
    for (at, c) in line.char_indices() {
        let wide = if c.is_ascii() { 1 } else { 2 };
        if width + wide > columns {
            pieces.extend(line.get(begin..at));
            (begin, width) = (at, 0);
        }
        width += wide;
    }
    pieces.extend(line.get(begin..));
    pieces
}
