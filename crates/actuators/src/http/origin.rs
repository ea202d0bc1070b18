use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Arc;

/// Where a request goes: scheme, host and port, in the only form in which it may be written.
///
/// `http://` or `https://`, a host in lower case, and a port if it is not the scheme's own.
/// Nothing else, not even a slash at the end. An address is written in its one canonical form, and
/// a name may not look like an address. So two different texts are never the same origin, and an
/// approver reads where the request really goes.
///
/// ```
/// use swampbox_actuators::Origin;
///
/// assert!("https://example.com:8443".parse::<Origin>().is_ok());
/// assert!("http://[::1]".parse::<Origin>().is_ok());
/// assert!("https://Example.com:443/".parse::<Origin>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    // INVARIANT (one form): satisfies `check`.
    text: Arc<str>,
}

/// Text that is no [`Origin`]. It is not repeated, since it could hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an origin is `https://host` or `https://host:port`, or the same with `http`; {problem}")]
pub struct InvalidOrigin {
    problem: &'static str,
}

const MAX_HOST_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

impl Origin {
    /// The origin as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether what is sent there is readable on the way by nobody else: over TLS, or within this
    /// machine.
    pub(crate) fn is_confidential(&self) -> bool {
        let Some(authority) = self.text.strip_prefix("http://") else {
            return true;
        };
        let host = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => host,
            _ => authority,
        };
        let address = host.trim_start_matches('[').trim_end_matches(']');
        address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl FromStr for Origin {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        match check(text) {
            Ok(()) => Ok(Self { text: text.into() }),
            Err(problem) => Err(InvalidOrigin { problem }),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

fn check(text: &str) -> Result<(), &'static str> {
    let (default_port, authority) = match text.split_once("://") {
        Some(("http", authority)) => ("80", authority),
        Some(("https", authority)) => ("443", authority),
        _ => return Err("the text begins with neither `http://` nor `https://`"),
    };
    if authority.contains(['/', '?', '#', '@', '\\']) {
        return Err("the text has more than a host and a port");
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    check_host(host)?;
    match port {
        None => Ok(()),
        Some(port) if port == default_port => Err("its port is the scheme's own, and is left out"),
        Some(port) => check_port(port),
    }
}

fn check_host(host: &str) -> Result<(), &'static str> {
    if let Some(address) = host.strip_prefix('[') {
        let address = address.strip_suffix(']').unwrap_or_default();
        return match address.parse::<Ipv6Addr>() {
            Ok(parsed) if parsed.to_string() == address => Ok(()),
            _ => Err("its host is no IPv6 address in canonical form"),
        };
    }
    // A resolver takes `127.1`, `0x7f000001` and `2130706433` for addresses.
    let last = host.rsplit_once('.').map_or(host, |(_, last)| last);
    if last.starts_with(|c: char| c.is_ascii_digit()) {
        return match host.parse::<Ipv4Addr>() {
            Ok(_) => Ok(()),
            Err(_) => Err("its host ends like an IPv4 address and is none in canonical form"),
        };
    }
    if host.len() <= MAX_HOST_BYTES && host.split('.').all(is_label) {
        Ok(())
    } else {
        Err("its host is no name of lower-case ASCII letters, digits, `-`, `_` and single dots")
    }
}

fn is_label(label: &str) -> bool {
    let known = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_');
    (1..=MAX_LABEL_BYTES).contains(&label.len())
        && label.chars().all(known)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

fn check_port(port: &str) -> Result<(), &'static str> {
    match port.parse::<u16>() {
        Ok(number @ 1..) if number.to_string() == port => Ok(()),
        _ => Err("its port is no number from 1 to 65535 without leading zeros"),
    }
}
