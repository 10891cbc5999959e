//! Messages that were finished and are to be sent again: retries of operators, and replays.

use std::time::{Duration, Instant};

use domain::{identifier::MerchantId, messages::kind::QueueKind};
use store::{LastDelivery, ReplayedMessage};

use super::{Dispatcher, queues::replayed_delivery};

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
            if let Some(epoch) = self.parts.leases.epoch(merchant, queue) {
                let id = self.queue_id(merchant, queue, epoch);
                self.scheduler.rewind(id, 0);
            } else {
                all = false;
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
            let queue = message.kind.queue();
            if let Some(epoch) = self.parts.leases.epoch(merchant, queue) {
                let id = self.queue_id(merchant, queue, epoch);
                self.scheduler.put_back(id, replayed_delivery(&message, now_us));
            } else {
                are_own = false;
            }
        }
        if !are_own {
            self.parts.leases.announce_retried(merchant);
        }
    }
}
