//! The messages of one endpoint that are in memory, and their lanes.
//!
//! Every message that was read is an entry. It is *held* with its payload, or
//! *shelved* without: then it is read again when its turn comes. A message that
//! could start as far as its lane is concerned is *listed* by its due time: as
//! fresh, as a retry, or, when it is shelved, as wanted. In a lane that is the
//! lowest id, while the lane is open; unordered messages are all listed. Each door of
//! the endpoint has lists of its own, but a lane leads to all of them.
//!
//! A lane is barred from the start of a message until its conclusion is durable.
//! That is the whole of the order guarantee: [`Window::start`] sets the bar, and
//! only [`Window::durable`] lifts it.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{UNORDERED, Waiting, turns::Toll};

#[derive(Debug)]
pub(super) struct Window<P> {
    held: BTreeMap<i64, Held<P>>,
    shelf: BTreeMap<i64, Entry>,
    /// Lane and message of all entries that have an order, and [`BAR`] for each lane
    /// that is closed: the first of a lane says all about it.
    order: BTreeSet<(u64, i64)>,
    /// By door.
    lists: Vec<Lists>,
    /// Entries in flight, or whose conclusion is not durable yet. All are held.
    busy: usize,
}

/// Due time and message.
type List = BTreeSet<(i64, i64)>;

/// The messages that could start, and would go through one door.
#[derive(Debug, Default)]
struct Lists {
    fresh: List,
    retries: List,
    wanted: List,
}

/// The message of each list that is due first, as due time and message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heads {
    pub(super) fresh: Option<(i64, i64)>,
    pub(super) retry: Option<(i64, i64)>,
    /// Shelved.
    pub(super) wanted: Option<(i64, i64)>,
}

/// Stands before every message of a lane that is closed.
const BAR: i64 = i64::MIN;

#[derive(Clone, Copy, Debug)]
struct Entry {
    lane: u64,
    door: usize,
    due_us: i64,
    attempt: u32,
}

#[derive(Debug)]
struct Held<P> {
    entry: Entry,
    stage: Stage,
    payload: Arc<P>,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Waiting,
    InFlight(Flight),
    Concluded(Conclusion),
}

/// What is known about an attempt while it lasts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) door: usize,
    pub(super) started_us: i64,
    /// Slot-time that was charged for it in advance.
    pub(super) price_us: i64,
    /// The share of slots that it counts against.
    pub(super) toll: Toll,
}

/// What a finished attempt means for its message, once durable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Conclusion {
    Gone,
    Again { due_us: i64 },
}

/// A message that has just been put in flight.
#[derive(Debug)]
pub(super) struct Started<P> {
    pub(super) lane: u64,
    pub(super) attempt: u32,
    pub(super) payload: Arc<P>,
}

/// A message that has just come back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Landed {
    pub(super) flight: Flight,
    pub(super) attempt: u32,
}

impl<P> Window<P> {
    pub(super) fn new(doors: usize) -> Self {
        let mut lists = Vec::new();
        lists.resize_with(doors, Lists::default);
        Self {
            held: BTreeMap::new(),
            shelf: BTreeMap::new(),
            order: BTreeSet::new(),
            lists,
            busy: 0,
        }
    }

    /// Messages in memory with their payload.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// Messages in memory without it.
    pub(super) fn shelved(&self) -> usize {
        self.shelf.len()
    }

    /// Held messages that are not under way.
    pub(super) fn idle(&self) -> usize {
        self.held.len() - self.busy
    }

    pub(super) fn contains(&self, message: i64) -> bool {
        self.held.contains_key(&message) || self.is_shelved(message)
    }

    pub(super) fn is_shelved(&self, message: i64) -> bool {
        self.shelf.contains_key(&message)
    }

    /// Its attempt is over, and the conclusion not durable yet.
    pub(super) fn is_concluded(&self, message: i64) -> bool {
        let held = self.held.get(&message);
        held.is_some_and(|held| matches!(held.stage, Stage::Concluded(_)))
    }

    /// What could go through a door next.
    pub(super) fn heads(&self, door: usize) -> Heads {
        self.lists.get(door).map_or_else(Heads::default, |lists| Heads {
            fresh: lists.fresh.first().copied(),
            retry: lists.retries.first().copied(),
            wanted: lists.wanted.first().copied(),
        })
    }

    /// Messages in memory that go through a door.
    pub(super) fn known(&self, door: usize) -> usize {
        let held = self.held.values().map(|held| &held.entry);
        held.chain(self.shelf.values()).filter(|entry| entry.door == door).count()
    }

    /// Listed messages whose time has not come.
    pub(super) fn parked(&self, now_us: i64) -> usize {
        let later = (now_us.saturating_add(1), i64::MIN);
        let lists = self.lists.iter().flat_map(|door| [&door.fresh, &door.retries, &door.wanted]);
        lists.map(|list| list.range(later..).count()).sum()
    }

    /// Takes in a message that is not known yet.
    pub(super) fn insert(&mut self, waiting: Waiting<P>) {
        let Waiting { message, lane, door, attempt, due_us, payload } = waiting;
        let entry = Entry { lane, door, due_us, attempt };
        let payload = Arc::new(payload);
        let held = Held { entry, stage: Stage::Waiting, payload };
        self.held.insert(message, held);
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
    pub(super) fn start(&mut self, message: i64, flight: Flight) -> Option<Started<P>> {
        self.delist(message);
        let held = self.held.get_mut(&message)?;
        held.stage = Stage::InFlight(flight);
        self.busy += 1;
        let Entry { lane, attempt, .. } = held.entry;
        if lane != UNORDERED {
            self.order.insert((lane, BAR));
        }
        Some(Started { lane, attempt, payload: Arc::clone(&held.payload) })
    }

    /// Ends the flight of `message`; its lane stays barred. `None` if it was not in
    /// flight.
    pub(super) fn finish(&mut self, message: i64, conclusion: Conclusion) -> Option<Landed> {
        let held = self.held.get_mut(&message)?;
        let Stage::InFlight(flight) = held.stage else { return None };
        held.stage = Stage::Concluded(conclusion);
        Some(Landed { flight, attempt: held.entry.attempt })
    }

    /// Carries out the conclusion of `message` and opens its lane. Says whether the
    /// message is gone.
    pub(super) fn durable(&mut self, message: i64) -> bool {
        let Some(held) = self.held.get_mut(&message) else { return false };
        let gone = match held.stage {
            Stage::Waiting | Stage::InFlight(_) => return false,
            Stage::Concluded(Conclusion::Again { due_us }) => {
                held.entry.due_us = due_us;
                held.entry.attempt = held.entry.attempt.saturating_add(1);
                false
            }
            Stage::Concluded(Conclusion::Gone) => true,
        };
        self.release(message, gone);
        gone
    }

    /// Removes a shelved message that is not on disk any more.
    pub(super) fn lose_shelved(&mut self, message: i64) {
        let listed = self.delist(message);
        let lane = self.forget(message);
        if listed {
            self.enlist_first(lane);
        }
    }

    /// Drops the payloads of at most `most` messages that wait, those first whose
    /// lane will not move soon, and of them the newest first.
    pub(super) fn shelve(&mut self, most: usize, now_us: i64) {
        let waits = |(message, held): (&i64, &Held<P>)| match held.stage {
            Stage::Waiting => Some((self.is_near(&held.entry, now_us), Reverse(*message))),
            Stage::InFlight(_) | Stage::Concluded(_) => None,
        };
        let mut candidates: Vec<_> = self.held.iter().filter_map(waits).collect();
        candidates.sort_unstable();
        for (_, Reverse(message)) in candidates.into_iter().take(most) {
            let listed = self.delist(message);
            if let Some(held) = self.held.remove(&message) {
                self.shelf.insert(message, held.entry);
            }
            if listed {
                self.enlist(message);
            }
        }
    }

    /// Gives a shelved message its payload back.
    pub(super) fn restore(&mut self, message: i64, payload: P) {
        let listed = self.delist(message);
        let Some(entry) = self.shelf.remove(&message) else { return };
        let payload = Arc::new(payload);
        let held = Held { entry, stage: Stage::Waiting, payload };
        self.held.insert(message, held);
        if listed {
            self.enlist(message);
        }
    }

    /// How many messages from the shelved `first` on are worth reading in one go: the
    /// next ones in order of id, up to the first that is held or will not move soon.
    pub(super) fn run(&self, first: i64, most: usize, now_us: i64) -> usize {
        let held = self.held.range(first..).next().map_or(i64::MAX, |(message, _)| *message);
        let useful = |(_, entry): &(&i64, &Entry)| self.is_near(entry, now_us);
        self.shelf.range(first..held).take(most).take_while(useful).count().max(1)
    }

    /// Whether the lane of this entry moves, or may move now.
    fn is_near(&self, entry: &Entry, now_us: i64) -> bool {
        if entry.lane == UNORDERED {
            return entry.due_us <= now_us;
        }
        self.first_of(entry.lane).is_some_and(|first| {
            first == BAR || self.entry(first).is_some_and(|head| head.due_us <= now_us)
        })
    }

    fn entry(&self, message: i64) -> Option<&Entry> {
        let held = self.held.get(&message).map(|held| &held.entry);
        held.or_else(|| self.shelf.get(&message))
    }

    /// The message that a lane waits for, or [`BAR`].
    fn first_of(&self, lane: u64) -> Option<i64> {
        let (found, message) = self.order.range((lane, BAR)..).next()?;
        (*found == lane).then_some(*message)
    }

    /// Ends a conclusion: opens the lane, and lists what can go next.
    fn release(&mut self, message: i64, gone: bool) {
        let Some(held) = self.held.get_mut(&message) else { return };
        held.stage = Stage::Waiting;
        let lane = held.entry.lane;
        self.busy -= 1;
        self.order.remove(&(lane, BAR));
        if gone {
            self.forget(message);
        } else if lane == UNORDERED {
            self.enlist(message);
        }
        self.enlist_first(lane);
    }

    fn forget(&mut self, message: i64) -> u64 {
        let held = self.held.remove(&message).map(|held| held.entry);
        let lane =
            held.or_else(|| self.shelf.remove(&message)).map_or(UNORDERED, |entry| entry.lane);
        self.order.remove(&(lane, message));
        lane
    }

    fn enlist_first(&mut self, lane: u64) {
        if let Some(first) = self.first_of(lane) {
            self.enlist(first);
        }
    }

    fn enlist(&mut self, message: i64) {
        if let Some((list, key)) = self.listing(message) {
            list.insert(key);
        }
    }

    /// Says whether the message was listed.
    fn delist(&mut self, message: i64) -> bool {
        self.listing(message).is_some_and(|(list, key)| list.remove(&key))
    }

    /// Where a message is listed, if it is.
    fn listing(&mut self, message: i64) -> Option<(&mut List, (i64, i64))> {
        let held = self.held.get(&message).map(|held| &held.entry);
        let entry = held.or_else(|| self.shelf.get(&message))?;
        let lists = self.lists.get_mut(entry.door)?;
        let list = match (held.is_some(), entry.attempt) {
            (true, 0) => &mut lists.fresh,
            (true, _) => &mut lists.retries,
            (false, _) => &mut lists.wanted,
        };
        Some((list, (entry.due_us, message)))
    }
}
