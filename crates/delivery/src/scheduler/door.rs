//! One address of an endpoint: whether it may be sent to, and how much it bears.
//!
//! It knows nothing of lanes, nor of the other doors.

use store::{AttemptOutcome, FailureCause};

use super::{
    breaker::{Breaker, BreakerState},
    concurrency::Concurrency,
    settings::Settings,
    window::{Flight, Heads},
};

/// First tries go before retries, but a retry that waits gets every fourth turn:
/// otherwise a busy endpoint would never come to it.
const FRESH_IN_A_ROW_MAX: u32 = 3;

pub(super) struct Door {
    pub(super) paused: bool,
    pub(super) breaker: Breaker,
    concurrency: Concurrency,
    pub(super) in_flight: usize,
    retries_in_flight: usize,
    fresh_in_a_row: u32,
}

impl Door {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            paused: false,
            breaker: Breaker::new(),
            concurrency: Concurrency::new(settings),
            in_flight: 0,
            retries_in_flight: 0,
            fresh_in_a_row: 0,
        }
    }

    /// Which of the first messages before it to let through now, as due time and message.
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

    /// A message goes through, while a retry waits or none does.
    pub(super) fn start(&mut self, attempt: u32, retry_waits: bool) {
        self.in_flight += 1;
        if attempt > 0 {
            self.retries_in_flight += 1;
            self.fresh_in_a_row = 0;
        } else if retry_waits {
            self.fresh_in_a_row = self.fresh_in_a_row.saturating_add(1);
        }
    }

    pub(super) fn finished(&mut self, attempt: u32) {
        self.in_flight -= 1;
        self.retries_in_flight -= usize::from(attempt > 0);
    }

    /// Draws the lesson of one attempt, for limit and breaker, while so many messages wait.
    pub(super) fn learn(
        &mut self,
        (flight, verdict): (&Flight, AttemptOutcome),
        waiting: u64,
        now_us: i64,
        settings: &Settings,
    ) {
        let cause = match verdict {
            AttemptOutcome::Delivered => {
                let took_us = now_us.saturating_sub(flight.started_us);
                self.concurrency.succeeded(took_us, settings.endpoint_slots_max);
                match self.breaker.succeeded(now_us, settings) {
                    BreakerState::Closed => (),
                    BreakerState::Throttled => {
                        self.concurrency.restart(settings.endpoint_slots_start, now_us);
                    }
                    BreakerState::Suspended => self.concurrency.restart(1, now_us),
                }
                return;
            }
            AttemptOutcome::Retry { cause, .. } | AttemptOutcome::Failed { cause } => cause,
        };
        match cause {
            FailureCause::Refused => (),
            FailureCause::Overloaded | FailureCause::Unreachable => {
                self.concurrency.strained(flight.started_us, now_us);
            }
        }
        self.breaker.failed(now_us, waiting, settings);
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

    /// Whether a message that is due could go through.
    pub(super) fn is_open(&self, now_us: i64) -> bool {
        self.has_slot() && self.breaker.opens_at_us() <= now_us
    }

    pub(super) fn is_well(&self) -> bool {
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

    /// Retries hold at most half of the slots, so that a first try finds one free.
    fn retry_slots(&self) -> usize {
        (self.limit() / 2).max(1)
    }
}
