//! What was probably meant by text that is no origin.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::Origin;

impl Origin {
    /// The origin to which `text` probably means to go: a URL, perhaps without its scheme, with its host
    /// and its port in another form than the one of an origin. None for what may hold a password.
    ///
    /// ```
    /// use swampbox_actuators::Origin;
    ///
    /// let nearest = Origin::nearest_to("http://127.1:80/path").map(|origin| origin.to_string());
    /// assert_eq!(nearest.as_deref(), Some("http://127.0.0.1"));
    /// ```
    pub fn nearest_to(text: &str) -> Option<Origin> {
        let text = text.trim().to_ascii_lowercase();
        if text.contains('@') {
            return None;
        }
        let (scheme, rest) = text.split_once("://").unwrap_or(("https", &text));
        let default_port = if scheme == "http" { 80 } else { 443 };
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port),
            _ => (authority, ""),
        };
        let port = match port {
            "" => default_port,
            port => port.parse::<u16>().ok()?,
        };
        let port = if port == default_port { String::new() } else { format!(":{port}") };
        format!("{scheme}://{}{port}", host_of(host)).parse().ok()
    }
}

/// The host in the form that it has in an origin, if it is an address.
fn host_of(host: &str) -> String {
    let host = host.strip_suffix('.').unwrap_or(host);
    let address = host.strip_prefix('[').and_then(|address| address.strip_suffix(']'));
    if let Some(Ok(address)) = address.map(str::parse::<Ipv6Addr>) {
        return format!("[{address}]");
    }
    short_address(host).map_or_else(|| host.into(), |address| address.to_string())
}

/// The address that a resolver takes this for: up to four numbers, the last of which fills all that the
/// others leave.
fn short_address(host: &str) -> Option<Ipv4Addr> {
    let numbers = host.split('.').map(number).collect::<Option<Vec<u32>>>()?;
    let (last, first) = numbers.split_last()?;
    let free = 4_usize.checked_sub(first.len())?;
    let mut bits = *last;
    if free < 4 && u64::from(*last) >= 1 << (8 * free) {
        return None;
    }
    for (place, number) in (0..).zip(first) {
        bits |= u32::from(u8::try_from(*number).ok()?) << (24 - 8 * place);
    }
    (free > 0).then_some(Ipv4Addr::from(bits))
}

fn number(text: &str) -> Option<u32> {
    match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(digits), _) => u32::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) if !digits.is_empty() => u32::from_str_radix(digits, 8).ok(),
        _ => text.parse().ok(),
    }
}
