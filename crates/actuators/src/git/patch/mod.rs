//! Reads a patch strictly before git sees it.
//!
//! `git apply` passes over every line that it does not understand, and believes one of two lines that
//! contradict each other. Here each line must be part of a file's header or of a hunk, and all of a
//! file's lines must say the same, so that what was approved is what is applied. What they say is
//! [compared](tree::check) with what git has made of them.

mod header;
mod hunk;
mod name;
mod path;
pub(crate) mod tree;

use std::collections::BTreeSet;

use header::{Header, Marks};
use hunk::Hunks;

/// What a patch says that it does to one file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileChange {
    /// It is there afterwards, with this mode.
    Added { path: Vec<u8>, mode: String },
    /// It is gone, and had this mode if the patch says so.
    Deleted { path: Vec<u8>, mode: Option<String> },
    /// It has another content, or another mode; with none said it keeps its own.
    Changed { path: Vec<u8>, modes: Option<[String; 2]> },
    /// It stands elsewhere.
    Renamed { from: Vec<u8>, to: Vec<u8>, modes: Option<[String; 2]> },
    /// It stands elsewhere, too.
    Copied { to: Vec<u8>, mode: Option<String> },
}

/// What the patch does, in the order in which it says so.
///
/// # Errors
///
/// What is wrong, with the line.
pub(crate) fn read(patch: &str) -> Result<Vec<FileChange>, String> {
    if patch.contains('\0') {
        return Err("the patch holds a NUL".into());
    }
    let Some(body) = patch.strip_suffix('\n') else {
        return Err("the last line of the patch has no end".into());
    };
    let mut lines = Lines { lines: body.split('\n').collect(), next: 0 };
    let (mut changes, mut seen) = (Vec::new(), BTreeSet::new());
    while lines.peek().is_some() {
        let begin = lines.next;
        let change = file(&mut lines)?;
        for path in change.paths() {
            if !seen.insert(path.to_vec()) {
                return lines.refuse_at(begin, "begins a file that was there already");
            }
        }
        changes.push(change);
    }
    Ok(changes)
}

/// The header and the hunks of one file.
fn file(lines: &mut Lines<'_>) -> Result<FileChange, String> {
    let begin = lines.next;
    let header = Header::read(lines)?;
    let marks = Marks::read(lines)?;
    let change = match (&header, &marks) {
        (Some(header), marks) => header.change(marks.as_ref()),
        (None, Some(marks)) => marks.change(),
        (None, None) => return lines.refuse("is no `diff --git` and no `---`"),
    };
    let change = change.or_else(|problem| lines.refuse_at(begin, problem))?;
    if marks.is_some() {
        Hunks::of(&change).read(lines)?;
    }
    Ok(change)
}

impl FileChange {
    /// Where something else stands afterwards.
    fn paths(&self) -> impl Iterator<Item = &[u8]> {
        let (first, second) = match self {
            FileChange::Added { path, .. }
            | FileChange::Deleted { path, .. }
            | FileChange::Changed { path, .. }
            | FileChange::Copied { to: path, .. } => (path, None),
            FileChange::Renamed { from, to, .. } => (from, Some(to)),
        };
        [Some(first), second].into_iter().flatten().map(Vec::as_slice)
    }
}

/// The lines of a patch, without their ends, of which the first so many were read.
struct Lines<'a> {
    lines: Vec<&'a str>,
    next: usize,
}

impl<'a> Lines<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.next).copied()
    }

    fn step(&mut self) {
        self.next += 1;
    }

    fn refuse<T>(&self, problem: &str) -> Result<T, String> {
        self.refuse_at(self.next, problem)
    }

    fn refuse_at<T>(&self, index: usize, problem: &str) -> Result<T, String> {
        Err(if index < self.lines.len() {
            format!("line {} of the patch {problem}", index + 1)
        } else {
            format!("the end of the patch {problem}")
        })
    }
}
