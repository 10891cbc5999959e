//! What is true in the simulated world: what is on disk, what is under way, and the
//! promises that every step is held against.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{BreakerState, EndpointState, QueueId, Settings, UNORDERED};

/// How long a message that could start may wait at an endpoint that is well: for slots
/// that others have, and for each message that was there before it.
const WAIT_MAX_US: i64 = 40_000_000;
const WAIT_BEHIND_MAX_US: i64 = 200_000;

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) lane: u64,
    pub(super) door: usize,
    pub(super) attempt: u32,
    pub(super) due_us: i64,
    /// Put back by an operator: it may come after newer ones of its lane.
    pub(super) put_back: bool,
    /// Nothing but its turn has kept it waiting since then.
    since_us: i64,
    /// How long that may be, at an endpoint that is well.
    wait_max_us: i64,
}

/// All that is true about one endpoint.
#[derive(Default)]
pub(super) struct Place {
    /// On disk, unfinished.
    pub(super) rows: BTreeMap<i64, Row>,
    /// Lane and door of those whose tries are used up.
    pub(super) failed: BTreeMap<i64, (u64, usize)>,
    delivered: BTreeSet<i64>,
    /// Arrived, and not reported to the scheduler as durably concluded.
    open: BTreeMap<u64, BTreeSet<i64>>,
    /// From the start of a message until its conclusion was reported.
    pub(super) busy: BTreeMap<i64, u64>,
    /// With their door.
    pub(super) in_flight: BTreeMap<i64, usize>,
    /// Doors that an operator has shut.
    pub(super) paused: BTreeSet<usize>,
    pub(super) healthy: bool,
    /// Since when the lane is free, and since when anything can be sent at all.
    free_us: BTreeMap<u64, i64>,
    pub(super) able_us: i64,
    /// By door.
    probed_us: BTreeMap<usize, i64>,
}

pub(super) struct Model {
    pub(super) settings: Settings,
    pub(super) places: BTreeMap<QueueId, Place>,
    pub(super) slowest_us: i64,
    /// A digest of all starts, to compare two histories.
    pub(super) trace: u64,
    throttled: BTreeSet<(QueueId, i64)>,
}

/// A start that the scheduler asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) endpoint: QueueId,
    pub(super) message: i64,
    pub(super) lane: u64,
    pub(super) attempt: u32,
    pub(super) throttled: bool,
}

impl Model {
    pub(super) fn new(settings: Settings) -> Self {
        let (places, throttled) = (BTreeMap::new(), BTreeSet::new());
        Self { settings, places, slowest_us: 0, trace: 0, throttled }
    }

    pub(super) fn place(&mut self, endpoint: QueueId) -> &mut Place {
        self.places.entry(endpoint).or_default()
    }

    pub(super) fn commit(
        &mut self,
        endpoint: QueueId,
        message: i64,
        (lane, door): (u64, usize),
        now_us: i64,
    ) {
        let place = self.place(endpoint);
        place.insert(message, Row::new((lane, door), now_us, now_us));
        place.open.entry(lane).or_default().insert(message);
    }

    /// A message may be sent only if it is owed, due, first in its lane and alone there.
    pub(super) fn start(&mut self, start: Start, state: &EndpointState, now_us: i64) {
        let Start { endpoint, message, lane, attempt, throttled } = start;
        self.trace = self.trace.wrapping_mul(31).wrapping_add(message.unsigned_abs() ^ lane);
        let place = self.place(endpoint);
        let row = place.rows.get(&message).unwrap_or_else(|| panic!("{start:?} is not owed"));
        assert_eq!((row.lane, row.attempt), (lane, attempt), "{start:?} is not as on disk");
        assert!(row.due_us <= now_us, "{start:?} is early");
        let door = row.door;
        assert!(!place.paused.contains(&door), "{start:?} though paused");
        assert!(!place.busy.contains_key(&message), "{start:?} is under way already");
        if lane != UNORDERED {
            assert!(!place.busy.values().any(|busy| *busy == lane), "{start:?}: lane is closed");
            let first = place.open.get(&lane).and_then(BTreeSet::first);
            assert!(row.put_back || first == Some(&message), "{start:?} overtakes {first:?}");
        }
        let gap_us = self.settings.probe_gap_us;
        let place = self.place(endpoint);
        place.check_probe((start, door), state, gap_us, now_us);
        let waited_us = place.waited_us(message, now_us);
        place.busy.insert(message, lane);
        place.in_flight.insert(message, door);
        assert!(place.through(door) <= state.limit, "{start:?} is above {}", state.limit);
        if place.healthy {
            let most_us = place.rows.get(&message).map_or(0, |row| row.wait_max_us);
            assert!(waited_us <= most_us, "{start:?} waited {waited_us} us");
            self.slowest_us = self.slowest_us.max(waited_us);
        }
        if throttled {
            self.throttled.insert((endpoint, message));
            assert!(self.throttled.len() <= self.settings.throttled_slots(), "{start:?}: too many");
        }
    }

    pub(super) fn land(&mut self, endpoint: QueueId, message: i64) {
        self.throttled.remove(&(endpoint, message));
        let landed = self.place(endpoint).in_flight.remove(&message);
        assert!(landed.is_some(), "{message} was not in flight");
    }

    /// The bounds that hold at every moment.
    pub(super) fn check(
        &self,
        (endpoint, door): (QueueId, usize),
        state: &EndpointState,
        in_flight: usize,
    ) {
        let Settings { window_max, shelved_max, slots_max, .. } = self.settings;
        assert!(state.window <= window_max, "{} payloads", state.window);
        assert!(state.shelved <= shelved_max + window_max, "{} shelved", state.shelved);
        assert!(in_flight <= slots_max, "{in_flight} in flight");
        let place = self.places.get(&endpoint).unwrap();
        assert_eq!(state.in_flight, place.through(door), "in flight of {endpoint:?}");
        let all: usize = self.places.values().map(|place| place.in_flight.len()).sum();
        assert_eq!(in_flight, all, "in flight over all");
    }

    /// The process is gone: the disk is all there is.
    pub(super) fn crash(&mut self, now_us: i64) {
        self.throttled.clear();
        for place in self.places.values_mut() {
            place.busy.clear();
            place.in_flight.clear();
            place.open.clear();
            place.able_us = now_us;
            place.probed_us.clear();
            for (message, row) in place.rows.iter().filter(|(_, row)| !row.put_back) {
                place.open.entry(row.lane).or_default().insert(*message);
            }
        }
    }
}

impl Row {
    fn new((lane, door): (u64, usize), due_us: i64, since_us: i64) -> Self {
        let wait_max_us = WAIT_MAX_US;
        Self { lane, door, attempt: 0, due_us, put_back: false, since_us, wait_max_us }
    }
}

impl Place {
    fn insert(&mut self, message: i64, mut row: Row) {
        row.wait_max_us += WAIT_BEHIND_MAX_US * i64::try_from(self.rows.len()).unwrap();
        self.rows.insert(message, row);
    }

    /// Attempts under way through a door.
    fn through(&self, door: usize) -> usize {
        self.in_flight.values().filter(|it| **it == door).count()
    }

    fn check_probe(
        &mut self,
        (start, door): (Start, usize),
        state: &EndpointState,
        gap_us: i64,
        now_us: i64,
    ) {
        if state.breaker != BreakerState::Suspended {
            self.probed_us.remove(&door);
            return;
        }
        if let Some(probed_us) = self.probed_us.insert(door, now_us) {
            assert!(now_us - probed_us >= gap_us, "{start:?} is no probe");
        }
    }

    fn waited_us(&self, message: i64, now_us: i64) -> i64 {
        let Some(row) = self.rows.get(&message) else { return 0 };
        let free_us = self.free_us.get(&row.lane).filter(|_| row.lane != UNORDERED);
        let since_us = row.since_us.max(row.due_us).max(self.able_us);
        now_us - since_us.max(free_us.copied().unwrap_or(0))
    }

    /// Writes a conclusion to disk: `again` with its due time, or the end.
    pub(super) fn conclude(&mut self, message: i64, delivered: bool, again: Option<i64>) {
        let Some(row) = self.rows.get_mut(&message) else { panic!("{message} concluded twice") };
        if let Some(due_us) = again {
            row.attempt += 1;
            row.due_us = due_us;
            return;
        }
        let way = (row.lane, row.door);
        self.rows.remove(&message);
        if delivered {
            assert!(self.delivered.insert(message), "{message} delivered twice");
        } else {
            self.failed.insert(message, way);
        }
    }

    /// The scheduler has heard that the conclusion of `message` is durable.
    pub(super) fn report(&mut self, message: i64, now_us: i64) {
        let lane = self.busy.remove(&message).expect("only what is under way is reported");
        self.free_us.insert(lane, now_us);
        let row = self.rows.get_mut(&message);
        if row.as_ref().is_none_or(|row| row.put_back) {
            self.close(message, lane);
        } else if let Some(row) = row {
            row.since_us = now_us;
        }
    }

    fn close(&mut self, message: i64, lane: u64) {
        if let Some(open) = self.open.get_mut(&lane) {
            open.remove(&message);
        }
    }

    /// An operator puts all failed messages back; the lowest id of them.
    pub(super) fn put_back(&mut self, now_us: i64) -> Option<i64> {
        let failed = std::mem::take(&mut self.failed);
        let lowest = failed.keys().next().copied();
        for (message, way) in failed {
            self.insert(message, Row { put_back: true, ..Row::new(way, 0, now_us) });
        }
        lowest
    }

    pub(super) fn finished(&self) -> usize {
        self.delivered.len() + self.failed.len()
    }
}
