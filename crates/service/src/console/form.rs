//! What comes with a request of a browser.

use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};
use form_urlencoded::{Serializer, parse};
use swampbox_material::Code;

use crate::api::{Problem, Query};
use crate::principal::KeyHash;

/// The name of the field that a form's token stands in.
pub(super) const TOKEN: &str = "csrf";

/// The longest form, in bytes. The longest reason, with each byte percent-encoded, fits in.
pub(super) const FORM_BYTES: usize = 64 << 10;

/// What a script sends along that only looks whether something is new.
const LOOKS: HeaderName = HeaderName::from_static("swampbox-looks");

/// Whether a script of the console asks, and no person.
pub(super) fn only_looks(headers: &HeaderMap) -> bool {
    headers.contains_key(LOOKS)
}

/// Whether a person will have the answer before them: no script, picture or preview asks.
pub(super) fn is_opened(headers: &HeaderMap) -> bool {
    let says =
        |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    let document = says("sec-fetch-dest").is_none_or(|dest| dest == "document");
    document && !only_looks(headers) && says("sec-purpose").is_none() && says("purpose").is_none()
}

/// Refuses what another site has sent.
///
/// A browser says so in `Sec-Fetch-Site`, and an older one in `Origin`. Since the console lets no page
/// tell where it was, a browser says that a form's origin is `null`; that is good only beside the other.
pub(super) fn same_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let says = |name| headers.get(name).map(|value: &axum::http::HeaderValue| value.as_bytes());
    let site = says("sec-fetch-site");
    let origin = says(ORIGIN.as_str());
    let host = says(HOST.as_str()).unwrap_or_default();
    let is_here = |origin: &[u8]| {
        let rest = origin.strip_prefix(b"https://").or_else(|| origin.strip_prefix(b"http://"));
        rest.is_some_and(|rest| rest == host)
    };
    let good = match (site, origin) {
        (Some(site), _) if site != b"same-origin" => false,
        (Some(_), None | Some(b"null")) | (None, None) => true,
        (_, Some(origin)) => is_here(origin),
    };
    if good {
        return Ok(());
    }
    Err(Problem::new(Code::Forbidden, "the form was sent by another site than this console"))
}

/// Refuses what is no form, such as a script of another site may send without being asked.
pub(super) fn is_form(headers: &HeaderMap) -> Result<(), Problem> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = content_type.and_then(|value| value.split(';').next()).map(str::trim);
    if media_type
        .is_some_and(|media| media.eq_ignore_ascii_case("application/x-www-form-urlencoded"))
    {
        return Ok(());
    }
    let message = "what is sent has to be a form: `application/x-www-form-urlencoded`";
    Err(Problem::new(Code::InvalidArguments, message))
}

/// Refuses a form that does not carry the token of the session. The hashes are compared, so the time
/// that it takes tells nothing about the token.
pub(super) fn has_token(form: &mut Query<'_>, token: &str) -> Result<(), Problem> {
    match form.text(TOKEN) {
        Some(sent) if KeyHash::of(sent) == KeyHash::of(token) => Ok(()),
        _ => {
            let message = "the form does not carry the token of this session; open its page again";
            Err(Problem::new(Code::Forbidden, message))
        }
    }
}

/// What a field holds.
pub(super) fn field(form: &mut Query<'_>, name: &'static str) -> Result<String, Problem> {
    form.text(name).map(str::to_owned).ok_or_else(|| {
        Problem::new(Code::InvalidArguments, format!("the form has no field `{name}`"))
    })
}

/// A query without the fields that nobody filled in.
pub(super) fn filled_in(query: &str) -> String {
    let pairs = parse(query.as_bytes()).filter(|(_, value)| !value.is_empty());
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// A query in which `name` is `value`, and the rest as it was.
pub(super) fn with(query: &str, name: &str, value: &str) -> String {
    let pairs = parse(query.as_bytes()).filter(|(found, _)| found != name);
    let mut next = Serializer::new(String::new());
    next.extend_pairs(pairs).append_pair(name, value);
    next.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = lines.iter().map(|(name, value)| {
            (HeaderName::from_static(name), axum::http::HeaderValue::from_static(value))
        });
        pairs.collect()
    }

    #[test]
    fn a_form_is_taken_from_the_console_itself_and_from_no_other_site() {
        let says = |lines: &[(&'static str, &'static str)]| {
            let host = [("host", "here:8080")];
            same_origin(&headers(&[&host, lines].concat())).is_ok()
        };
        assert!(says(&[]));
        assert!(says(&[("sec-fetch-site", "same-origin")]));
        assert!(says(&[("sec-fetch-site", "same-origin"), ("origin", "null")]));
        assert!(says(&[("sec-fetch-site", "same-origin"), ("origin", "https://here:8080")]));
        assert!(says(&[("origin", "http://here:8080")]));
        for refused in ["cross-site", "same-site", "none", "Same-Origin"] {
            assert!(!says(&[("sec-fetch-site", refused)]), "{refused}");
        }
        for refused in ["null", "http://here", "http://here:8080.evil", "https://evil", "here:8080"]
        {
            assert!(!says(&[("origin", refused)]), "{refused}");
        }
        assert!(!says(&[("sec-fetch-site", "same-origin"), ("origin", "http://evil")]));
    }

    #[test]
    fn what_is_fetched_ahead_or_by_a_script_is_not_opened() {
        assert!(is_opened(&headers(&[])));
        assert!(is_opened(&headers(&[("sec-fetch-dest", "document")])));
        for line in [
            ("sec-fetch-dest", "empty"),
            ("sec-fetch-dest", "iframe"),
            ("sec-purpose", "prefetch"),
            ("purpose", "prefetch"),
            ("swampbox-looks", "1"),
        ] {
            assert!(!is_opened(&headers(&[line])), "{line:?}");
        }
    }

    #[test]
    fn empty_fields_are_left_out_and_one_is_replaced() {
        assert_eq!(filled_in("state=&target=a%26b&type="), "target=a%26b");
        assert_eq!(with("target=a%26b&after=x", "after", "y/z"), "target=a%26b&after=y%2Fz");
    }
}
