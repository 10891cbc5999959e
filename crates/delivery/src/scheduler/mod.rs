//! Decides which message is sent next, and what is read from disk for it.
//!
//! A plain state machine: no I/O, no clock and no randomness. The caller reports what happened
//! ([`Scheduler::enqueue`], [`Scheduler::finish_attempt`], [`Scheduler::confirm_durable`] and the
//! others) and asks [`Scheduler::next`] what to do until it answers `None`; then it waits for the
//! next event, or for [`Scheduler::wake_at_us`]. The same calls always give the same answers, which
//! lets the tests replay a whole history from a seed. Times are those of the machine's clock, which
//! may be set back ([`steady_clock`]).
//!
//! The life of a message is `enqueue` (or read by a refill), `Send`, `finish_attempt`,
//! `confirm_durable`. Three guarantees hold:
//!
//! 1. *Order.* In a lane, message n+1 starts only after n was finished and that outcome is on
//!    stable storage. `finish_attempt` frees the slot, only `confirm_durable` opens the lane: after
//!    a crash the first message of a lane may repeat, nothing else.
//! 2. *Turns.* A free slot goes to the owner, then to that owner's queue, that used the least
//!    slot-time. Queues with nothing to send are in no line, so a million idle or dead ones cost
//!    the others nothing.
//! 3. *Bounds.* A queue holds a window of payloads, no more. The rest is on disk and is read when
//!    the window runs low, or when all it holds waits.
//!
//! Each concern has its file: `window` knows messages and lanes, `cursor` and `reading` what is
//! read, `concurrency` and `breaker` how much load an endpoint takes, `turns` which queue is next;
//! `queue_state` combines them, and `ready_lists` lists queues by what they wait for.
//!
//! A queue has one endpoint, except where messages of several kinds must stay in order among
//! themselves although each kind has an address: then each address is an endpoint, with a pause and
//! a breaker of its own, and a lane leads to all of them. A lane waits when its first message goes
//! to an endpoint that is closed; the others continue.

mod breaker;
mod concurrency;
mod cursor;
mod endpoint_state;
mod numbers;
mod queue_state;
mod reading;
mod ready_lists;
mod settings;
mod steady_clock;
mod turns;
mod window;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use store::AttemptOutcome;

pub(crate) use self::{
    breaker::BreakerState,
    settings::SchedulerSettings,
    turns::{Owner, QueueId},
    window::Delivery,
};

use self::{
    endpoint_state::EndpointReport, numbers::NumberMap, queue_state::QueueState,
    ready_lists::ReadyLists, steady_clock::SteadyClock, window::AttemptInFlight,
};

/// What the caller has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action<P> {
    /// Send the message, then report [`Scheduler::finish_attempt`], or [`Scheduler::take_back`] if
    /// it must not be sent now.
    Send { queue: QueueId, delivery: Delivery<Arc<P>> },
    /// Read the page, then report [`Scheduler::complete_refill`]. A queue has one refill at a time.
    Refill { queue: QueueId, page: PageRequest },
}

/// What to read of a queue, lowest id first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageRequest {
    /// Only higher ids.
    pub(crate) after: i64,
    /// How many messages.
    pub(crate) most: usize,
    /// No more once their payloads are this large together.
    pub(crate) bytes: usize,
}

/// The scheduler of one node. See the module's comment.
pub(crate) struct Scheduler<P> {
    queues: NumberMap<QueueId, QueueState<P>>,
    ready: ReadyLists,
    clock: SteadyClock,
}

impl<P> Scheduler<P> {
    pub(crate) fn new(settings: SchedulerSettings) -> Self {
        Self {
            queues: NumberMap::default(),
            ready: ReadyLists::new(settings),
            clock: SteadyClock::new(),
        }
    }

    /// Starts to serve a queue with so many endpoints. Work that is already on disk is announced
    /// with [`Self::expect_more`]. A queue that is known stays as it is.
    pub(crate) fn add_queue(&mut self, id: QueueId, owner: Owner, endpoints: usize) {
        if !self.queues.contains_key(&id) {
            self.queues.insert(id, QueueState::new(owner, endpoints, &self.ready.settings));
            self.ready.turns.add_queue(owner);
        }
    }

    /// Forgets a queue with all it has in memory; the disk is not touched. Outcomes that are
    /// reported for it later are ignored.
    pub(crate) fn remove_queue(&mut self, id: QueueId) {
        if let Some(mut queue) = self.queues.remove(&id) {
            self.ready.remove(id, &mut queue);
        }
    }

    /// Stops sending to an endpoint; what is in flight ends as usual. Nothing is consumed.
    pub(crate) fn pause(&mut self, id: QueueId, endpoint: usize) {
        self.change(id, |queue, ready| {
            queue.pause(endpoint, true);
            queue.evict_excess(ready.now_us, &ready.allowance());
        });
    }

    pub(crate) fn resume(&mut self, id: QueueId, endpoint: usize) {
        self.change(id, |queue, _| queue.pause(endpoint, false));
    }

    /// A message was committed. It goes straight into the window when there is room and nothing
    /// unread comes before it.
    ///
    /// Only for a store with one writer: where others commit for the same queue, a lower id may be
    /// on disk unannounced, and [`Self::expect_more`] is the call.
    pub(crate) fn enqueue(&mut self, id: QueueId, mut delivery: Delivery<P>) {
        delivery.due_us = self.clock.in_own_time(delivery.due_us);
        self.change(id, |queue, ready| queue.enqueue(delivery, &ready.allowance()));
    }

    /// There may be messages on disk that were never read.
    pub(crate) fn expect_more(&mut self, id: QueueId) {
        self.change(id, |queue, _| queue.cursor.expect_more());
    }

    /// The last message on disk is `last`: there is more to read if that was never read.
    pub(crate) fn expect_up_to(&mut self, id: QueueId, last: i64) {
        self.change(id, |queue, _| {
            if !queue.cursor.has_passed(last) {
                queue.cursor.expect_more();
            }
        });
    }

    /// Messages from `from` on were put back on disk (an operator's retry): they are read again.
    /// What is in memory stays there and is not read twice.
    pub(crate) fn rewind(&mut self, id: QueueId, from: i64) {
        self.change(id, |queue, _| queue.cursor.rewind(from));
    }

    /// Messages may have been put back on disk unannounced: all that waits is read again. Not if
    /// that is more than a window holds, because new messages would wait for a long reading.
    pub(crate) fn recheck(&mut self, id: QueueId) {
        self.change(id, |queue, _| {
            if !queue.cursor.more() && queue.window.evicted() == 0 {
                queue.cursor.rewind(0);
            }
        });
    }

    /// A message was put back on disk (a replay). It is sent again, after those of its lane that
    /// are older; a message that waits already is left as it is.
    pub(crate) fn put_back(&mut self, id: QueueId, mut delivery: Delivery<()>) {
        delivery.due_us = self.clock.in_own_time(delivery.due_us);
        self.change(id, |queue, ready| queue.put_back(delivery, &ready.allowance()));
    }

    /// What to do now, or `None` when nothing can be done before the next event or
    /// [`Self::wake_at_us`].
    pub(crate) fn next(&mut self, now_us: i64) -> Option<Action<P>> {
        self.ready.now_us = self.clock.advance(now_us);
        while let Some(id) = self.ready.next_sleeper() {
            self.change(id, |_, _| ());
        }
        self.next_refill().or_else(|| self.next_send())
    }

    /// When something becomes due by time alone.
    pub(crate) fn wake_at_us(&self) -> Option<i64> {
        self.ready.wake_at_us().map(|here_us| self.clock.in_machine_time(here_us))
    }

    /// The answer to [`Action::Refill`]; `reached_end` when nothing is on disk beyond `rows`. A
    /// read that failed is answered with no rows and `false`, once it is worth another attempt.
    pub(crate) fn complete_refill(
        &mut self,
        id: QueueId,
        mut rows: Vec<Delivery<P>>,
        reached_end: bool,
    ) {
        for row in &mut rows {
            row.due_us = self.clock.in_own_time(row.due_us);
        }
        self.change(id, |queue, ready| {
            queue.finish_reading(rows, reached_end, ready.settings.window_max);
        });
    }

    /// An attempt is over: its slot is free and its lesson is learned, but its lane stays closed
    /// until [`Self::confirm_durable`].
    pub(crate) fn finish_attempt(
        &mut self,
        id: QueueId,
        message: i64,
        outcome: AttemptOutcome,
        now_us: i64,
    ) {
        self.ready.now_us = self.clock.advance(now_us);
        let outcome = match outcome {
            AttemptOutcome::Retry { due_us, cause } => {
                AttemptOutcome::Retry { due_us: self.clock.in_own_time(due_us), cause }
            }
            AttemptOutcome::Delivered | AttemptOutcome::Failed { .. } => outcome,
        };
        self.change(id, |queue, ready| {
            if let Some(attempt) = queue.finish(message, outcome) {
                queue.learn(&attempt, outcome, ready.now_us, &ready.settings);
                queue.evict_excess(ready.now_us, &ready.allowance());
            }
        });
    }

    /// Nothing was sent of a message that [`Action::Send`] named: it waits as before.
    pub(crate) fn take_back(&mut self, id: QueueId, message: i64) {
        self.change(id, |queue, _| queue.take_back(message));
    }

    /// The outcome of `message` is on stable storage: its lane continues.
    pub(crate) fn confirm_durable(&mut self, id: QueueId, message: i64) {
        self.change(id, |queue, _| queue.confirm_durable(message));
    }

    pub(crate) fn report(&self, id: QueueId, endpoint: usize) -> Option<EndpointReport> {
        self.queues.get(&id)?.report(endpoint, self.ready.now_us)
    }

    /// The state of the breaker of an endpoint.
    pub(crate) fn breaker(&self, id: QueueId, endpoint: usize) -> Option<BreakerState> {
        self.queues.get(&id)?.breaker(endpoint)
    }

    /// Messages in flight over all queues.
    pub(crate) fn in_flight(&self) -> usize {
        self.ready.totals.in_flight
    }

    /// The one way to touch a queue: afterwards it is counted and registered anew, so that no event
    /// can leave it in a line where it does not belong.
    fn change(&mut self, id: QueueId, edit: impl FnOnce(&mut QueueState<P>, &ReadyLists)) {
        if let Some(queue) = self.queues.get_mut(&id) {
            let before = queue.totals();
            edit(queue, &self.ready);
            self.ready.totals.replace(before, queue.totals());
            self.ready.register(id, queue);
        }
    }

    fn next_refill(&mut self) -> Option<Action<P>> {
        while let Some(id) = self.ready.next_reader() {
            let mut wanted = None;
            self.change(id, |queue, ready| {
                queue.registered.reader = false;
                wanted = queue.begin_reading(ready.now_us, &ready.allowance());
            });
            if let Some(page) = wanted {
                return Some(Action::Refill { queue: id, page });
            }
        }
        None
    }

    fn next_send(&mut self) -> Option<Action<P>> {
        let id = self.ready.next_sender()?;
        let queue = self.queues.get_mut(&id)?;
        let before = queue.totals();
        let now_us = self.ready.now_us;
        let (endpoint, message) = queue.choose(now_us)?;
        let price_us = self.ready.serve(id, queue);
        let class = queue.slot_class(endpoint, &self.ready.settings);
        let attempt = AttemptInFlight { endpoint, started_us: now_us, price_us, class };
        let delivery = queue.start(message, attempt);
        self.ready.totals.replace(before, queue.totals());
        self.ready.register(id, queue);
        Some(Action::Send { queue: id, delivery: delivery? })
    }
}
