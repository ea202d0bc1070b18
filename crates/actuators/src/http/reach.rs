//! Which addresses a request may go to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// How far requests reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Addresses that anybody may reach, and no others: whoever names the target may not be trusted
    /// with what only this machine can reach.
    Public,
    /// Any address: an operator has named the target, or allowed it.
    Anywhere,
}

/// Looks a host up, and refuses it if one of its addresses is out of reach.
///
/// What it gives is what the connection is made to: nothing looks the name up a second time, so it
/// can't mean another address by then.
#[derive(Debug)]
pub(crate) struct Vetting<R> {
    pub(crate) reach: Reach,
    pub(crate) lookup: R,
}

impl<R: Resolver> Resolver for Vetting<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.lookup.resolve(uri, config, timeout)?;
        match found.iter().map(|address| address.ip()).find(|address| !is_public(*address)) {
            Some(address) if self.reach == Reach::Public => {
                Err(Error::Other(Box::new(OutOfReach { address })))
            }
            _ => Ok(found),
        }
    }
}

/// The host has an address that is out of reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfReach {
    address: IpAddr,
}

impl std::error::Error for OutOfReach {}

impl fmt::Display for OutOfReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address } = self;
        write!(
            f,
            "{address} is no public address, and private ones are not allowed for this target"
        )
    }
}

/// Whether anybody may reach an address: it is none of this machine, of a network of somebody's own, of a
/// link, of a group, or that is kept for documents and tests, by the registries of special addresses. One
/// that stands for an address of version 4 is what that is.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match standing_for(address) {
            Some(address) => is_public_v4(address),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    const SPECIAL: [(Ipv4Addr, u32); 16] = [
        (Ipv4Addr::new(0, 0, 0, 0), 8),
        (Ipv4Addr::new(10, 0, 0, 0), 8),
        (Ipv4Addr::new(100, 64, 0, 0), 10),
        (Ipv4Addr::new(127, 0, 0, 0), 8),
        (Ipv4Addr::new(169, 254, 0, 0), 16),
        (Ipv4Addr::new(172, 16, 0, 0), 12),
        (Ipv4Addr::new(192, 0, 0, 0), 24),
        (Ipv4Addr::new(192, 0, 2, 0), 24),
        (Ipv4Addr::new(192, 31, 196, 0), 24),
        (Ipv4Addr::new(192, 52, 193, 0), 24),
        (Ipv4Addr::new(192, 88, 99, 0), 24),
        (Ipv4Addr::new(192, 168, 0, 0), 16),
        (Ipv4Addr::new(198, 18, 0, 0), 15),
        (Ipv4Addr::new(198, 51, 100, 0), 24),
        (Ipv4Addr::new(203, 0, 113, 0), 24),
        // Groups, and what is kept for later.
        (Ipv4Addr::new(224, 0, 0, 0), 3),
    ];
    let within = |(net, length): &(Ipv4Addr, u32)| {
        (address.to_bits() ^ net.to_bits()).leading_zeros() >= *length
    };
    !SPECIAL.iter().any(within)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let within =
        |net: Ipv6Addr, length: u32| (address.to_bits() ^ net.to_bits()).leading_zeros() >= length;
    // Of all others, none is given to anybody.
    let given_out = within(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
    let special = [
        // Protocols, tunnels among them.
        (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
        (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
        (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    ];
    given_out && !special.into_iter().any(|(net, length)| within(net, length))
}

/// The address of version 4 that one of version 6 stands for.
fn standing_for(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let four = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        // Mapped, and the old form of that.
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some(four(high, low)),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => Some(four(high, low)),
        // Translated at the edge of a network without version 4.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(four(high, low)),
        // Sent through a relay.
        [0x2002, high, low, ..] => Some(four(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_not_everybody_s_is_told_whatever_its_form() {
        let private = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ];
        for address in private {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn an_address_next_to_those_is_everybody_s() {
        let public = [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2001:200::1",
            "2002:101:101::",
            "2606:4700::1111",
            "3ffe:ffff::1",
        ];
        for address in public {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
