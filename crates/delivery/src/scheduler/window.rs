//! The deliveries of one queue that are in memory, and their lanes.
//!
//! Every message that was read is *held* with its payload, or *evicted*: then only its [`Delivery`]
//! without the payload is kept, and it is read again when its turn comes. A message that could
//! start as far as its lane is concerned is *listed* by its due time: as fresh, as a retry, or,
//! when it is evicted, as wanted. In a lane that is the lowest id, while the lane is open;
//! unordered messages are all listed. Each endpoint of the queue has lists of its own, but a lane
//! leads to all of them.
//!
//! A lane is barred from the start of a message until its outcome is durable. That is the whole of
//! the order guarantee: [`Window::start`] sets the bar, and only [`Window::confirm_durable`] lifts
//! it.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use store::AttemptOutcome;

use super::turns::SlotClass;

/// The lane of messages that have no order among themselves.
pub(crate) const UNORDERED: u64 = 0;

/// A message that is not finished, with its payload of type `P`, or without (`()`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delivery<P> {
    /// Strictly rising per queue.
    pub(crate) message: i64,
    /// Hash of the lane key, or [`UNORDERED`].
    pub(crate) lane: u64,
    /// Which of the endpoints of its queue it goes to, from 0.
    pub(crate) endpoint: usize,
    /// Attempts that are over.
    pub(crate) attempts: u32,
    pub(crate) due_us: i64,
    /// The size of the payload, as far as it is known.
    pub(crate) bytes: usize,
    pub(crate) payload: P,
}

impl<P> Delivery<P> {
    fn with_payload<Q>(&self, payload: Q) -> Delivery<Q> {
        let Self { message, lane, endpoint, attempts, due_us, bytes, .. } = *self;
        Delivery { message, lane, endpoint, attempts, due_us, bytes, payload }
    }

    fn bare(&self) -> Delivery<()> {
        self.with_payload(())
    }
}

#[derive(Debug)]
pub(super) struct Window<P> {
    held: BTreeMap<i64, (Delivery<Arc<P>>, Stage)>,
    /// The size of all payloads.
    held_bytes: usize,
    evicted: BTreeMap<i64, Delivery<()>>,
    /// Lane and message of all deliveries that have an order, and [`BAR`] for each lane that is
    /// closed: the first of a lane says all about it.
    order: BTreeSet<(u64, i64)>,
    /// By endpoint.
    lists: Vec<EndpointLists>,
    /// Deliveries in flight, or with an outcome that is not durable yet. All are held.
    busy: usize,
}

/// Due time and message.
type List = BTreeSet<(i64, i64)>;

/// The messages that could start, and would go to one endpoint.
#[derive(Debug, Default)]
struct EndpointLists {
    fresh: List,
    retries: List,
    wanted: List,
}

/// The message of each list that is due first, as due time and message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heads {
    pub(super) fresh: Option<(i64, i64)>,
    pub(super) retry: Option<(i64, i64)>,
    /// Evicted.
    pub(super) wanted: Option<(i64, i64)>,
}

/// Comes before every message of a lane that is closed.
const BAR: i64 = i64::MIN;

#[derive(Clone, Copy, Debug)]
enum Stage {
    Waiting,
    InFlight(AttemptInFlight),
    /// The outcome is not durable yet.
    Finished(AttemptOutcome),
}

/// What is known about an attempt while it lasts.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttemptInFlight {
    pub(super) endpoint: usize,
    pub(super) started_us: i64,
    /// Slot-time that was charged for it in advance.
    pub(super) price_us: i64,
    /// The share of slots that it counts against.
    pub(super) class: SlotClass,
}

impl<P> Window<P> {
    pub(super) fn new(endpoints: usize) -> Self {
        let mut lists = Vec::new();
        lists.resize_with(endpoints, EndpointLists::default);
        Self {
            held: BTreeMap::new(),
            held_bytes: 0,
            evicted: BTreeMap::new(),
            order: BTreeSet::new(),
            lists,
            busy: 0,
        }
    }

    /// Messages in memory with their payload.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// Messages in memory without it.
    pub(super) fn evicted(&self) -> usize {
        self.evicted.len()
    }

    /// Held messages that are neither in flight nor waiting to become durable.
    pub(super) fn idle(&self) -> usize {
        self.held.len() - self.busy
    }

    pub(super) fn contains(&self, message: i64) -> bool {
        self.held.contains_key(&message) || self.is_evicted(message)
    }

    pub(super) fn is_evicted(&self, message: i64) -> bool {
        self.evicted.contains_key(&message)
    }

    /// Its attempt is over, and the outcome not durable yet.
    pub(super) fn is_finished(&self, message: i64) -> bool {
        let held = self.held.get(&message);
        held.is_some_and(|(_, stage)| matches!(stage, Stage::Finished(_)))
    }

    /// What could be sent to an endpoint next.
    pub(super) fn heads(&self, endpoint: usize) -> Heads {
        self.lists.get(endpoint).map_or_else(Heads::default, |lists| Heads {
            fresh: lists.fresh.first().copied(),
            retry: lists.retries.first().copied(),
            wanted: lists.wanted.first().copied(),
        })
    }

    /// Messages in memory that go to an endpoint.
    pub(super) fn known(&self, endpoint: usize) -> usize {
        let held = self.held.values().map(|(delivery, _)| delivery.endpoint);
        let evicted = self.evicted.values().map(|delivery| delivery.endpoint);
        held.chain(evicted).filter(|it| *it == endpoint).count()
    }

    /// Listed messages that are not due yet.
    pub(super) fn parked(&self, now_us: i64) -> usize {
        let later = (now_us.saturating_add(1), i64::MIN);
        let lists = self.lists.iter().flat_map(|it| [&it.fresh, &it.retries, &it.wanted]);
        lists.map(|list| list.range(later..).count()).sum()
    }

    /// Inserts a message that is not known yet.
    pub(super) fn insert(&mut self, delivery: Delivery<P>) {
        let Delivery { message, lane, endpoint, attempts, due_us, bytes, payload } = delivery;
        let payload = Arc::new(payload);
        let held = Delivery { message, lane, endpoint, attempts, due_us, bytes, payload };
        self.held.insert(message, (held, Stage::Waiting));
        self.held_bytes += bytes;
        self.line_up(message, lane);
    }

    /// Inserts a message that is not known yet. Its payload is read when its turn comes.
    pub(super) fn insert_evicted(&mut self, delivery: Delivery<()>) {
        self.evicted.insert(delivery.message, delivery);
        self.line_up(delivery.message, delivery.lane);
    }

    /// Puts a new message into its lane.
    fn line_up(&mut self, message: i64, lane: u64) {
        if lane == UNORDERED {
            return self.enlist(message);
        }
        let first = self.first_of(lane);
        self.order.insert((lane, message));
        match first {
            Some(first) if first < message => (),
            // An older message comes back after a newer one: an operator's retry.
            Some(first) => {
                self.delist(first);
                self.enlist(message);
            }
            None => self.enlist(message),
        }
    }

    /// Puts a listed message in flight, and bars its lane.
    pub(super) fn start(
        &mut self,
        message: i64,
        attempt: AttemptInFlight,
    ) -> Option<Delivery<Arc<P>>> {
        self.delist(message);
        let (delivery, stage) = self.held.get_mut(&message)?;
        *stage = Stage::InFlight(attempt);
        self.busy += 1;
        if delivery.lane != UNORDERED {
            self.order.insert((delivery.lane, BAR));
        }
        Some(delivery.clone())
    }

    /// Ends the attempt at `message` that is in flight; its lane stays barred. Returns the attempt
    /// and how many were before it, or `None` if it was not in flight.
    pub(super) fn finish(
        &mut self,
        message: i64,
        outcome: AttemptOutcome,
    ) -> Option<(AttemptInFlight, u32)> {
        let (delivery, stage) = self.held.get_mut(&message)?;
        let Stage::InFlight(attempt) = *stage else { return None };
        *stage = Stage::Finished(outcome);
        Some((attempt, delivery.attempts))
    }

    /// Undoes the start of `message`. Returns the same as if its attempt had ended.
    pub(super) fn take_back(&mut self, message: i64) -> Option<(AttemptInFlight, u32)> {
        let (delivery, stage) = self.held.get(&message)?;
        let Stage::InFlight(attempt) = *stage else { return None };
        let attempts = delivery.attempts;
        self.release(message, false);
        Some((attempt, attempts))
    }

    /// The outcome of `message` is durable: its lane opens. Returns whether the message is gone.
    pub(super) fn confirm_durable(&mut self, message: i64) -> bool {
        let Some((delivery, stage)) = self.held.get_mut(&message) else { return false };
        let gone = match *stage {
            Stage::Waiting | Stage::InFlight(_) => return false,
            Stage::Finished(AttemptOutcome::Retry { due_us, .. }) => {
                delivery.due_us = due_us;
                delivery.attempts = delivery.attempts.saturating_add(1);
                false
            }
            Stage::Finished(AttemptOutcome::Delivered | AttemptOutcome::Failed { .. }) => true,
        };
        self.release(message, gone);
        gone
    }

    /// Removes an evicted message that is not on disk any more.
    pub(super) fn forget_evicted(&mut self, message: i64) {
        let listed = self.delist(message);
        let lane = self.forget(message);
        if listed {
            self.enlist_first(lane);
        }
    }

    /// Drops the payloads of at most `most` messages that wait: first those in lanes that will not
    /// move soon, and of them the newest first.
    pub(super) fn evict(&mut self, most: usize, now_us: i64) {
        let candidate = |(message, (delivery, stage)): (&i64, &(Delivery<Arc<P>>, Stage))| {
            let near = || self.is_near(&delivery.bare(), now_us);
            matches!(stage, Stage::Waiting).then(|| (near(), Reverse(*message)))
        };
        let mut candidates: Vec<_> = self.held.iter().filter_map(candidate).collect();
        candidates.sort_unstable();
        for (_, Reverse(message)) in candidates.into_iter().take(most) {
            let listed = self.delist(message);
            if let Some((delivery, _)) = self.held.remove(&message) {
                self.held_bytes -= delivery.bytes;
                self.evicted.insert(message, delivery.bare());
            }
            if listed {
                self.enlist(message);
            }
        }
    }

    /// Gives an evicted message its payload back.
    pub(super) fn restore(&mut self, row: Delivery<P>) {
        let Delivery { message, bytes, payload, .. } = row;
        let listed = self.delist(message);
        let Some(delivery) = self.evicted.remove(&message) else { return };
        let held = Delivery { bytes, ..delivery.with_payload(Arc::new(payload)) };
        self.held.insert(message, (held, Stage::Waiting));
        self.held_bytes += bytes;
        if listed {
            self.enlist(message);
        }
    }

    /// How many messages from the evicted `first` on are worth reading together: the next ones in
    /// order of id, up to the first that is held or will not move soon.
    pub(super) fn run(&self, first: i64, most: usize, now_us: i64) -> usize {
        let held = self.held.range(first..).next().map_or(i64::MAX, |(message, _)| *message);
        let useful = |(_, delivery): &(&i64, &Delivery<()>)| self.is_near(delivery, now_us);
        self.evicted.range(first..held).take(most).take_while(useful).count().max(1)
    }

    /// Whether the lane of this delivery moves, or may move now.
    fn is_near(&self, delivery: &Delivery<()>, now_us: i64) -> bool {
        if delivery.lane == UNORDERED {
            return delivery.due_us <= now_us;
        }
        self.first_of(delivery.lane).is_some_and(|first| {
            first == BAR || self.delivery(first).is_some_and(|head| head.due_us <= now_us)
        })
    }

    fn delivery(&self, message: i64) -> Option<Delivery<()>> {
        let held = self.held.get(&message).map(|(delivery, _)| delivery.bare());
        held.or_else(|| self.evicted.get(&message).copied())
    }

    /// The message that a lane waits for, or [`BAR`].
    fn first_of(&self, lane: u64) -> Option<i64> {
        let (found, message) = self.order.range((lane, BAR)..).next()?;
        (*found == lane).then_some(*message)
    }

    /// Opens the lane of a message with a durable outcome, and lists what can go next.
    fn release(&mut self, message: i64, gone: bool) {
        let Some((delivery, stage)) = self.held.get_mut(&message) else { return };
        *stage = Stage::Waiting;
        let lane = delivery.lane;
        self.busy -= 1;
        self.order.remove(&(lane, BAR));
        if gone {
            self.forget(message);
        } else if lane == UNORDERED {
            self.enlist(message);
        }
        self.enlist_first(lane);
    }

    /// Removes a message and returns its lane.
    fn forget(&mut self, message: i64) -> u64 {
        let held = self.held.remove(&message).map(|(delivery, _)| delivery);
        self.held_bytes -= held.as_ref().map_or(0, |delivery| delivery.bytes);
        let evicted = || self.evicted.remove(&message).map(|delivery| delivery.lane);
        let lane = held.map(|delivery| delivery.lane).or_else(evicted).unwrap_or(UNORDERED);
        self.order.remove(&(lane, message));
        lane
    }

    fn enlist_first(&mut self, lane: u64) {
        if let Some(first) = self.first_of(lane) {
            self.enlist(first);
        }
    }

    fn enlist(&mut self, message: i64) {
        if let Some((list, key)) = self.list_of(message) {
            list.insert(key);
        }
    }

    /// Returns whether the message was listed.
    fn delist(&mut self, message: i64) -> bool {
        self.list_of(message).is_some_and(|(list, key)| list.remove(&key))
    }

    /// The list that a message belongs to, and its key there.
    fn list_of(&mut self, message: i64) -> Option<(&mut List, (i64, i64))> {
        let held = self.held.get(&message).map(|(delivery, _)| delivery.bare());
        let is_held = held.is_some();
        let delivery = held.or_else(|| self.evicted.get(&message).copied())?;
        let lists = self.lists.get_mut(delivery.endpoint)?;
        let list = match (is_held, delivery.attempts) {
            (true, 0) => &mut lists.fresh,
            (true, _) => &mut lists.retries,
            (false, _) => &mut lists.wanted,
        };
        Some((list, (delivery.due_us, message)))
    }
}
