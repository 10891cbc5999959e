//! One endpoint: its messages, what was read for it, and how much it bears.
//!
//! Here the parts are weighed against each other: which message goes next, whether
//! something must be read, and what the endpoint waits for. It knows nothing of the
//! other endpoints.

use super::{
    Cause, EndpointState, Owner, Verdict, Waiting,
    breaker::{Breaker, BreakerState},
    concurrency::Concurrency,
    cursor::{Cursor, Reading},
    desk::{Allowance, Filed, Totals},
    settings::Settings,
    turns::{Account, Class},
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
    window: Window<P>,
    concurrency: Concurrency,
    in_flight: usize,
    retries_in_flight: usize,
    throttled_in_flight: usize,
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
            concurrency: Concurrency::new(settings),
            in_flight: 0,
            retries_in_flight: 0,
            throttled_in_flight: 0,
            fresh_in_a_row: 0,
        }
    }

    pub(super) fn totals(&self) -> Totals {
        Totals {
            held: self.window.held(),
            shelved: self.window.shelved(),
            in_flight: self.in_flight,
            throttled_in_flight: self.throttled_in_flight,
        }
    }

    pub(super) fn arrived(&mut self, waiting: Waiting<P>, allowance: &Allowance) {
        if self.cursor.has_passed(waiting.message) || self.window.contains(waiting.message) {
            return;
        }
        let room = self.window.held() < self.window_max(allowance)
            && self.window.shelved() <= allowance.shelf_max;
        if room && self.cursor.is_at_end() {
            self.cursor.pass(waiting.message);
            self.window.insert(waiting);
        } else {
            self.cursor.left_on_disk();
        }
    }

    /// Gives up payloads that an endpoint in trouble will hardly come to, so that the
    /// dead do not fill the memory of the living.
    pub(super) fn slim(&mut self, now_us: i64, allowance: &Allowance) {
        if !self.is_well() {
            let excess = self.window.held().saturating_sub(self.window_max(allowance));
            self.window.shelve(excess.min(self.shelf_room(allowance)), now_us);
        }
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
        self.throttled_in_flight += usize::from(flight.throttled);
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
        self.throttled_in_flight -= usize::from(flight.throttled);
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

    pub(super) fn not_durable(&mut self, message: i64) {
        if self.window.not_durable(message) {
            self.cursor.lose(message);
        }
    }

    pub(super) fn discard(&mut self, message: i64) {
        self.cursor.lose(message);
        self.window.discard(message);
    }

    /// Decides what to read, and makes room for it: the id to read after, and how
    /// many messages at most.
    pub(super) fn read(&mut self, now_us: i64, allowance: &Allowance) -> Option<(i64, usize)> {
        let reading = self.wanted_reading(now_us, allowance)?;
        let window_max = self.window_max(allowance);
        let half = window_max.div_ceil(2);
        let (after, wished) = match reading {
            Reading::Forward | Reading::Void => (self.cursor.after(), window_max),
            Reading::Recall { first } => {
                (first.saturating_sub(1), self.window.run(first, half, now_us))
            }
        };
        if self.is_hungry(now_us) {
            let short = (half.min(wished) + self.window.held()).saturating_sub(window_max);
            let most = match reading {
                Reading::Forward | Reading::Void => self.shelf_room(allowance),
                // As many come back from the shelf as go there.
                Reading::Recall { .. } => usize::MAX,
            };
            self.window.shelve(short.min(most), now_us);
        }
        let room = window_max.saturating_sub(self.window.held());
        self.cursor.begin(reading);
        Some((after, wished.min(room)))
    }

    pub(super) fn refilled(&mut self, rows: Vec<Waiting<P>>, reached_end: bool, window_max: usize) {
        let count = rows.len();
        let last = rows.last().map(|row| row.message);
        let mut look_again = None;
        match self.cursor.reading() {
            None => return,
            Some(Reading::Void) => (),
            Some(Reading::Forward) => look_again = self.take_in(rows),
            Some(Reading::Recall { first }) => {
                self.take_back(rows, window_max);
                let looked = reached_end || last.is_some_and(|last| last >= first);
                if looked && self.window.is_shelved(first) && self.window.held() < window_max {
                    // Not on disk any more, though nobody said so: nothing to send.
                    self.window.discard(first);
                }
            }
        }
        self.cursor.end(count, reached_end);
        if let Some(message) = look_again {
            self.cursor.rewind(message);
        }
    }

    /// Takes in new messages. Gives the first one that is known to be gone and was
    /// read all the same: it may be old news, or an operator put it back.
    fn take_in(&mut self, rows: Vec<Waiting<P>>) -> Option<i64> {
        let mut gone = None;
        for row in rows {
            self.cursor.pass(row.message);
            if self.cursor.is_gone(row.message) {
                gone = gone.or(Some(row.message));
            } else if self.window.is_concluded(row.message) {
                self.cursor.doubt(row.message);
            } else if !self.window.contains(row.message) {
                self.window.insert(row);
            }
        }
        gone
    }

    fn take_back(&mut self, rows: Vec<Waiting<P>>, window_max: usize) {
        for row in rows {
            if self.window.is_shelved(row.message) && self.window.held() < window_max {
                self.window.restore(row.message, row.payload);
            }
        }
    }

    pub(super) fn standing(
        &self,
        now_us: i64,
        allowance: &Allowance,
        noisy_above: usize,
    ) -> Standing {
        let class = match self.breaker.state() {
            BreakerState::Closed if self.in_flight > noisy_above => Class::Noisy,
            BreakerState::Closed => Class::Quiet,
            BreakerState::Throttled | BreakerState::Suspended => Class::Throttled,
        };
        Standing {
            line: self.choose(now_us).map(|_| class),
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

    fn wanted_reading(&self, now_us: i64, allowance: &Allowance) -> Option<Reading> {
        if self.paused || self.cursor.is_reading() {
            return None;
        }
        let window_max = self.window_max(allowance);
        let hungry = self.is_hungry(now_us);
        let low = self.window.held() <= window_max / 2 && !self.is_suspended();
        if !hungry && !low {
            return None;
        }
        let idle = if hungry { self.window.idle() } else { 0 };
        let room = |idle: usize| (window_max + idle).saturating_sub(self.window.held());
        let recall = self
            .window
            .first_wanted()
            .filter(|(due_us, _)| *due_us <= now_us && room(idle) > 0)
            .map(|(_, first)| Reading::Recall { first });
        let page_min = (window_max / 16).max(1);
        let may_read_on = self.cursor.more()
            && self.window.shelved() <= allowance.shelf_max
            && room(idle.min(self.shelf_room(allowance))) >= page_min;
        let forward = may_read_on.then_some(Reading::Forward);
        if self.cursor.recalled_last { forward.or(recall) } else { recall.or(forward) }
    }

    /// Could send, and has nothing in memory to send.
    fn is_hungry(&self, now_us: i64) -> bool {
        let later = |first: Option<(i64, i64)>| first.is_none_or(|(due_us, _)| due_us > now_us);
        self.has_slot()
            && self.breaker.opens_at_us() <= now_us
            && later(self.window.first_fresh())
            && later(self.window.first_retry())
    }

    fn shelf_room(&self, allowance: &Allowance) -> usize {
        allowance.shelf_soft.saturating_sub(self.window.shelved())
    }

    fn window_max(&self, allowance: &Allowance) -> usize {
        if self.is_well() { allowance.window } else { allowance.window_in_trouble }
    }

    fn is_well(&self) -> bool {
        !self.paused && self.breaker.state() == BreakerState::Closed
    }

    fn is_suspended(&self) -> bool {
        self.breaker.state() == BreakerState::Suspended
    }

    fn has_slot(&self) -> bool {
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
        let known = self.window.held() + self.window.shelved();
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
