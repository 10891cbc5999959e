//! How many messages an endpoint may have in flight.
//!
//! One until it has answered: after a start nothing is known of any endpoint, and many that hang
//! would take all slots from those that answer.
//!
//! The limit grows by one per window of successes, as long as it binds and answers do not take much
//! longer than they did at best, and is halved when the endpoint shows that it cannot keep up. An
//! attempt that started before the last cut says nothing new: sixty-four timeouts at one moment are
//! one sign, not six halvings.

use super::settings::SchedulerSettings;

/// Differences below this are noise, however fast the endpoint is. More requests at once would not
/// make an endpoint faster that answers within this time, but connections cost both sides.
const JITTER_US: i64 = 2_000;
/// In about this time, the best time forgets what was better before.
const BEST_FADES_US: i64 = 64_000_000;

#[derive(Debug)]
pub(super) struct Concurrency {
    limit: usize,
    /// The limit that follows the first answer.
    start: usize,
    answered: bool,
    /// Successes since the limit changed.
    successes: usize,
    /// Whether the limit was reached since then.
    binds: bool,
    /// When the limit was last halved.
    cut_at_us: i64,
    /// Smoothed time of a successful attempt, and the best that was seen of it.
    smoothed_us: i64,
    best_us: i64,
}

impl Concurrency {
    pub(super) fn new(settings: &SchedulerSettings) -> Self {
        Self {
            limit: settings.endpoint_slots_unproven.max(1),
            start: settings.endpoint_slots_start,
            answered: false,
            successes: 0,
            binds: false,
            cut_at_us: i64::MIN,
            smoothed_us: 0,
            best_us: i64::MAX,
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Starts anew after failures, with `limit` slots.
    pub(super) fn restart(&mut self, limit: usize, now_us: i64) {
        self.limit = limit.max(1);
        (self.successes, self.binds) = (0, false);
        self.cut_at_us = now_us;
    }

    /// An attempt was started: so many are in flight now.
    pub(super) fn record_start(&mut self, in_flight: usize) {
        self.binds |= in_flight >= self.limit;
    }

    /// The endpoint answered, whatever it said.
    pub(super) fn record_answer(&mut self) {
        if !self.answered && self.limit < self.start {
            self.limit = self.start;
            (self.successes, self.binds) = (0, false);
        }
        self.answered = true;
    }

    pub(super) fn record_success(&mut self, took_us: i64, limit_max: usize) {
        self.record_answer();
        self.smoothed_us = match self.smoothed_us {
            0 => took_us,
            smoothed_us => smoothed_us + (took_us - smoothed_us) / 8,
        };
        self.best_us = self.best_us.min(self.smoothed_us);
        self.successes += 1;
        if self.successes < self.limit {
            return;
        }
        let grows = self.smoothed_us <= self.best_us.saturating_mul(2).saturating_add(JITTER_US);
        if grows && self.binds {
            self.limit = (self.limit + 1).min(limit_max);
        }
        (self.successes, self.binds) = (0, false);
        // The best fades, so that an endpoint that became slower for good may grow again. A window
        // of attempts that are in flight together takes as long as one of them.
        let took_us = self.smoothed_us.min(BEST_FADES_US);
        let slower_us = self.smoothed_us - self.best_us;
        self.best_us += slower_us.saturating_mul(took_us) / BEST_FADES_US;
    }

    /// The endpoint did not answer, or said that it is overloaded.
    pub(super) fn record_strain(&mut self, started_us: i64, now_us: i64) {
        if started_us >= self.cut_at_us {
            self.limit = (self.limit / 2).max(1);
            (self.successes, self.binds) = (0, false);
            self.cut_at_us = now_us;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of an endpoint that has just answered for the first time.
    fn fresh() -> Concurrency {
        let mut concurrency = Concurrency::new(&SchedulerSettings::default());
        concurrency.record_answer();
        concurrency
    }

    /// An attempt that took so long while as many were in flight as may be.
    fn succeed(concurrency: &mut Concurrency, took_us: i64) {
        concurrency.record_start(concurrency.limit());
        concurrency.record_success(took_us, 64);
    }

    #[test]
    fn an_endpoint_has_one_in_flight_until_it_answers() {
        let mut concurrency = Concurrency::new(&SchedulerSettings::default());
        concurrency.record_strain(10, 20);
        assert_eq!(concurrency.limit(), 1);
        concurrency.record_answer();
        assert_eq!(concurrency.limit(), 4);
    }

    #[test]
    fn the_limit_grows_by_one_per_window_of_successes() {
        let mut concurrency = fresh();
        for _ in 0..4 {
            assert_eq!(concurrency.limit(), 4);
            succeed(&mut concurrency, 1_000);
        }
        assert_eq!(concurrency.limit(), 5);
        for _ in 0..5 {
            succeed(&mut concurrency, 1_000);
        }
        assert_eq!(concurrency.limit(), 6);
    }

    #[test]
    fn the_limit_stops_at_its_ceiling() {
        let mut concurrency = fresh();
        for _ in 0..10_000 {
            succeed(&mut concurrency, 1_000);
        }
        assert_eq!(concurrency.limit(), 64);
    }

    #[test]
    fn the_limit_does_not_grow_while_it_does_not_bind() {
        let mut concurrency = fresh();
        for _ in 0..1_000 {
            concurrency.record_start(3);
            concurrency.record_success(1_000, 64);
        }
        assert_eq!(concurrency.limit(), 4);
    }

    #[test]
    fn a_fast_endpoint_gets_no_more_at_once_when_answers_wait_for_each_other() {
        let mut concurrency = fresh();
        succeed(&mut concurrency, 200);
        for _ in 0..10_000 {
            succeed(&mut concurrency, 5_000);
        }
        assert!(concurrency.limit() <= 6, "{}", concurrency.limit());
    }

    #[test]
    fn the_limit_is_halved_down_to_one() {
        let mut concurrency = fresh();
        for (now_us, limit) in [(10, 2), (20, 1), (30, 1)] {
            concurrency.record_strain(now_us, now_us);
            assert_eq!(concurrency.limit(), limit);
        }
    }

    #[test]
    fn timeouts_of_one_moment_halve_once() {
        let mut concurrency = fresh();
        for _ in 0..4 {
            concurrency.record_strain(5, 10);
        }
        assert_eq!(concurrency.limit(), 2);
    }

    #[test]
    fn the_limit_does_not_grow_while_answers_get_slower() {
        let mut concurrency = fresh();
        for _ in 0..4 {
            succeed(&mut concurrency, 100_000);
        }
        let limit = concurrency.limit();
        for _ in 0..20 {
            succeed(&mut concurrency, 5_000_000);
        }
        assert_eq!(concurrency.limit(), limit);
    }

    #[test]
    fn an_endpoint_that_became_slower_for_good_grows_again() {
        let mut concurrency = fresh();
        succeed(&mut concurrency, 100_000);
        for _ in 0..10_000 {
            succeed(&mut concurrency, 1_000_000);
        }
        assert_eq!(concurrency.limit(), 64);
    }
}
