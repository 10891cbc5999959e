//! Files every endpoint under what it waits for: its turn, a time, a reading, or
//! nothing at all.
//!
//! An endpoint that waits for an event of its own is filed nowhere and costs
//! nothing. The desk also keeps the sums over all endpoints, which bound what each
//! of them may take.

use std::collections::{BTreeSet, VecDeque};

use super::{
    QueueId,
    endpoint::{Endpoint, Standing},
    settings::Settings,
    turns::{Class, Open, Turns},
};

pub(super) struct Desk {
    pub(super) settings: Settings,
    pub(super) turns: Turns,
    pub(super) totals: Totals,
    /// The latest time that the caller named.
    pub(super) now_us: i64,
    sleepers: BTreeSet<(i64, QueueId)>,
    readers: VecDeque<QueueId>,
}

/// Sums that are kept over all endpoints, and the part of one endpoint in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) held: usize,
    pub(super) shelved: usize,
    pub(super) in_flight: usize,
    pub(super) throttled_in_flight: usize,
    pub(super) heavy_in_flight: usize,
}

impl Totals {
    pub(super) fn replace(&mut self, before: Self, after: Self) {
        self.held = self.held + after.held - before.held;
        self.shelved = self.shelved + after.shelved - before.shelved;
        self.in_flight = self.in_flight + after.in_flight - before.in_flight;
        self.throttled_in_flight =
            self.throttled_in_flight + after.throttled_in_flight - before.throttled_in_flight;
        self.heavy_in_flight =
            self.heavy_in_flight + after.heavy_in_flight - before.heavy_in_flight;
    }
}

/// What one endpoint may keep in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// With the payload: an endpoint that is well, and one that is not.
    pub(super) window: usize,
    pub(super) window_in_trouble: usize,
    /// Without the payload: as things stand over all endpoints, and at best.
    pub(super) shelf_soft: usize,
    pub(super) shelf_max: usize,
}

/// Where an endpoint is filed. Kept with the endpoint, so that it can be taken out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Filed {
    line: Option<Class>,
    wake_us: Option<i64>,
    pub(super) reader: bool,
}

impl Desk {
    pub(super) fn new(settings: Settings) -> Self {
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
        let Settings { window_max, shelved_max: shelf_max, .. } = self.settings;
        let window_min = self.settings.window_min.max(1).min(window_max);
        let few = self.totals.held < self.settings.held_max;
        let window = if few { window_max } else { window_min };
        let window_in_trouble = window.min(window_min.max(window_max / 8));
        let few = self.totals.shelved < self.settings.shelved_all_max;
        let shelf_soft = if few { shelf_max } else { shelf_max.min(window_max.saturating_mul(4)) };
        Allowance { window, window_in_trouble, shelf_soft, shelf_max }
    }

    /// Files an endpoint anew, after anything about it has changed.
    pub(super) fn file<P>(&mut self, id: QueueId, endpoint: &mut Endpoint<P>) {
        let standing = endpoint.standing(self.now_us, &self.allowance(), &self.settings);
        self.place(id, endpoint, standing);
    }

    /// Takes an endpoint out of everything.
    pub(super) fn strike<P>(&mut self, id: QueueId, endpoint: &mut Endpoint<P>) {
        self.place(id, endpoint, Standing { line: None, wake_us: None, reader: false });
        if endpoint.filed.reader {
            self.readers.retain(|reader| *reader != id);
        }
        self.turns.part(endpoint.owner);
        self.totals.replace(endpoint.totals(), Totals::default());
    }

    /// The next endpoint whose time has come. The caller files it anew.
    pub(super) fn next_sleeper(&self) -> Option<QueueId> {
        let (wake_us, id) = self.sleepers.first()?;
        (*wake_us <= self.now_us).then_some(*id)
    }

    pub(super) fn wake_at_us(&self) -> Option<i64> {
        self.sleepers.first().map(|(wake_us, _)| *wake_us)
    }

    /// The next endpoint that wants to read. It is no longer filed as a reader.
    pub(super) fn next_reader(&mut self) -> Option<QueueId> {
        self.readers.pop_front()
    }

    /// The endpoint that a free slot goes to.
    pub(super) fn next_sender(&self) -> Option<QueueId> {
        if self.totals.in_flight >= self.settings.slots_max {
            return None;
        }
        self.turns.first(Open {
            heavy: self.totals.heavy_in_flight < self.settings.heavy_slots(),
            throttled: self.totals.throttled_in_flight < self.settings.throttled_slots(),
        })
    }

    /// Takes an endpoint out of its line and charges it for one start.
    pub(super) fn serve<P>(&mut self, id: QueueId, endpoint: &mut Endpoint<P>) -> i64 {
        if let Some(class) = endpoint.filed.line.take() {
            self.turns.leave(class, endpoint.owner, id, &endpoint.account);
        }
        self.turns.charge(endpoint.owner, &mut endpoint.account)
    }

    fn place<P>(&mut self, id: QueueId, endpoint: &mut Endpoint<P>, standing: Standing) {
        let filed = &mut endpoint.filed;
        if filed.line != standing.line {
            if let Some(class) = filed.line {
                self.turns.leave(class, endpoint.owner, id, &endpoint.account);
            }
            if let Some(class) = standing.line {
                self.turns.enter(class, endpoint.owner, id, &mut endpoint.account);
            }
            filed.line = standing.line;
        }
        if filed.wake_us != standing.wake_us {
            if let Some(wake_us) = filed.wake_us {
                self.sleepers.remove(&(wake_us, id));
            }
            if let Some(wake_us) = standing.wake_us {
                self.sleepers.insert((wake_us, id));
            }
            filed.wake_us = standing.wake_us;
        }
        if standing.reader && !filed.reader {
            self.readers.push_back(id);
            filed.reader = true;
        }
    }
}
