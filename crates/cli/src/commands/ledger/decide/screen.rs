//! Going through the queue in a terminal.

use std::io::{BufRead, stdin};

use swampbox_authority::Verdict;
use swampbox_custody::ConsequenceId;
use swampbox_policy::approvals::MAX_PAGE;

use super::{Desk, Sheet, failure, summary};
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

/// How many lines are shown before the next key is waited for, if the terminal does not say.
const LINES: usize = 20;

/// What somebody says after a request.
enum Said {
    Vote(Verdict),
    Next,
    Enough,
}

pub(super) fn go_through(desk: &Desk, out: &mut Output) -> Result<Exit, Failure> {
    let mut after = 0;
    let mut shown = 0;
    loop {
        let page = desk.approvals.waiting(after, MAX_PAGE).map_err(failure)?;
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
fn one(desk: &Desk, consequence: &ConsequenceId, out: &mut Output) -> Result<bool, Failure> {
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
            match desk.cast(consequence, &digest, verdict, reason, window) {
                Ok(request) => out.line(Painted::held(request.state().as_str()))?,
                Err(refused) => out.report(&refused),
            }
            Ok(true)
        }
    }
}

fn shown_to_the_end(sheet: &Sheet, out: &mut Output) -> Result<bool, Failure> {
    let text = sheet.to_string();
    let lines: Vec<&str> = text.lines().collect();
    let mut pages = lines.chunks(height()).peekable();
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

/// A line that somebody types; none at the end of the input.
fn answer(prompt: &str, out: &mut Output) -> Result<Option<String>, Failure> {
    out.bytes(prompt.as_bytes())?;
    out.finish()?;
    let mut line = String::new();
    match stdin().lock().read_line(&mut line) {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(line.trim().to_owned())),
        Err(error) => Err(Failure::unreadable("standard input", &error)),
    }
}

/// How many lines fit on the terminal beside the prompt.
fn height() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    let rows = size.map_or(0, |size| usize::from(size.ws_row));
    if rows == 0 { LINES } else { rows.saturating_sub(2).max(1) }
}
