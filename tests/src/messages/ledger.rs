//! The judge of what arrived. It knows what was acknowledged and what came, and nothing else.
//!
//! The number of a message (`X-Service-Sequence`) tells both its lane and its place there, so a
//! call is judged by its headers alone. What is promised:
//!
//! 1. Nothing acknowledged is lost: each such message was accepted with 2xx at least once, or its
//!    tries are used up and it is in the failure queue.
//! 2. Messages of a lane arrive for the first time in their order.
//! 3. Only the head of a lane is repeated: once a later message of the lane has arrived, no
//!    earlier one arrives any more.
//!
//! A message that was posted and not acknowledged may have been stored or not. It may be missing,
//! but if it comes, it keeps the order too.
//!
//! Whether the judge would notice is tested below, and was tried on builds that are broken on
//! purpose, in a copy of the tree. Make the change, build `homeward`, then run
//! `HOMEWARD_BIN=... HOMEWARD_CRASH_ROUNDS=10 cargo test -p tests messages::crash::on_sqlite`:
//!
//! - In `Desk::ended` (`crates/delivery/src/dispatcher/desk.rs`) call `self.scheduler.durable`
//!   right after `finished`, so that a lane opens before the end of its head is stored. In ten
//!   rounds a few messages come again that are no heads any more.
//! - In `work::store` (beside it) leave out `transaction.conclude`, so that no end is ever stored.
//!   Then messages wait for ever that have arrived long ago.

use std::collections::{BTreeMap, BTreeSet};

use sim::Call;

/// The numbers of one lane.
const LANE: u64 = 1_000_000;

/// The number of the message at this place of a lane.
pub(super) fn compose_number(lane: u64, place: u64) -> u64 {
    lane * LANE + place
}

/// What the judge looks at of a call.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    lane: u64,
    place: u64,
    accepted: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) arrived: usize,
    pub(super) repeats: usize,
    /// Acknowledged and never accepted.
    pub(super) lost: Vec<u64>,
    /// Arrived for the first time after a later one of their lane.
    pub(super) disordered: Vec<u64>,
    /// Arrived again after a later one of their lane.
    pub(super) late: Vec<u64>,
}

pub(super) fn judge(calls: &[Call], acknowledged: &BTreeSet<u64>) -> Verdict {
    let arrival = |call: &Call| {
        let number = call.sequence.unwrap();
        let accepted = call.answer.is_success();
        Arrival { lane: number / LANE, place: number % LANE, accepted }
    };
    verdict(calls.iter().map(arrival), acknowledged)
}

fn verdict(arrivals: impl Iterator<Item = Arrival>, acknowledged: &BTreeSet<u64>) -> Verdict {
    let (mut seen, mut accepted) = (BTreeSet::new(), BTreeSet::new());
    let mut latest: BTreeMap<u64, u64> = BTreeMap::new();
    let mut verdict = Verdict::default();
    for Arrival { lane, place, accepted: welcome } in arrivals {
        let number = compose_number(lane, place);
        let latest = latest.entry(lane).or_default();
        let first = seen.insert(number);
        verdict.repeats += usize::from(!first);
        if place < *latest {
            let wrong = if first { &mut verdict.disordered } else { &mut verdict.late };
            wrong.push(number);
        }
        *latest = place.max(*latest);
        if welcome {
            accepted.insert(number);
        }
    }
    verdict.arrived = seen.len();
    verdict.lost = acknowledged.difference(&accepted).copied().collect();
    verdict
}

impl Verdict {
    /// All three promises were kept.
    pub(super) fn assert_kept(&self) {
        assert!(self.late.is_empty(), "repeated although not head: {}", self.words());
        self.assert_first_arrivals();
    }

    /// The first two promises were kept.
    pub(super) fn assert_first_arrivals(&self) {
        assert!(self.lost.is_empty(), "lost: {}", self.words());
        assert!(self.disordered.is_empty(), "out of order: {}", self.words());
    }

    pub(super) fn words(&self) -> String {
        let some = |numbers: &[u64]| {
            let shown: Vec<_> = numbers.iter().take(10).collect();
            format!("{} {shown:?}", numbers.len())
        };
        format!(
            "{} messages arrived, {} repeats; lost {}, out of order {}, late {}",
            self.arrived,
            self.repeats,
            some(&self.lost),
            some(&self.disordered),
            some(&self.late)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places of one lane in the order of their arrival; negative ones were refused.
    fn judged(places: &[i64], acknowledged: &[u64]) -> [usize; 4] {
        let arrivals = places.iter().map(|place| Arrival {
            lane: 3,
            place: place.unsigned_abs(),
            accepted: *place > 0,
        });
        let acknowledged = acknowledged.iter().map(|place| compose_number(3, *place)).collect();
        let found = verdict(arrivals, &acknowledged);
        [found.repeats, found.lost.len(), found.disordered.len(), found.late.len()]
    }

    #[test]
    fn the_judge_accepts_what_is_promised() {
        assert_eq!(judged(&[1, 2, 3], &[1, 2, 3]), [0, 0, 0, 0]);
        assert_eq!(judged(&[1, 1, -2, 2, 2, 3], &[1, 2, 3]), [3, 0, 0, 0]);
        assert_eq!(judged(&[1, 2, 4], &[1, 4]), [0, 0, 0, 0], "2 and 3 were not acknowledged");
    }

    #[test]
    fn the_judge_notices_each_broken_promise() {
        assert_eq!(judged(&[1, 3], &[1, 2, 3]), [0, 1, 0, 0]);
        assert_eq!(judged(&[1, -2, 3], &[1, 2, 3]), [0, 1, 0, 0], "refused is not accepted");
        assert_eq!(judged(&[1, 3, 2], &[1, 2, 3]), [0, 0, 1, 0]);
        assert_eq!(judged(&[1, 2, 1, 3], &[1, 2, 3]), [1, 0, 0, 1]);
    }
}
