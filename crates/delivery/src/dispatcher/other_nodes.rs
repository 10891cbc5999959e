//! What follows from other nodes: queues that move between nodes, and messages that no node
//! announced.
//!
//! A queue stays in memory as long as its shard has the same epoch, whether or not anything may be
//! sent for it now. Read again under the same epoch, what is on its way would be sent once more.

use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use super::{Dispatcher, queues::KnownQueue, tasks::find_pending};
use crate::{leases::QueueLease, scheduler::QueueId};

/// A search rests for this many times as long as it took: on Citus it reads all pending deliveries.
/// What is announced, as nearly everything is, does not wait for it.
const SEARCH_REST: u32 = 20;
const SEARCH_REST_MAX: Duration = Duration::from_secs(60);

/// The search of the store for messages that no node announced.
#[derive(Default)]
pub(super) struct PendingSearch {
    pub(super) running: Option<JoinHandle<()>>,
    /// None before the first one has ended.
    rests_until: Option<Instant>,
    /// Something may wait that the last search has missed, so the next one does not rest.
    is_wanted: bool,
}

impl PendingSearch {
    /// Whether to begin a search now. While the store fails, a search repeats itself, and more of
    /// them would only add to the load and to the log.
    fn is_due(&self) -> bool {
        let is_running = self.running.as_ref().is_some_and(|task| !task.is_finished());
        let is_resting = || self.rests_until.is_some_and(|until| Instant::now() < until);
        !is_running && (self.is_wanted || !is_resting())
    }
}

impl Dispatcher {
    /// Searches the store without a rest: now, or when the search that is running has ended.
    pub(super) fn search_again(&mut self) {
        self.search.is_wanted = true;
        self.search_if_due();
    }

    fn search_if_due(&mut self) {
        if self.search.is_due() {
            self.search.is_wanted = false;
            let search = find_pending(self.parts.store.clone(), self.handle.clone());
            self.search.running = Some(tokio::spawn(search));
        }
    }

    /// A search has ended that took so long.
    pub(super) fn end_search(&mut self, took: Duration) {
        self.search.running = None;
        self.search.rests_until = Some(Instant::now() + SEARCH_REST_MAX.min(took * SEARCH_REST));
        if self.search.is_wanted {
            self.search_if_due();
        }
    }

    /// Now and then: messages that other nodes committed, shards that moved to other nodes, and
    /// endpoints that may have changed.
    pub(super) fn follow_other_nodes(&mut self) {
        self.measure();
        self.settle_doubts(Instant::now());
        if self.parts.leases.are_shared() {
            self.drop_foreign_queues();
            self.resume_queues();
            self.search_if_due();
        }
    }

    fn drop_foreign_queues(&mut self) {
        for id in self.find_queues(|this, known| !this.keeps(known)) {
            self.drop_queue(id);
        }
    }

    /// Sends again for queues whose leases had become too old, or were about to be released.
    pub(super) fn resume_queues(&mut self) {
        let may_send =
            |this: &Self, known: &KnownQueue| known.is_waiting && this.lease_of(known).is_some();
        for id in self.find_queues(may_send) {
            self.queues.set_waiting(id, false);
            self.load_channels(id);
        }
    }

    fn find_queues(&self, is_wanted: impl Fn(&Self, &KnownQueue) -> bool) -> Vec<QueueId> {
        let wanted = self.queues.iter().filter(|(known, _)| is_wanted(self, known));
        wanted.map(|(_, id)| id).collect()
    }

    /// Whether what is in memory of a queue is still of use.
    fn keeps(&self, known: &KnownQueue) -> bool {
        self.parts.leases.keeps(&known.merchant, known.queue, known.epoch)
    }

    /// The lease of a queue, unless another node may have sent since it was read.
    pub(super) fn lease_of(&self, known: &KnownQueue) -> Option<QueueLease> {
        let lease = self.parts.leases.of_queue(&known.merchant, known.queue);
        lease.filter(|lease| lease.epoch == known.epoch)
    }

    /// Nothing was sent of a message, because its lease did not allow it. The message stays where
    /// it was, and if the lease does not allow it yet, its queue waits until it does.
    pub(super) fn take_back(&mut self, id: QueueId, message: i64) {
        let Some(known) = self.queues.get(id) else { return };
        if !self.keeps(known) {
            return self.drop_queue(id);
        }
        let (may_send, endpoints) = (self.lease_of(known).is_some(), known.queue.kinds().len());
        self.scheduler.take_back(id, message);
        if !may_send {
            self.queues.set_waiting(id, true);
            for endpoint in 0..endpoints {
                self.scheduler.pause(id, endpoint);
            }
        }
    }

    /// Removes a queue that another node may send for. If it is this node's again, it is found by
    /// the next search, which follows soon.
    fn drop_queue(&mut self, id: QueueId) {
        self.remove_queue(id);
        self.search.is_wanted = true;
    }

    pub(super) fn remove_queue(&mut self, id: QueueId) {
        self.scheduler.remove_queue(id);
        self.queues.remove(id);
    }
}
