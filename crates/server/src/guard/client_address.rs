//! Who sends a request, when there are proxies in front.
//!
//! Every proxy appends the address it was called from to `X-Forwarded-For`. Whatever was in the
//! header before can be invented by anyone. So the operator names the networks of the proxies, and
//! the header is read from the right: as long as an address is a trusted proxy's, the entry that
//! this proxy wrote is believed. The first address that is not a proxy's is the client. An entry
//! that cannot be read is not skipped, because the entry left of it may be invented. In doubt the
//! client is the peer, which cannot be forged.
//!
//! A request from any other peer loses its forwarding headers before a route sees it, so no route
//! can believe them by mistake.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderValue};
use delivery::address::Network;

use super::RequestOrigin;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The headers with which a proxy describes the request that it received.
const FORWARDING: [&str; 7] = [
    FORWARDED_FOR,
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-port",
    "x-real-ip",
    "forwarded",
    "via",
];

/// The networks of the proxies in front of a listener.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    pub fn new(networks: Vec<Network>) -> Self {
        Self(networks)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// Who sent the request that arrived from `peer`. Forwarding headers that are not a trusted
    /// proxy's are removed.
    pub(super) fn origin(&self, peer: IpAddr, headers: &mut HeaderMap) -> RequestOrigin {
        let forwarded = FORWARDING.iter().any(|name| headers.contains_key(*name));
        if !self.contains(peer) {
            for name in FORWARDING.iter().filter(|_| forwarded) {
                headers.remove(*name);
            }
        }
        let address = self.client_address(peer, headers).unwrap_or(peer);
        RequestOrigin { address, is_local: peer.is_loopback() && !forwarded }
    }

    /// The client behind the proxies; none if an entry on the way to it cannot be read. A value
    /// with bytes that are not ASCII hides how many entries it has, so it counts as such an entry.
    fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let values: Result<Vec<&str>, _> =
            headers.get_all(FORWARDED_FOR).iter().map(HeaderValue::to_str).collect();
        let values = values.ok()?;
        let mut entries = values.iter().rev().flat_map(|value| value.rsplit(','));
        let mut address = peer;
        while self.contains(address) {
            let Some(entry) = entries.next() else { break };
            address = parse(entry)?;
        }
        Some(address)
    }
}

/// Reads `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:80`.
fn parse(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    let with_port = || entry.parse().ok().map(|with_port: SocketAddr| with_port.ip());
    bare.parse().ok().or_else(with_port).map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn proxies(networks: &[&str]) -> TrustedProxies {
        let parse = |text: &&str| Network::parse(text).unwrap();
        TrustedProxies::new(networks.iter().map(parse).collect())
    }

    fn forwarded_for(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(FORWARDED_FOR, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    /// The client of a request that the proxy 10.0.0.9 sent.
    fn seen(values: &[&str], networks: &[&str]) -> String {
        let origin = proxies(networks).origin(ip("10.0.0.9"), &mut forwarded_for(values));
        origin.address.to_string()
    }

    #[test]
    fn a_header_from_a_peer_that_is_not_a_proxy_is_ignored() {
        assert_eq!(seen(&["192.0.2.1"], &[]), "10.0.0.9");
        assert_eq!(seen(&["192.0.2.1"], &["10.0.0.1", "fd00::/8"]), "10.0.0.9");
    }

    #[test]
    fn the_client_is_the_last_address_that_is_not_a_proxys() {
        let values = ["192.0.2.1, 192.0.2.2", "10.0.1.3"];

        assert_eq!(seen(&values, &["10.0.0.9"]), "10.0.1.3");
        assert_eq!(seen(&values, &["10.0.0.0/8"]), "192.0.2.2");
        assert_eq!(seen(&values, &["10.0.0.0/8", "192.0.2.2"]), "192.0.2.1");
    }

    #[test]
    fn a_proxy_that_names_no_client_is_the_client_itself() {
        assert_eq!(seen(&[], &["10.0.0.0/8"]), "10.0.0.9");
        assert_eq!(seen(&["10.0.0.7"], &["10.0.0.0/8"]), "10.0.0.7");
    }

    #[test]
    fn ports_brackets_and_spaces_are_read() {
        for (entry, address) in [
            ("  192.0.2.1 ", "192.0.2.1"),
            ("192.0.2.1:4711", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            (" [2001:db8::1]:4711", "2001:db8::1"),
        ] {
            assert_eq!(seen(&[entry], &["10.0.0.9"]), address, "{entry}");
        }
    }

    #[test]
    fn an_unreadable_entry_gives_the_peer_and_is_not_skipped() {
        let unreadable = ["", "unknown", "192.0.2", "192.0.2.1:port", "[192.0.2.1", "fe80::1%eth0"];
        for entry in unreadable {
            let value = format!("6.6.6.6, {entry}");
            assert_eq!(seen(&[value.as_str()], &["10.0.0.0/8"]), "10.0.0.9", "{entry}");
        }
        assert_eq!(seen(&["6.6.6.6", "é, 192.0.2.1, 10.0.0.2"], &["10.0.0.0/8"]), "10.0.0.9");
    }

    #[test]
    fn a_forged_entry_stays_to_the_left_of_what_the_proxy_wrote() {
        for values in [
            &["6.6.6.6, 192.0.2.1"][..],
            &["6.6.6.6", "6.6.6.7, 192.0.2.1"],
            &["6.6.6.6,,,", "192.0.2.1"],
            &["10.0.0.5, 6.6.6.6, 192.0.2.1, 10.0.0.2"],
        ] {
            assert_eq!(seen(values, &["10.0.0.0/8"]), "192.0.2.1", "{values:?}");
        }
    }

    #[test]
    fn no_route_sees_forwarding_headers_that_a_client_wrote() {
        for name in FORWARDING {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static("https"));
            let untrusted = headers.clone();
            proxies(&["10.0.0.9"]).origin(ip("10.0.0.9"), &mut headers);
            assert_eq!(headers, untrusted, "a proxy's are kept");
            proxies(&["10.0.0.9"]).origin(ip("10.0.0.8"), &mut headers);
            assert!(headers.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_forwarded_request_is_never_local() {
        let local = |peer: &str, name: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            if let Some(name) = name {
                headers.insert(name, HeaderValue::from_static("127.0.0.1"));
            }
            [&[][..], &["127.0.0.1"]]
                .map(|trusted| proxies(trusted).origin(ip(peer), &mut headers.clone()).is_local)
        };
        assert_eq!(local("127.0.0.1", None), [true, true]);
        assert_eq!(local("::1", None), [true, true]);
        assert_eq!(local("192.0.2.1", None), [false, false]);
        for name in FORWARDING {
            assert_eq!(local("127.0.0.1", Some(name)), [false, false], "{name}");
        }
    }
}
