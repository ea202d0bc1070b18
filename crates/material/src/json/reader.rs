use std::sync::Arc;

use super::cursor::Cursor;
use super::failure::{Failure, Read};
use super::recent::RecentKeys;
use super::tree::Tree;
use super::{MAX_DOCUMENT_BYTES, MAX_DOCUMENT_VALUES};
use crate::map::Duplicate;
use crate::{MaterialError, Path, Position, Problem, Segment};

/// Reads one whole JSON text into a tree.
pub(crate) fn read<T: Tree>(text: &[u8]) -> Result<T, MaterialError> {
    read_inside(text, 0)
}

/// Reads a text in which what the bound of depth is for stands inside this many containers.
pub(crate) fn read_inside<T: Tree>(text: &[u8], containers: usize) -> Result<T, MaterialError> {
    if text.len() > MAX_DOCUMENT_BYTES {
        let problem = Problem::TooLarge { limit: MAX_DOCUMENT_BYTES };
        return Err(MaterialError::new(problem, Path::root()));
    }
    // Invalid UTF-8 is met by the reader as the place where the valid text ends, so that the
    // error has a path.
    let (text, valid_utf8) = match std::str::from_utf8(text) {
        Ok(text) => (text, true),
        Err(error) => {
            let (valid, _) = text.split_at(error.valid_up_to());
            (std::str::from_utf8(valid).unwrap_or_default(), false)
        }
    };
    let mut reader = Reader {
        cursor: Cursor::new(text, tail(valid_utf8)),
        room: T::MAX_DEPTH + containers,
        values: 0,
        items: Vec::new(),
        entries: Vec::new(),
        key_starts: Vec::new(),
        recent_keys: RecentKeys::new(),
    };
    let result = reader.document(valid_utf8);
    result.map_err(|failure| {
        let position = position(text, failure.at);
        MaterialError::from_leaf(failure.problem, failure.segments).at(position)
    })
}

/// What to say where the text ends before the document does.
fn tail(valid_utf8: bool) -> &'static str {
    if valid_utf8 { "the text ends too early" } else { "the text is not valid UTF-8 here" }
}

struct Reader<'a, T> {
    cursor: Cursor<'a>,
    /// How many containers may still be opened inside each other here.
    room: usize,
    /// How many values there have been.
    values: usize,
    // The children of the containers that are open, so that each container is allocated once,
    // with its final size.
    items: Vec<T>,
    entries: Vec<(Arc<str>, T)>,
    key_starts: Vec<usize>,
    recent_keys: RecentKeys,
}

impl<T: Tree> Reader<'_, T> {
    fn document(&mut self, valid_utf8: bool) -> Read<T> {
        self.cursor.skip_space();
        let value = self.value()?;
        self.cursor.skip_space();
        if valid_utf8 && self.cursor.peek().is_none() {
            return Ok(value);
        }
        Err(self.cursor.unexpected("text follows the document"))
    }

    // Recursion is bounded by `room`, which `open` checks before it goes deeper.
    fn value(&mut self) -> Read<T> {
        self.values += 1;
        if self.values > MAX_DOCUMENT_VALUES {
            let problem = Problem::TooManyValues { limit: MAX_DOCUMENT_VALUES };
            return Err(Failure::new(problem, self.cursor.at));
        }
        match self.cursor.peek() {
            Some(b'{') => self.map(),
            Some(b'[') => self.list(),
            Some(b'"') => {
                self.cursor.at += 1;
                self.cursor.string().map(T::string)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.cursor.literal("true").map(|()| T::boolean(true)),
            Some(b'f') => self.cursor.literal("false").map(|()| T::boolean(false)),
            Some(b'n') => self.cursor.literal("null").map(|()| T::NULL),
            _ => Err(self.cursor.unexpected("a value was expected")),
        }
    }

    fn list(&mut self) -> Read<T> {
        self.open()?;
        let first = self.items.len();
        let mut more = !self.cursor.take(b']');
        while more {
            let index = self.items.len() - first;
            let item = self.value().map_err(|failure| failure.under(Segment::Index(index)))?;
            self.items.push(item);
            more = self.another(b']', "a comma or `]` was expected")?;
        }
        self.room += 1;
        Ok(T::list(self.items.drain(first..)))
    }

    fn map(&mut self) -> Read<T> {
        self.open()?;
        let first = self.entries.len();
        let mut more = !self.cursor.take(b'}');
        while more {
            self.key_starts.push(self.cursor.at);
            let key = self.key()?;
            match self.entry_value() {
                Ok(value) => self.entries.push((key, value)),
                Err(failure) => return Err(failure.under(Segment::Key(key))),
            }
            more = self.another(b'}', "a comma or `}` was expected")?;
        }
        self.room += 1;
        let map = T::map(self.entries.drain(first..)).map_err(|Duplicate { key, position }| {
            let at = self.key_starts.get(first + position).copied().unwrap_or(self.cursor.at);
            Failure::new(Problem::DuplicateKey, at).under(Segment::Key(key))
        });
        self.key_starts.truncate(first);
        map
    }

    fn key(&mut self) -> Read<Arc<str>> {
        if !self.cursor.take(b'"') {
            return Err(self.cursor.unexpected("a key in double quotes was expected"));
        }
        let key = self.cursor.string()?;
        Ok(self.recent_keys.share(key))
    }

    fn entry_value(&mut self) -> Read<T> {
        self.cursor.skip_space();
        if !self.cursor.take(b':') {
            return Err(self.cursor.unexpected("a colon was expected"));
        }
        self.cursor.skip_space();
        self.value()
    }

    fn open(&mut self) -> Read<()> {
        if self.room == 0 {
            let problem = Problem::DepthExceeded { limit: T::MAX_DEPTH };
            return Err(Failure::new(problem, self.cursor.at));
        }
        self.room -= 1;
        self.cursor.at += 1;
        self.cursor.skip_space();
        Ok(())
    }

    /// After a child: whether a comma announces another one.
    fn another(&mut self, close: u8, expected: &'static str) -> Read<bool> {
        self.cursor.skip_space();
        if self.cursor.take(b',') {
            self.cursor.skip_space();
            return Ok(true);
        }
        if self.cursor.take(close) {
            return Ok(false);
        }
        Err(self.cursor.unexpected(expected))
    }

    fn number(&mut self) -> Read<T> {
        let start = self.cursor.at;
        let numeral = self.cursor.number()?;
        T::number(numeral).map_err(|problem| Failure::new(problem, start))
    }
}

fn position(text: &str, at: usize) -> Position {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
    }
}
