//! How many connections one address may have open at once, so that one client cannot take all the
//! places of a listener. As in the rate limit, an IPv6 client is counted by its /64 network.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use super::rate_limit::counted_as;

/// The open connections of each address. Bounded by the number of connections of the listener.
#[derive(Debug)]
pub(super) struct ConnectionSlots {
    per_address_max: usize,
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// One open connection, which is counted until this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    address: IpAddr,
    slots: Arc<ConnectionSlots>,
}

impl ConnectionSlots {
    pub(super) fn new(per_address_max: usize) -> Arc<Self> {
        Arc::new(Self { per_address_max, open: Mutex::default() })
    }

    /// Counts a connection of `address`; none if the address has too many.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionSlot> {
        let address = counted_as(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(address).or_default();
        if *count >= self.per_address_max {
            return None;
        }
        *count += 1;
        Some(ConnectionSlot { address, slots: Arc::clone(self) })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.slots.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gets_a_slot_back_when_a_connection_ends() {
        let slots = ConnectionSlots::new(2);
        let take = |address: &str| slots.take(address.parse().unwrap());
        let held = [take("192.0.2.1").unwrap(), take("192.0.2.1").unwrap()];

        assert!(take("192.0.2.1").is_none());
        assert!(take("::ffff:192.0.2.1").is_none(), "the same address");
        assert!(take("192.0.2.2").is_some());
        drop(held);
        assert!(take("192.0.2.1").is_some());
        assert!(slots.open.lock().unwrap().is_empty(), "nothing is kept of closed connections");
    }

    #[test]
    fn ipv6_connections_are_counted_by_network() {
        let slots = ConnectionSlots::new(1);
        let take = |address: &str| slots.take(address.parse().unwrap());
        let _held = take("2001:db8::1").unwrap();

        assert!(take("2001:db8::2").is_none());
        assert!(take("2001:db8:0:1::2").is_some());
    }
}
