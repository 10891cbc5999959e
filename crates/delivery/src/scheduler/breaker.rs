//! What a failing endpoint still gets.
//!
//! | state     | becomes   | when                                                  |
//! | --------- | --------- | ----------------------------------------------------- |
//! | Closed    | Throttled | ten failures in a row, or half of the recent attempts |
//! | Throttled | Suspended | an hour of nothing but failures, and many wait        |
//! | any other | Closed    | one success                                           |
//!
//! Throttled means one at a time: every message still gets its own attempts at its
//! own times. Suspended means one probe after a growing pause, which is a real
//! attempt of the oldest message; nothing else is consumed. An operator's pause is
//! not a state of the breaker.

use super::settings::SchedulerSettings;

/// Parts that the window of recent attempts is kept in.
const PARTS: i64 = 6;

/// The state, as reports show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakerState {
    Closed,
    Throttled,
    Suspended,
}

#[derive(Clone, Copy, Debug)]
enum BreakerStage {
    Closed,
    Throttled,
    Suspended { probe_at_us: i64, gap_us: i64 },
}

#[derive(Debug)]
pub(super) struct Breaker {
    stage: BreakerStage,
    failures_in_a_row: u32,
    /// When the present row of failures began.
    failing_since_us: i64,
    recent: [Part; 6],
}

/// Attempts of one part of the window.
#[derive(Clone, Copy, Debug)]
struct Part {
    number: i64,
    attempts: u32,
    failures: u32,
}

const EMPTY: Part = Part { number: i64::MIN, attempts: 0, failures: 0 };

impl Breaker {
    pub(super) fn new() -> Self {
        Self {
            stage: BreakerStage::Closed,
            failures_in_a_row: 0,
            failing_since_us: 0,
            recent: [EMPTY; 6],
        }
    }

    pub(super) fn state(&self) -> BreakerState {
        match self.stage {
            BreakerStage::Closed => BreakerState::Closed,
            BreakerStage::Throttled => BreakerState::Throttled,
            BreakerStage::Suspended { .. } => BreakerState::Suspended,
        }
    }

    /// Before this time nothing may be sent, whatever is due.
    pub(super) fn opens_at_us(&self) -> i64 {
        match self.stage {
            BreakerStage::Closed | BreakerStage::Throttled => i64::MIN,
            BreakerStage::Suspended { probe_at_us, .. } => probe_at_us,
        }
    }

    /// Records a success and returns the state from which it closed the breaker.
    pub(super) fn record_success(
        &mut self,
        now_us: i64,
        settings: &SchedulerSettings,
    ) -> BreakerState {
        let before = self.state();
        self.failures_in_a_row = 0;
        if before == BreakerState::Closed {
            self.note(now_us, 0, settings);
        } else {
            self.stage = BreakerStage::Closed;
            self.recent = [EMPTY; 6];
        }
        before
    }

    /// Records a failure, while `waiting` messages are known to wait.
    pub(super) fn record_failure(
        &mut self,
        now_us: i64,
        waiting: u64,
        settings: &SchedulerSettings,
    ) {
        if self.failures_in_a_row == 0 {
            self.failing_since_us = now_us;
        }
        self.failures_in_a_row = self.failures_in_a_row.saturating_add(1);
        self.note(now_us, 1, settings);
        self.stage = match self.stage {
            BreakerStage::Closed if self.fails_too_often(settings) => BreakerStage::Throttled,
            BreakerStage::Closed => BreakerStage::Closed,
            BreakerStage::Throttled if self.is_hopeless(now_us, waiting, settings) => {
                let gap_us = settings.probe_gap_us;
                BreakerStage::Suspended { probe_at_us: now_us.saturating_add(gap_us), gap_us }
            }
            BreakerStage::Throttled => BreakerStage::Throttled,
            BreakerStage::Suspended { gap_us, .. } => {
                let gap_us = gap_us.saturating_mul(2).min(settings.probe_gap_max_us);
                BreakerStage::Suspended { probe_at_us: now_us.saturating_add(gap_us), gap_us }
            }
        };
    }

    fn note(&mut self, now_us: i64, failures: u32, settings: &SchedulerSettings) {
        let number = now_us / (settings.throttle_window_us / PARTS).max(1);
        for part in &mut self.recent {
            if part.number <= number.saturating_sub(PARTS) {
                *part = EMPTY;
            }
        }
        let same = self.recent.iter().position(|part| part.number == number);
        let place = same.or_else(|| self.recent.iter().position(|part| part.attempts == 0));
        if let Some(part) = place.and_then(|place| self.recent.get_mut(place)) {
            part.number = number;
            part.attempts = part.attempts.saturating_add(1);
            part.failures = part.failures.saturating_add(failures);
        }
    }

    fn fails_too_often(&self, settings: &SchedulerSettings) -> bool {
        let attempts: u32 = self.recent.iter().map(|part| part.attempts).sum();
        let failures: u32 = self.recent.iter().map(|part| part.failures).sum();
        let share = u64::from(failures) * 100;
        self.failures_in_a_row >= settings.throttle_failures
            || (attempts >= settings.throttle_attempts_min
                && share >= u64::from(attempts) * u64::from(settings.throttle_failed_percent))
    }

    fn is_hopeless(&self, now_us: i64, waiting: u64, settings: &SchedulerSettings) -> bool {
        now_us.saturating_sub(self.failing_since_us) >= settings.suspend_after_us
            && waiting > settings.suspend_waiting_min
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_US: i64 = 1_000_000;

    fn failing(times: u32, waiting: u64) -> Breaker {
        let mut breaker = Breaker::new();
        for _ in 0..times {
            breaker.record_failure(0, waiting, &SchedulerSettings::default());
        }
        breaker
    }

    #[test]
    fn ten_failures_in_a_row_throttle() {
        assert_eq!(failing(9, 0).state(), BreakerState::Closed);
        assert_eq!(failing(10, 0).state(), BreakerState::Throttled);
    }

    #[test]
    fn half_of_twenty_attempts_in_thirty_seconds_throttle() {
        let mut breaker = Breaker::new();
        for turn in 0..10 {
            assert_eq!(breaker.state(), BreakerState::Closed);
            breaker.record_success(turn * SECOND_US, &SchedulerSettings::default());
            breaker.record_failure(turn * SECOND_US, 0, &SchedulerSettings::default());
        }
        assert_eq!(breaker.state(), BreakerState::Throttled);
    }

    #[test]
    fn failures_of_long_ago_do_not_count() {
        let mut breaker = Breaker::new();
        for turn in 0..100 {
            breaker.record_success(turn * 10 * SECOND_US, &SchedulerSettings::default());
            breaker.record_failure(turn * 10 * SECOND_US, 0, &SchedulerSettings::default());
        }
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn an_hour_of_failures_suspends_only_when_many_wait() {
        for (waiting, state) in [(1_000, BreakerState::Throttled), (1_001, BreakerState::Suspended)]
        {
            let mut breaker = failing(10, waiting);
            breaker.record_failure(3_599 * SECOND_US, waiting, &SchedulerSettings::default());
            assert_eq!(breaker.state(), BreakerState::Throttled);
            breaker.record_failure(3_600 * SECOND_US, waiting, &SchedulerSettings::default());
            assert_eq!(breaker.state(), state);
        }
    }

    #[test]
    fn the_gap_between_probes_grows_to_five_minutes() {
        let mut breaker = failing(10, 5_000);
        let mut now_us = 3_600 * SECOND_US;
        for gap_s in [30, 60, 120, 240, 300, 300] {
            breaker.record_failure(now_us, 5_000, &SchedulerSettings::default());
            assert_eq!(breaker.opens_at_us(), now_us + gap_s * SECOND_US);
            now_us = breaker.opens_at_us();
        }
    }

    #[test]
    fn one_success_closes_from_any_state() {
        let mut throttled = failing(10, 0);
        assert_eq!(
            throttled.record_success(1, &SchedulerSettings::default()),
            BreakerState::Throttled
        );
        assert_eq!(throttled.state(), BreakerState::Closed);

        let mut suspended = failing(10, 5_000);
        suspended.record_failure(3_600 * SECOND_US, 5_000, &SchedulerSettings::default());
        assert_eq!(
            suspended.record_success(1, &SchedulerSettings::default()),
            BreakerState::Suspended
        );
        assert_eq!(suspended.state(), BreakerState::Closed);
        assert_eq!(suspended.opens_at_us(), i64::MIN);
    }
}
