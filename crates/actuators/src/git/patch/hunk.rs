//! The hunks of a file.

use super::{FileChange, Lines};

/// The hunks of one file, of which some were read.
pub(super) struct Hunks {
    /// How many there may be.
    most: usize,
    needs: Needs,
    /// The first line that the next hunk may take, in the file before the change.
    next: i64,
    /// By how much a line stands further down after the hunks that were read.
    moved: i64,
    /// A line without an end was the last.
    ended: bool,
}

/// Which side of a hunk has to be empty.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    NothingBefore,
    NothingAfter,
    Nothing,
}

/// So many lines from this one on, counted from 1. With none, the lines after this one.
#[derive(Clone, Copy)]
struct Range {
    line: i64,
    count: i64,
}

/// The lines of one side of a hunk.
#[derive(Default, PartialEq, Eq)]
struct Side<'a> {
    lines: Vec<&'a str>,
    /// The last has no end.
    ended: bool,
}

const NO_END: &str = "\\ No newline at end of file";

impl Hunks {
    pub(super) fn of(change: &FileChange) -> Self {
        let (most, needs) = match change {
            FileChange::Added { .. } => (1, Needs::NothingBefore),
            FileChange::Deleted { .. } => (1, Needs::NothingAfter),
            _ => (usize::MAX, Needs::Nothing),
        };
        Self { most, needs, next: 1, moved: 0, ended: false }
    }

    /// Reads all of them, and at least one.
    ///
    /// # Errors
    ///
    /// Which line is wrong.
    pub(super) fn read(mut self, lines: &mut Lines<'_>) -> Result<(), String> {
        let mut count = 0;
        while count == 0 || lines.peek().is_some_and(|line| line.starts_with("@@ ")) {
            if count == self.most || self.ended {
                return lines.refuse("begins a hunk after the end of its file");
            }
            self.hunk(lines)?;
            count += 1;
        }
        Ok(())
    }

    /// One hunk, with exactly as many lines as it announces, where it says that it stands.
    fn hunk(&mut self, lines: &mut Lines<'_>) -> Result<(), String> {
        let Some([old, new]) = lines.peek().and_then(ranges) else {
            return lines.refuse("does not begin a hunk, and a file has at least one after `+++`");
        };
        let begin = lines.next;
        self.check_place(old, new).or_else(|problem| lines.refuse(problem))?;
        lines.step();
        let (before, after) = sides(lines, old.count, new.count)?;
        if before == after {
            return lines.refuse_at(begin, "begins a hunk that changes nothing");
        }
        self.next = old.first() + old.count;
        self.moved += new.count - old.count;
        self.ended = before.ended || after.ended;
        Ok(())
    }

    fn check_place(&self, old: Range, new: Range) -> Result<(), &'static str> {
        let is_empty = |range: Range| range.line == 0 && range.count == 0;
        if self.needs == Needs::NothingBefore && !is_empty(old) {
            return Err("begins a hunk that takes lines of a file that is not there yet");
        }
        if self.needs == Needs::NothingAfter && !is_empty(new) {
            return Err("begins a hunk that leaves lines of a file that is deleted");
        }
        if [old, new].iter().any(|range| range.line == 0 && range.count > 0) {
            return Err("begins a hunk at a line 0");
        }
        if old.first() < self.next {
            return Err("begins a hunk that does not come after the one before");
        }
        if old.first() + self.moved != new.first() {
            return Err("begins a hunk whose lines do not stand where the hunks before put them");
        }
        Ok(())
    }
}

impl Range {
    /// Its first line, or the one that would be.
    fn first(self) -> i64 {
        if self.count > 0 { self.line } else { self.line + 1 }
    }
}

/// What the hunk has before and after, so many lines each.
fn sides<'a>(lines: &mut Lines<'a>, old: i64, new: i64) -> Result<(Side<'a>, Side<'a>), String> {
    let (mut old, mut new) = (old, new);
    let (mut before, mut after) = (Side::default(), Side::default());
    // Of the last line: whether it is one of the file before, and of the file after.
    let mut last = (false, false);
    loop {
        let line = lines.peek();
        if let Some(line) = line.filter(|line| line.starts_with('\\')) {
            if line != NO_END || last == (false, false) {
                return lines.refuse("is no line of a hunk");
            }
            (before.ended, after.ended) = (before.ended || last.0, after.ended || last.1);
            last = (false, false);
            lines.step();
            continue;
        }
        if old == 0 && new == 0 {
            return Ok((before, after));
        }
        last = match line.map(|line| line.chars().next()) {
            Some(Some(' ') | None) => (true, true),
            Some(Some('-')) => (true, false),
            Some(Some('+')) => (false, true),
            _ => return lines.refuse("is no line of the hunk, which announces more"),
        };
        let text = line.and_then(|line| line.get(1..)).unwrap_or_default();
        for (is_in, side, left) in [(last.0, &mut before, &mut old), (last.1, &mut after, &mut new)]
        {
            if !is_in {
                continue;
            }
            if *left == 0 {
                return lines.refuse("is more than the hunk announces");
            }
            if side.ended {
                return lines.refuse("comes after a last line without an end");
            }
            *left -= 1;
            side.lines.push(text);
        }
        lines.step();
    }
}

/// What a hunk's first line says of both sides: `@@ -1,2 +3,4 @@`, and what git adds for a reader.
fn ranges(line: &str) -> Option<[Range; 2]> {
    let (ranges, rest) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    (rest.is_empty() || rest.starts_with(' ')).then_some([range(old)?, range(new)?])
}

fn range(text: &str) -> Option<Range> {
    let (line, count) = text.split_once(',').unwrap_or((text, "1"));
    Some(Range { line: number(line)?, count: number(count)? })
}

fn number(text: &str) -> Option<i64> {
    let digits = (1..=9).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits)?;
    (text == "0" || !text.starts_with('0')).then_some(number)
}
