use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use swampbox_material::Code;
use ureq::http::Uri;

/// Where an authority is asked: `https://host/path`, or `http` with an address of the loopback
/// interface in digits, such as `http://127.0.0.1:8080/decide`. A name is none, since what it leads
/// to is not known here.
///
/// Of visible ASCII, at most 2,048 bytes, without a user, a query or a fragment, so that it holds no
/// secret and may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorityUrl {
    // INVARIANT (url): satisfies `check`.
    text: Arc<str>,
}

/// Text that is no [`AuthorityUrl`] (`invalid_document`). It is not repeated, since it could hold a
/// password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an authority's url is `https://host/path`, or the same with `http` and an address of the \
     loopback interface; {problem}"
)]
pub struct InvalidUrl {
    problem: &'static str,
}

const MAX_URL_BYTES: usize = 2_048;

impl AuthorityUrl {
    /// The URL as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for AuthorityUrl {
    type Err = InvalidUrl;

    fn from_str(text: &str) -> Result<Self, InvalidUrl> {
        match check(text) {
            Ok(()) => Ok(Self { text: text.into() }),
            Err(problem) => Err(InvalidUrl { problem }),
        }
    }
}

impl fmt::Display for AuthorityUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl InvalidUrl {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::InvalidDocument
    }
}

fn check(text: &str) -> Result<(), &'static str> {
    if text.len() > MAX_URL_BYTES {
        return Err("the text has more than 2048 bytes");
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("the text has more than visible ASCII");
    }
    let (secure, rest) = match text.split_once("://") {
        Some(("https", rest)) => (true, rest),
        Some(("http", rest)) => (false, rest),
        _ => return Err("the text begins with neither `https://` nor `http://`"),
    };
    if rest.contains(['?', '#', '\\']) {
        return Err("the text has more than a host, a port and a path");
    }
    let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
    if authority.contains('@') {
        return Err("the text names a user");
    }
    let uri = Uri::try_from(text).map_err(|_| "the text is no url")?;
    let host = uri.host().filter(|host| !host.is_empty()).ok_or("the text names no host")?;
    if authority.len() > host.len() && uri.port_u16().is_none_or(|port| port == 0) {
        return Err("its port is no number from 1 to 65535");
    }
    if secure || is_loopback(host) {
        Ok(())
    } else {
        Err("without TLS its host has to be an address of the loopback interface, in digits")
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
