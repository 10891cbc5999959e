//! Ends of attempts on their way to the store.
//!
//! They are stored at once when none are being stored, and otherwise collected meanwhile: a commit costs about as
//! much for one end as for a hundred, and load makes its own batches. Nothing but the next message of the same lane
//! waits for it, and no end waits for an attempt that is still under way, which may be one that hangs.
//!
//! A large batch is not kept waiting, so that it is there when the store has done with the one before. Two that
//! are stored at the same time never touch the same message: it is not tried again until its end is stored.

use store::Conclusion;

use crate::scheduler::EndpointId;

/// Ends that one commit may cover.
const BATCH_MAX: usize = 1_000;
/// A batch that does not wait for the one before it.
const BATCH_WORTH: usize = 256;
/// Batches that may be on their way.
const STORING_MAX: usize = 2;

pub(super) type End = (EndpointId, Conclusion);

#[derive(Default)]
pub(super) struct Ends {
    waiting: Vec<End>,
    /// Batches on their way.
    storing: usize,
}

impl Ends {
    pub(super) fn push(&mut self, end: End) {
        self.waiting.push(end);
    }

    /// Whether nothing waits and nothing is on its way.
    pub(super) fn are_stored(&self) -> bool {
        self.waiting.is_empty() && self.storing == 0
    }

    /// What to store now.
    pub(super) fn next_batch(&mut self) -> Option<Vec<End>> {
        let worth = if self.storing == 0 { 1 } else { BATCH_WORTH };
        let waiting = self.waiting.len();
        if self.storing == STORING_MAX || waiting < worth {
            return None;
        }
        let rest = self.waiting.split_off(waiting.min(BATCH_MAX));
        self.storing += 1;
        Some(std::mem::replace(&mut self.waiting, rest))
    }

    pub(super) fn batch_is_stored(&mut self) {
        self.storing -= 1;
    }
}

#[cfg(test)]
mod tests {
    use domain::{identifier::MerchantId, messages::kind::MessageKind};
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
            kind: MessageKind::Rma,
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
            ends.push(end(message_id));
        }
        ends
    }

    fn next(ends: &mut Ends) -> Option<usize> {
        ends.next_batch().map(|batch| batch.len())
    }

    #[test]
    fn an_end_is_stored_at_once_when_none_is_being_stored() {
        let mut ends = waiting(1);
        assert_eq!((next(&mut ends), next(&mut ends)), (Some(1), None));
        assert!(!ends.are_stored());
        ends.batch_is_stored();
        assert!(ends.are_stored());
    }

    #[test]
    fn ends_are_collected_while_others_are_stored() {
        let mut ends = waiting(1);
        assert_eq!(next(&mut ends), Some(1));
        for message_id in 1..=3 {
            ends.push(end(message_id));
        }
        assert_eq!(next(&mut ends), None);
        ends.batch_is_stored();
        assert_eq!(next(&mut ends), Some(3));
    }

    #[test]
    fn a_large_batch_follows_on_the_one_that_is_being_stored_and_a_third_waits() {
        let mut ends = waiting(2_500);
        assert_eq!(next(&mut ends), Some(BATCH_MAX));
        assert_eq!(next(&mut ends), Some(BATCH_MAX));
        assert_eq!(next(&mut ends), None);
        ends.batch_is_stored();
        assert_eq!(next(&mut ends), Some(500));
    }
}
