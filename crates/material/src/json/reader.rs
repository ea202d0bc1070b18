use std::borrow::Cow;
use std::sync::Arc;

use super::{Json, MAX_DOCUMENT_BYTES, MAX_DOCUMENT_DEPTH, Number, Object};
use crate::value::{Duplicate, List, Map};
use crate::{
    Float, Integer, MAX_MATERIAL_DEPTH, MaterialError, Path, Position, Problem, Segment, Value,
};

/// Reads one whole JSON text into a tree.
pub(crate) fn read<T: Tree>(text: &[u8]) -> Result<T, MaterialError> {
    if text.len() > MAX_DOCUMENT_BYTES {
        let problem = Problem::TooLarge {
            limit: MAX_DOCUMENT_BYTES,
        };
        return Err(MaterialError::new(problem, Path::root()));
    }
    // Invalid UTF-8 is met by the reader as the place where the valid text ends, so that the
    // error has a path.
    let (text, tail) = match std::str::from_utf8(text) {
        Ok(text) => (text, "the text ends too early"),
        Err(error) => {
            let (valid, _) = text.split_at(error.valid_up_to());
            (
                std::str::from_utf8(valid).unwrap_or_default(),
                "the text is not valid UTF-8 here",
            )
        }
    };
    let valid_utf8 = tail.starts_with("the text ends");
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
        tail,
        items: Vec::new(),
        entries: Vec::new(),
        key_starts: Vec::new(),
    };
    let result = reader.document(valid_utf8);
    result.map_err(|failure| {
        let position = position(text, failure.at);
        MaterialError::from_leaf(failure.problem, failure.segments).at(position)
    })
}

/// What the reader builds: [`Value`] for material, [`Json`] for the documents around it.
pub(crate) trait Tree: Sized {
    const MAX_DEPTH: usize;
    const NULL: Self;
    fn boolean(value: bool) -> Self;
    fn integer(text: &str) -> Result<Self, Problem>;
    fn float(text: &str) -> Result<Self, Problem>;
    fn string(text: Arc<str>) -> Self;
    fn list(items: std::vec::Drain<'_, Self>) -> Self;
    fn map(entries: std::vec::Drain<'_, (Arc<str>, Self)>) -> Result<Self, Duplicate>;
}

impl Tree for Value {
    const MAX_DEPTH: usize = MAX_MATERIAL_DEPTH;
    const NULL: Self = Value::Null;

    fn boolean(value: bool) -> Self {
        Value::Bool(value)
    }

    fn integer(text: &str) -> Result<Self, Problem> {
        Integer::from_json_digits(text).map(Value::Integer)
    }

    fn float(text: &str) -> Result<Self, Problem> {
        Float::from_json_digits(text).map(Value::Float)
    }

    fn string(text: Arc<str>) -> Self {
        Value::String(text)
    }

    fn list(items: std::vec::Drain<'_, Self>) -> Self {
        Value::List(List::from_items(items.collect()))
    }

    fn map(entries: std::vec::Drain<'_, (Arc<str>, Self)>) -> Result<Self, Duplicate> {
        Map::from_entries(entries.collect()).map(Value::Map)
    }
}

impl Tree for Json {
    const MAX_DEPTH: usize = MAX_DOCUMENT_DEPTH;
    const NULL: Self = Json::Null;

    fn boolean(value: bool) -> Self {
        Json::Bool(value)
    }

    fn integer(text: &str) -> Result<Self, Problem> {
        Ok(Json::Number(Number::from_digits(text)))
    }

    fn float(text: &str) -> Result<Self, Problem> {
        Ok(Json::Number(Number::from_digits(text)))
    }

    fn string(text: Arc<str>) -> Self {
        Json::String(text)
    }

    fn list(items: std::vec::Drain<'_, Self>) -> Self {
        Json::List(items.collect())
    }

    fn map(entries: std::vec::Drain<'_, (Arc<str>, Self)>) -> Result<Self, Duplicate> {
        Object::from_entries(entries.collect()).map(Json::Map)
    }
}

/// Why reading stopped; the segments are gathered from the leaf up as the calls return.
struct Failure {
    problem: Problem,
    at: usize,
    segments: Vec<Segment>,
}

type Read<T> = Result<T, Box<Failure>>;

struct Reader<'a, T> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    /// What to say where the text ends before the document does.
    tail: &'static str,
    // The children of the containers that are open, so that each container is allocated once,
    // with its final size.
    items: Vec<T>,
    entries: Vec<(Arc<str>, T)>,
    key_starts: Vec<usize>,
}

impl<'a, T: Tree> Reader<'a, T> {
    fn document(&mut self, valid_utf8: bool) -> Read<T> {
        self.skip_space();
        let value = self.value()?;
        self.skip_space();
        match self.peek() {
            None if valid_utf8 => Ok(value),
            None => Err(self.ended()),
            Some(_) => Err(self.invalid("text follows the document")),
        }
    }

    // Recursion is bounded by T::MAX_DEPTH, which `open` checks before it goes deeper.
    fn value(&mut self) -> Read<T> {
        match self.peek() {
            Some(b'{') => self.map(),
            Some(b'[') => self.list(),
            Some(b'"') => {
                self.at += 1;
                Ok(T::string(self.string()?))
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true", T::boolean(true)),
            Some(b'f') => self.literal("false", T::boolean(false)),
            Some(b'n') => self.literal("null", T::NULL),
            Some(_) => Err(self.invalid("a value was expected")),
            None => Err(self.ended()),
        }
    }

    fn list(&mut self) -> Read<T> {
        self.open()?;
        let first = self.items.len();
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            loop {
                let index = self.items.len() - first;
                let item = self
                    .value()
                    .map_err(|failure| failure.under(Segment::Index(index)))?;
                self.items.push(item);
                if !self.another(b']', "a comma or `]` was expected")? {
                    break;
                }
            }
        }
        self.depth -= 1;
        Ok(T::list(self.items.drain(first..)))
    }

    fn map(&mut self) -> Read<T> {
        self.open()?;
        let first = self.entries.len();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                let start = self.at;
                if self.peek() != Some(b'"') {
                    return Err(self.unexpected("a key in double quotes was expected"));
                }
                self.at += 1;
                let key = self.string()?;
                self.skip_space();
                if self.peek() != Some(b':') {
                    return Err(self
                        .unexpected("a colon was expected")
                        .under(Segment::Key(key)));
                }
                self.at += 1;
                self.skip_space();
                match self.value() {
                    Ok(value) => {
                        self.entries.push((key, value));
                        self.key_starts.push(start);
                    }
                    Err(failure) => return Err(failure.under(Segment::Key(key))),
                }
                if !self.another(b'}', "a comma or `}` was expected")? {
                    break;
                }
            }
        }
        self.depth -= 1;
        let map = T::map(self.entries.drain(first..)).map_err(|Duplicate { key, position }| {
            let at = self
                .key_starts
                .get(first + position)
                .copied()
                .unwrap_or(self.at);
            failure(Problem::DuplicateKey, at).under(Segment::Key(key))
        });
        self.key_starts.truncate(first);
        map
    }

    fn open(&mut self) -> Read<()> {
        if self.depth == T::MAX_DEPTH {
            return Err(failure(
                Problem::DepthExceeded {
                    limit: T::MAX_DEPTH,
                },
                self.at,
            ));
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// After a child: whether a comma announces another one.
    fn another(&mut self, close: u8, expected: &'static str) -> Read<bool> {
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn literal(&mut self, word: &'static str, value: T) -> Read<T> {
        if self.rest().starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        if word.as_bytes().starts_with(self.rest()) {
            return Err(self.ended_at(self.text.len()));
        }
        Err(self.invalid("a value was expected"))
    }

    fn number(&mut self) -> Read<T> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let first_digit = self.at;
        self.digits("a digit was expected")?;
        if self.bytes.get(first_digit) == Some(&b'0') && self.at > first_digit + 1 {
            self.at = first_digit;
            return Err(self.invalid("a number has no leading zero"));
        }
        let mut integer = true;
        if self.peek() == Some(b'.') {
            integer = false;
            self.at += 1;
            self.digits("a digit was expected after the decimal point")?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            integer = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits("a digit was expected in the exponent")?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let number = if integer {
            T::integer(text)
        } else {
            T::float(text)
        };
        number.map_err(|problem| failure(problem, start))
    }

    fn digits(&mut self, expected: &'static str) -> Read<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start {
            Err(self.unexpected(expected))
        } else {
            Ok(())
        }
    }

    /// The rest of a string whose opening quote has been read.
    fn string(&mut self) -> Read<Arc<str>> {
        let mut decoded: Cow<'a, str> = Cow::Borrowed("");
        loop {
            let start = self.at;
            while let Some(&byte) = self.bytes.get(self.at)
                && !matches!(byte, b'"' | b'\\' | 0..0x20)
            {
                self.at += 1;
            }
            let plain = self.text.get(start..self.at).unwrap_or_default();
            if decoded.is_empty() {
                decoded = Cow::Borrowed(plain);
            } else {
                decoded.to_mut().push_str(plain);
            }
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(decoded.into());
                }
                Some(b'\\') => {
                    let escaped = self.escape()?;
                    decoded.to_mut().push(escaped);
                }
                Some(_) => return Err(self.invalid("a control character stands in a string")),
                None => return Err(self.ended()),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let start = self.at;
        self.at += 1;
        let escaped = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            Some(_) => return Err(failure_at("the escape is not one of JSON's", start)),
            None => return Err(self.ended()),
        };
        self.at += 1;
        Ok(escaped)
    }

    fn unicode_escape(&mut self, start: usize) -> Read<char> {
        let lone = "a surrogate escape stands without its other half";
        let first = self.four_hex_digits(start)?;
        let scalar = if (0xD800..0xDC00).contains(&first) {
            if !self.rest().starts_with(b"\\u") {
                return Err(failure_at(lone, start));
            }
            self.at += 2;
            let second = self.four_hex_digits(start)?;
            if !(0xDC00..0xE000).contains(&second) {
                return Err(failure_at(lone, start));
            }
            0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
        } else {
            first
        };
        char::from_u32(scalar).ok_or_else(|| failure_at(lone, start))
    }

    fn four_hex_digits(&mut self, start: usize) -> Read<u32> {
        let mut number = 0;
        for _ in 0..4 {
            let Some(byte) = self.peek() else {
                return Err(self.ended());
            };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(failure_at(
                    "a `\\u` escape has four hexadecimal digits",
                    start,
                ));
            };
            number = number * 16 + digit;
            self.at += 1;
        }
        Ok(number)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn unexpected(&self, expected: &'static str) -> Box<Failure> {
        if self.peek().is_none() {
            self.ended()
        } else {
            self.invalid(expected)
        }
    }

    fn invalid(&self, what: &'static str) -> Box<Failure> {
        failure_at(what, self.at)
    }

    fn ended(&self) -> Box<Failure> {
        self.ended_at(self.at)
    }

    fn ended_at(&self, at: usize) -> Box<Failure> {
        failure_at(self.tail, at)
    }
}

impl Failure {
    fn under(mut self: Box<Self>, segment: Segment) -> Box<Self> {
        self.segments.push(segment);
        self
    }
}

fn failure(problem: Problem, at: usize) -> Box<Failure> {
    Box::new(Failure {
        problem,
        at,
        segments: Vec::new(),
    })
}

fn failure_at(what: &'static str, at: usize) -> Box<Failure> {
    failure(Problem::InvalidJson(what), at)
}

fn position(text: &str, at: usize) -> Position {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
    }
}
