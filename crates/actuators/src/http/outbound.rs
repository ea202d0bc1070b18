//! Reads the request out of the material.

use std::collections::BTreeMap;

use swampbox_custody::AttemptId;
use swampbox_material::{Material, MaterialError, Path, Value};
use ureq::http::header::CONTENT_TYPE;
use ureq::http::{HeaderValue, Method, Request, Uri};

use super::{Connection, HttpActuator, InvalidOrigin, Origin, headers};
use crate::payload::{Payload, refuse, wrong_kind};

/// A request that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Outbound {
    pub(crate) origin: Origin,
    pub(crate) head: Request<()>,
    pub(crate) body: Option<Vec<u8>>,
}

const FIELDS: [&str; 5] = ["method", "url", "headers", "body", "json"];

const METHODS: [Method; 6] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

const MAX_URL_BYTES: usize = 8_192;

impl Outbound {
    /// The request that `material` describes, with the attempt's id as its idempotency key.
    ///
    /// # Errors
    ///
    /// As those of [`Self::read`].
    pub(crate) fn for_attempt(
        material: &Material,
        attempt: &AttemptId,
        connections: &BTreeMap<Origin, Connection>,
    ) -> Result<Self, MaterialError> {
        let mut outbound = Self::read(material, connections)?;
        let key = HeaderValue::try_from(idempotency_key(attempt))
            .or_else(|_| refuse("the attempt's id is no header", Path::root()))?;
        outbound.head.headers_mut().insert("idempotency-key", key);
        Ok(outbound)
    }

    /// The request that `material` describes.
    ///
    /// # Errors
    ///
    /// `invalid_document`, with the path in the material, for anything that can't be sent exactly
    /// as it is written.
    pub(crate) fn read(
        material: &Material,
        connections: &BTreeMap<Origin, Connection>,
    ) -> Result<Self, MaterialError> {
        let [type_path, target_path, _] = Material::FIELDS.map(|name| Path::root().key(name));
        let known = HttpActuator::CONSEQUENCE_TYPE;
        if **material.consequence_type() != *known {
            return refuse(format!("only `{known}` can be carried out"), type_path);
        }
        let origin: Origin = material
            .target()
            .parse()
            .or_else(|error: InvalidOrigin| refuse(error.to_string(), target_path))?;
        let payload = Payload::of(material, &FIELDS)?;
        let method = method(&payload)?;
        let url = url(&payload, &origin)?;
        let mut headers = headers::read(payload.field("headers"), payload.path())?;
        let body = body(&payload, &method)?;
        if body.is_some() && payload.field("json").is_some() && !headers.contains_key(CONTENT_TYPE)
        {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(connection) = connections.get(&origin) {
            let (name, value) = connection.credential();
            if headers.insert(name.clone(), value.clone()).is_some() {
                let path = payload.path().key("headers").key(name.as_str());
                return refuse("the header is set by the connection to the target", path);
            }
        }
        let mut head = Request::new(());
        *head.method_mut() = method;
        *head.uri_mut() = url;
        *head.headers_mut() = headers;
        Ok(Self { origin, head, body })
    }

    /// The names of the headers that are sent beside those of the material.
    ///
    /// # Errors
    ///
    /// If the material is none that this was read from.
    pub(crate) fn added(&self, material: &Material) -> Result<Vec<String>, MaterialError> {
        let payload = Payload::of(material, &FIELDS)?;
        let given = headers::read(payload.field("headers"), payload.path())?;
        let own = self.head.headers().keys().filter(|name| !given.contains_key(*name));
        let own = own.map(|name| name.as_str().to_owned());
        let length = self.body.is_some().then(|| "content-length".to_owned());
        let mut added: Vec<String> = own.chain(length).collect();
        added.extend(["host", "idempotency-key"].map(str::to_owned));
        added.sort();
        Ok(added)
    }
}

fn method(payload: &Payload<'_>) -> Result<Method, MaterialError> {
    let text = payload.string("method")?;
    let known = METHODS.into_iter().find(|method| method.as_str() == text);
    known.map_or_else(
        || {
            let message = "the method is none of GET, HEAD, POST, PUT, PATCH and DELETE";
            refuse(message, payload.path_of("method"))
        },
        Ok,
    )
}

fn url(payload: &Payload<'_>, origin: &Origin) -> Result<Uri, MaterialError> {
    let text = payload.string("url")?;
    let refuse = |message: &str| refuse(message, payload.path_of("url"));
    if text.len() > MAX_URL_BYTES {
        return refuse("the URL has more than 8192 bytes");
    }
    let rest = text.strip_prefix(origin.as_str());
    let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with(['/', '?'])) else {
        return refuse(
            "the URL is not the target, letter for letter, followed by nothing, a path or a query",
        );
    };
    if rest.contains('#') {
        return refuse("the URL has a fragment, which can't be sent");
    }
    if !is_path_and_query(rest) {
        return refuse("the URL holds a character that has to be percent-encoded");
    }
    Uri::try_from(text).or_else(|_| refuse("the URL can't be sent"))
}

fn body(payload: &Payload<'_>, method: &Method) -> Result<Option<Vec<u8>>, MaterialError> {
    let (name, bytes) = match (payload.field("body"), payload.field("json")) {
        (None, None) => {
            // These announce an empty body; the others announce none.
            let announces = [Method::POST, Method::PUT, Method::PATCH].contains(method);
            return Ok(announces.then(Vec::new));
        }
        (Some(Value::String(text)), None) => ("body", text.as_bytes().to_vec()),
        (Some(other), None) => {
            return wrong_kind(other, "a string", payload.path_of("body"));
        }
        (None, Some(value)) => ("json", value.to_json().into_bytes()),
        (Some(_), Some(_)) => {
            let message = "there is a `body` already; a request has one of the two";
            return refuse(message, payload.path_of("json"));
        }
    };
    if [Method::GET, Method::HEAD].contains(method) {
        let message = format!("a {method} request takes no body");
        return refuse(message, payload.path_of(name));
    }
    Ok(Some(bytes))
}

/// Whether every character may stand in a path or a query, and each `%` begins an escape.
fn is_path_and_query(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=".contains(&byte);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let good = match byte {
            b'%' => {
                let mut digit = || bytes.next().is_some_and(|byte| byte.is_ascii_hexdigit());
                digit() && digit()
            }
            byte => plain(byte),
        };
        if !good {
            return false;
        }
    }
    true
}

/// The attempt's id in visible ASCII, from which it can be read back.
fn idempotency_key(attempt: &AttemptId) -> String {
    let mut key = String::new();
    for byte in attempt.as_str().bytes() {
        match byte {
            b'%' => key.push_str("%25"),
            b'!'..=b'~' => key.push(char::from(byte)),
            other => key.push_str(&format!("%{other:02X}")),
        }
    }
    key
}
