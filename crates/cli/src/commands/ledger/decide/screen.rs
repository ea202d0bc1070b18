//! Going through the queue in a terminal.

use std::io::{BufRead, stdin, stdout};

use rustix::termios::{QueueSelector, tcflush, tcgetwinsize};
use swampbox_authority::Verdict;
use swampbox_custody::ConsequenceId;

use super::{Desk, Sheet, summary, usual_window};
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

/// How large a terminal is taken to be that does not say.
const ROWS: u16 = 20;
const COLUMNS: u16 = 80;

const MORE: &str = "-- Enter for more, q to stop -- ";
const CHOICE: &str = "[a]llow, [d]eny, [s]kip, [q]uit: ";

/// What somebody says after a request. At the end of the input nobody decides, whatever was asked.
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
            if !one(desk, consequence, &summary(request), out)? {
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
fn one(
    desk: &dyn Desk,
    consequence: &ConsequenceId,
    title: &str,
    out: &mut Output,
) -> Result<bool, Failure> {
    let sheet = match desk.sheet(consequence) {
        Ok(sheet) => sheet,
        Err(gone) => {
            out.line(Painted::title(title))?;
            out.report(&gone);
            return Ok(true);
        }
    };
    let verdict = match asked(title, &sheet, out)? {
        Said::Enough => return Ok(false),
        Said::Next => return Ok(true),
        Said::Vote(verdict) => verdict,
    };
    let Some(reason) = reason(out)? else { return Ok(false) };
    let longest = sheet.longest_window;
    let usual = usual_window(longest);
    let question = format!("for how many seconds, at most {longest} [{usual}]: ");
    let Some(window) = answer(&question, out)? else { return Ok(false) };
    let window = if window.is_empty() { Ok(usual) } else { window.parse() };
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

/// Goes through the pages of a request, and asks on the last one. A page that may have been cut off,
/// since the terminal got another size, is shown again, and what was answered to it does not count.
fn asked(title: &str, sheet: &Sheet, out: &mut Output) -> Result<Said, Failure> {
    let text = format!("{title}\n{sheet}");
    let mut rest = text.as_str();
    loop {
        let size = size();
        let (pieces, after) = page(rest, size);
        let mut unpainted = title.len().saturating_sub(text.len() - rest.len());
        for piece in pieces {
            match unpainted {
                0 => out.line(piece)?,
                _ => out.line(Painted::title(piece))?,
            }
            unpainted = unpainted.saturating_sub(piece.len());
        }
        let is_last = after.is_empty();
        let said = answer(if is_last { CHOICE } else { MORE }, out)?;
        match (is_last, said.as_deref()) {
            (_, None) => return Ok(Said::Enough),
            _ if self::size() != size => {}
            (false, Some("")) => rest = after,
            (false, Some(_)) | (true, Some("q" | "quit")) => return Ok(Said::Enough),
            (true, Some("a" | "allow")) => return Ok(Said::Vote(Verdict::Allow)),
            (true, Some("d" | "deny")) => return Ok(Said::Vote(Verdict::Deny)),
            (true, Some("s" | "skip")) => return Ok(Said::Next),
            (true, Some(_)) => {}
        }
    }
}

/// Asks for a reason until there is one; none at the end of the input.
fn reason(out: &mut Output) -> Result<Option<String>, Failure> {
    loop {
        match answer("reason: ", out)? {
            Some(reason) if reason.is_empty() => out.line("It needs a reason.")?,
            reason => return Ok(reason),
        }
    }
}

/// A line that somebody types; none at the end of the input, also where that is in the midst of a line.
/// What was typed before the question is no answer to it, and is thrown away.
fn answer(prompt: &str, out: &mut Output) -> Result<Option<String>, Failure> {
    let unreadable = |error| Failure::unreadable("standard input", &error);
    tcflush(stdin(), QueueSelector::IFlush).map_err(|error| unreadable(error.into()))?;
    out.bytes(prompt.as_bytes())?;
    out.finish()?;
    let mut line = String::new();
    match stdin().lock().read_line(&mut line) {
        Ok(_) if !line.ends_with('\n') => Ok(None),
        Ok(_) => Ok(Some(line.trim().to_owned())),
        Err(error) => Err(unreadable(error)),
    }
}

/// How many rows and columns the terminal has.
fn size() -> (usize, usize) {
    let size = tcgetwinsize(stdout());
    let (rows, columns) = size.map_or((0, 0), |size| (size.ws_row, size.ws_col));
    let rows = if rows == 0 { ROWS } else { rows };
    let columns = if columns == 0 { COLUMNS } else { columns };
    (usize::from(rows), usize::from(columns).max(2))
}

/// What of a text fits on a terminal with the longer of the questions below it: a piece for each row,
/// and the rest.
fn page(text: &str, (rows, columns): (usize, usize)) -> (Vec<&str>, &str) {
    // The cursor behind the question takes up a column too.
    let question = CHOICE.len().max(MORE.len()) / columns + 1;
    let fitting = rows.saturating_sub(question).max(1);
    let (mut pieces, mut rest) = (Vec::new(), text);
    while !rest.is_empty() && pieces.len() < fitting {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let piece = row(line, columns);
        rest = match rest.get(piece.len()..) {
            Some(cut) if piece.len() < line.len() => cut,
            _ => after,
        };
        pieces.push(piece);
    }
    (pieces, rest)
}

/// What of a line fits on one row. A character that is not ASCII may be two columns wide, and counts as
/// that.
fn row(line: &str, columns: usize) -> &str {
    let mut width = 0;
    let over = line.char_indices().find(|(_, c)| {
        width += if c.is_ascii() { 1 } else { 2 };
        width > columns
    });
    over.and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}
