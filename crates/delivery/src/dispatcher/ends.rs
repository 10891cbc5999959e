//! Ends of attempts on their way to the store.
//!
//! A batch is collected while others are stored. A commit costs about as much for one end as for a
//! hundred, so as long as more attempts are under way than ends wait, these wait a moment for company:
//! that is, only under load. Nothing but the next message of the same lane waits for it.
//!
//! Two batches may be on their way, so that the second is there when the store has done with the
//! first. They never touch the same message: its lane is barred until its end is stored.

use store::Conclusion;

use crate::scheduler::EndpointId;

/// Ends that one commit may cover.
const BATCH_MAX: usize = 1_000;
/// A batch that waits for nobody.
const BATCH_WORTH: usize = 256;
const WAIT_MAX_US: i64 = 5_000;
/// Batches that may be on their way to the store.
const STORING_MAX: usize = 2;

pub(super) type End = (EndpointId, Conclusion);

#[derive(Default)]
pub(super) struct Ends {
    waiting: Vec<End>,
    /// When the first of those that wait came in.
    since_us: i64,
    /// Batches on their way.
    storing: usize,
}

impl Ends {
    pub(super) fn push(&mut self, end: End, now_us: i64) {
        if self.waiting.is_empty() {
            self.since_us = now_us;
        }
        self.waiting.push(end);
    }

    /// Whether nothing waits and nothing is on its way.
    pub(super) fn are_stored(&self) -> bool {
        self.waiting.is_empty() && self.storing == 0
    }

    /// What to store now, while so many attempts are under way.
    pub(super) fn next_batch(&mut self, now_us: i64, in_flight: usize) -> Option<Vec<End>> {
        if self.storing == STORING_MAX || self.waiting.is_empty() {
            return None;
        }
        let waiting = self.waiting.len();
        let worth = waiting >= BATCH_WORTH || waiting >= in_flight;
        if !worth && now_us < self.since_us.saturating_add(WAIT_MAX_US) {
            return None;
        }
        let rest = self.waiting.split_off(waiting.min(BATCH_MAX));
        self.storing += 1;
        self.since_us = now_us;
        Some(std::mem::replace(&mut self.waiting, rest))
    }

    pub(super) fn batch_is_stored(&mut self) {
        self.storing -= 1;
    }

    /// When the ends that wait have waited long enough.
    pub(super) fn wake_at_us(&self) -> Option<i64> {
        let wait = self.storing < STORING_MAX && !self.waiting.is_empty();
        wait.then(|| self.since_us.saturating_add(WAIT_MAX_US))
    }
}

#[cfg(test)]
mod tests {
    use domain::{identifier::MerchantId, kind::Kind};
    use store::{Attempted, Verdict};

    use super::*;

    fn end(message_id: i64) -> End {
        let attempted = Attempted {
            at_us: 0,
            latency_us: 0,
            waited_us: 0,
            status: Some(200),
            error: None,
            answer: None,
        };
        let conclusion = Conclusion {
            merchant: MerchantId::parse("acme").unwrap(),
            kind: Kind::Rma,
            message_id,
            lane: 1,
            cycle: 1,
            attempt: 1,
            verdict: Verdict::Delivered,
            attempted,
        };
        (EndpointId(0), conclusion)
    }

    fn waiting(count: i64) -> Ends {
        let mut ends = Ends::default();
        for message_id in 0..count {
            ends.push(end(message_id), 10);
        }
        ends
    }

    #[test]
    fn the_last_attempt_under_way_ends_the_waiting() {
        let mut ends = waiting(2);
        assert_eq!(ends.next_batch(10, 3), None);
        assert_eq!(ends.next_batch(10, 2).unwrap().len(), 2);
    }

    #[test]
    fn ends_wait_no_longer_than_a_moment() {
        let mut ends = waiting(1);
        assert_eq!(ends.wake_at_us(), Some(10 + WAIT_MAX_US));
        assert_eq!(ends.next_batch(9 + WAIT_MAX_US, 100), None);
        assert_eq!(ends.next_batch(10 + WAIT_MAX_US, 100).unwrap().len(), 1);
        assert_eq!(ends.wake_at_us(), None);
    }

    #[test]
    fn a_large_batch_waits_for_nobody() {
        assert_eq!(waiting(256).next_batch(10, 2_000).unwrap().len(), 256);
    }

    #[test]
    fn two_batches_are_stored_at_a_time_and_none_is_too_large() {
        let mut ends = waiting(2_001);
        assert_eq!(ends.next_batch(10, 0).unwrap().len(), BATCH_MAX);
        assert_eq!(ends.next_batch(10, 0).unwrap().len(), BATCH_MAX);
        assert_eq!((ends.next_batch(10, 0), ends.wake_at_us()), (None, None));
        ends.batch_is_stored();
        assert_eq!(ends.next_batch(10, 0).unwrap().len(), 1);
        ends.batch_is_stored();
        assert!(!ends.are_stored());
        ends.batch_is_stored();
        assert!(ends.are_stored());
    }
}
