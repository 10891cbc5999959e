//! A clock that can be set ahead and run faster, for a demo.
//!
//! It shows its own time, which passes some number of times faster than the machine's. It never
//! goes back, because what was stored at a time must not be in the future afterwards.

use std::sync::{Arc, PoisonError, RwLock};

use crate::machine::read_machine_us;

/// The highest speed: one hour per second.
pub const SPEED_MAX: u32 = 3_600;

/// A handle to a clock that can be set. Its copies are the same clock.
#[derive(Clone, Debug)]
pub struct Pace(Arc<RwLock<Setting>>);

#[derive(Clone, Copy, Debug)]
struct Setting {
    /// The machine's time at which the clock showed `shown_us`.
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
    /// A clock that shows `shown_us` and runs `speed` times faster than the machine's.
    pub fn new(shown_us: i64, speed: u32) -> Self {
        let machine_us = read_machine_us();
        let speed = speed.clamp(1, SPEED_MAX);
        Self(Arc::new(RwLock::new(Setting { machine_us, shown_us, speed })))
    }

    /// What the clock shows, in microseconds since the epoch.
    pub fn now_us(&self) -> i64 {
        self.setting().shows_us(read_machine_us())
    }

    pub fn speed(&self) -> u32 {
        self.setting().speed
    }

    /// Runs at another speed from now on.
    pub fn set_speed(&self, speed: u32) {
        self.change(|shown_us| (shown_us, speed.clamp(1, SPEED_MAX)));
    }

    /// Shows `shown_us` from now on, unless it already shows a later time.
    pub fn set_ahead(&self, shown_us: i64) {
        let speed = self.speed();
        self.change(|before_us| (before_us.max(shown_us), speed));
    }

    fn setting(&self) -> Setting {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, next: impl FnOnce(i64) -> (i64, u32)) {
        let mut setting = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let machine_us = read_machine_us();
        let (shown_us, speed) = next(setting.shows_us(machine_us));
        *setting = Setting { machine_us, shown_us, speed };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_US: i64 = 3_600_000_000;

    #[test]
    fn time_passes_at_the_configured_speed() {
        let setting = Setting { machine_us: 1_000, shown_us: 50, speed: 60 };
        assert_eq!(setting.shows_us(1_000), 50);
        assert_eq!(setting.shows_us(2_000), 50 + 60 * 1_000);
        assert_eq!(setting.shows_us(0), 50, "it stops when the machine's clock was set back");
    }

    #[test]
    fn it_is_set_ahead_but_never_back() {
        let pace = Pace::new(10 * HOUR_US, 1);
        pace.set_ahead(20 * HOUR_US);
        pace.set_ahead(15 * HOUR_US);
        assert!((20 * HOUR_US..21 * HOUR_US).contains(&pace.now_us()));
    }

    #[test]
    fn another_speed_changes_only_the_future() {
        let pace = Pace::new(10 * HOUR_US, 0);
        assert_eq!(pace.speed(), 1, "it never stops");
        pace.set_speed(SPEED_MAX + 1);
        assert_eq!(pace.speed(), SPEED_MAX);
        assert!(pace.now_us() < 11 * HOUR_US);
    }
}
