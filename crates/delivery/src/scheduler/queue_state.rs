//! One queue: its deliveries, what was read for it, and its endpoints.
//!
//! Here the parts are weighed against each other: which message goes next, what an attempt teaches,
//! and what the queue waits for. What it reads is in `reading`. It knows nothing of other queues.

use std::sync::Arc;

use store::AttemptOutcome;

use super::{
    breaker::BreakerState,
    cursor::Cursor,
    endpoint_state::{EndpointReport, EndpointState},
    settings::SchedulerSettings,
    turns::{LineClass, Owner, SlotAccount, SlotClass},
    window::{AttemptInFlight, Delivery, Heads, Window},
};

pub(super) struct QueueState<P> {
    pub(super) owner: Owner,
    pub(super) cursor: Cursor,
    pub(super) account: SlotAccount,
    /// Where the ready lists have put this queue.
    pub(super) registered: WaitState,
    pub(super) window: Window<P>,
    /// Committed while the disk is read: they follow what the reading returns. Without them, a busy
    /// queue that once has to read would never stop reading.
    pub(super) late: Vec<Delivery<P>>,
    pub(super) late_bytes: usize,
    /// The size of a payload, on average, when it read last.
    pub(super) read_bytes: usize,
    /// The payloads that are being read are at most this large, up to the one with which they are
    /// larger.
    pub(super) page_bytes: usize,
    endpoints: Vec<EndpointState>,
    in_flight: usize,
    throttled_in_flight: usize,
    heavy_in_flight: usize,
}

/// What a queue waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WaitState {
    /// Its turn: it has something to send now.
    pub(super) line: Option<LineClass>,
    /// A time.
    pub(super) wake_us: Option<i64>,
    /// A reading.
    pub(super) reader: bool,
}

/// What one queue may keep in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// With the payload: a healthy queue, and a degraded one.
    pub(super) window: usize,
    pub(super) window_degraded: usize,
    /// The bytes of its payloads: a healthy queue. A degraded one has an eighth of it.
    pub(super) bytes: usize,
    /// Without the payload: given what all queues have evicted, and at most.
    pub(super) evicted_soft: usize,
    pub(super) evicted_max: usize,
}

/// Sums that are kept over all queues, and the part of one queue in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) held: usize,
    pub(super) held_bytes: usize,
    /// Of what is being read.
    pub(super) page_bytes: usize,
    /// Queues that hold something, or are about to.
    pub(super) holding: usize,
    pub(super) evicted: usize,
    pub(super) in_flight: usize,
    pub(super) throttled_in_flight: usize,
    pub(super) heavy_in_flight: usize,
}

impl Totals {
    pub(super) fn replace(&mut self, before: Self, after: Self) {
        self.held = self.held + after.held - before.held;
        self.held_bytes = self.held_bytes + after.held_bytes - before.held_bytes;
        self.page_bytes = self.page_bytes + after.page_bytes - before.page_bytes;
        self.holding = self.holding + after.holding - before.holding;
        self.evicted = self.evicted + after.evicted - before.evicted;
        self.in_flight = self.in_flight + after.in_flight - before.in_flight;
        self.throttled_in_flight =
            self.throttled_in_flight + after.throttled_in_flight - before.throttled_in_flight;
        self.heavy_in_flight =
            self.heavy_in_flight + after.heavy_in_flight - before.heavy_in_flight;
    }
}

impl<P> QueueState<P> {
    pub(super) fn new(owner: Owner, endpoints: usize, settings: &SchedulerSettings) -> Self {
        Self {
            owner,
            cursor: Cursor::new(),
            account: SlotAccount::new(),
            registered: WaitState::default(),
            window: Window::new(endpoints),
            late: Vec::new(),
            late_bytes: 0,
            read_bytes: 0,
            page_bytes: 0,
            endpoints: (0..endpoints).map(|_| EndpointState::new(settings)).collect(),
            in_flight: 0,
            throttled_in_flight: 0,
            heavy_in_flight: 0,
        }
    }

    pub(super) fn totals(&self) -> Totals {
        Totals {
            held: self.held(),
            held_bytes: self.held_bytes(),
            page_bytes: self.page_bytes,
            holding: usize::from(self.held() > 0 || self.cursor.is_reading()),
            evicted: self.window.evicted(),
            in_flight: self.in_flight,
            throttled_in_flight: self.throttled_in_flight,
            heavy_in_flight: self.heavy_in_flight,
        }
    }

    /// Messages that are in memory with their payload.
    pub(super) fn held(&self) -> usize {
        self.window.held() + self.late.len()
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.window.held_bytes() + self.late_bytes
    }

    /// The size of a payload, on average, of those that it holds or has read last; 0 while nothing
    /// is known.
    pub(super) fn usual_bytes(&self) -> usize {
        self.held_bytes().checked_div(self.held()).unwrap_or(self.read_bytes)
    }

    /// How large the payloads may be that it holds. It may always hold one, of any size.
    pub(super) fn bytes_max(&self, allowance: &Allowance) -> usize {
        if self.is_healthy() { allowance.bytes } else { allowance.bytes / 8 }
    }

    /// How many messages it may hold: no more than have room, if all are of the usual size.
    pub(super) fn window_max(&self, allowance: &Allowance) -> usize {
        let messages = if self.is_healthy() { allowance.window } else { allowance.window_degraded };
        messages.min(self.bytes_max(allowance) / self.usual_bytes().max(1)).max(1)
    }

    /// Accepts a message that was just committed, or leaves it on disk.
    pub(super) fn enqueue(&mut self, delivery: Delivery<P>, allowance: &Allowance) {
        let has_room = self.held() < self.window_max(allowance)
            && self.window.evicted() <= allowance.evicted_max;
        if has_room && self.cursor.is_at_end() {
            self.append(delivery);
        } else if has_room && self.cursor.is_reading_to_end() {
            self.late_bytes += delivery.bytes;
            self.late.push(delivery);
        } else if !self.is_known(&delivery) {
            self.cursor.note_left_on_disk();
        }
    }

    /// Inserts a message that directly follows what is known.
    pub(super) fn append(&mut self, delivery: Delivery<P>) {
        if !self.is_known(&delivery) {
            self.cursor.pass(delivery.message);
            self.window.insert(delivery);
        }
    }

    fn is_known(&self, delivery: &Delivery<P>) -> bool {
        self.cursor.has_passed(delivery.message) || self.window.contains(delivery.message)
    }

    pub(super) fn pause(&mut self, endpoint: usize, paused: bool) {
        if let Some(endpoint) = self.endpoints.get_mut(endpoint) {
            endpoint.paused = paused;
        }
    }

    /// The message to send now and its endpoint, if there is one and it may be sent. A healthy
    /// endpoint goes first, so that a degraded one, which waits for a slot of its line, blocks
    /// nothing.
    pub(super) fn choose(&self, now_us: i64) -> Option<(usize, i64)> {
        let choices = self.with_heads().filter_map(|(index, endpoint, heads)| {
            let (due_us, message) = endpoint.choose(&heads, now_us)?;
            Some((!endpoint.is_healthy(), due_us, message, index))
        });
        let (_, _, message, index) = choices.min()?;
        Some((index, message))
    }

    /// Every endpoint with its index and the first messages for it.
    pub(super) fn with_heads(&self) -> impl Iterator<Item = (usize, &EndpointState, Heads)> {
        let indexed = self.endpoints.iter().enumerate();
        indexed.map(|(index, endpoint)| (index, endpoint, self.window.heads(index)))
    }

    pub(super) fn start(
        &mut self,
        message: i64,
        attempt: AttemptInFlight,
    ) -> Option<Delivery<Arc<P>>> {
        let retry = self.window.heads(attempt.endpoint).retry;
        let retry_waits = retry.is_some_and(|(due_us, _)| due_us <= attempt.started_us);
        let delivery = self.window.start(message, attempt)?;
        self.in_flight += 1;
        self.throttled_in_flight += usize::from(attempt.class == SlotClass::Throttled);
        self.heavy_in_flight += usize::from(attempt.class == SlotClass::Heavy);
        if let Some(endpoint) = self.endpoints.get_mut(attempt.endpoint) {
            endpoint.start(delivery.attempts, retry_waits);
        }
        Some(delivery)
    }

    /// Frees the slot of `message`, if it was in flight.
    pub(super) fn finish(
        &mut self,
        message: i64,
        outcome: AttemptOutcome,
    ) -> Option<AttemptInFlight> {
        let (attempt, attempts_before) = self.window.finish(message, outcome)?;
        self.free_slot(&attempt, attempts_before);
        Some(attempt)
    }

    /// Nothing was sent of `message`: it waits as before.
    pub(super) fn take_back(&mut self, message: i64) {
        if let Some((attempt, attempts_before)) = self.window.take_back(message) {
            self.free_slot(&attempt, attempts_before);
        }
    }

    fn free_slot(&mut self, attempt: &AttemptInFlight, attempts_before: u32) {
        self.in_flight -= 1;
        self.throttled_in_flight -= usize::from(attempt.class == SlotClass::Throttled);
        self.heavy_in_flight -= usize::from(attempt.class == SlotClass::Heavy);
        if let Some(endpoint) = self.endpoints.get_mut(attempt.endpoint) {
            endpoint.finish(attempts_before);
        }
    }

    /// Learns from one attempt, for the share of the queue and for its endpoint.
    pub(super) fn learn(
        &mut self,
        attempt: &AttemptInFlight,
        outcome: AttemptOutcome,
        now_us: i64,
        settings: &SchedulerSettings,
    ) {
        let took_us = now_us.saturating_sub(attempt.started_us);
        self.account.settle(attempt.price_us, took_us);
        let waiting = self.waiting();
        let Some(endpoint) = self.endpoints.get_mut(attempt.endpoint) else { return };
        match outcome {
            AttemptOutcome::Delivered => endpoint.record_success(took_us, now_us, settings),
            AttemptOutcome::Retry { cause, .. } | AttemptOutcome::Failed { cause } => {
                endpoint.record_strain(cause, attempt.started_us, now_us);
                endpoint.breaker.record_failure(now_us, waiting, settings);
            }
        }
    }

    pub(super) fn confirm_durable(&mut self, message: i64) {
        if self.window.confirm_durable(message) {
            self.cursor.forget(message);
        }
    }

    /// The line in which this queue waits for its turn, to send to an endpoint.
    fn line_class(&self, endpoint: usize, settings: &SchedulerSettings) -> LineClass {
        match self.slot_class(endpoint, settings) {
            SlotClass::Throttled => LineClass::Throttled,
            SlotClass::Heavy if self.in_flight > settings.noisy_above() => LineClass::Noisy,
            // The very first attempt is not held back, or no queue could show that it is quick
            // while the slow ones have their full share.
            SlotClass::Heavy if self.account.is_proven() || self.in_flight > 0 => LineClass::Slow,
            SlotClass::Light | SlotClass::Heavy => LineClass::Quiet,
        }
    }

    /// The share of slots that attempts at an endpoint count against.
    pub(super) fn slot_class(&self, endpoint: usize, settings: &SchedulerSettings) -> SlotClass {
        let slow = !self.account.is_proven() || self.account.usual_us() >= settings.slow_us;
        let breaker = self.endpoints.get(endpoint).map(|endpoint| endpoint.breaker.state());
        match breaker.unwrap_or(BreakerState::Closed) {
            BreakerState::Closed if slow || self.in_flight > settings.noisy_above() => {
                SlotClass::Heavy
            }
            BreakerState::Closed => SlotClass::Light,
            BreakerState::Throttled | BreakerState::Suspended => SlotClass::Throttled,
        }
    }

    pub(super) fn wait_state(
        &self,
        now_us: i64,
        allowance: &Allowance,
        settings: &SchedulerSettings,
    ) -> WaitState {
        let more = self.cursor.more();
        let wakes =
            self.with_heads().map(|(_, endpoint, heads)| endpoint.wake_us(&heads, more, now_us));
        WaitState {
            line: self.choose(now_us).map(|(endpoint, _)| self.line_class(endpoint, settings)),
            wake_us: wakes.flatten().min(),
            reader: self.wanted_reading(now_us, allowance).is_some(),
        }
    }

    pub(super) fn is_paused(&self) -> bool {
        self.endpoints.iter().all(|endpoint| endpoint.paused)
    }

    pub(super) fn is_healthy(&self) -> bool {
        self.endpoints.iter().any(EndpointState::is_healthy)
    }

    pub(super) fn is_suspended(&self) -> bool {
        self.endpoints.iter().all(EndpointState::is_suspended)
    }

    fn waiting(&self) -> u64 {
        let known = self.held() + self.window.evicted();
        self.cursor.unread().saturating_add(u64::try_from(known).unwrap_or(u64::MAX))
    }

    pub(super) fn breaker(&self, index: usize) -> Option<BreakerState> {
        Some(self.endpoints.get(index)?.breaker.state())
    }

    pub(super) fn report(&self, index: usize, now_us: i64) -> Option<EndpointReport> {
        let endpoint = self.endpoints.get(index)?;
        let Heads { fresh, retry, wanted } = self.window.heads(index);
        let waiting = if self.endpoints.len() == 1 {
            self.waiting()
        } else {
            u64::try_from(self.window.known(index)).unwrap_or(u64::MAX)
        };
        Some(EndpointReport {
            window: self.window.held(),
            evicted: self.window.evicted(),
            in_flight: endpoint.in_flight,
            limit: endpoint.limit(),
            breaker: endpoint.breaker.state(),
            has_delivered: endpoint.has_delivered,
            paused: endpoint.paused,
            parked_lanes: self.window.parked(now_us),
            more_on_disk: self.cursor.more(),
            waiting,
            oldest_due_us: [fresh, retry, wanted].into_iter().flatten().map(|it| it.0).min(),
        })
    }
}
