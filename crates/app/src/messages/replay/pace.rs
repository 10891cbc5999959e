//! The pace of all replays of this process together.
//!
//! It is far below what the machine can send, so that the disk and the processors are free whenever
//! a live message comes. The turns are evenly spaced: a burst would be in the way of someone.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

/// One message is sent again in this time.
const PER_MESSAGE: Duration = Duration::from_millis(10);

#[derive(Default)]
pub(crate) struct ReplayPace {
    /// When the next message may be enqueued.
    next: Mutex<Option<Instant>>,
}

impl ReplayPace {
    /// Waits until `messages` more may be enqueued.
    pub(super) async fn wait_for_turn(&self, messages: usize) {
        sleep_until(self.take_turn(Instant::now(), messages)).await;
    }

    fn take_turn(&self, now: Instant, messages: usize) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = next.map_or(now, |next| next.max(now));
        let messages = u32::try_from(messages).unwrap_or(u32::MAX);
        *next = Some(turn + PER_MESSAGE.saturating_mul(messages));
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replays_take_turns_and_save_none_for_later() {
        let pace = ReplayPace::default();
        let start = Instant::now();
        assert_eq!(pace.take_turn(start, 4), start);
        assert_eq!(pace.take_turn(start, 1), start + PER_MESSAGE * 4);
        let later = start + PER_MESSAGE * 100;
        assert_eq!(pace.take_turn(later, 1), later);
        assert_eq!(pace.take_turn(later, 1), later + PER_MESSAGE);
    }
}
