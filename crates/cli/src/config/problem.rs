//! What is wrong with the text of a configuration: where, in which field, and what to write instead.

use std::fmt::Write;

use swampbox_material::Shown;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::example::example;

/// What serde calls the kinds of values, and what they are called here.
const KINDS: [(&str, &str); 11] = [
    ("a nonzero u64", "a whole number above 0"),
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("u64", "a whole number from 0 on"),
    ("usize", "a whole number from 0 on"),
    ("a sequence", "a list"),
    ("a map", "a table"),
    ("map", "table"),
    ("sequence", "list"),
    ("path string", "a string"),
];

/// The error in one line: the place, the field, the problem and the remedy.
pub(super) fn told(text: &str, error: &Error) -> String {
    let message = error.message();
    let mut told = String::new();
    let at = error.span().map(|span| span.start);
    if let Some((line, column)) = at.map(|at| line_and_column(text, at)) {
        let _ = write!(told, "line {line}, column {column}: ");
    }
    let document = DeTable::parse(text);
    let mut field = match (&document, at) {
        (Ok(document), Some(at)) => Field::at(document.get_ref(), at),
        _ => Field::default(),
    };
    if let Some(name) = named(message, "missing field ") {
        field.enter(name);
    }
    if !field.shown.is_empty() {
        let _ = write!(told, "{}: ", Shown::json(&field.shown));
    }
    let _ = write!(told, "{}", Shown::json(&plain(message, field.is_a_date)));
    if let Some(remedy) = remedy(message, &field, document.is_ok()) {
        let _ = write!(told, "; {remedy}");
    }
    told
}

fn remedy(message: &str, field: &Field, is_toml: bool) -> Option<String> {
    if message.starts_with("duplicate key") {
        return Some("leave one of the two out".into());
    }
    if !is_toml {
        let form = "an entry is `key = value`, and a table begins with `[name]` or `[[name]]`";
        return Some(form.into());
    }
    if message.starts_with("unknown field ") {
        return Some(match nearest(message) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "leave it out, or take one of those".into(),
        });
    }
    Some(match field.as_in_the_example() {
        Some(line) if line.starts_with('[') => format!("begin it with the line `{line}`"),
        Some(entry) => format!("write it like `{entry}`"),
        None => "`swampbox config example` shows how it is written".into(),
    })
}

/// A field of the file.
#[derive(Clone, Default)]
struct Field {
    keys: Vec<String>,
    /// The keys, with numbers from 1 where there are several.
    shown: String,
    /// Whether its value is a date, which serde takes for a table.
    is_a_date: bool,
}

impl Field {
    /// The innermost one whose key or value begins there.
    fn at(document: &DeTable<'_>, at: usize) -> Self {
        let mut found = (usize::MAX, Self::default());
        Self::default().look_into(document, at, &mut found);
        found.1
    }

    fn look_into(&self, table: &DeTable<'_>, at: usize, found: &mut (usize, Self)) {
        for (key, value) in table {
            let mut field = self.clone();
            field.enter(key.get_ref());
            field.is_a_date = matches!(value.get_ref(), DeValue::Datetime(_));
            for span in [key.span(), value.span()] {
                if span.contains(&at) && span.len() <= found.0 {
                    *found = (span.len(), field.clone());
                }
            }
            field.look_at(value, at, found);
        }
    }

    fn look_at(&self, value: &Spanned<DeValue<'_>>, at: usize, found: &mut (usize, Self)) {
        if value.span().contains(&at) && value.span().len() <= found.0 {
            *found = (value.span().len(), self.clone());
        }
        match value.get_ref() {
            DeValue::Table(table) => self.look_into(table, at, found),
            DeValue::Array(list) => {
                for (number, value) in (1..).zip(list.iter()) {
                    let mut field = self.clone();
                    let _ = write!(field.shown, " {number}");
                    field.is_a_date = matches!(value.get_ref(), DeValue::Datetime(_));
                    field.look_at(value, at, found);
                }
            }
            _ => {}
        }
    }

    fn enter(&mut self, key: &str) {
        if !self.shown.is_empty() {
            self.shown.push('.');
        }
        self.shown.push_str(key);
        self.keys.push(key.to_owned());
        self.is_a_date = false;
    }

    /// Its entry in the example, or else that of the field that it stands in: the line with which a
    /// table begins says nothing of what stands in the table.
    fn as_in_the_example(&self) -> Option<String> {
        let mut table = String::new();
        let example = example("alice");
        let lines =
            example.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).map(|line| {
                let line = line.split("  #").next().unwrap_or(line).trim_end();
                if line.starts_with('[') {
                    table = line.trim_matches(['[', ']']).to_owned();
                }
                (table.clone(), line)
            });
        let lines: Vec<_> = lines.collect();
        (1..=self.keys.len()).rev().filter_map(|length| self.keys.get(..length)).find_map(|keys| {
            let entry = |(table, line): &(String, &str)| {
                if line.starts_with('[') {
                    let is_itself = keys.len() == self.keys.len() && is_table(table, keys);
                    return is_itself.then(|| (*line).to_owned());
                }
                let (key, of) = keys.split_last()?;
                let (name, value) = line.split_once(" = ")?;
                (name == key && is_table(table, of)).then(|| format!("{name} = {value}"))
            };
            lines.iter().find_map(entry)
        })
    }
}

/// Whether the example's table is the one of these keys. A provider has a name of its own.
fn is_table(table: &str, keys: &[String]) -> bool {
    let mut names = table.split('.');
    let alike = keys.iter().enumerate().all(|(number, key)| {
        let of_a_provider = number == 1 && keys.first().is_some_and(|first| first == "providers");
        names.next().is_some_and(|name| name == key || of_a_provider)
    });
    alike && names.next().is_none()
}

/// What stands in the first backticks, if the message begins so.
fn named<'a>(message: &'a str, beginning: &str) -> Option<&'a str> {
    message.strip_prefix(beginning)?.split('`').nth(1)
}

/// The known key that was probably meant.
fn nearest(message: &str) -> Option<&str> {
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = names.next()?;
    let by_likeness = |name: &&str| (strsim::jaro_winkler(unknown, name) * 1000.0) as u32;
    names.max_by_key(by_likeness).filter(|name| by_likeness(name) > 800)
}

/// The message with the kinds of values as a reader knows them.
fn plain(message: &str, is_a_date: bool) -> String {
    let Some((found, expected)) = message.split_once(", expected ") else {
        return message.to_owned();
    };
    let kind = |text: &str| {
        let known = KINDS.iter().find(|(kind, _)| *kind == text);
        match known {
            Some((_, name)) => (*name).to_owned(),
            None if text.starts_with("struct ") => "a table".to_owned(),
            None => text.to_owned(),
        }
    };
    let found = match found.split_once("invalid type: ") {
        Some((_, "map")) if is_a_date => "invalid type: date and time".to_owned(),
        // How the reader held a number is its own business.
        Some((_, found)) => format!("invalid type: {}", kind(found.trim_end_matches(" as i128"))),
        None => found.to_owned(),
    };
    format!("{found}, expected {}", kind(expected))
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}
