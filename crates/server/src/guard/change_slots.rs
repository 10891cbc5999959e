//! Places for requests that change something. They may outlive their connections, so the limit on
//! connections does not limit them. Each address has a share of the places, as of the connections:
//! otherwise changes that wait could keep all of them, after the client that sent them is gone.

use std::{net::IpAddr, sync::Arc};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    address_slots::{AddressSlot, AddressSlots},
    serve::{CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX},
};

/// The places that are left.
pub(crate) struct ChangeSlots {
    all: Arc<Semaphore>,
    by_address: Arc<AddressSlots>,
}

/// The place of one change, until it is dropped.
#[derive(Debug)]
pub(crate) struct ChangeSlot {
    _held: (OwnedSemaphorePermit, AddressSlot),
}

impl Default for ChangeSlots {
    fn default() -> Self {
        let all = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        Self { all, by_address: AddressSlots::new(CONNECTIONS_PER_ADDRESS_MAX) }
    }
}

impl ChangeSlots {
    /// A place for a change of `address`, or why there is none.
    pub(crate) fn take(&self, address: IpAddr) -> Result<ChangeSlot, &'static str> {
        let slot = self.by_address.take(address);
        let slot = slot.ok_or("too many changes from your address are under way; try again")?;
        let permit = Arc::clone(&self.all).try_acquire_owned();
        let permit = permit.map_err(|_| "too many changes are under way; try again")?;
        Ok(ChangeSlot { _held: (permit, slot) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_take_the_places_of_all_changes() {
        let changes = ChangeSlots::default();
        let take = |address: usize| {
            let address = u32::try_from(address).unwrap();
            changes.take(IpAddr::V4(address.into()))
        };
        let of_first = (0..CONNECTIONS_PER_ADDRESS_MAX).map(|_| take(1).unwrap());
        let mut held: Vec<ChangeSlot> = of_first.collect();

        let why = take(1).unwrap_err();
        assert_eq!(why, "too many changes from your address are under way; try again");
        let others = CONNECTIONS_MAX - held.len();
        held.extend((0..others).map(|other| take(2 + other).unwrap()));
        assert_eq!(take(0).unwrap_err(), "too many changes are under way; try again");
        drop(held);
        assert!(take(1).is_ok(), "the places are free again");
    }
}
