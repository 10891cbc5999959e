//! The queues that this process sends for, and the endpoints of each.

use std::{collections::HashMap, sync::Arc};

use domain::{
    identifier::MerchantId,
    messages::kind::{MessageKind, QueueKind},
};

use store::{PendingMessage, ReplayedMessage};

use crate::{
    channel::Channel,
    scheduler::{Delivery, Owner, QueueId},
    sender::permit::QueuePermit,
};

#[derive(Default)]
pub(super) struct Queues {
    /// By number.
    by_id: HashMap<QueueId, KnownQueue>,
    /// No number is used twice: what ends late may be of a queue that was removed.
    next_id: u32,
    ids: HashMap<(MerchantId, QueueKind), QueueId>,
    owners: HashMap<MerchantId, Owner>,
}

pub(super) struct KnownQueue {
    pub(super) merchant: MerchantId,
    pub(super) queue: QueueKind,
    /// The epoch of the lease under which its messages were read.
    pub(super) epoch: i64,
    /// Revoked when the queue is removed: what was started by then and not written is not sent.
    pub(super) permit: QueuePermit,
    /// One for each kind of the queue; None while nothing may be sent.
    channels: Vec<Option<Arc<Channel>>>,
    /// How often its endpoints were looked up.
    pub(super) look_ups: u64,
    /// Whether it waits until its lease allows to send.
    pub(super) is_waiting: bool,
}

/// The place of a kind's endpoint among those of its queue.
pub(super) fn endpoint_index(kind: MessageKind) -> usize {
    kind.queue().kinds().iter().position(|it| *it == kind).unwrap_or(0)
}

impl Queues {
    pub(super) fn get(&self, id: QueueId) -> Option<&KnownQueue> {
        self.by_id.get(&id)
    }

    pub(super) fn id(&self, merchant: &MerchantId, queue: QueueKind) -> Option<QueueId> {
        self.ids.get(&(merchant.clone(), queue)).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&KnownQueue, QueueId)> {
        self.ids.values().filter_map(|id| Some((self.get(*id)?, *id)))
    }

    /// Gives a queue a number, and its merchant when it has none.
    pub(super) fn add(
        &mut self,
        merchant: &MerchantId,
        queue: QueueKind,
        epoch: i64,
    ) -> (QueueId, Owner) {
        let id = QueueId(self.next_id);
        self.next_id = self.next_id.saturating_add(1);
        let next_owner = Owner(u32::try_from(self.owners.len()).unwrap_or(u32::MAX));
        let owner = *self.owners.entry(merchant.clone()).or_insert(next_owner);
        let channels = vec![None; queue.kinds().len()];
        let merchant = merchant.clone();
        let permit = QueuePermit::default();
        self.ids.insert((merchant.clone(), queue), id);
        let known =
            KnownQueue { merchant, queue, epoch, permit, channels, look_ups: 0, is_waiting: false };
        self.by_id.insert(id, known);
        (id, owner)
    }

    /// Another node sends for this queue now; if it comes back, it gets a new number. Addresses and
    /// credentials are forgotten, and a look-up that ends later finds no queue.
    pub(super) fn remove(&mut self, id: QueueId) {
        if let Some(known) = self.by_id.remove(&id) {
            known.permit.revoke();
            self.ids.remove(&(known.merchant, known.queue));
        }
    }

    /// Counts a look-up of the endpoints of a queue. What earlier ones find is out of date.
    pub(super) fn begin_look_up(&mut self, id: QueueId) {
        if let Some(known) = self.get_mut(id) {
            known.look_ups += 1;
        }
    }

    pub(super) fn set_channel(&mut self, id: QueueId, index: usize, channel: Option<Arc<Channel>>) {
        if let Some(slot) = self.get_mut(id).and_then(|known| known.channels.get_mut(index)) {
            *slot = channel;
        }
    }

    pub(super) fn set_waiting(&mut self, id: QueueId, is_waiting: bool) {
        if let Some(known) = self.get_mut(id) {
            known.is_waiting = is_waiting;
        }
    }

    fn get_mut(&mut self, id: QueueId) -> Option<&mut KnownQueue> {
        self.by_id.get_mut(&id)
    }
}

impl KnownQueue {
    /// Where messages of `kind` go; None while nothing may be sent.
    pub(super) fn channel(&self, kind: MessageKind) -> Option<Arc<Channel>> {
        self.channels.get(endpoint_index(kind)).and_then(Option::clone)
    }
}

/// The scheduler takes a replay for a retry: new messages go before it, and it gets at most half of
/// the slots of its endpoint. A first attempt is always due, also if the clock was set back since,
/// but its time stays: it shows which message has waited longest.
pub(super) fn to_delivery(message: PendingMessage, now_us: i64) -> Delivery<PendingMessage> {
    let attempts = u32::try_from(message.attempts).unwrap_or(u32::MAX);
    let latest_us = if attempts == 0 { now_us } else { i64::MAX };
    Delivery {
        message: message.message_id,
        lane: u64::try_from(message.lane).unwrap_or(0),
        endpoint: endpoint_index(message.kind),
        attempts: attempts.saturating_add(u32::from(message.replay)),
        due_us: message.due_us.min(latest_us),
        bytes: message.body.len(),
        payload: message,
    }
}

/// The same for a replay that is not read yet.
pub(super) fn replayed_delivery(message: &ReplayedMessage, now_us: i64) -> Delivery<()> {
    Delivery {
        message: message.message_id,
        lane: u64::try_from(message.lane).unwrap_or(0),
        endpoint: endpoint_index(message.kind),
        attempts: 1,
        due_us: now_us,
        bytes: 0,
        payload: (),
    }
}

/// The number of the next attempt at a message, from 1.
pub(super) fn next_attempt(delivery: &Delivery<Arc<PendingMessage>>) -> u32 {
    delivery.attempts.saturating_sub(u32::from(delivery.payload.replay)).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_queue_is_forgotten_and_its_number_is_not_used_again() {
        let acme = MerchantId::parse("acme").unwrap();
        let queue = MessageKind::Rma.queue();
        let mut queues = Queues::default();
        let (first, owner) = queues.add(&acme, queue, 1);
        let permit = queues.get(first).unwrap().permit.clone();

        queues.remove(first);
        assert!(permit.is_revoked());
        assert!(queues.get(first).is_none());
        assert_eq!(queues.id(&acme, queue), None);

        let (second, same_owner) = queues.add(&acme, queue, 2);
        assert_ne!(first, second);
        assert_eq!(owner, same_owner);
        queues.begin_look_up(first);
        queues.remove(first);
        assert_eq!(queues.id(&acme, queue), Some(second));
        assert_eq!(queues.get(second).unwrap().look_ups, 0);
    }
}
