//! Which addresses outbound calls may go to.
//!
//! Merchants name the addresses that are called, so an address is input, and a service that calls
//! any address can be used to reach what only its own machine can reach: the loopback interface,
//! the private network around it, the metadata of a cloud. Therefore calls go out over https and to
//! public addresses only. An operator may allow other networks; inside those, and only there, plain
//! http is allowed too.
//!
//! A name says nothing about where it leads, and may lead elsewhere a second later. So the check is
//! made on what the name resolves to, every time a connection is opened, and the connection goes to
//! exactly the addresses that were checked. One forbidden address among several refuses them all:
//! an honest name has none.
//!
//! A connection that is opened without [`AddressGuard::resolve`] bypasses the guard.

mod host;
mod ranges;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
};

use http::Uri;

pub(crate) use host::Host;

/// The longest address of an endpoint.
const URL_BYTES_MAX: usize = 2048;

/// The addresses that share their first `prefix` bits with `address`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
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

/// Why a target is not called at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the address cannot be used: {0}")]
    Malformed(&'static str),
    #[error("address {address} is not public ({what})")]
    NotPublic { address: IpAddr, what: &'static str },
    #[error("plain http to {host} is not allowed: use https")]
    NotSecure { host: String },
    #[error("{host} has no address")]
    NoAddress { host: String },
    #[error("the credential cannot be used: {0}")]
    Credential(&'static str),
}

/// Decides where calls may go.
#[derive(Clone, Debug, Default)]
pub struct AddressGuard {
    allowed: Vec<Network>,
}

impl AddressGuard {
    /// A guard that lets calls through to public addresses, and to the `allowed` networks.
    pub fn new(allowed: Vec<Network>) -> Self {
        Self { allowed }
    }

    /// Everything about an address that can be judged without resolving its name: when it is
    /// entered, and again before it is used.
    pub fn check_url(&self, url: &str) -> Result<Uri, Refused> {
        let uri = read(url)?;
        let host = Host::parse(uri.host().unwrap_or_default())?;
        let secure = is_secure(&uri)?;
        let nothing_allowed = self.allowed.is_empty();
        match host {
            Host::Address(address) => self.check(address, secure)?,
            Host::Name(host) if !secure && nothing_allowed => {
                return Err(Refused::NotSecure { host });
            }
            Host::Name(_) => (),
        }
        Ok(uri)
    }

    /// Whether a call over https may go to `address`.
    pub fn permits(&self, address: IpAddr) -> bool {
        self.check(address, true).is_ok()
    }

    /// The addresses that a connection to `host` may be made to, all of them checked.
    pub async fn resolve(
        &self,
        host: &str,
        port: u16,
        secure: bool,
    ) -> Result<Vec<SocketAddr>, Refused> {
        let addresses = match Host::parse(host)? {
            Host::Address(address) => vec![SocketAddr::new(address, port)],
            Host::Name(name) => match tokio::net::lookup_host((name.as_str(), port)).await {
                Ok(found) => found.collect(),
                Err(_) => Vec::new(),
            },
        };
        self.check_all(host, &addresses, secure)?;
        Ok(addresses)
    }

    fn check_all(&self, host: &str, found: &[SocketAddr], secure: bool) -> Result<(), Refused> {
        if found.is_empty() {
            return Err(Refused::NoAddress { host: host.to_owned() });
        }
        found.iter().try_for_each(|address| self.check(address.ip(), secure))
    }

    fn check(&self, address: IpAddr, secure: bool) -> Result<(), Refused> {
        if self.allowed.iter().any(|network| network.contains(address)) {
            return Ok(());
        }
        match ranges::special(address) {
            Some(what) => Err(Refused::NotPublic { address, what }),
            None if secure => Ok(()),
            None => Err(Refused::NotSecure { host: address.to_string() }),
        }
    }
}

/// Whether `uri` asks for https rather than http.
pub(crate) fn is_secure(uri: &Uri) -> Result<bool, Refused> {
    match uri.scheme_str() {
        Some("https") => Ok(true),
        Some("http") => Ok(false),
        Some(_) | None => Err(Refused::Malformed("it must start with https://")),
    }
}

/// Reads an absolute address. What the parser would silently repair or drop is refused.
fn read(url: &str) -> Result<Uri, Refused> {
    let refuse = |why| Err(Refused::Malformed(why));
    if url.len() > URL_BYTES_MAX {
        return refuse("it is longer than 2048 characters");
    }
    if !url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
        return refuse("it has characters that addresses do not have");
    }
    if url.contains('#') {
        return refuse("it has a fragment (#)");
    }
    let Ok(uri) = url.parse::<Uri>() else {
        return refuse("it does not read as one");
    };
    is_secure(&uri)?;
    let Some(authority) = uri.authority() else {
        return refuse("it names no host");
    };
    let authority = authority.as_str();
    if authority.contains('@') {
        return refuse("it has a user name or password before the host");
    }
    let host = uri.host().unwrap_or_default();
    let port = authority.strip_prefix(host);
    if port != Some("") && port.and_then(|port| port.strip_prefix(':')).is_none_or(is_no_port) {
        return refuse("its port is not one");
    }
    Ok(uri)
}

fn is_no_port(digits: &str) -> bool {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    !plain || digits.parse::<u16>().is_err()
}
