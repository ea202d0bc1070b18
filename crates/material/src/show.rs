use std::fmt::{self, Write};

use crate::{Material, Value};

/// How much of a text stands in an error message.
pub(crate) const BRIEF_CHARACTERS: usize = 80;

/// A value or material laid out for a person to read and decide about.
///
/// Nothing is hidden and nothing is cut. Every character that a reader could not see, or that
/// would change how its neighbours are drawn (control, bidirectional, zero-width, filler, private
/// and unassigned-plane characters, spaces other than U+0020) is shown as `\u{…}`. A backslash
/// is shown as `\\`, so what looks like an escape is one.
///
/// ```
/// use swampbox_material::{Material, Value};
///
/// let material = Material::new("mail", "ops\u{202e}", Value::from("a\u{200b}b"));
/// assert_eq!(
///     material.shown().to_string(),
///     "consequence_type: \"mail\"\ntarget: \"ops\\u{202e}\"\npayload: \"a\\u{200b}b\"\n",
/// );
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    what: What<'a>,
}

#[derive(Clone, Copy, Debug)]
enum What<'a> {
    Text(&'a str),
    Brief(&'a str),
    Json(&'a str),
    Line(&'a Value),
    Block(&'a Value),
    Material(&'a Material),
}

impl<'a> Shown<'a> {
    /// A string in double quotes.
    pub fn text(text: &'a str) -> Self {
        Self { what: What::Text(text) }
    }

    /// A string in double quotes for an error message: of a long one the first 80 characters, and
    /// how long it is. The only kind that cuts anything.
    pub fn brief(text: &'a str) -> Self {
        Self { what: What::Brief(text) }
    }

    /// A JSON text as it is, but for what is invisible in it. No escape of JSON begins with `\u{`, so
    /// what looks like one is ours.
    pub fn json(text: &'a str) -> Self {
        Self { what: What::Json(text) }
    }

    /// A value on one line.
    pub fn line(value: &'a Value) -> Self {
        Self { what: What::Line(value) }
    }

    /// A value with one entry or item a line.
    pub fn block(value: &'a Value) -> Self {
        Self { what: What::Block(value) }
    }

    /// Whether a reader sees each character of a text, so that two such texts which differ do not look the
    /// same for what is invisible in them.
    pub fn hides_nothing(text: &str) -> bool {
        !text.contains(is_invisible)
    }

    pub(crate) fn material(material: &'a Material) -> Self {
        Self { what: What::Material(material) }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Text(text) => write_shown(f, text),
            What::Brief(text) => write_brief(f, text),
            What::Json(text) => text.chars().try_for_each(|c| write_visible(f, c)),
            What::Line(value) => write_value(f, value, None),
            What::Block(value) => write_value(f, value, Some(0)),
            What::Material(material) => {
                let [consequence_type, target, payload] = Material::FIELDS;
                write!(f, "{consequence_type}: ")?;
                write_shown(f, material.consequence_type())?;
                write!(f, "\n{target}: ")?;
                write_shown(f, material.target())?;
                write!(f, "\n{payload}: ")?;
                write_value(f, material.payload(), Some(0))?;
                f.write_str("\n")
            }
        }
    }
}

/// Writes a value; with an indent, each child has its own line.
fn write_value(f: &mut fmt::Formatter<'_>, value: &Value, indent: Option<usize>) -> fmt::Result {
    match value {
        Value::Null => f.write_str("null"),
        Value::Bool(value) => write!(f, "{value}"),
        Value::Integer(integer) => write!(f, "{integer}"),
        Value::Float(float) => write!(f, "{float}"),
        Value::String(text) => write_shown(f, text),
        Value::List(list) => {
            let items = list.items().iter().map(|item| (None, item));
            write_children(f, ['[', ']'], items, indent)
        }
        Value::Map(map) => {
            let entries = map.iter().map(|(key, item)| (Some(&**key), item));
            write_children(f, ['{', '}'], entries, indent)
        }
    }
}

fn write_children<'a>(
    f: &mut fmt::Formatter<'_>,
    [open, close]: [char; 2],
    children: impl ExactSizeIterator<Item = (Option<&'a str>, &'a Value)>,
    indent: Option<usize>,
) -> fmt::Result {
    let indent = if children.len() == 0 { None } else { indent };
    let inner = indent.map(|columns| columns + 2);
    f.write_char(open)?;
    for (index, (key, value)) in children.enumerate() {
        match (index, inner) {
            (0, None) => {}
            (_, None) => f.write_str(", ")?,
            (0, Some(columns)) => write!(f, "\n{:columns$}", "")?,
            (_, Some(columns)) => write!(f, ",\n{:columns$}", "")?,
        }
        if let Some(key) = key {
            write_shown(f, key)?;
            f.write_str(": ")?;
        }
        write_value(f, value, inner)?;
    }
    if let Some(columns) = indent {
        write!(f, "\n{:columns$}", "")?;
    }
    f.write_char(close)
}

/// Writes a string in double quotes with everything invisible escaped.
fn write_shown(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c => write_visible(f, c)?,
        }
    }
    f.write_char('"')
}

fn write_brief(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    match text.char_indices().nth(BRIEF_CHARACTERS) {
        None => write_shown(f, text),
        Some((end, _)) => {
            write_shown(f, text.get(..end).unwrap_or_default())?;
            write!(f, "… ({} bytes)", text.len())
        }
    }
}

fn write_visible(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    if is_invisible(c) { write!(f, "\\u{{{:x}}}", u32::from(c)) } else { f.write_char(c) }
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || INVISIBLE.binary_search_by(|&(first, last)| order(first, last, c)).is_ok()
}

fn order(first: char, last: char, c: char) -> std::cmp::Ordering {
    if last < c {
        std::cmp::Ordering::Less
    } else if first > c {
        std::cmp::Ordering::Greater
    } else {
        std::cmp::Ordering::Equal
    }
}

/// Beyond control characters and white space: format characters (general category Cf), the
/// property Default_Ignorable_Code_Point, characters drawn as blanks, private-use and
/// noncharacter code points, as of Unicode 16, in ascending order.
const INVISIBLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{e000}', '\u{f8ff}'),
    ('\u{fdd0}', '\u{fdef}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffc}'),
    ('\u{fffe}', '\u{ffff}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{13441}', '\u{13442}'),
    ('\u{16fe4}', '\u{16fe4}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d159}', '\u{1d159}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{1fffe}', '\u{1ffff}'),
    ('\u{2fffe}', '\u{2ffff}'),
    ('\u{3fffe}', '\u{10ffff}'),
];
