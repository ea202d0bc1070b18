//! Text of others in a page, and in an address.

use maud::{Markup, html};
use swampbox_material::Shown;

/// Text in which everything invisible is shown by an escape: what [`Shown`] gives. The escapes stand
/// out, and it is drawn in the order in which it is stored, whatever letters it has.
pub(super) fn shown(text: &str) -> Markup {
    let mut parts: Vec<(bool, &str)> = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    while let Some(unit) = unit(text.get(at..).unwrap_or_default()) {
        let end = at + unit.len();
        if is_escape(unit) {
            parts.extend(text.get(begin..at).map(|plain| (false, plain)));
            parts.push((true, unit));
            begin = end;
        }
        at = end;
    }
    parts.extend(text.get(begin..).map(|plain| (false, plain)));
    html! {
        bdo dir="ltr" {
            @for (escape, part) in parts.iter().filter(|(_, part)| !part.is_empty()) {
                @if *escape { mark { (part) } } @else { (part) }
            }
        }
    }
}

/// The first character of a text, or the first escape as a whole.
pub(super) fn unit(text: &str) -> Option<&str> {
    let mut characters = text.char_indices();
    let (_, first) = characters.next()?;
    let second = characters.next();
    let end = match (first, second) {
        ('\\', Some((_, 'u'))) if text.starts_with("\\u{") => text.find('}').map(|end| end + 1),
        ('\\', Some((at, second))) => Some(at + second.len_utf8()),
        _ => None,
    };
    text.get(..end.unwrap_or(first.len_utf8()))
}

fn is_escape(unit: &str) -> bool {
    unit.len() > 3 && unit.starts_with("\\u{")
}

/// An id or a name: as it is if it is plain to see, else in quotes with what is invisible in it shown.
pub(super) fn name(name: &str) -> Markup {
    let quoted = Shown::text(name).to_string();
    html! { span.name { (shown(if is_plain(name) { name } else { &quoted })) } }
}

/// Whether nothing in a name is invisible, or would be escaped.
pub(super) fn is_plain(name: &str) -> bool {
    let quoted = Shown::text(name).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)) == Some(name) && !name.contains(' ')
}

/// The beginning of a text that may be long, and how long it is.
pub(super) fn brief(text: &str) -> Markup {
    html! { span.name { (shown(&Shown::brief(text).to_string())) } }
}

/// A message with text of others in it.
pub(super) fn message(text: &str) -> Markup {
    shown(&Shown::json(text).to_string())
}

/// A moment. What it says is RFC 3339 in UTC, to the second; all of it is in the attribute.
pub(super) fn time(at: &str) -> Markup {
    let short = at.get(..19).filter(|_| at.ends_with('Z'));
    let words = short.map(|short| format!("{} UTC", short.replacen('T', " ", 1)));
    html! { time datetime=(at) { (words.as_deref().unwrap_or(at)) } }
}

/// An id as a segment of a path.
///
/// A browser takes a segment `.` or `..` away however it is written, so an id that begins with a dot
/// has a tilde before it, and so has one that begins with a tilde.
pub(super) fn place(id: &str) -> String {
    let mut place = String::new();
    if id.starts_with(['.', '~']) {
        place.push('~');
    }
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                place.push(char::from(byte));
            }
            _ => place.push_str(&format!("%{byte:02X}")),
        }
    }
    place
}

/// The id that stands in such a segment, once that is decoded.
pub(super) fn in_place(place: &str) -> &str {
    place.strip_prefix('~').unwrap_or(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_stands_out_and_what_only_looks_like_one_does_not() {
        let material = Shown::text("a\u{202e}b \\u{202e} <script>").to_string();
        assert_eq!(
            shown(&material).into_string(),
            r#"<bdo dir="ltr">&quot;a<mark>\u{202e}</mark>b \\u{202e} &lt;script&gt;&quot;</bdo>"#
        );
    }

    #[test]
    fn a_name_that_is_plain_to_see_is_as_it_is_and_another_one_is_quoted() {
        let told = ["X-1", "a b", "a\u{200b}b", "<b>"].map(|id| name(id).into_string());
        let told = told.map(|html| html.replace(r#"<span class="name"><bdo dir="ltr">"#, ""));
        assert_eq!(
            told.map(|html| html.replace("</bdo></span>", "")),
            ["X-1", "&quot;a b&quot;", r"&quot;a<mark>\u{200b}</mark>b&quot;", "&lt;b&gt;"]
        );
    }

    #[test]
    fn every_id_has_a_segment_of_its_own_from_which_it_is_read_back() {
        for id in ["X", "..", ".", "~", "~..", "a/b", "a?b#c%2F", "\"<>\u{202e}é"] {
            let place = place(id);
            assert!(place != "." && place != ".." && place.is_ascii(), "{place}");
            assert!(!place.contains(['/', '?', '#', '"', '<', '>']), "{place}");
            let query = format!("x={}", place.replace('+', "%2B"));
            let decoded = form_urlencoded::parse(query.as_bytes()).next().unwrap().1;
            assert_eq!(in_place(&decoded), id);
        }
    }
}
