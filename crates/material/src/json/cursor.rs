use super::failure::{Failure, Read};
use super::plain::plain_len;

/// A place in a JSON text, which moves over one token at a time.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    pub(crate) at: usize,
    /// What to say where the text ends before the document does.
    tail: &'static str,
    /// The text of a string that has escapes, decoded.
    decoded: String,
}

/// A number as it is written, known to be well formed.
pub(crate) struct Numeral<'a> {
    pub(crate) text: &'a str,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    /// An integer whose digits surely fit.
    Small(i64),
    /// Any other integer.
    Integer,
    /// A number with a fraction or an exponent.
    Float,
}

/// That many digits always fit an `i64`.
const SMALL_DIGITS: usize = 18;

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, tail: &'static str) -> Self {
        Self { text, at: 0, tail, decoded: String::new() }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Moves over `byte`, if it comes next.
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    pub(crate) fn literal(&mut self, word: &'static str) -> Read<()> {
        let rest = self.rest();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        if word.as_bytes().starts_with(rest) {
            self.at = self.text.len();
        }
        Err(self.unexpected("a value was expected"))
    }

    pub(crate) fn number(&mut self) -> Read<Numeral<'a>> {
        let start = self.at;
        let negative = self.take(b'-');
        let first_digit = self.at;
        let magnitude = self.digits("a digit was expected")?;
        let digits = self.at - first_digit;
        if digits > 1 && self.text.as_bytes().get(first_digit) == Some(&b'0') {
            return Err(Failure::invalid("a number has no leading zero", first_digit));
        }
        let mut kind = match i64::try_from(magnitude) {
            Ok(small) if digits <= SMALL_DIGITS => {
                Kind::Small(if negative { -small } else { small })
            }
            _ => Kind::Integer,
        };
        if self.take(b'.') {
            kind = Kind::Float;
            self.digits("a digit was expected after the decimal point")?;
        }
        if self.take(b'e') || self.take(b'E') {
            kind = Kind::Float;
            let _ = self.take(b'+') || self.take(b'-');
            self.digits("a digit was expected in the exponent")?;
        }
        Ok(Numeral { text: self.since(start), kind })
    }

    /// One digit or more; their value, as far as it fits.
    fn digits(&mut self, expected: &'static str) -> Read<u64> {
        let start = self.at;
        let mut value = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == start {
            return Err(self.unexpected(expected));
        }
        Ok(value)
    }

    /// The rest of a string whose opening quote has been read.
    pub(crate) fn string(&mut self) -> Read<&str> {
        let start = self.at;
        self.skip_plain();
        if self.peek() == Some(b'"') {
            let plain = self.since(start);
            self.at += 1;
            return Ok(plain);
        }
        self.decoded.clear();
        self.decoded.push_str(self.since(start));
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(&self.decoded);
                }
                Some(b'\\') => {
                    let escaped = self.escape()?;
                    self.decoded.push(escaped);
                }
                _ => return Err(self.unexpected("a control character stands in a string")),
            }
            let start = self.at;
            self.skip_plain();
            self.decoded.push_str(self.since(start));
        }
    }

    fn skip_plain(&mut self) {
        self.at += plain_len(self.rest());
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
            Some(_) => return Err(Failure::invalid("the escape is not one of JSON's", start)),
            None => return Err(self.ended()),
        };
        self.at += 1;
        Ok(escaped)
    }

    fn unicode_escape(&mut self, start: usize) -> Read<char> {
        let lone = || Failure::invalid("a surrogate escape stands without its other half", start);
        let first = self.four_hex_digits(start)?;
        let scalar = if (0xD800..0xDC00).contains(&first) {
            if !(self.take(b'\\') && self.take(b'u')) {
                return Err(if self.peek().is_none() { self.ended() } else { lone() });
            }
            let second = self.four_hex_digits(start)?;
            if !(0xDC00..0xE000).contains(&second) {
                return Err(lone());
            }
            0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
        } else {
            first
        };
        char::from_u32(scalar).ok_or_else(lone)
    }

    fn four_hex_digits(&mut self, start: usize) -> Read<u32> {
        let mut number = 0;
        for _ in 0..4 {
            let Some(byte) = self.peek() else {
                return Err(self.ended());
            };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(Failure::invalid("a `\\u` escape has four hexadecimal digits", start));
            };
            number = number * 16 + digit;
            self.at += 1;
        }
        Ok(number)
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Something else than `expected` comes next, or the text ends here.
    pub(crate) fn unexpected(&self, expected: &'static str) -> Box<Failure> {
        if self.peek().is_none() { self.ended() } else { Failure::invalid(expected, self.at) }
    }

    fn ended(&self) -> Box<Failure> {
        Failure::invalid(self.tail, self.at)
    }
}
