use std::fmt::Write;
use std::sync::Arc;

use super::plain::plain_len;
use super::{Json, Object};
use crate::{Map, Value};

/// Writes a value compactly; it reads back equal.
pub(crate) fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Integer(integer) => integer.push_to(out),
        Value::Float(float) => float.push_to(out),
        Value::String(text) => write_string(out, text),
        Value::List(list) => write_list(out, list.items(), write_value),
        Value::Map(map) => write_entries(out, Map::iter(map), write_value),
    }
}

pub(crate) fn write_document(out: &mut String, document: &Json) {
    match document {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) => out.push_str(number.as_str()),
        Json::String(text) => write_string(out, text),
        Json::List(items) => write_list(out, items, write_document),
        Json::Map(object) => write_entries(out, Object::iter(object), write_document),
    }
}

fn write_list<T>(out: &mut String, items: &[T], write: fn(&mut String, &T)) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

fn write_entries<'a, T: 'a>(
    out: &mut String,
    entries: impl ExactSizeIterator<Item = (&'a Arc<str>, &'a T)>,
    write: fn(&mut String, &T),
) {
    let empty = entries.len() == 0;
    for (index, (key, value)) in entries.enumerate() {
        out.push_str(if index == 0 { "{\"" } else { ",\"" });
        write_text(out, key);
        out.push_str("\":");
        write(out, value);
    }
    out.push_str(if empty { "{}" } else { "}" });
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    write_text(out, text);
    out.push('"');
}

/// Writes what stands between the quotes.
fn write_text(out: &mut String, text: &str) {
    let plain = plain_len(text.as_bytes());
    if plain == text.len() {
        out.push_str(text);
    } else {
        write_escaped(out, text, plain);
    }
}

/// Writes a text with its special characters escaped, the first of which stands at `plain`.
fn write_escaped(out: &mut String, text: &str, mut plain: usize) {
    let mut rest = text;
    while let Some((before, special)) = rest.split_at_checked(plain) {
        out.push_str(before);
        let mut special = special.chars();
        let Some(c) = special.next() else { break };
        write_escape(out, c);
        rest = special.as_str();
        plain = plain_len(rest.as_bytes());
    }
}

fn write_escape(out: &mut String, special: char) {
    match special {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        control => {
            // Writing to a string can't fail.
            let _ = write!(out, "\\u{:04x}", u32::from(control));
        }
    }
}
