//! Lists every queue under what it waits for: its turn, a time, a reading, or nothing at all.
//!
//! A queue that waits for an event of its own is in no list and costs nothing. The totals over all
//! queues are kept here too; they bound what each queue may keep in memory.

use std::collections::{BTreeSet, VecDeque};

use super::{
    queue_state::{Allowance, QueueState, Totals, WaitState},
    settings::SchedulerSettings,
    turns::{OpenLines, QueueId, Turns},
};

pub(super) struct ReadyLists {
    pub(super) settings: SchedulerSettings,
    pub(super) turns: Turns,
    pub(super) totals: Totals,
    /// The time of the last call that named one.
    pub(super) now_us: i64,
    sleepers: BTreeSet<(i64, QueueId)>,
    readers: VecDeque<QueueId>,
}

impl ReadyLists {
    pub(super) fn new(settings: SchedulerSettings) -> Self {
        Self {
            settings,
            turns: Turns::new(),
            totals: Totals::default(),
            now_us: i64::MIN,
            sleepers: BTreeSet::new(),
            readers: VecDeque::new(),
        }
    }

    pub(super) fn allowance(&self) -> Allowance {
        let SchedulerSettings { window_max, evicted_max, .. } = self.settings;
        let window_min = self.settings.window_min.max(1).min(window_max);
        let share = self.settings.held_max / self.totals.holding.max(1);
        let window = share.clamp(window_min, window_max);
        let window_degraded = window.min(window_min.max(window_max / 8));
        let bytes = self.bytes_allowed();
        let few_evicted = self.totals.evicted < self.settings.evicted_all_max;
        let evicted_soft =
            if few_evicted { evicted_max } else { evicted_max.min(window_max.saturating_mul(4)) };
        Allowance { window, window_degraded, bytes, evicted_soft, evicted_max }
    }

    /// The bytes that a queue may hold. With all in use, it is only an eighth of its share: those
    /// that were read before have more than theirs.
    fn bytes_allowed(&self) -> usize {
        let most = self.settings.held_bytes_max;
        let used = self.totals.held_bytes + self.totals.page_bytes;
        let share = most / self.totals.holding.max(4);
        if used < most / 2 {
            most / 4
        } else if used < most {
            share
        } else {
            share / 8
        }
    }

    /// Lists a queue anew, after anything about it has changed.
    pub(super) fn register<P>(&mut self, id: QueueId, queue: &mut QueueState<P>) {
        let state = queue.wait_state(self.now_us, &self.allowance(), &self.settings);
        self.update(id, queue, state);
    }

    /// Takes a queue out of everything.
    pub(super) fn remove<P>(&mut self, id: QueueId, queue: &mut QueueState<P>) {
        self.update(id, queue, WaitState::default());
        if queue.registered.reader {
            self.readers.retain(|reader| *reader != id);
        }
        self.turns.remove_queue(queue.owner);
        self.totals.replace(queue.totals(), Totals::default());
    }

    /// The next queue for which the time has come. The caller registers it anew.
    pub(super) fn next_sleeper(&self) -> Option<QueueId> {
        let (wake_us, id) = self.sleepers.first()?;
        (*wake_us <= self.now_us).then_some(*id)
    }

    pub(super) fn wake_at_us(&self) -> Option<i64> {
        self.sleepers.first().map(|(wake_us, _)| *wake_us)
    }

    /// The next queue that wants to read. It is no longer listed as a reader.
    pub(super) fn next_reader(&mut self) -> Option<QueueId> {
        self.readers.pop_front()
    }

    /// The queue that a free slot goes to.
    pub(super) fn next_sender(&self) -> Option<QueueId> {
        if self.totals.in_flight >= self.settings.slots_max {
            return None;
        }
        self.turns.first(OpenLines {
            heavy: self.totals.heavy_in_flight < self.settings.heavy_slots(),
            throttled: self.totals.throttled_in_flight < self.settings.throttled_slots(),
        })
    }

    /// Takes a queue out of its line and charges it for one start.
    pub(super) fn serve<P>(&mut self, id: QueueId, queue: &mut QueueState<P>) -> i64 {
        if let Some(class) = queue.registered.line.take() {
            self.turns.leave(class, queue.owner, id, &queue.account);
        }
        self.turns.charge(queue.owner, &mut queue.account)
    }

    fn update<P>(&mut self, id: QueueId, queue: &mut QueueState<P>, state: WaitState) {
        let registered = &mut queue.registered;
        if registered.line != state.line {
            if let Some(class) = registered.line {
                self.turns.leave(class, queue.owner, id, &queue.account);
            }
            if let Some(class) = state.line {
                self.turns.enter(class, queue.owner, id, &mut queue.account);
            }
            registered.line = state.line;
        }
        if registered.wake_us != state.wake_us {
            if let Some(wake_us) = registered.wake_us {
                self.sleepers.remove(&(wake_us, id));
            }
            if let Some(wake_us) = state.wake_us {
                self.sleepers.insert((wake_us, id));
            }
            registered.wake_us = state.wake_us;
        }
        if state.reader && !registered.reader {
            self.readers.push_back(id);
            registered.reader = true;
        }
    }
}
