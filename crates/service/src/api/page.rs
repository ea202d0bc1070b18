//! Queries, read strictly.

use std::borrow::Cow;
use std::str::FromStr;

use swampbox_custody::InvalidIdentifier;
use swampbox_material::Code;

use super::Problem;
use super::call::quoted;

/// How many items a page has if nobody says.
pub(crate) const PAGE: usize = 100;

/// How many items a page has at the most.
pub(crate) const MAX_PAGE: usize = 1_000;

/// How many bytes the items of a page have, but for the last of them: so that a page of long ones takes
/// no more room than one of short ones.
pub(crate) const PAGE_BYTES: usize = 4 << 20;

/// The parameters of a query. Each may be there once, and each has to be known.
pub(crate) struct Query<'q> {
    pairs: Vec<(Cow<'q, str>, Cow<'q, str>)>,
    known: Vec<&'static str>,
}

impl<'q> Query<'q> {
    pub(crate) fn of(query: &'q str) -> Result<Self, Problem> {
        if !is_text(query) {
            return Err(invalid("the query holds what is no UTF-8, percent-encoded".to_owned()));
        }
        let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
        for (number, (name, _)) in pairs.iter().enumerate() {
            if pairs.iter().take(number).any(|(earlier, _)| earlier == name) {
                return Err(invalid(format!("the parameter {} is there twice", quoted(name))));
            }
        }
        Ok(Self { pairs, known: Vec::new() })
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Option<&str> {
        self.known.push(name);
        self.pairs.iter().find(|(found, _)| found == name).map(|(_, value)| &**value)
    }

    pub(crate) fn id<T>(&mut self, name: &'static str) -> Result<Option<T>, Problem>
    where
        T: for<'t> TryFrom<&'t str, Error = InvalidIdentifier>,
    {
        Ok(self.text(name).map(T::try_from).transpose()?)
    }

    /// What has to be one of some words.
    pub(crate) fn parsed<T: FromStr>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Result<Option<T>, Problem> {
        self.read(name, expected, |text| text.parse().ok())
    }

    /// What has to be a number, in digits alone.
    pub(crate) fn number<T: FromStr>(
        &mut self,
        name: &'static str,
        expected: &str,
    ) -> Result<Option<T>, Problem> {
        self.read(name, expected, number)
    }

    fn read<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let parsed = self.text(name).map(|text| read(text).ok_or_else(|| text.to_owned()));
        let wrong = |text: String| {
            invalid(format!(
                "the parameter `{name}` is {}, and has to be {expected}",
                quoted(&text)
            ))
        };
        parsed.transpose().map_err(wrong)
    }

    /// How many items are wanted.
    pub(crate) fn limit(&mut self) -> Result<usize, Problem> {
        let limit = self.number("limit", "a number from 1 to 1000")?.unwrap_or(PAGE);
        if (1..=MAX_PAGE).contains(&limit) {
            return Ok(limit);
        }
        Err(invalid(format!(
            "the parameter `limit` is {limit}, and has to be from 1 to {MAX_PAGE}"
        )))
    }

    /// Ends the reading: nothing is there that nobody asked for.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        match self.pairs.iter().find(|(name, _)| !self.known.iter().any(|known| known == name)) {
            None => Ok(()),
            Some((name, _)) if self.known.is_empty() => {
                Err(invalid(format!("the parameter {} is not known here; none is", quoted(name))))
            }
            Some((name, _)) => {
                let known = self.known.join("`, `");
                let name = quoted(name);
                Err(invalid(format!("the parameter {name} is not known here; known are `{known}`")))
            }
        }
    }
}

/// A number that is written in digits alone.
pub(crate) fn number<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Whether each `%` begins an escape, and what the escapes stand for is UTF-8.
pub(super) fn is_text(encoded: &str) -> bool {
    let mut bytes = encoded.bytes();
    let mut text = Vec::new();
    while let Some(byte) = bytes.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16)?.try_into().ok();
        let decoded: Option<u8> = match byte {
            b'%' => digit(bytes.next()).zip(digit(bytes.next())).map(|(a, b): (u8, u8)| a << 4 | b),
            plain => Some(plain),
        };
        match decoded {
            Some(decoded) => text.push(decoded),
            None => return false,
        }
    }
    String::from_utf8(text).is_ok()
}

fn invalid(message: String) -> Problem {
    Problem::new(Code::InvalidArguments, message)
}
