//! The addresses that are not public, after the registries of special-purpose addresses.
//!
//! IPv4 is public unless listed. IPv6 is public only inside the one range given out for it, less
//! what is listed there. An IPv6 address that a gateway turns into an IPv4 address is as public as
//! that one is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::network::Network;

const fn v4(first: [u8; 4], prefix: u8) -> Network {
    let [a, b, c, d] = first;
    Network { address: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
}

/// An IPv6 network, by the first three of its eight groups.
const fn v6(first: [u16; 3], prefix: u8) -> Network {
    let [a, b, c] = first;
    Network { address: IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)), prefix }
}

const SPECIAL: [(Network, &str); 32] = [
    (v4([0, 0, 0, 0], 8), "this machine itself"),
    (v4([10, 0, 0, 0], 8), "a private network"),
    (v4([100, 64, 0, 0], 10), "a carrier's inner network"),
    (v4([127, 0, 0, 0], 8), "loopback"),
    (v4([168, 63, 129, 16], 32), "a cloud's metadata"),
    (v4([169, 254, 0, 0], 16), "link-local"),
    (v4([172, 16, 0, 0], 12), "a private network"),
    (v4([192, 0, 0, 0], 24), "reserved for protocols"),
    (v4([192, 0, 2, 0], 24), "for documentation"),
    (v4([192, 88, 99, 0], 24), "a 6to4 relay"),
    (v4([192, 168, 0, 0], 16), "a private network"),
    (v4([198, 18, 0, 0], 15), "for benchmarks"),
    (v4([198, 51, 100, 0], 24), "for documentation"),
    (v4([203, 0, 113, 0], 24), "for documentation"),
    (v4([224, 0, 0, 0], 4), "multicast"),
    (v4([255, 255, 255, 255], 32), "broadcast"),
    (v4([240, 0, 0, 0], 4), "reserved"),
    (v6([0x0064, 0xff9b, 1], 48), "a local NAT64 prefix"),
    (v6([0x0100, 0, 0], 64), "discarded"),
    (v6([0x2001, 0, 0], 32), "a Teredo tunnel"),
    (v6([0x2001, 0, 0], 23), "reserved for protocols"),
    (v6([0x2001, 0x0db8, 0], 32), "for documentation"),
    (v6([0x3fff, 0, 0], 20), "for documentation"),
    (v6([0x5f00, 0, 0], 16), "segment routing"),
    (v6([0xfc00, 0, 0], 7), "a private network"),
    (v6([0xfe80, 0, 0], 10), "link-local"),
    (v6([0xfec0, 0, 0], 10), "site-local"),
    (v6([0xff00, 0, 0], 8), "multicast"),
    (v6([0, 0, 0], 128), "this machine itself"),
    (LOOPBACK_V6, "loopback"),
    (v6([0, 0, 0], 96), "an IPv4 address in an old disguise"),
    (v6([0, 0, 0], 8), "reserved"),
];

const LOOPBACK_V6: Network = Network { address: IpAddr::V6(Ipv6Addr::LOCALHOST), prefix: 128 };

/// All public IPv6 addresses are in here.
const GLOBAL_V6: Network = v6([0x2000, 0, 0], 3);

/// What is special about an address that is not public; None for a public one.
pub(super) fn special(address: IpAddr) -> Option<&'static str> {
    let address = address.to_canonical();
    let IpAddr::V6(v6) = address else {
        return listed(address);
    };
    if let Some(inner) = translated(v6) {
        return listed(inner.into());
    }
    let outside = || (!GLOBAL_V6.contains(address)).then_some("outside the public range");
    listed(address).or_else(outside)
}

fn listed(address: IpAddr) -> Option<&'static str> {
    SPECIAL.iter().find(|(network, _)| network.contains(address)).map(|(_, what)| *what)
}

/// The IPv4 address that a NAT64 gateway or a 6to4 tunnel makes of this one.
fn translated(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.octets() {
        [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d]
        | [0x20, 0x02, a, b, c, d, ..] => Some(Ipv4Addr::new(a, b, c, d)),
        _ => None,
    }
}
