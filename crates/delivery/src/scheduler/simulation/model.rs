//! What is true in the simulated world: what is on disk, what is in flight, and the guarantees
//! that every step is checked against.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use store::AttemptOutcome;

use super::super::{
    BreakerState, Delivery, QueueId, SchedulerSettings, endpoint_state::EndpointReport,
    window::UNORDERED,
};

/// How long a message that could start may wait at a healthy endpoint: for slots that others have,
/// and for each message that was enqueued before it.
const WAIT_MAX_US: i64 = 40_000_000;
const WAIT_BEHIND_MAX_US: i64 = 200_000;

#[derive(Clone, Debug)]
pub(super) struct StoredDelivery {
    pub(super) lane: u64,
    pub(super) endpoint: usize,
    pub(super) attempts: u32,
    pub(super) due_us: i64,
    /// Put back by an operator: it may come after newer ones of its lane.
    pub(super) put_back: bool,
    /// Nothing but its turn has kept it waiting since then.
    since_us: i64,
    /// How long that may be, at a healthy endpoint.
    wait_max_us: i64,
}

/// All that is true about one queue.
#[derive(Default)]
pub(super) struct QueueModel {
    /// On disk, unfinished.
    pub(super) rows: BTreeMap<i64, StoredDelivery>,
    /// Those that failed all attempts.
    pub(super) failed: BTreeMap<i64, StoredDelivery>,
    delivered: BTreeSet<i64>,
    /// Enqueued, and not reported to the scheduler as durably finished.
    open: BTreeMap<u64, BTreeSet<i64>>,
    /// From the start of a message until its outcome was reported as durable.
    pub(super) busy: BTreeMap<i64, u64>,
    /// With their endpoint.
    pub(super) in_flight: BTreeMap<i64, usize>,
    /// Endpoints that an operator has paused.
    pub(super) paused: BTreeSet<usize>,
    pub(super) healthy: bool,
    /// Since when the lane is free, and since when anything can be sent at all.
    free_us: BTreeMap<u64, i64>,
    pub(super) able_us: i64,
    /// By endpoint.
    probed_us: BTreeMap<usize, i64>,
}

pub(super) struct Model {
    pub(super) settings: SchedulerSettings,
    pub(super) queues: BTreeMap<QueueId, QueueModel>,
    pub(super) slowest_us: i64,
    /// A digest of all starts, to compare two histories.
    pub(super) trace: u64,
    throttled: BTreeSet<(QueueId, i64)>,
}

impl Model {
    pub(super) fn new(settings: SchedulerSettings) -> Self {
        let (queues, throttled) = (BTreeMap::new(), BTreeSet::new());
        Self { settings, queues, slowest_us: 0, trace: 0, throttled }
    }

    pub(super) fn queue(&mut self, id: QueueId) -> &mut QueueModel {
        self.queues.entry(id).or_default()
    }

    pub(super) fn commit(&mut self, id: QueueId, delivery: &Delivery<i64>) {
        let queue = self.queue(id);
        queue.insert(delivery.message, StoredDelivery::new(delivery));
        queue.open.entry(delivery.lane).or_default().insert(delivery.message);
    }

    /// A message may be sent only if it is pending, due, first in its lane and alone there.
    pub(super) fn start(
        &mut self,
        id: QueueId,
        start: &Delivery<Arc<i64>>,
        report: &EndpointReport,
        now_us: i64,
    ) {
        let Delivery { message, lane, attempts, endpoint, .. } = *start;
        self.trace = self.trace.wrapping_mul(31).wrapping_add(message.unsigned_abs() ^ lane);
        let queue = self.queue(id);
        let row = queue.rows.get(&message).unwrap_or_else(|| panic!("{start:?} is not pending"));
        assert_eq!((row.lane, row.attempts), (lane, attempts), "{start:?} is not as on disk");
        assert_eq!(row.endpoint, endpoint, "{start:?} goes elsewhere");
        assert!(row.due_us <= now_us, "{start:?} is early");
        assert!(!queue.paused.contains(&endpoint), "{start:?} though paused");
        assert!(!queue.busy.contains_key(&message), "{start:?} is in flight already");
        if lane != UNORDERED {
            assert!(!queue.busy.values().any(|busy| *busy == lane), "{start:?}: lane is closed");
            let first = queue.open.get(&lane).and_then(BTreeSet::first);
            assert!(row.put_back || first == Some(&message), "{start:?} overtakes {first:?}");
        }
        let gap_us = self.settings.probe_gap_us;
        let queue = self.queue(id);
        queue.check_probe(endpoint, report, gap_us, now_us);
        let waited_us = queue.waited_us(message, now_us);
        queue.busy.insert(message, lane);
        queue.in_flight.insert(message, endpoint);
        assert!(queue.in_flight_at(endpoint) <= report.limit, "{start:?} is above {report:?}");
        if queue.healthy {
            let most_us = queue.rows.get(&message).map_or(0, |row| row.wait_max_us);
            assert!(waited_us <= most_us, "{start:?} waited {waited_us} us");
            self.slowest_us = self.slowest_us.max(waited_us);
        }
        if report.breaker != BreakerState::Closed {
            self.throttled.insert((id, message));
            assert!(self.throttled.len() <= self.settings.throttled_slots(), "{start:?}: too many");
        }
    }

    pub(super) fn land(&mut self, queue: QueueId, message: i64) {
        self.throttled.remove(&(queue, message));
        let landed = self.queue(queue).in_flight.remove(&message);
        assert!(landed.is_some(), "{message} was not in flight");
    }

    /// The bounds that hold at every moment.
    pub(super) fn check(
        &self,
        id: QueueId,
        endpoint: usize,
        report: &EndpointReport,
        in_flight: usize,
    ) {
        let SchedulerSettings { window_max, evicted_max, slots_max, .. } = self.settings;
        assert!(report.window <= window_max, "{} payloads", report.window);
        assert!(report.evicted <= evicted_max + window_max, "{} evicted", report.evicted);
        assert!(in_flight <= slots_max, "{in_flight} in flight");
        let queue = self.queues.get(&id).unwrap();
        assert_eq!(report.in_flight, queue.in_flight_at(endpoint), "in flight of {id:?}");
        let all: usize = self.queues.values().map(|queue| queue.in_flight.len()).sum();
        assert_eq!(in_flight, all, "in flight over all");
    }

    /// The process is gone: the disk is all there is.
    pub(super) fn crash(&mut self, now_us: i64) {
        self.throttled.clear();
        for queue in self.queues.values_mut() {
            queue.busy.clear();
            queue.in_flight.clear();
            queue.open.clear();
            queue.able_us = now_us;
            queue.probed_us.clear();
            for (message, row) in queue.rows.iter().filter(|(_, row)| !row.put_back) {
                queue.open.entry(row.lane).or_default().insert(*message);
            }
        }
    }
}

impl StoredDelivery {
    fn new(delivery: &Delivery<i64>) -> Self {
        Self {
            lane: delivery.lane,
            endpoint: delivery.endpoint,
            attempts: 0,
            due_us: delivery.due_us,
            put_back: false,
            since_us: delivery.due_us,
            wait_max_us: WAIT_MAX_US,
        }
    }
}

impl QueueModel {
    fn insert(&mut self, message: i64, mut row: StoredDelivery) {
        row.wait_max_us += WAIT_BEHIND_MAX_US * i64::try_from(self.rows.len()).unwrap();
        self.rows.insert(message, row);
    }

    /// Attempts in flight to an endpoint.
    fn in_flight_at(&self, endpoint: usize) -> usize {
        self.in_flight.values().filter(|it| **it == endpoint).count()
    }

    fn check_probe(&mut self, endpoint: usize, report: &EndpointReport, gap_us: i64, now_us: i64) {
        if report.breaker != BreakerState::Suspended {
            self.probed_us.remove(&endpoint);
            return;
        }
        if let Some(probed_us) = self.probed_us.insert(endpoint, now_us) {
            assert!(now_us - probed_us >= gap_us, "a probe after {} us", now_us - probed_us);
        }
    }

    fn waited_us(&self, message: i64, now_us: i64) -> i64 {
        let Some(row) = self.rows.get(&message) else { return 0 };
        let free_us = self.free_us.get(&row.lane).filter(|_| row.lane != UNORDERED);
        let since_us = row.since_us.max(row.due_us).max(self.able_us);
        now_us - since_us.max(free_us.copied().unwrap_or(0))
    }

    /// Writes an outcome to disk.
    pub(super) fn store_outcome(&mut self, message: i64, outcome: AttemptOutcome) {
        let Some(mut row) = self.rows.remove(&message) else { panic!("{message} finished twice") };
        match outcome {
            AttemptOutcome::Retry { due_us, .. } => {
                row.attempts += 1;
                row.due_us = due_us;
                self.rows.insert(message, row);
            }
            AttemptOutcome::Delivered => {
                assert!(self.delivered.insert(message), "{message} delivered twice");
            }
            AttemptOutcome::Failed { .. } => {
                self.failed.insert(message, row);
            }
        }
    }

    /// The scheduler was notified that the outcome of `message` is durable.
    pub(super) fn confirm_durable(&mut self, message: i64, now_us: i64) {
        let lane = self.busy.remove(&message).expect("only what was started is reported");
        self.free_us.insert(lane, now_us);
        let row = self.rows.get_mut(&message);
        if row.as_ref().is_none_or(|row| row.put_back) {
            self.close(message, lane);
        } else if let Some(row) = row {
            row.since_us = now_us;
        }
    }

    /// Nothing was sent of `message`, so the next probe may come at once.
    pub(super) fn take_back(&mut self, message: i64, now_us: i64) {
        let lane = self.busy.remove(&message).expect("only what was started is taken back");
        self.free_us.insert(lane, now_us);
        if let Some(row) = self.rows.get_mut(&message) {
            row.since_us = now_us;
            self.probed_us.remove(&row.endpoint);
        }
    }

    fn close(&mut self, message: i64, lane: u64) {
        if let Some(open) = self.open.get_mut(&lane) {
            open.remove(&message);
        }
    }

    /// An operator puts all failed messages back. Returns them in order.
    pub(super) fn put_back(&mut self, now_us: i64) -> Vec<Delivery<()>> {
        let mut all = Vec::new();
        for (message, row) in std::mem::take(&mut self.failed) {
            let (since_us, wait_max_us) = (now_us, WAIT_MAX_US);
            let again = StoredDelivery { attempts: 0, due_us: 0, put_back: true, ..row };
            let StoredDelivery { lane, endpoint, attempts, due_us, .. } = again;
            let bytes = 0;
            all.push(Delivery { message, lane, endpoint, attempts, due_us, bytes, payload: () });
            self.insert(message, StoredDelivery { since_us, wait_max_us, ..again });
        }
        all
    }

    pub(super) fn finished(&self) -> usize {
        self.delivered.len() + self.failed.len()
    }
}
