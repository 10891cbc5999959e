//! Messages that were finished and are to be sent again: retries of operators, and replays.

use std::time::{Duration, Instant};

use domain::{identifier::MerchantId, messages::kind::QueueKind};
use store::{LastDelivery, ReplayedMessage};

use super::{Dispatcher, queues::replayed_delivery};
use crate::scheduler::QueueId;

/// How often queues are read again in case a node died before it announced what it put back.
const RECHECK_EVERY: Duration = Duration::from_secs(300);

impl Dispatcher {
    /// Reads again what waits in the queues that have these pending messages, if that was not done
    /// for some time.
    pub(super) fn recheck_now_and_then(&mut self, last: &[LastDelivery]) {
        if self.rechecked.elapsed() < RECHECK_EVERY {
            return;
        }
        self.rechecked = Instant::now();
        for LastDelivery { merchant, kind, .. } in last {
            if let Some(id) = self.queues.id(merchant, kind.queue()) {
                self.scheduler.recheck(id);
            }
        }
    }

    /// Messages of `merchant` were put back, by this node.
    pub(super) fn rewind(&mut self, merchant: &MerchantId) {
        if !self.rewind_own(merchant) {
            self.parts.leases.announce_retried(merchant);
        }
    }

    /// Reads the queues of `merchant` again that this node sends. Whether those are all.
    pub(super) fn rewind_own(&mut self, merchant: &MerchantId) -> bool {
        let mut all = true;
        for queue in QueueKind::all() {
            let (id, is_own) = self.id_to_put_back(merchant, queue);
            all &= is_own;
            if let Some(id) = id {
                self.scheduler.rewind(id, 0);
            }
        }
        all
    }

    /// Sends these messages again. Only they are read, so that new messages of the same queues do
    /// not wait for a reading.
    pub(super) fn put_back(&mut self, merchant: &MerchantId, messages: Vec<ReplayedMessage>) {
        let now_us = self.parts.world.now_us();
        let mut are_own = true;
        for message in messages {
            let (id, is_own) = self.id_to_put_back(merchant, message.kind.queue());
            are_own &= is_own;
            if let Some(id) = id {
                self.scheduler.put_back(id, replayed_delivery(&message, now_us));
            }
        }
        if !are_own {
            self.parts.leases.announce_retried(merchant);
        }
    }

    /// The number of a queue to which messages were put back, and whether this node sends for it
    /// now. A queue whose lease is too old may be sent on, so it is told, too.
    fn id_to_put_back(
        &mut self,
        merchant: &MerchantId,
        queue: QueueKind,
    ) -> (Option<QueueId>, bool) {
        match self.parts.leases.epoch(merchant, queue) {
            Some(epoch) => (Some(self.queue_id(merchant, queue, epoch)), true),
            None => (self.queues.id(merchant, queue), false),
        }
    }
}
