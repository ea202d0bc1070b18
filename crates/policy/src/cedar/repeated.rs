//! Attributes that a record of a schema declares twice. Cedar takes the last and says nothing.

use std::collections::BTreeSet;

use cedar_policy::Policy;

/// Each attribute that one record of this schema declares again, and at which byte. The schema is one
/// that Cedar could read.
pub(super) fn repeated(schema: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut records: Vec<BTreeSet<String>> = Vec::new();
    // The name that was read last, if nothing came between it and a colon but a question mark.
    let mut name = None;
    let mut at = 0;
    while let Some((rest, first)) =
        schema.get(at..).and_then(|rest| Some((rest, rest.chars().next()?)))
    {
        let length = match first {
            '/' => until(rest, |c| c == '\n'),
            '"' => {
                let length = string(rest);
                name = Some((rest.get(..length).unwrap_or(rest), at));
                length
            }
            c if in_name(c) => {
                let length = until(rest, |c| !in_name(c));
                name = Some((rest.get(..length).unwrap_or(rest), at));
                length
            }
            ':' if rest.starts_with("::") => {
                name = None;
                2
            }
            c => {
                match c {
                    '{' => records.push(BTreeSet::new()),
                    '}' => drop(records.pop()),
                    ':' => {
                        let declared = name.zip(records.last_mut());
                        if let Some(((written, start), record)) = declared
                            && !record.insert(key(written))
                        {
                            found.push((key(written), start));
                        }
                    }
                    _ => {}
                }
                if c != '?' && !c.is_whitespace() {
                    name = None;
                }
                c.len_utf8()
            }
        };
        at += length;
    }
    found
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// How many bytes come before the first character of this kind.
fn until(text: &str, ends: impl Fn(char) -> bool) -> usize {
    text.find(ends).unwrap_or(text.len())
}

/// How long the string is that a text begins with, in bytes with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(end, _)| end + 1)
}

/// The attribute that is written so: `a`, `"a"` and `"\u{61}"` are the same. A string stands for the
/// same in a policy as in a schema.
fn key(written: &str) -> String {
    let policy = format!("@key({written}) permit(principal, action, resource);");
    let quoted = Policy::parse(None, policy).ok();
    let quoted = quoted.and_then(|policy| policy.annotation("key").map(str::to_owned));
    quoted.unwrap_or_else(|| written.to_owned())
}
