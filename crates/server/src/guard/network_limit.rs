//! Limits the attempts of one client by the networks that it may own.
//!
//! Providers give a subscriber an IPv6 network of 64, 56 or 48 bits, and all its addresses can be
//! used. A limit per /64 alone lets the owner of a /48 try 65,536 times as often. The wider
//! networks allow more, because they may belong to several people.

use std::{
    net::{IpAddr, Ipv6Addr},
    time::Duration,
};

use super::rate_limit::{RateDecision, RateLimit};

/// The prefixes that are counted, and how many times the limit they allow.
const WIDER_NETWORKS: [(u32, u32); 2] = [(56, 2), (48, 4)];

/// Counts attempts by address and by network.
#[derive(Debug)]
pub struct NetworkLimit {
    by_address: RateLimit,
    by_network: [(u32, RateLimit); WIDER_NETWORKS.len()],
}

impl NetworkLimit {
    pub fn new(limit_per_minute: u32) -> Self {
        let wider = |(prefix, times)| (prefix, RateLimit::new(limit_per_minute * times));
        Self { by_address: RateLimit::new(limit_per_minute), by_network: WIDER_NETWORKS.map(wider) }
    }

    /// Counts one attempt from `address` at `now`, or refuses it.
    pub fn check(&self, address: IpAddr, now: Duration) -> RateDecision {
        let decision = self.by_address.check(address, now);
        let IpAddr::V6(address) = address.to_canonical() else { return decision };
        let mut wider = self.by_network.iter().map(|(prefix, limit)| {
            let mask = u128::MAX.checked_shl(u128::BITS - prefix).unwrap_or_default();
            limit.check(Ipv6Addr::from_bits(address.to_bits() & mask).into(), now)
        });
        if decision.allowed { wider.find(|it| !it.allowed).unwrap_or(decision) } else { decision }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    /// How many of 1,000 attempts are allowed, each from the address that `address` makes.
    fn count_allowed(address: impl Fn(u128) -> String) -> usize {
        let limit = NetworkLimit::new(20);
        (0..1_000).filter(|it| limit.check(address(*it).parse().unwrap(), NOW).allowed).count()
    }

    #[test]
    fn the_owner_of_an_ipv6_network_cannot_try_more_often_by_changing_addresses() {
        assert_eq!(count_allowed(|_| "192.0.2.1".to_owned()), 20);
        assert_eq!(count_allowed(|_| "::ffff:192.0.2.1".to_owned()), 20);
        assert_eq!(count_allowed(|it| format!("2001:db8:1:1::{it:x}")), 20, "a /64");
        assert_eq!(count_allowed(|it| format!("2001:db8:1:{:x}::1", it % 256)), 40, "a /56");
        assert_eq!(count_allowed(|it| format!("2001:db8:1:{it:x}::1")), 80, "a /48");
    }

    #[test]
    fn other_networks_have_limits_of_their_own() {
        assert_eq!(count_allowed(|it| format!("2001:db8:{it:x}::1")), 1_000);
        assert_eq!(count_allowed(|it| format!("192.0.{}.{}", it / 250, it % 250)), 1_000);
    }
}
