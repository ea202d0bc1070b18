//! Reads the headers out of the payload.

use std::sync::Arc;

use swampbox_material::{MaterialError, Path, Value};
use ureq::http::{HeaderMap, HeaderName, HeaderValue};

use crate::payload::{refuse, wrong_kind};

const MAX_HEADERS: usize = 64;
const MAX_HEADER_BYTES: usize = 8_192;

/// Headers that frame the message or belong to the connection, or that this actuator sets. So do
/// all that begin with `proxy-`.
const REFUSED: [&str; 10] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "idempotency-key",
    "te",
    "upgrade",
    "trailer",
    "expect",
];

/// The headers of the payload that stands at `payload`; none if it has no such field.
pub(crate) fn read(field: Option<&Value>, payload: &Path) -> Result<HeaderMap, MaterialError> {
    let path = payload.key("headers");
    let mut headers = HeaderMap::new();
    let Some(value) = field else {
        return Ok(headers);
    };
    let Some(given) = value.as_map() else {
        return wrong_kind(value, "a mapping", path);
    };
    if given.len() > MAX_HEADERS {
        return refuse("there are more than 64 headers", path);
    }
    for (name, value) in given.iter() {
        let path = path.key(name.clone());
        let (name, value) = header(name, value, &path)?;
        if headers.contains_key(&name) {
            return refuse("the header is there already, in another case", path);
        }
        headers.insert(name, value);
    }
    Ok(headers)
}

fn header(
    name: &Arc<str>,
    value: &Value,
    path: &Path,
) -> Result<(HeaderName, HeaderValue), MaterialError> {
    let Value::String(value) = value else {
        return wrong_kind(value, "a string", path.clone());
    };
    if name.len() + value.len() > MAX_HEADER_BYTES {
        return refuse("the header has more than 8192 bytes", path.clone());
    }
    let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
        return refuse("the name of the header is no token", path.clone());
    };
    if REFUSED.contains(&name.as_str()) || name.as_str().starts_with("proxy-") {
        return refuse("the header is not for the payload to set", path.clone());
    }
    // Other values can't be trusted to arrive as they were read: a recipient trims spaces, and
    // chooses an encoding of its own.
    let printable = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    match HeaderValue::from_str(value) {
        Ok(kept) if printable && value.trim() == &**value => Ok((name, kept)),
        _ => refuse(
            "the value of the header is not printable ASCII without outer spaces",
            path.clone(),
        ),
    }
}
