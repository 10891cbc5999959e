//! A clock that somebody can set ahead and let run quicker, for a demo.
//!
//! It shows a time of its own, which passes so many times as fast as the machine's. It never goes
//! back: what was stored at a time must not lie in the future afterwards.

use std::sync::{Arc, PoisonError, RwLock};

/// How many times as fast as the machine's time a clock may run at most: an hour in a second.
pub const SPEED_MAX: u32 = 3_600;

/// A handle on a clock that can be set. Its copies are the same clock.
#[derive(Clone, Debug)]
pub struct Pace(Arc<RwLock<Setting>>);

#[derive(Clone, Copy, Debug)]
struct Setting {
    /// At this time of the machine the clock showed `shown_us`.
    machine_us: i64,
    shown_us: i64,
    speed: u32,
}

impl Setting {
    fn shows_us(self, machine_us: i64) -> i64 {
        let passed_us = machine_us.saturating_sub(self.machine_us).max(0);
        self.shown_us.saturating_add(passed_us.saturating_mul(i64::from(self.speed)))
    }
}

impl Pace {
    /// A clock that shows `shown_us` and runs `speed` times as fast as the machine's.
    pub fn new(shown_us: i64, speed: u32) -> Self {
        let machine_us = crate::clock::machine_us();
        let speed = speed.clamp(1, SPEED_MAX);
        Self(Arc::new(RwLock::new(Setting { machine_us, shown_us, speed })))
    }

    /// What the clock shows, in microseconds since the epoch.
    pub fn now_us(&self) -> i64 {
        self.setting().shows_us(crate::clock::machine_us())
    }

    pub fn speed(&self) -> u32 {
        self.setting().speed
    }

    /// Runs at another speed from now on.
    pub fn set_speed(&self, speed: u32) {
        self.change(|shown_us| (shown_us, speed.clamp(1, SPEED_MAX)));
    }

    /// Shows `shown_us` from now on, unless it showed a later time already.
    pub fn set_ahead(&self, shown_us: i64) {
        let speed = self.speed();
        self.change(|before_us| (before_us.max(shown_us), speed));
    }

    fn setting(&self) -> Setting {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, next: impl FnOnce(i64) -> (i64, u32)) {
        let mut setting = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let machine_us = crate::clock::machine_us();
        let (shown_us, speed) = next(setting.shows_us(machine_us));
        *setting = Setting { machine_us, shown_us, speed };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_US: i64 = 3_600_000_000;

    #[test]
    fn time_passes_as_many_times_as_fast_as_it_was_told_to() {
        let setting = Setting { machine_us: 1_000, shown_us: 50, speed: 60 };
        assert_eq!(setting.shows_us(1_000), 50);
        assert_eq!(setting.shows_us(2_000), 50 + 60 * 1_000);
        assert_eq!(setting.shows_us(0), 50, "a machine's clock that was set back stops it");
    }

    #[test]
    fn it_is_set_ahead_and_never_back() {
        let pace = Pace::new(10 * HOUR_US, 1);
        pace.set_ahead(20 * HOUR_US);
        pace.set_ahead(15 * HOUR_US);
        assert!((20 * HOUR_US..21 * HOUR_US).contains(&pace.now_us()));
    }

    #[test]
    fn another_speed_changes_what_comes_and_not_what_was() {
        let pace = Pace::new(10 * HOUR_US, 0);
        assert_eq!(pace.speed(), 1, "it never stands still");
        pace.set_speed(SPEED_MAX + 1);
        assert_eq!(pace.speed(), SPEED_MAX);
        assert!(pace.now_us() < 11 * HOUR_US);
    }
}
