//! The dispatcher: one task that owns the scheduler and has its decisions carried out.
//!
//! Everything reaches it as an event, so nothing in here is locked. Sends and reads run in tasks of
//! their own and report back. Outcomes of attempts are collected and committed together.
//!
//! Messages that were just committed are enqueued in memory. Their numbers rise without gaps within
//! a merchant, so a gap means that another commit is still on its way here (or was made by another
//! node): if it does not come soon, the store is read instead, which returns everything in order.

mod arrivals;
mod endpoints;
pub(crate) mod events;
mod other_nodes;
mod outcomes;
mod parts;
mod put_back;
mod queues;
mod status;
mod tasks;
#[cfg(test)]
mod tests;
mod workers;

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use boxed::boxed;
use domain::{identifier::MerchantId, messages::kind::QueueKind};
use store::{Attempt, LastDelivery, LastingFailure, PendingMessage, PendingPage};
use tokio_util::sync::CancellationToken;

pub use events::{DispatcherHandle, EndpointStatus, Inbox};
pub use parts::{AddressBook, AddressLookup, DispatcherParts, OutcomeObserver};

use self::{
    arrivals::{Arrival, Arrivals},
    events::{Event, SendJob, Worker},
    other_nodes::PendingSearch,
    outcomes::{OutcomeBatches, store_batch},
    queues::{Queues, next_attempt, to_delivery},
    tasks::{PendingRead, read_pending},
    workers::{WorkerContext, Workers},
};
use crate::scheduler::{Action, PageRequest, QueueId, Scheduler, SchedulerSettings};

/// How many events are handled before the scheduler is asked again.
const EVENTS_AT_ONCE: usize = 512;
/// How often the store is searched for messages that no node announced, if nodes share it.
const SEARCH_EVERY: Duration = Duration::from_secs(2);
const SLEEP_MAX: Duration = Duration::from_secs(60);

pub struct Dispatcher {
    inbox: Inbox,
    handle: DispatcherHandle,
    parts: DispatcherParts,
    scheduler: Scheduler<PendingMessage>,
    queues: Queues,
    arrivals: Arrivals,
    outcomes: OutcomeBatches,
    search: PendingSearch,
    /// Merchants whose endpoints may change yet, and when they are loaded again.
    in_doubt: HashMap<MerchantId, Instant>,
    rechecked: Instant,
    /// Of all queues, because what fails is usually the store.
    read_failures: Arc<LastingFailure>,
    workers: Workers,
}

impl Dispatcher {
    pub fn new(handle: DispatcherHandle, inbox: Inbox, parts: DispatcherParts) -> Self {
        let context = WorkerContext {
            handle: handle.clone(),
            world: parts.world.clone(),
            retry_schedule: parts.retry_schedule,
        };
        Self {
            inbox,
            handle,
            parts,
            scheduler: Scheduler::new(SchedulerSettings::default()),
            queues: Queues::default(),
            arrivals: Arrivals::default(),
            outcomes: OutcomeBatches::default(),
            search: PendingSearch::default(),
            in_doubt: HashMap::new(),
            rechecked: Instant::now(),
            read_failures: Arc::new(LastingFailure::new(
                "loading pending deliveries",
                "retrying in 1 s",
            )),
            workers: Workers::new(context),
        }
    }

    /// Sends until `stop`; then finishes what is in flight and returns.
    #[boxed]
    pub async fn run(mut self, stop: CancellationToken) {
        self.search_again();
        let mut tick = tokio::time::interval(SEARCH_EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while !(stop.is_cancelled() && self.is_idle()) {
            self.enqueue_overdue();
            self.act(!stop.is_cancelled());
            let sleep = self.sleep_for();
            tokio::select! {
                event = self.inbox.0.recv() => self.handle_all(event),
                () = tokio::time::sleep(sleep) => (),
                () = stop.cancelled(), if !stop.is_cancelled() => (),
                _ = tick.tick() => self.follow_other_nodes(),
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.scheduler.in_flight() == 0 && self.outcomes.are_stored()
    }

    /// How long nothing becomes due. While the leases are too old, nothing is: an event says when
    /// they are renewed.
    fn sleep_for(&self) -> Duration {
        let wake_at_us = self.scheduler.wake_at_us().filter(|_| self.parts.leases.are_current());
        let longest = self.arrivals.wait().unwrap_or(SLEEP_MAX);
        let Some(at_us) = wake_at_us else { return longest };
        let world = &self.parts.world;
        world.sleep_for(at_us.saturating_sub(world.now_us())).min(longest)
    }

    fn handle_all(&mut self, first: Option<Event>) {
        let mut next = first;
        for _ in 0..EVENTS_AT_ONCE {
            let Some(event) = next else { return };
            self.handle(event);
            next = self.inbox.0.try_recv().ok();
        }
        if let Some(event) = next {
            self.handle(event);
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Enqueued(messages) => {
                for message in messages {
                    self.enqueue(message);
                }
            }
            Event::Retried(merchant) => self.rewind(&merchant),
            Event::Replayed(merchant, messages) => self.put_back(&merchant, messages),
            Event::EndpointsChanged(merchant) => self.reload_everywhere(&merchant),
            Event::EndpointsInDoubt(merchant) => self.reload_in_doubt(merchant),
            Event::ChannelLoaded { queue, look_up, index, channel } => {
                if self.queues.get(queue).is_some_and(|known| known.look_ups == look_up) {
                    self.use_channel(queue, index, channel);
                }
            }
            Event::Refilled { queue, page } => self.finish_refill(queue, page),
            Event::AttemptFinished { queue, attempt, worker } => {
                self.finish_attempt(queue, *attempt, worker);
            }
            Event::AttemptForbidden { queue, message, worker } => {
                self.workers.release(worker);
                self.take_back(queue, message);
            }
            Event::OutcomesStored(stored) => self.open_lanes(stored),
            Event::PendingAnnounced(merchants) => self.expect_announced(&merchants),
            Event::RetryAnnounced(merchant) => {
                self.rewind_own(&merchant);
            }
            Event::ChangeAnnounced(merchant) => self.reload_endpoints(&merchant),
            Event::AnnouncementsMissed => {
                self.read_all_again();
                self.search_again();
            }
            Event::PendingFound { last, took } => {
                self.expect_up_to(&last);
                self.recheck_now_and_then(&last);
                self.end_search(took);
            }
            Event::LeasesGained => {
                self.resume_queues();
                self.search_again();
            }
            Event::ListEndpoints(merchant, sender) => {
                let _ = sender.send(self.status().of_merchant(&merchant));
            }
            Event::ListDegraded(sender) => {
                let _ = sender.send(self.status().degraded());
            }
            Event::ListSuspended(sender) => {
                let _ = sender.send(self.status().suspended());
            }
        }
    }

    /// Carries out what the scheduler decides; nothing new is started unless `sending`, and while
    /// the leases are too old.
    fn act(&mut self, sending: bool) {
        let now_us = self.parts.world.now_us();
        while sending
            && self.parts.leases.are_current()
            && let Some(action) = self.scheduler.next(now_us)
        {
            match action {
                Action::Refill { queue, page } => self.refill(queue, page),
                Action::Send { queue, delivery } => {
                    self.send(queue, next_attempt(&delivery), delivery.payload);
                }
            }
        }
        if let Some(batch) = self.outcomes.next_batch() {
            tokio::spawn(store_batch(self.parts.clone(), self.handle.clone(), batch));
        }
    }

    fn refill(&mut self, id: QueueId, page: PageRequest) {
        let Some(known) = self.queues.get(id) else { return };
        let read = PendingRead { merchant: known.merchant.clone(), queue: known.queue, page };
        let (store, handle) = (self.parts.store.clone(), self.handle.clone());
        let failures = Arc::clone(&self.read_failures);
        tokio::spawn(async move {
            let page = read_pending(&store, &read, &failures).await;
            handle.notify(Event::Refilled { queue: id, page });
        });
    }

    fn finish_refill(&mut self, id: QueueId, page: Option<PendingPage>) {
        // A read that failed says nothing about where the queue ends.
        let reached_end = page.as_ref().is_some_and(|page| page.is_last);
        let now_us = self.parts.world.now_us();
        let messages = page.into_iter().flat_map(|page| page.messages);
        let rows = messages.map(|it| to_delivery(it, now_us)).collect();
        self.scheduler.complete_refill(id, rows, reached_end);
    }

    fn send(&mut self, id: QueueId, attempt: u32, message: Arc<PendingMessage>) {
        let Some(known) = self.queues.get(id) else { return };
        // The lease may have become too old since the scheduler was asked, or lost, if the process
        // was stopped for some time. Or its shard is being released.
        let Some(lease) = self.lease_of(known) else {
            return self.take_back(id, message.message_id);
        };
        let Some(channel) = known.channel(message.kind) else { return };
        let permit = known.permit.until(lease.write_limit);
        self.workers.send(SendJob { queue: id, channel, message, attempt, permit });
    }

    fn finish_attempt(&mut self, id: QueueId, attempt: Attempt, worker: Worker) {
        self.workers.release(worker);
        self.parts.metrics.count(&attempt);
        let now_us = self.parts.world.now_us();
        self.scheduler.finish_attempt(id, attempt.message.message_id, attempt.outcome, now_us);
        self.outcomes.push(id, attempt);
    }

    fn open_lanes(&mut self, stored: Vec<(QueueId, i64)>) {
        self.outcomes.batch_is_stored();
        for (id, message) in stored {
            self.scheduler.confirm_durable(id, message);
        }
    }

    fn enqueue(&mut self, message: PendingMessage) {
        match self.arrivals.add(message) {
            Arrival::InOrder(message) if self.arrivals.is_keeping() => {
                let merchant = message.merchant.clone();
                self.enqueue_next(message);
                while let Some(message) = self.arrivals.next_kept(&merchant) {
                    self.enqueue_next(message);
                }
            }
            Arrival::InOrder(message) => self.enqueue_next(message),
            Arrival::Early => (),
            Arrival::BehindGap(messages) => self.read_instead(&messages),
        }
    }

    fn enqueue_overdue(&mut self) {
        if self.arrivals.is_keeping() {
            let messages = self.arrivals.give_up_overdue();
            self.read_instead(&messages);
        }
    }

    /// Enqueues a message that directly follows the last one of its merchant.
    fn enqueue_next(&mut self, message: PendingMessage) {
        if let Some(id) = self.queue_for(&message) {
            self.scheduler.enqueue(id, to_delivery(message, self.parts.world.now_us()));
        }
    }

    /// Reads these messages from the store, with the ones before them.
    fn read_instead(&mut self, messages: &[PendingMessage]) {
        for message in messages {
            self.expect_any(&message.merchant);
            self.queue_for(message);
        }
    }

    /// The queue of a message that was just committed, if this node sends for it. Otherwise the
    /// message is announced to the node that does.
    fn queue_for(&mut self, message: &PendingMessage) -> Option<QueueId> {
        let queue = message.kind.queue();
        if let Some(epoch) = self.parts.leases.epoch(&message.merchant, queue) {
            return Some(self.queue_id(&message.merchant, queue, epoch));
        }
        self.parts.leases.announce(&message.merchant);
        // If the lease is renewed after all, a later message must not be taken for the next.
        if let Some(id) = self.queues.id(&message.merchant, queue) {
            self.scheduler.expect_more(id);
        }
        None
    }

    /// Messages of an unknown kind are missing: no later one may be taken for the next.
    fn expect_any(&mut self, merchant: &MerchantId) {
        for queue in QueueKind::all() {
            if let Some(id) = self.queues.id(merchant, queue) {
                self.scheduler.expect_more(id);
            }
        }
    }

    /// Messages may have been put back, and endpoints changed, without this node being notified.
    fn read_all_again(&mut self) {
        let ids: Vec<QueueId> = self.queues.iter().map(|(_, id)| id).collect();
        for id in ids {
            self.scheduler.rewind(id, 0);
            self.load_channels(id);
        }
    }

    /// Other nodes have committed messages of these merchants, for which others may have waited.
    fn expect_announced(&mut self, merchants: &[MerchantId]) {
        for merchant in merchants {
            let early = self.arrivals.give_up(merchant);
            self.read_instead(&early);
            for queue in QueueKind::all() {
                if let Some(epoch) = self.parts.leases.epoch(merchant, queue) {
                    let id = self.queue_id(merchant, queue, epoch);
                    self.scheduler.expect_more(id);
                }
            }
        }
    }

    /// Reads queues with messages that were never read, but no others, however much waits in them.
    fn expect_up_to(&mut self, last: &[LastDelivery]) {
        for LastDelivery { merchant, kind, message_id } in last {
            if let Some(epoch) = self.parts.leases.epoch(merchant, kind.queue()) {
                let id = self.queue_id(merchant, kind.queue(), epoch);
                self.scheduler.expect_up_to(id, *message_id);
            }
        }
    }

    /// The number of a queue under the lease of this epoch; a new one waits until its endpoints are
    /// loaded.
    fn queue_id(&mut self, merchant: &MerchantId, queue: QueueKind, epoch: i64) -> QueueId {
        if let Some(id) = self.queues.id(merchant, queue) {
            if self.queues.get(id).is_some_and(|known| known.epoch == epoch) {
                return id;
            }
            self.remove_queue(id);
        }
        let (id, owner) = self.queues.add(merchant, queue, epoch);
        self.scheduler.add_queue(id, owner, queue.kinds().len());
        self.scheduler.expect_more(id);
        self.load_channels(id);
        id
    }
}
