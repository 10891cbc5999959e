//! One endpoint: its messages, what was read for it, and how much it bears.
//!
//! Here the parts are weighed against each other: which message goes next, what an
//! attempt teaches, and what the endpoint waits for. Its readings are in `reading`. It
//! knows nothing of the other endpoints.

use super::{
    Cause, EndpointState, Owner, Verdict, Waiting,
    breaker::{Breaker, BreakerState},
    concurrency::Concurrency,
    cursor::Cursor,
    desk::{Allowance, Filed, Totals},
    settings::Settings,
    turns::{Account, Class, Toll},
    window::{Conclusion, Flight, Landed, Started, Window},
};

/// First tries go before retries, but a retry that waits gets every fourth turn:
/// otherwise a busy endpoint would never come to it.
const FRESH_IN_A_ROW_MAX: u32 = 3;

pub(super) struct Endpoint<P> {
    pub(super) owner: Owner,
    pub(super) paused: bool,
    pub(super) cursor: Cursor,
    pub(super) breaker: Breaker,
    pub(super) account: Account,
    /// Where the desk has put this endpoint.
    pub(super) filed: Filed,
    pub(super) window: Window<P>,
    /// Committed while the disk is read: they follow on what the reading brings. Without them, a
    /// busy endpoint that once has to read would never cease to.
    pub(super) late: Vec<Waiting<P>>,
    concurrency: Concurrency,
    in_flight: usize,
    retries_in_flight: usize,
    throttled_in_flight: usize,
    heavy_in_flight: usize,
    fresh_in_a_row: u32,
}

/// What an endpoint waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// It has something to send this moment.
    pub(super) line: Option<Class>,
    /// The time will tell.
    pub(super) wake_us: Option<i64>,
    /// It wants to read.
    pub(super) reader: bool,
}

impl<P> Endpoint<P> {
    pub(super) fn new(owner: Owner, settings: &Settings) -> Self {
        Self {
            owner,
            paused: false,
            cursor: Cursor::new(),
            breaker: Breaker::new(),
            account: Account::new(),
            filed: Filed::default(),
            window: Window::new(),
            late: Vec::new(),
            concurrency: Concurrency::new(settings),
            in_flight: 0,
            retries_in_flight: 0,
            throttled_in_flight: 0,
            heavy_in_flight: 0,
            fresh_in_a_row: 0,
        }
    }

    pub(super) fn totals(&self) -> Totals {
        Totals {
            held: self.held(),
            shelved: self.window.shelved(),
            in_flight: self.in_flight,
            throttled_in_flight: self.throttled_in_flight,
            heavy_in_flight: self.heavy_in_flight,
        }
    }

    /// Messages that are in memory, payload and all.
    pub(super) fn held(&self) -> usize {
        self.window.held() + self.late.len()
    }

    /// The message to send now, if there is one and it may be sent.
    pub(super) fn choose(&self, now_us: i64) -> Option<i64> {
        if !self.has_slot() || self.breaker.opens_at_us() > now_us {
            return None;
        }
        let due = |first: &(i64, i64)| first.0 <= now_us;
        let fresh = self.window.first_fresh().filter(due);
        let may_retry = self.retries_in_flight < self.retry_slots();
        let retry = self.window.first_retry().filter(due).filter(|_| may_retry);
        let (_, message) = match (fresh, retry) {
            // A probe is the message that has waited longest.
            (Some(fresh), Some(retry)) if self.is_suspended() => fresh.min(retry),
            (Some(_), Some(retry)) if self.fresh_in_a_row >= FRESH_IN_A_ROW_MAX => retry,
            (fresh, retry) => fresh.or(retry)?,
        };
        Some(message)
    }

    pub(super) fn start(&mut self, message: i64, flight: Flight) -> Option<Started<P>> {
        let retry = self.window.first_retry();
        let retry_waits = retry.is_some_and(|(due_us, _)| due_us <= flight.started_us);
        let started = self.window.start(message, flight)?;
        self.in_flight += 1;
        self.throttled_in_flight += usize::from(flight.toll == Toll::Throttled);
        self.heavy_in_flight += usize::from(flight.toll == Toll::Heavy);
        if started.attempt > 0 {
            self.retries_in_flight += 1;
            self.fresh_in_a_row = 0;
        } else if retry_waits {
            self.fresh_in_a_row = self.fresh_in_a_row.saturating_add(1);
        }
        Some(started)
    }

    /// Frees the slot of `message`, if it was in flight.
    pub(super) fn finished(&mut self, message: i64, conclusion: Conclusion) -> Option<Flight> {
        let Landed { flight, attempt } = self.window.finish(message, conclusion)?;
        self.in_flight -= 1;
        self.retries_in_flight -= usize::from(attempt > 0);
        self.throttled_in_flight -= usize::from(flight.toll == Toll::Throttled);
        self.heavy_in_flight -= usize::from(flight.toll == Toll::Heavy);
        Some(flight)
    }

    /// Draws the lesson of one attempt, for the endpoint's share, limit and breaker.
    pub(super) fn learn(
        &mut self,
        flight: &Flight,
        verdict: Verdict,
        now_us: i64,
        settings: &Settings,
    ) {
        let took_us = now_us.saturating_sub(flight.started_us);
        self.account.settle(flight.price_us, took_us);
        let cause = match verdict {
            Verdict::Delivered => {
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
            Verdict::Again { cause, .. } | Verdict::Dead { cause } => cause,
        };
        match cause {
            Cause::Refused => (),
            Cause::Overloaded | Cause::Unreachable => {
                self.concurrency.strained(flight.started_us, now_us);
            }
        }
        self.breaker.failed(now_us, self.waiting(), settings);
    }

    pub(super) fn durable(&mut self, message: i64) {
        if self.window.durable(message) {
            self.cursor.lose(message);
        }
    }

    /// The line in which this endpoint waits for its turn.
    fn class(&self, settings: &Settings) -> Class {
        match self.toll(settings) {
            Toll::Throttled => Class::Throttled,
            Toll::Heavy if self.in_flight > settings.noisy_above() => Class::Noisy,
            // The first attempt of all is not held back, or no endpoint could show that it
            // is quick while the slow ones have their full share.
            Toll::Heavy if self.account.is_proven() || self.in_flight > 0 => Class::Slow,
            Toll::None | Toll::Heavy => Class::Quiet,
        }
    }

    /// The share of slots that this endpoint's attempts count against.
    pub(super) fn toll(&self, settings: &Settings) -> Toll {
        let slow = !self.account.is_proven() || self.account.usual_us() >= settings.slow_us;
        match self.breaker.state() {
            BreakerState::Closed if slow || self.in_flight > settings.noisy_above() => Toll::Heavy,
            BreakerState::Closed => Toll::None,
            BreakerState::Throttled | BreakerState::Suspended => Toll::Throttled,
        }
    }

    pub(super) fn standing(
        &self,
        now_us: i64,
        allowance: &Allowance,
        settings: &Settings,
    ) -> Standing {
        Standing {
            line: self.choose(now_us).map(|_| self.class(settings)),
            wake_us: self.wake_us(now_us),
            reader: self.wanted_reading(now_us, allowance).is_some(),
        }
    }

    /// The next time at which something changes by itself.
    fn wake_us(&self, now_us: i64) -> Option<i64> {
        if !self.has_slot() {
            return None;
        }
        let opens_at_us = self.breaker.opens_at_us();
        let unread = self.cursor.more().then_some((opens_at_us, 0));
        let lists = [
            self.window.first_fresh(),
            self.window.first_retry(),
            self.window.first_wanted(),
            unread,
        ];
        let times = lists.into_iter().flatten().map(|(due_us, _)| due_us.max(opens_at_us));
        times.filter(|time_us| *time_us > now_us).min()
    }

    pub(super) fn is_well(&self) -> bool {
        !self.paused && self.breaker.state() == BreakerState::Closed
    }

    pub(super) fn is_suspended(&self) -> bool {
        self.breaker.state() == BreakerState::Suspended
    }

    pub(super) fn has_slot(&self) -> bool {
        !self.paused && self.in_flight < self.limit()
    }

    fn limit(&self) -> usize {
        match self.breaker.state() {
            BreakerState::Closed => self.concurrency.limit(),
            BreakerState::Throttled | BreakerState::Suspended => 1,
        }
    }

    /// Retries hold at most half of the slots, so that a first try finds one free.
    fn retry_slots(&self) -> usize {
        (self.limit() / 2).max(1)
    }

    fn waiting(&self) -> u64 {
        let known = self.held() + self.window.shelved();
        self.cursor.unread().saturating_add(u64::try_from(known).unwrap_or(u64::MAX))
    }

    pub(super) fn state(&self, now_us: i64) -> EndpointState {
        let lists =
            [self.window.first_fresh(), self.window.first_retry(), self.window.first_wanted()];
        EndpointState {
            window: self.window.held(),
            shelved: self.window.shelved(),
            in_flight: self.in_flight,
            limit: self.limit(),
            breaker: self.breaker.state(),
            paused: self.paused,
            parked_lanes: self.window.parked(now_us),
            more_on_disk: self.cursor.more(),
            waiting: self.waiting(),
            oldest_due_us: lists.into_iter().flatten().map(|(due_us, _)| due_us).min(),
        }
    }
}
