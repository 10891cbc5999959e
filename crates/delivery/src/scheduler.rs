//! Decides which message is sent next, and what is read from disk for it.
//!
//! A plain state machine: no I/O, no clock and no randomness. The caller reports
//! what happened ([`Scheduler::arrived`], [`Scheduler::finished`],
//! [`Scheduler::durable`] and the others) and asks [`Scheduler::next`] what to do
//! until it answers `None`; then it waits for the next event, or for
//! [`Scheduler::wake_at_us`]. The same calls always give the same answers, which
//! is what lets the tests replay a whole history from a seed.
//!
//! The life of a message is `arrived` (or read by a refill), `Send`, `finished`,
//! `durable`. Three things are promised about it:
//!
//! 1. *Order.* In a lane, message n+1 starts only after n was concluded and that
//!    conclusion is on stable storage. `finished` frees the slot, only `durable`
//!    opens the lane: after a crash the head of a lane may repeat, nothing else.
//! 2. *Turns.* A free slot goes to the owner, then to that owner's endpoint, that
//!    used the least slot-time. Endpoints with nothing to send stand in no line,
//!    so a million idle or dead ones cost the others nothing.
//! 3. *Bounds.* An endpoint holds a window of payloads, no more. The rest is on
//!    disk and is read when the window runs low, or when all it holds waits.
//!
//! Each concern has its file: `window` knows messages and lanes, `cursor` and
//! `reading` what is read, `concurrency` and `breaker` how much an endpoint bears,
//! `turns` who is next; `endpoint` combines them, and `desk` files endpoints by what
//! they wait for.
//!
//! An endpoint has one `door`, except where messages of several kinds must stay in order
//! among themselves though each kind has an address: then each address is a door, with a
//! pause and a breaker of its own, and a lane leads to all of them. A lane whose head
//! stands before a shut door waits; the others go on.

mod breaker;
mod concurrency;
mod cursor;
mod desk;
mod door;
mod endpoint;
mod numbers;
mod reading;
mod settings;
mod turns;
mod window;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use store::AttemptOutcome;

pub(crate) use self::{breaker::BreakerState, settings::Settings};

use self::{
    desk::Desk,
    endpoint::Endpoint,
    numbers::NumberMap,
    turns::Toll,
    window::{Conclusion, Flight, Started},
};

/// The lane of messages that have no order among themselves.
pub(crate) const UNORDERED: u64 = 0;

/// Where messages that stay in order are sent to, numbered by the caller: one address, or one
/// for each kind of them.
///
/// A number is not used again until everything sent under it has come back: an
/// outcome names its message by this number and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct QueueId(pub(crate) u32);

/// The merchant that an endpoint belongs to, numbered by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Owner(pub(crate) u32);

/// A message that is owed to an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waiting<P> {
    /// Strictly rising per endpoint.
    pub(crate) message: i64,
    /// Hash of the lane key, or [`UNORDERED`].
    pub(crate) lane: u64,
    /// Which of the endpoint's addresses it goes to, from 0.
    pub(crate) door: usize,
    /// Attempts that are over.
    pub(crate) attempt: u32,
    pub(crate) due_us: i64,
    pub(crate) payload: P,
}

/// What the caller has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action<P> {
    /// Send the message, then report [`Scheduler::finished`].
    Send {
        endpoint: QueueId,
        message: i64,
        lane: u64,
        /// Attempts that were over before this one.
        attempt: u32,
        /// The endpoint is in trouble: connect with little patience.
        throttled: bool,
        payload: Arc<P>,
    },
    /// Read at most `most` messages with an id above `after`, lowest first, then
    /// report [`Scheduler::refilled`]. An endpoint has one refill at a time.
    Refill { endpoint: QueueId, after: i64, most: usize },
}

/// A door of an endpoint as reports show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndpointState {
    /// Messages in memory with their payload.
    pub(crate) window: usize,
    /// Messages of which only the id is in memory.
    pub(crate) shelved: usize,
    pub(crate) in_flight: usize,
    /// How many may be in flight now.
    pub(crate) limit: usize,
    pub(crate) breaker: BreakerState,
    pub(crate) paused: bool,
    /// Lanes (and single unordered messages) whose head waits for its time.
    pub(crate) parked_lanes: usize,
    pub(crate) more_on_disk: bool,
    /// All that wait as far as is known, on disk included where nobody else's are there.
    pub(crate) waiting: u64,
    pub(crate) oldest_due_us: Option<i64>,
}

/// The scheduler of one node. See the module's comment.
pub(crate) struct Scheduler<P> {
    endpoints: NumberMap<QueueId, Endpoint<P>>,
    desk: Desk,
}

impl<P> Scheduler<P> {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { endpoints: NumberMap::default(), desk: Desk::new(settings) }
    }

    /// Starts to serve an endpoint with so many doors. Work that is already on disk is announced
    /// with [`Self::expect_more`]. An endpoint that is known stays as it is.
    pub(crate) fn add_endpoint(&mut self, id: QueueId, owner: Owner, doors: usize) {
        if !self.endpoints.contains_key(&id) {
            self.endpoints.insert(id, Endpoint::new(owner, doors, &self.desk.settings));
            self.desk.turns.join(owner);
        }
    }

    /// Forgets an endpoint with all it has in memory; the disk is not touched.
    /// Outcomes that come in later for it are ignored.
    pub(crate) fn remove_endpoint(&mut self, id: QueueId) {
        if let Some(mut endpoint) = self.endpoints.remove(&id) {
            self.desk.strike(id, &mut endpoint);
        }
    }

    /// Stops sending through a door; what is in flight ends as it would. Nothing is consumed.
    pub(crate) fn pause(&mut self, id: QueueId, door: usize) {
        self.change(id, |endpoint, desk| {
            endpoint.pause(door, true);
            endpoint.slim(desk.now_us, &desk.allowance());
        });
    }

    pub(crate) fn resume(&mut self, id: QueueId, door: usize) {
        self.change(id, |endpoint, _| endpoint.pause(door, false));
    }

    /// A message was committed. It is taken straight into the window when there is
    /// room and nothing unread comes before it.
    ///
    /// Only for a store with one writer: where others commit for the same endpoint,
    /// a lower id may be on disk unannounced, and [`Self::expect_more`] is the call.
    pub(crate) fn arrived(&mut self, id: QueueId, waiting: Waiting<P>) {
        self.change(id, |endpoint, desk| endpoint.arrived(waiting, &desk.allowance()));
    }

    /// There may be messages on disk that were never read.
    pub(crate) fn expect_more(&mut self, id: QueueId) {
        self.change(id, |endpoint, _| endpoint.cursor.expect_more());
    }

    /// Messages from `from` on were put back on disk (an operator's retry): they are
    /// read again. What is in memory stays there and is not read twice.
    pub(crate) fn rewind(&mut self, id: QueueId, from: i64) {
        self.change(id, |endpoint, _| endpoint.cursor.rewind(from));
    }

    /// What to do now, or `None` when nothing can be done before the next event or
    /// [`Self::wake_at_us`].
    pub(crate) fn next(&mut self, now_us: i64) -> Option<Action<P>> {
        self.desk.now_us = self.desk.now_us.max(now_us);
        while let Some(id) = self.desk.next_sleeper() {
            self.change(id, |_, _| ());
        }
        self.next_refill().or_else(|| self.next_send())
    }

    /// When something becomes due by time alone.
    pub(crate) fn wake_at_us(&self) -> Option<i64> {
        self.desk.wake_at_us()
    }

    /// The answer to [`Action::Refill`]; `reached_end` when nothing lies beyond
    /// `rows`. A read that failed is answered with no rows and `false`, once it is
    /// worth trying again.
    pub(crate) fn refilled(&mut self, id: QueueId, rows: Vec<Waiting<P>>, reached_end: bool) {
        self.change(id, |endpoint, desk| {
            endpoint.refilled(rows, reached_end, desk.settings.window_max);
        });
    }

    /// An attempt is over: its slot is free and what it teaches is learned, but its
    /// lane stays closed until [`Self::durable`].
    pub(crate) fn finished(
        &mut self,
        id: QueueId,
        message: i64,
        verdict: AttemptOutcome,
        now_us: i64,
    ) {
        self.desk.now_us = self.desk.now_us.max(now_us);
        self.change(id, |endpoint, desk| {
            let conclusion = match verdict {
                AttemptOutcome::Delivered | AttemptOutcome::Failed { .. } => Conclusion::Gone,
                AttemptOutcome::Retry { due_us, .. } => Conclusion::Again { due_us },
            };
            if let Some(flight) = endpoint.finished(message, conclusion) {
                endpoint.learn(&flight, verdict, desk.now_us, &desk.settings);
                endpoint.slim(desk.now_us, &desk.allowance());
            }
        });
    }

    /// The conclusion of `message` is on stable storage: its lane goes on.
    pub(crate) fn durable(&mut self, id: QueueId, message: i64) {
        self.change(id, |endpoint, _| endpoint.durable(message));
    }

    pub(crate) fn state(&self, id: QueueId, door: usize) -> Option<EndpointState> {
        self.endpoints.get(&id)?.state(door, self.desk.now_us)
    }

    /// Messages in flight over all endpoints.
    pub(crate) fn in_flight(&self) -> usize {
        self.desk.totals.in_flight
    }

    /// The one way to touch an endpoint: afterwards it is counted and filed anew, so
    /// that no event can leave it in a line where it does not belong.
    fn change(&mut self, id: QueueId, edit: impl FnOnce(&mut Endpoint<P>, &Desk)) {
        if let Some(endpoint) = self.endpoints.get_mut(&id) {
            let before = endpoint.totals();
            edit(endpoint, &self.desk);
            self.desk.totals.replace(before, endpoint.totals());
            self.desk.file(id, endpoint);
        }
    }

    fn next_refill(&mut self) -> Option<Action<P>> {
        while let Some(id) = self.desk.next_reader() {
            let mut asked = None;
            self.change(id, |endpoint, desk| {
                endpoint.filed.reader = false;
                asked = endpoint.read(desk.now_us, &desk.allowance());
            });
            if let Some((after, most)) = asked {
                return Some(Action::Refill { endpoint: id, after, most });
            }
        }
        None
    }

    fn next_send(&mut self) -> Option<Action<P>> {
        let id = self.desk.next_sender()?;
        let endpoint = self.endpoints.get_mut(&id)?;
        let before = endpoint.totals();
        let now_us = self.desk.now_us;
        let (door, message) = endpoint.choose(now_us)?;
        let price_us = self.desk.serve(id, endpoint);
        let toll = endpoint.toll(door, &self.desk.settings);
        let throttled = toll == Toll::Throttled;
        let flight = Flight { door, started_us: now_us, price_us, toll };
        let started = endpoint.start(message, flight);
        self.desk.totals.replace(before, endpoint.totals());
        self.desk.file(id, endpoint);
        let Started { lane, attempt, payload } = started?;
        Some(Action::Send { endpoint: id, message, lane, attempt, throttled, payload })
    }
}
