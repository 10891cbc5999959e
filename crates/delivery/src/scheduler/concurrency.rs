//! How many messages an endpoint may have in flight.
//!
//! The limit grows by one per window of successes, as long as answers do not take
//! much longer than they did at best, and is halved when the endpoint shows that
//! it cannot keep up. An attempt that started before the last cut says nothing
//! new: sixty-four timeouts at one moment are one sign, not six halvings.

use super::settings::SchedulerSettings;

/// Differences below this are noise, however fast the endpoint is.
const JITTER_US: i64 = 20_000;

#[derive(Debug)]
pub(super) struct Concurrency {
    limit: usize,
    /// Successes since the limit changed.
    successes: usize,
    /// When the limit was last halved.
    cut_at_us: i64,
    /// Smoothed time of a successful attempt, and the best that was seen of it.
    smoothed_us: i64,
    best_us: i64,
}

impl Concurrency {
    pub(super) fn new(settings: &SchedulerSettings) -> Self {
        Self {
            limit: settings.endpoint_slots_start.max(1),
            successes: 0,
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
        self.successes = 0;
        self.cut_at_us = now_us;
    }

    pub(super) fn record_success(&mut self, took_us: i64, limit_max: usize) {
        self.smoothed_us = match self.smoothed_us {
            0 => took_us,
            smoothed_us => smoothed_us + (took_us - smoothed_us) / 8,
        };
        self.best_us = self.best_us.min(self.smoothed_us);
        self.successes += 1;
        if self.successes < self.limit {
            return;
        }
        self.successes = 0;
        if self.smoothed_us <= self.best_us.saturating_mul(2).saturating_add(JITTER_US) {
            self.limit = (self.limit + 1).min(limit_max);
        }
        // The best fades, so that an endpoint that became slower for good may grow again.
        self.best_us += self.best_us / 64 + 1;
    }

    /// The endpoint did not answer, or said that it is overloaded.
    pub(super) fn record_strain(&mut self, started_us: i64, now_us: i64) {
        if started_us >= self.cut_at_us {
            self.limit = (self.limit / 2).max(1);
            self.successes = 0;
            self.cut_at_us = now_us;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> Concurrency {
        Concurrency::new(&SchedulerSettings::default())
    }

    #[test]
    fn the_limit_grows_by_one_per_window_of_successes() {
        let mut concurrency = fresh();
        for _ in 0..4 {
            assert_eq!(concurrency.limit(), 4);
            concurrency.record_success(1_000, 64);
        }
        assert_eq!(concurrency.limit(), 5);
        for _ in 0..5 {
            concurrency.record_success(1_000, 64);
        }
        assert_eq!(concurrency.limit(), 6);
    }

    #[test]
    fn the_limit_stops_at_its_ceiling() {
        let mut concurrency = fresh();
        for _ in 0..10_000 {
            concurrency.record_success(1_000, 64);
        }
        assert_eq!(concurrency.limit(), 64);
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
            concurrency.record_success(100_000, 64);
        }
        let limit = concurrency.limit();
        for _ in 0..20 {
            concurrency.record_success(5_000_000, 64);
        }
        assert_eq!(concurrency.limit(), limit);
    }

    #[test]
    fn an_endpoint_that_became_slower_for_good_grows_again() {
        let mut concurrency = fresh();
        concurrency.record_success(100_000, 64);
        for _ in 0..10_000 {
            concurrency.record_success(1_000_000, 64);
        }
        assert_eq!(concurrency.limit(), 64);
    }
}
