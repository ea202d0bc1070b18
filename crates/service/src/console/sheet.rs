//! Material and differences as lines and pages. Nothing of the material is left out or cut off: what is
//! long goes on on the next line, and what is longer on the next page.

use maud::{Markup, html};
use swampbox_material::{Difference, Material, Shown, Value};

use super::text::{shown, unit};

/// How many lines a page has.
pub(super) const LINES: usize = 60;

/// How many characters a line has. An escape counts as one, and is never taken apart.
const WIDTH: usize = 100;

/// The end of a line in a text, as it is shown.
const NEW_LINE: &str = "\\n";

/// From how many bytes on a side of a difference is long.
const LONG: usize = 200;

/// What there is to see, in lines.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    lines: Vec<Line>,
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    Heading(&'static str),
    /// What is said by us.
    Note(String),
    /// What it is about: a line with its number, none if it goes on from the one before.
    Text(Option<usize>, String),
}

impl Sheet {
    /// The whole of some material.
    pub(super) fn of(material: &Material) -> Self {
        let mut sheet = Self::default();
        let text = material.shown().to_string();
        for (number, line) in text.lines().enumerate() {
            sheet.push(number + 1, line);
        }
        sheet
    }

    /// The same, and what the material differs in from other material.
    pub(super) fn beside(mut self, heading: &'static str, differences: &[Difference]) -> Self {
        self.lines.push(Line::Heading(heading));
        if differences.is_empty() {
            self.lines.push(Line::Note("Nothing: it is the same material.".to_owned()));
        }
        for (number, difference) in differences.iter().enumerate() {
            self.push(number + 1, &told(difference));
        }
        self
    }

    /// The same, and that there is nothing to differ from.
    pub(super) fn beside_nothing(mut self, heading: &'static str, because: &str) -> Self {
        self.lines.push(Line::Heading(heading));
        self.lines.push(Line::Note(because.to_owned()));
        self
    }

    /// How many pages it has: one at the least.
    pub(super) fn pages(&self) -> usize {
        self.lines.len().div_ceil(LINES).max(1)
    }

    /// One of its pages, counted from one.
    pub(super) fn page(&self, page: usize) -> Markup {
        let begin = page.saturating_sub(1).saturating_mul(LINES);
        let lines = self.lines.iter().skip(begin).take(LINES);
        let of = self.pages();
        html! {
            div.sheet role="region" tabindex="0" aria-label=(format!("Material, page {page} of {of}")) {
                @for line in lines {
                    @match line {
                        Line::Heading(heading) => h3 { (heading) },
                        Line::Note(note) => p.note { (note) },
                        Line::Text(number, text) => div.line {
                            span.number {
                                @match number {
                                    Some(number) => (number),
                                    None => span aria-label="goes on" { "↳" },
                                }
                            }
                            code { (shown(text)) }
                        },
                    }
                }
            }
        }
    }

    fn push(&mut self, number: usize, text: &str) {
        let mut number = Some(number);
        let mut rest = text;
        loop {
            let piece = piece(rest);
            self.lines.push(Line::Text(number.take(), piece.to_owned()));
            rest = rest.get(piece.len()..).unwrap_or_default();
            if rest.is_empty() {
                return;
            }
        }
    }
}

/// As much of a text as fits on a line. Where the text itself has the end of a line, so has this.
fn piece(text: &str) -> &str {
    // Most of what is long is plain.
    if let Some(plain) = text.get(..WIDTH).filter(|text| text.is_ascii() && !text.contains('\\')) {
        return plain;
    }
    let mut end = 0;
    let mut ended = false;
    for _ in 0..WIDTH {
        let rest = text.get(end..).unwrap_or_default();
        match unit(rest) {
            // What closes a text stays with it.
            Some(unit) if !ended || unit == NEW_LINE || rest.len() <= 2 => {
                ended = unit == NEW_LINE;
                end += unit.len();
            }
            _ => break,
        }
    }
    text.get(..end).unwrap_or(text)
}

/// A difference in words. Of long texts the part is told that differs, and of what is long in itself
/// how long it is: the whole of it stands in the material, and on the page of the other consequence.
fn told(difference: &Difference) -> String {
    let path = difference.path();
    match (difference.left(), difference.right()) {
        (Some(Value::String(left)), Some(Value::String(right)))
            if left.len().max(right.len()) > LONG =>
        {
            let before = shared(left.chars(), right.chars());
            let [left, right] = [left, right].map(|text| text.get(before..).unwrap_or_default());
            let after = shared(left.chars().rev(), right.chars().rev());
            let [left, right] =
                [left, right].map(|text| text.get(..text.len() - after).unwrap_or_default());
            let letters = match (left.chars().next(), right.chars().next()) {
                // They may look alike.
                (Some(a), Some(b)) if !a.is_ascii() || !b.is_ascii() => {
                    format!(" (U+{:04X}, not U+{:04X})", u32::from(a), u32::from(b))
                }
                _ => String::new(),
            };
            let (left, right) = (Shown::brief(left), Shown::brief(right));
            format!(
                "{path}: after {before} bytes that are the same {left} is not {right}{letters}, and \
                 then {after} bytes are the same"
            )
        }
        (left, right) if !left.into_iter().chain(right).any(is_long) => difference.to_string(),
        (Some(left), Some(right)) => format!("{path}: {} is not {}", side(left), side(right)),
        (Some(left), None) => format!("{path}: {} is missing", side(left)),
        (None, right) => format!("{path}: {} is added", right.map(side).unwrap_or_default()),
    }
}

fn is_long(value: &Value) -> bool {
    Shown::line(value).to_string().len() > LONG
}

/// One side of a difference.
fn side(value: &Value) -> String {
    let whole = Shown::line(value).to_string();
    match value {
        _ if whole.len() <= LONG => whole,
        Value::String(text) => Shown::brief(text).to_string(),
        Value::List(list) => format!("a list of {} items", list.items().len()),
        Value::Map(map) => format!("a mapping of {} keys", map.len()),
        _ => format!("a number of {} digits", whole.len()),
    }
}

/// How many bytes the characters have that both begin with.
fn shared(left: impl Iterator<Item = char>, right: impl Iterator<Item = char>) -> usize {
    left.zip(right).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material(payload: Value) -> Material {
        Material::new("t", "x", payload)
    }

    fn text_of(sheet: &Sheet) -> String {
        let texts = sheet.lines.iter().map(|line| match line {
            Line::Text(_, text) | Line::Note(text) => text.as_str(),
            Line::Heading(heading) => heading,
        });
        texts.collect()
    }

    #[test]
    fn nothing_of_a_long_text_is_cut_off_and_no_escape_is_taken_apart() {
        let long: String = "ab\u{202e}\\é".chars().cycle().take(50_000).collect();
        let sheet = Sheet::of(&material(Value::from(long.as_str())));
        let whole = material(Value::from(long.as_str())).shown().to_string();
        assert_eq!(text_of(&sheet), whole.replace('\n', ""));
        for line in &sheet.lines {
            let Line::Text(_, text) = line else { panic!("{line:?}") };
            assert!(text.matches("\\u{").count() == text.matches('}').count(), "{text}");
        }
        assert_eq!(sheet.pages(), sheet.lines.len().div_ceil(LINES));
        assert!(sheet.pages() > 8);
    }

    #[test]
    fn a_text_of_several_lines_is_shown_in_several_lines() {
        let sheet = Sheet::of(&material(Value::from("one\ntwo\n\nthree\\nfour\n")));
        let lines: Vec<_> = sheet.lines.iter().skip(2).collect();
        let text = |number, text: &str| Line::Text(number, text.to_owned());
        assert_eq!(
            lines,
            [
                &text(Some(3), r#"payload: "one\n"#),
                &text(None, r"two\n\n"),
                &text(None, r#"three\\nfour\n""#),
            ]
        );
    }

    #[test]
    fn of_what_is_long_in_itself_is_told_how_long_it_is() {
        let told_of = |left: &str, right: &str| {
            let [left, right] = [left, right]
                .map(|payload| material(Value::from_json(payload.as_bytes()).unwrap()));
            left.differences(&right).iter().map(told).collect::<Vec<_>>().join("\n")
        };
        let (list, text) = (format!("[{}0]", "0,".repeat(300)), format!("{:?}", "a".repeat(300)));
        assert_eq!(told_of("1", &list), "$.payload: 1 is not a list of 301 items");
        let keys = |value: &str| format!(r#"{{"a":1,"b":{value}}}"#);
        assert_eq!(
            told_of(&keys(&list), r#"{"a":1}"#),
            "$.payload.b: a list of 301 items is missing"
        );
        let brief = format!("\"{}\"… (300 bytes)", "a".repeat(80));
        assert_eq!(told_of(r#"{"a":1}"#, &keys(&text)), format!("$.payload.b: {brief} is added"));
    }

    #[test]
    fn of_long_texts_the_part_is_told_that_differs() {
        let text = |middle: &str| format!("{}{middle}{}", "é".repeat(200), "b".repeat(100));
        let told_of = |left: &str, right: &str| {
            let [left, right] = [left, right].map(|middle| material(text(middle).as_str().into()));
            left.differences(&right).iter().map(told).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            told_of("old", "new"),
            r#"$.payload: after 400 bytes that are the same "old" is not "new", and then 100 bytes are the same"#
        );
        assert!(
            told_of("a", "\u{430}").contains("\"a\" is not \"\u{430}\" (U+0061, not U+0430), and")
        );
        assert_eq!(
            told_of("b", "bbb"),
            r#"$.payload: after 501 bytes that are the same "" is not "bb", and then 0 bytes are the same"#
        );
    }
}
