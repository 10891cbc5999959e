//! How many connections, or changes, one address may have at once, so that one client cannot take
//! the places of all. As in the rate limit, an IPv6 client is counted by its /64 network.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use super::rate_limit::counted_as;

/// What each address has now. Bounded by what all addresses together may have.
#[derive(Debug)]
pub(super) struct AddressSlots {
    per_address_max: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// One of them, which is counted until this is dropped.
#[derive(Debug)]
pub(super) struct AddressSlot {
    address: IpAddr,
    slots: Arc<AddressSlots>,
}

impl AddressSlots {
    pub(super) fn new(per_address_max: usize) -> Arc<Self> {
        Arc::new(Self { per_address_max, taken: Mutex::default() })
    }

    /// Counts one more of `address`; none if the address has too many.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<AddressSlot> {
        let address = counted_as(address);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(address).or_default();
        if *count >= self.per_address_max {
            return None;
        }
        *count += 1;
        Some(AddressSlot { address, slots: Arc::clone(self) })
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gets_a_slot_back_when_it_ends() {
        let slots = AddressSlots::new(2);
        let take = |address: &str| slots.take(address.parse().unwrap());
        let held = [take("192.0.2.1").unwrap(), take("192.0.2.1").unwrap()];

        assert!(take("192.0.2.1").is_none());
        assert!(take("::ffff:192.0.2.1").is_none(), "the same address");
        assert!(take("192.0.2.2").is_some());
        drop(held);
        assert!(take("192.0.2.1").is_some());
        assert!(slots.taken.lock().unwrap().is_empty(), "nothing is kept of what has ended");
    }

    #[test]
    fn ipv6_addresses_are_counted_by_network() {
        let slots = AddressSlots::new(1);
        let take = |address: &str| slots.take(address.parse().unwrap());
        let _held = take("2001:db8::1").unwrap();

        assert!(take("2001:db8::2").is_none());
        assert!(take("2001:db8:0:1::2").is_some());
    }
}
