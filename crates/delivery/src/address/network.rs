//! Networks in CIDR notation.

use std::{fmt, net::IpAddr};

/// The addresses that share their first `prefix` bits with `address`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    pub(super) address: IpAddr,
    pub(super) prefix: u8,
}

impl Network {
    /// Accepts `10.0.0.0/8`, `fd00::/8`, or a single address; or says in words what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr =
            address.parse().map_err(|_| format!("{text} does not start with an IP address"))?;
        if address.to_canonical() != address {
            return Err(format!("{text} must be written as an IPv4 network"));
        }
        let width = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => width,
            Some(digits) => digits
                .parse()
                .ok()
                .filter(|prefix| *prefix <= width)
                .ok_or_else(|| format!("{text} needs a prefix from 0 to {width}"))?,
        };
        let network = Self { address, prefix };
        if network.host_bits() != 0 {
            return Err(format!("{text} has bits set behind its prefix"));
        }
        Ok(network)
    }

    /// Whether `address` is one of the network's. An IPv4 address inside an IPv6 one counts as
    /// the IPv4 address that it is.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let different = network.to_bits() ^ address.to_bits();
                let outside = u32::from(32 - self.prefix);
                different.checked_shr(outside).unwrap_or(0) == 0
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let different = network.to_bits() ^ address.to_bits();
                let outside = u32::from(128 - self.prefix);
                different.checked_shr(outside).unwrap_or(0) == 0
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }

    /// The bits of the address that the prefix does not cover.
    fn host_bits(&self) -> u128 {
        let bits = match self.address {
            IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
            IpAddr::V6(address) => address.to_bits(),
        };
        bits.checked_shl(u32::from(self.prefix)).unwrap_or(0)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.address, self.prefix)
    }
}
