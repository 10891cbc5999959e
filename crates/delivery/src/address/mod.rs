//! Which addresses outbound calls may go to.
//!
//! Merchants name the addresses that are called, so an address is input, and a service that calls
//! any address can be used to reach what only its own machine can reach: the loopback interface,
//! the private network around it, the metadata of a cloud. Therefore calls go out over https and to
//! public addresses only. An operator may allow a merchant another network at a port; there, and
//! only there, plain http is allowed too.
//!
//! A name says nothing about where it leads, and may lead elsewhere a second later. So the check is
//! made on what the name resolves to, every time a connection is opened, and the connection goes to
//! exactly the addresses that were checked. One forbidden address among several refuses them all:
//! an honest name has none.
//!
//! A connection that is opened without [`AddressGuard::resolve`] bypasses the guard.

mod exception;
mod host;
mod network;
mod ranges;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};

use domain::identifier::MerchantId;
use http::Uri;

pub use exception::NetworkException;
pub(crate) use host::Host;
pub use network::Network;

/// The longest address of an endpoint.
const URL_BYTES_MAX: usize = 2048;

const HTTPS_PORT: u16 = 443;
const HTTP_PORT: u16 = 80;

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
    exceptions: Vec<NetworkException>,
}

impl AddressGuard {
    /// A guard that lets calls through to public addresses, and where an exception covers them. The
    /// default has no exceptions.
    pub fn new(exceptions: Vec<NetworkException>) -> Self {
        Self { exceptions }
    }

    /// A guard that lets every call through: for addresses that only an operator can set.
    pub(crate) fn open() -> Self {
        Self { exceptions: NetworkException::everywhere().into() }
    }

    pub(crate) fn has_exceptions(&self) -> bool {
        !self.exceptions.is_empty()
    }

    /// The guard for calls on behalf of `merchant`.
    #[must_use]
    pub fn for_merchant(&self, merchant: &MerchantId) -> Self {
        let own = self.exceptions.iter().filter(|exception| exception.is_for(merchant));
        Self { exceptions: own.cloned().collect() }
    }

    /// Everything about an address that can be judged without resolving its name: when it is
    /// entered, and again before it is used.
    pub fn check_url(&self, url: &str) -> Result<Uri, Refused> {
        let uri = read(url)?;
        let host = Host::parse(uri.host().unwrap_or_default())?;
        let secure = is_secure(&uri)?;
        match host {
            Host::Address(address) => self.check(address, effective_port(&uri, secure), secure)?,
            Host::Name(host) if !secure && !self.has_exceptions() => {
                return Err(Refused::NotSecure { host });
            }
            Host::Name(_) => (),
        }
        Ok(uri)
    }

    /// Whether a call over https may go to `address`, at the usual port.
    pub fn permits(&self, address: IpAddr) -> bool {
        self.check(address, HTTPS_PORT, true).is_ok()
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
        found.iter().try_for_each(|address| self.check(address.ip(), address.port(), secure))
    }

    fn check(&self, address: IpAddr, port: u16, secure: bool) -> Result<(), Refused> {
        if self.exceptions.iter().any(|exception| exception.covers(address, port)) {
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

/// The port of `uri`, or the usual one.
pub(crate) fn effective_port(uri: &Uri, secure: bool) -> u16 {
    uri.port_u16().unwrap_or(if secure { HTTPS_PORT } else { HTTP_PORT })
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
