//! What is going to be done, by its time.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::{HOUR_US, action::Deed, reactions::Known};

/// What is due within this time is done together, which is quicker than one after the other.
const TOGETHER_US: i64 = 6 * HOUR_US;

/// All that everybody in the demo remembers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) queue: Queue,
    /// The returns that are under way, by their identifiers.
    pub(crate) returns: BTreeMap<String, Known>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Vec<(i64, Deed)>", from = "Vec<(i64, Deed)>")]
pub(crate) struct Queue(BTreeMap<i64, VecDeque<Deed>>);

impl From<Vec<(i64, Deed)>> for Queue {
    fn from(all: Vec<(i64, Deed)>) -> Self {
        let mut queue = Self::default();
        queue.extend(all);
        queue
    }
}

impl From<Queue> for Vec<(i64, Deed)> {
    fn from(queue: Queue) -> Self {
        let at = |(due_us, deeds): (i64, VecDeque<Deed>)| {
            deeds.into_iter().map(move |deed| (due_us, deed)).collect::<Vec<_>>()
        };
        queue.0.into_iter().flat_map(at).collect()
    }
}

impl Queue {
    pub(crate) fn extend(&mut self, deeds: impl IntoIterator<Item = (i64, Deed)>) {
        for (due_us, deed) in deeds {
            self.0.entry(due_us).or_default().push_back(deed);
        }
    }

    /// What is due first, with all that is due soon after it and no later than `now_us`.
    pub(crate) fn take_due(&mut self, now_us: i64) -> Vec<(i64, Deed)> {
        let Some((&first_us, _)) = self.0.first_key_value() else { return Vec::new() };
        let last_us = now_us.min(first_us.saturating_add(TOGETHER_US));
        let later = self.0.split_off(&last_us.saturating_add(1));
        std::mem::replace(self, Self(later)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: i64) -> Deed {
        Deed::Day { day }
    }

    #[test]
    fn what_is_due_comes_in_its_order_and_what_is_far_apart_not_together() {
        let mut queue = Queue::default();
        let late_us = 10 * HOUR_US;
        queue.extend([(late_us, day(3)), (2, day(2)), (1, day(1)), (2, day(4))]);
        assert_eq!(queue.take_due(0), []);
        assert_eq!(queue.take_due(late_us), [(1, day(1)), (2, day(2)), (2, day(4))]);
        assert_eq!(queue.take_due(late_us - 1), []);
        assert_eq!(queue.take_due(late_us), [(late_us, day(3))]);
    }

    #[test]
    fn what_was_written_down_is_read_again() {
        let mut memory = Memory::default();
        memory.queue.extend([(5, day(1)), (5, day(2))]);
        let text = serde_json::to_string(&memory).unwrap();
        let mut read: Memory = serde_json::from_str(&text).unwrap();
        assert_eq!(read.queue.take_due(5), [(5, day(1)), (5, day(2))]);
    }
}
