//! One endpoint of a queue: whether it may be sent to, and how much load it takes.
//!
//! It knows nothing of lanes, nor of the other endpoints.

use store::FailureCause;

use super::{
    breaker::{Breaker, BreakerState},
    concurrency::Concurrency,
    settings::SchedulerSettings,
    window::Heads,
};

/// First attempts go before retries, but a retry that waits gets every fourth turn: otherwise a
/// busy endpoint would never get to it.
const FRESH_IN_A_ROW_MAX: u32 = 3;

pub(super) struct EndpointState {
    pub(super) paused: bool,
    pub(super) breaker: Breaker,
    concurrency: Concurrency,
    pub(super) in_flight: usize,
    retries_in_flight: usize,
    fresh_in_a_row: u32,
    pub(super) has_delivered: bool,
}

/// An endpoint as reports show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndpointReport {
    /// Messages of its queue in memory with their payload.
    pub(crate) window: usize,
    /// Messages of its queue without their payload in memory.
    pub(crate) evicted: usize,
    pub(crate) in_flight: usize,
    /// How many may be in flight now.
    pub(crate) limit: usize,
    pub(crate) breaker: BreakerState,
    /// Whether an attempt has succeeded since its queue is in memory.
    pub(crate) has_delivered: bool,
    pub(crate) paused: bool,
    /// Lanes of its queue (and single unordered messages) where the first message waits for its
    /// time.
    pub(crate) parked_lanes: usize,
    pub(crate) more_on_disk: bool,
    /// All that wait as far as is known, on disk included where the queue has no other endpoint.
    pub(crate) waiting: u64,
    pub(crate) oldest_due_us: Option<i64>,
}

impl EndpointState {
    pub(super) fn new(settings: &SchedulerSettings) -> Self {
        Self {
            paused: false,
            breaker: Breaker::new(),
            concurrency: Concurrency::new(settings),
            in_flight: 0,
            retries_in_flight: 0,
            fresh_in_a_row: 0,
            has_delivered: false,
        }
    }

    /// Which of the first messages to send now, as due time and message.
    pub(super) fn choose(&self, heads: &Heads, now_us: i64) -> Option<(i64, i64)> {
        if !self.is_open(now_us) {
            return None;
        }
        let due = |first: &(i64, i64)| first.0 <= now_us;
        let may_retry = self.retries_in_flight < self.retry_slots();
        let retry = heads.retry.filter(due).filter(|_| may_retry);
        match (heads.fresh.filter(due), retry) {
            // A probe is the message that has waited longest.
            (Some(fresh), Some(retry)) if self.is_suspended() => Some(fresh.min(retry)),
            (Some(_), Some(retry)) if self.fresh_in_a_row >= FRESH_IN_A_ROW_MAX => Some(retry),
            (fresh, retry) => fresh.or(retry),
        }
    }

    /// A message is sent that had so many attempts before, while a retry waits or not.
    pub(super) fn start(&mut self, attempts_before: u32, retry_waits: bool) {
        self.in_flight += 1;
        self.concurrency.record_start(self.in_flight);
        if attempts_before > 0 {
            self.retries_in_flight += 1;
            self.fresh_in_a_row = 0;
        } else if retry_waits {
            self.fresh_in_a_row = self.fresh_in_a_row.saturating_add(1);
        }
    }

    pub(super) fn finish(&mut self, attempts_before: u32) {
        self.in_flight -= 1;
        self.retries_in_flight -= usize::from(attempts_before > 0);
    }

    pub(super) fn record_success(
        &mut self,
        took_us: i64,
        now_us: i64,
        settings: &SchedulerSettings,
    ) {
        self.has_delivered = true;
        self.concurrency.record_success(took_us, settings.endpoint_slots_max);
        match self.breaker.record_success(now_us, settings) {
            BreakerState::Closed => (),
            BreakerState::Throttled => {
                self.concurrency.restart(settings.endpoint_slots_start, now_us);
            }
            BreakerState::Suspended => self.concurrency.restart(1, now_us),
        }
    }

    /// Lowers the limit after a failure that shows that the endpoint cannot keep up.
    pub(super) fn record_strain(&mut self, cause: FailureCause, started_us: i64, now_us: i64) {
        match cause {
            FailureCause::Refused => self.concurrency.record_answer(),
            FailureCause::Overloaded | FailureCause::Unreachable => {
                self.concurrency.record_strain(started_us, now_us);
            }
        }
    }

    /// The next time at which something changes here by itself.
    pub(super) fn wake_us(&self, heads: &Heads, more: bool, now_us: i64) -> Option<i64> {
        if !self.has_slot() {
            return None;
        }
        let opens_at_us = self.breaker.opens_at_us();
        let unread = more.then_some((opens_at_us, 0));
        let lists = [heads.fresh, heads.retry, heads.wanted, unread];
        let times = lists.into_iter().flatten().map(|(due_us, _)| due_us.max(opens_at_us));
        times.filter(|time_us| *time_us > now_us).min()
    }

    /// Whether a message that is due could be sent.
    pub(super) fn is_open(&self, now_us: i64) -> bool {
        self.has_slot() && self.breaker.opens_at_us() <= now_us
    }

    pub(super) fn is_healthy(&self) -> bool {
        !self.paused && self.breaker.state() == BreakerState::Closed
    }

    pub(super) fn is_suspended(&self) -> bool {
        self.breaker.state() == BreakerState::Suspended
    }

    fn has_slot(&self) -> bool {
        !self.paused && self.in_flight < self.limit()
    }

    pub(super) fn limit(&self) -> usize {
        match self.breaker.state() {
            BreakerState::Closed => self.concurrency.limit(),
            BreakerState::Throttled | BreakerState::Suspended => 1,
        }
    }

    /// Retries hold at most half of the slots, so that a first attempt finds one free.
    fn retry_slots(&self) -> usize {
        (self.limit() / 2).max(1)
    }
}
