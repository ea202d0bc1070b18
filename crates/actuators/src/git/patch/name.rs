//! Names of files, as the lines of a patch write them.

use super::path;

/// No path of a file that can be opened is longer.
const MAX_LINE_BYTES: usize = 4_096;

/// The path in `text`, which is `prefix` and the path and nothing else. Where a path holds anything but
/// visible characters and spaces, or a quote or a backslash, all of it stands in quotes, as git writes it.
///
/// # Errors
///
/// What is wrong.
pub(super) fn read(text: &str, prefix: &str) -> Result<Vec<u8>, &'static str> {
    if text.len() > MAX_LINE_BYTES {
        return Err("names a file with more than 4096 bytes");
    }
    let name = match quoted(text) {
        Some((name, "")) => name,
        Some(_) => return Err("has more than the name of a file"),
        None if is_plain(text) => text.as_bytes().to_vec(),
        None => return Err("has more than the name of a file, or one that has to stand in quotes"),
    };
    let Some(path) = name.strip_prefix(prefix.as_bytes()) else {
        return Err("names a file without its prefix, `a/` before and `b/` after the change");
    };
    path::check(path)?;
    Ok(path.to_vec())
}

/// The same where git writes a tab behind a name with spaces.
pub(super) fn read_before_tab(text: &str, prefix: &str) -> Result<Vec<u8>, &'static str> {
    let name = text.strip_suffix('\t').filter(|name| name.contains(' '));
    read(name.unwrap_or(text), prefix)
}

/// Whether `text` names `from` and `to`, with their prefixes and a space between.
pub(super) fn are_both(text: &str, from: &[u8], to: &[u8]) -> bool {
    let first = match quoted(text) {
        Some((_, rest)) => text.len() - rest.len(),
        None => "a/".len() + from.len(),
    };
    let Some((first, rest)) = text.split_at_checked(first) else {
        return false;
    };
    let second = rest.strip_prefix(' ').unwrap_or_default();
    read(first, "a/").is_ok_and(|path| path == from)
        && read(second, "b/").is_ok_and(|path| path == to)
}

/// The one path that `text` names twice.
///
/// # Errors
///
/// What is wrong.
pub(super) fn twice(text: &str) -> Result<Vec<u8>, &'static str> {
    let first = match quoted(text) {
        Some((_, rest)) => text.len() - rest.len(),
        None => text.len() / 2,
    };
    let path = read(text.get(..first).unwrap_or_default(), "a/")?;
    if are_both(text, &path, &path) { Ok(path) } else { Err("names two files, or none") }
}

/// The name in quotes with which `text` begins, and what comes after it.
fn quoted(text: &str) -> Option<(Vec<u8>, &str)> {
    let mut rest = text.strip_prefix('"')?;
    let mut name = Vec::new();
    loop {
        let first = rest.chars().next()?;
        let (character, after) = rest.split_at_checked(first.len_utf8())?;
        rest = after;
        match first {
            '"' => return Some((name, rest)),
            '\\' => {
                let (byte, length) = escaped(rest)?;
                name.push(byte);
                rest = rest.get(length..)?;
            }
            _ if first.is_control() => return None,
            _ => name.extend_from_slice(character.as_bytes()),
        }
    }
}

/// The byte for which the characters after a backslash stand, and how many those are. What needs no
/// escape has none, so that a name is written in one way.
fn escaped(text: &str) -> Option<(u8, usize)> {
    let byte = match text.as_bytes().first()? {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' => b'"',
        b'\\' => b'\\',
        _ => {
            let digits = text.get(..3)?;
            let octal = digits.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
            let byte = u8::from_str_radix(digits, 8).ok().filter(|_| octal)?;
            return (!matches!(byte, 0 | b' '..=b'~')).then_some((byte, 3));
        }
    };
    Some((byte, 1))
}

fn is_plain(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() || matches!(c, '"' | '\\'))
}
