//! The scheduled actions, by their time.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::{
    HOUR_US,
    action::{Action, Scheduled},
    reactions::Progress,
};

/// Actions that are due within this time are done together, which is faster than one by one.
const TOGETHER_US: i64 = 6 * HOUR_US;

/// What is saved between two runs of a demo.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Schedule {
    pub(crate) queue: Queue,
    /// The open returns, by their identifiers.
    pub(crate) returns: BTreeMap<String, Progress>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Vec<Scheduled>", from = "Vec<Scheduled>")]
pub(crate) struct Queue(BTreeMap<i64, VecDeque<Action>>);

impl From<Vec<Scheduled>> for Queue {
    fn from(all: Vec<Scheduled>) -> Self {
        let mut queue = Self::default();
        queue.extend(all);
        queue
    }
}

impl From<Queue> for Vec<Scheduled> {
    fn from(queue: Queue) -> Self {
        let mut all = Self::new();
        for (due_us, actions) in queue.0 {
            all.extend(actions.into_iter().map(|action| action.at(due_us)));
        }
        all
    }
}

impl Queue {
    pub(crate) fn extend(&mut self, all: impl IntoIterator<Item = Scheduled>) {
        for Scheduled { due_us, action } in all {
            self.0.entry(due_us).or_default().push_back(action);
        }
    }

    /// Whether an exchange order with this number is going to be published.
    pub(crate) fn plans_exchange(&self, number: &str) -> bool {
        let mut planned = self.0.values().flatten();
        planned.any(
            |action| matches!(action, Action::Exchange { identifier, .. } if identifier == number),
        )
    }

    /// Takes the first action, with those that are due soon after it and no later than `now_us`.
    pub(crate) fn take_due(&mut self, now_us: i64) -> Vec<Scheduled> {
        let Some((&first_us, _)) = self.0.first_key_value() else { return Vec::new() };
        let last_us = now_us.min(first_us.saturating_add(TOGETHER_US));
        let later = self.0.split_off(&last_us.saturating_add(1));
        std::mem::replace(self, Self(later)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: i64, due_us: i64) -> Scheduled {
        Action::Day { day }.at(due_us)
    }

    #[test]
    fn actions_are_taken_in_order_and_only_together_when_they_are_close() {
        let mut queue = Queue::default();
        let late_us = 10 * HOUR_US;
        queue.extend([day(3, late_us), day(2, 2), day(1, 1), day(4, 2)]);
        assert_eq!(queue.take_due(0), []);
        assert_eq!(queue.take_due(late_us), [day(1, 1), day(2, 2), day(4, 2)]);
        assert_eq!(queue.take_due(late_us - 1), []);
        assert_eq!(queue.take_due(late_us), [day(3, late_us)]);
    }

    #[test]
    fn a_saved_schedule_is_read_again() {
        let mut schedule = Schedule::default();
        schedule.queue.extend([day(1, 5), day(2, 5)]);
        let text = serde_json::to_string(&schedule).unwrap();
        let mut read: Schedule = serde_json::from_str(&text).unwrap();
        assert_eq!(read.queue.take_due(5), [day(1, 5), day(2, 5)]);
    }
}
