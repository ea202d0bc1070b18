//! Tables of inputs and what becomes of them, for snapshots.

use std::fmt::Write;

use swampbox_material::{MaterialError, Value};

/// What a reader makes of each text: a line for the text, and an indented one for the outcome.
pub(crate) fn readings<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> String {
    let mut table = String::new();
    for text in texts {
        let outcome = outcome(Value::from_json(text.as_ref()));
        writeln!(table, "{}\n    {outcome}", visible(text.as_ref())).unwrap();
    }
    table
}

/// As [`readings`], with a label in the place of each text.
pub(crate) fn labelled<T: AsRef<[u8]>>(
    texts: impl IntoIterator<Item = (&'static str, T)>,
) -> String {
    let mut table = String::new();
    for (label, text) in texts {
        let outcome = outcome(Value::from_json(text.as_ref()));
        writeln!(table, "{label}\n    {outcome}").unwrap();
    }
    table
}

/// The kind of a value and its JSON, or the code of the error and its message.
pub(crate) fn outcome(result: Result<Value, MaterialError>) -> String {
    match result {
        Ok(value) => format!("{}: {}", value.kind(), short(&legible(&value.to_json()))),
        Err(error) => refusal(&error),
    }
}

/// The code of an error and its message.
pub(crate) fn refusal(error: &MaterialError) -> String {
    format!("{}: {error}", error.code())
}

/// ASCII as it is, anything else as `<hex>`.
pub(crate) fn visible(text: &[u8]) -> String {
    let mut out = String::new();
    for &byte in text {
        match byte {
            b' '..=b'~' => out.push(char::from(byte)),
            other => write!(out, "<{other:02x}>").unwrap(),
        }
    }
    short(&out)
}

/// Letters, digits and ASCII as they are, any other character as `<U+hex>`.
pub(crate) fn legible(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii() || c.is_alphanumeric() => out.push(c),
            other => write!(out, "<U+{:04X}>", u32::from(other)).unwrap(),
        }
    }
    out
}

/// A long text by its ends and its length.
pub(crate) fn short(text: &str) -> String {
    let chars = text.chars().count();
    if chars <= 120 {
        return text.to_owned();
    }
    let head: String = text.chars().take(20).collect();
    let tail: String = text.chars().skip(chars - 20).collect();
    format!("{head}...{tail} ({chars} characters)")
}

pub(crate) fn value(text: &str) -> Value {
    Value::from_json(text.as_bytes()).unwrap()
}
