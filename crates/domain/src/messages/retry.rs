//! When a message that was not accepted is sent again.
//!
//! Five retries, each after a longer pause than the one before: base, base x factor, and so on.
//! Jitter only adds to a pause, so no retry is early. A merchant's `Retry-After` is honored if it
//! is longer than the pause.

/// How often a message is retried before it goes to the failure queue.
pub const RETRIES_MAX: u32 = 5;

/// Jitter adds at most this share of a pause.
const JITTER_PERCENT: u64 = 20;

/// The longest pause, even if a merchant asks for more: seven days.
const PAUSE_MAX_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// How long the pauses between attempts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetrySchedule {
    pub base_ms: u64,
    pub factor: u64,
}

impl Default for RetrySchedule {
    fn default() -> Self {
        Self { base_ms: 5_000, factor: 10 }
    }
}

impl RetrySchedule {
    /// The pause after the attempt with this number (from 1), or None after the last attempt.
    ///
    /// `chance` is a random number that decides how much jitter is added.
    pub fn pause_ms(&self, attempt: u32, retry_after_ms: Option<u64>, chance: u64) -> Option<u64> {
        if attempt > RETRIES_MAX {
            return None;
        }
        let growth = self.factor.saturating_pow(attempt.saturating_sub(1));
        let pause = self.base_ms.saturating_mul(growth).min(PAUSE_MAX_MS);
        let requested = retry_after_ms.unwrap_or(0).min(PAUSE_MAX_MS);
        let longest_jitter = pause * JITTER_PERCENT / 100;
        let jitter = chance.checked_rem(longest_jitter + 1).unwrap_or(0);
        Some((pause + jitter).max(requested))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_pauses_grow_tenfold_from_five_seconds() {
        let pauses: Vec<_> =
            (1..=6).map(|attempt| RetrySchedule::default().pause_ms(attempt, None, 0)).collect();
        let seconds = [5, 50, 500, 5_000, 50_000].map(|seconds| Some(seconds * 1000));
        assert_eq!(pauses, [&seconds[..], &[None]].concat());
    }

    #[test]
    fn a_longer_retry_after_is_honored() {
        let schedule = RetrySchedule::default();
        assert_eq!(schedule.pause_ms(1, Some(60_000), 0), Some(60_000));
        assert_eq!(schedule.pause_ms(2, Some(1_000), 0), Some(50_000));
        assert_eq!(schedule.pause_ms(6, Some(60_000), 0), None);
    }

    proptest! {
        #[test]
        fn jitter_adds_at_most_a_fifth_and_never_subtracts(
            base_ms in 0_u64..1_000_000,
            factor in 0_u64..100,
            attempt in 1_u32..=RETRIES_MAX,
            chance in any::<u64>(),
        ) {
            let schedule = RetrySchedule { base_ms, factor };
            let plain = schedule.pause_ms(attempt, None, 0).unwrap();
            let jittered = schedule.pause_ms(attempt, None, chance).unwrap();
            prop_assert!(plain <= jittered && jittered <= plain + plain / 5);
        }
    }
}
