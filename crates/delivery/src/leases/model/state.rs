//! What the database, the nodes and the merchant know.

/// Nodes, and the messages 0, 1 and 2. The first is in one lane, the others in another.
pub(super) const NODES: usize = 3;
pub(super) const MESSAGES: u8 = 3;
const LANES: [Set; 2] = [0b001, 0b110];

/// The age at which a lease has expired, in units of about the time of an attempt. A node starts
/// attempts in the first unit and writes requests until the end of the second. The third is the
/// reserve for clocks that do not agree.
pub(super) const EXPIRED: u8 = 3;
const START_BEFORE: u8 = 1;
const WRITE_BEFORE: u8 = 2;
/// By how much a node may take a lease to be younger than it is.
const SKEW: u8 = 1;

/// A set of messages.
pub(super) type Set = u8;

pub(super) fn bit(message: u8) -> Set {
    1 << message
}

/// The messages in the lane of `message`.
pub(super) fn lane(message: u8) -> Set {
    LANES.into_iter().find(|lane| lane & bit(message) != 0).unwrap_or(0)
}

/// The messages before `message` in its lane.
pub(super) fn earlier(message: u8) -> Set {
    lane(message) & (bit(message) - 1)
}

pub(super) fn messages(set: Set) -> impl Iterator<Item = u8> {
    (0..MESSAGES).filter(move |message| set & bit(*message) != 0)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) database: Database,
    pub(super) nodes: [Node; NODES],
    /// What the merchant has received.
    pub(super) seen: Set,
    /// A message arrived before an earlier one of its lane.
    pub(super) out_of_order: bool,
    /// A message arrived again after a later one of its lane.
    pub(super) repeated: bool,
    /// Messages that were received and are sent again for a reason: the answer was lost, or the
    /// node or its lease before the outcome was stored.
    pub(super) excused: Set,
    /// A message arrived again for no reason.
    pub(super) sent_twice: bool,
}

/// The rows that matter: one of `shard_leases`, and `deliveries`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Database {
    pub(super) owner: Option<u8>,
    pub(super) epoch: u8,
    /// The age of the lease.
    pub(super) age: u8,
    /// How many messages are committed.
    pub(super) committed: u8,
    /// Those that are not finished.
    pub(super) pending: Set,
}

/// The memory of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Node {
    /// Whether messages are committed here. The other nodes find them in the store.
    pub(super) takes_requests: bool,
    pub(super) held: Option<Held>,
    /// Messages that were committed here and did not reach the dispatcher yet.
    pub(super) inbox: Set,
    /// The number after the last message that reached the dispatcher.
    pub(super) last: u8,
    pub(super) queue: Option<Queue>,
    /// Attempts of a queue that was dropped: not written yet, and received by the merchant.
    pub(super) old_started: Set,
    pub(super) old_received: Set,
}

/// A lease as its node knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Held {
    pub(super) epoch: u8,
    pub(super) age: u8,
}

/// A queue in the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Queue {
    pub(super) epoch: u8,
    /// The number after the last message that was read or enqueued.
    pub(super) after: u8,
    /// There may be more in the store.
    pub(super) more: bool,
    pub(super) window: Set,
    /// Messages of the window with an attempt that was not written yet, or that the merchant has
    /// received.
    pub(super) started: Set,
    pub(super) received: Set,
}

impl State {
    /// The first state, with some messages that were delivered before.
    pub(super) fn new(delivered: u8) -> Self {
        let database =
            Database { owner: None, epoch: 0, age: EXPIRED, committed: delivered, pending: 0 };
        let taking_requests = Node { takes_requests: true, ..Node::default() };
        Self {
            database,
            nodes: [Node::default(), Node::default(), taking_requests],
            seen: bit(delivered) - 1,
            out_of_order: false,
            repeated: false,
            excused: 0,
            sent_twice: false,
        }
    }

    /// The merchant receives a message.
    pub(super) fn receive(&mut self, message: u8) {
        let later = lane(message) & !earlier(message) & !bit(message);
        self.out_of_order |= earlier(message) & !self.seen != 0;
        self.repeated |= later & self.seen != 0;
        self.sent_twice |= self.seen & !self.excused & bit(message) != 0;
        self.seen |= bit(message);
        self.excused &= !bit(message);
    }

    /// Some messages may arrive once more, if they were received.
    pub(super) fn excuse(&mut self, some: Set) {
        self.excused |= some & self.seen;
    }

    pub(super) fn forget_repeats(&mut self) {
        (self.excused, self.sent_twice) = (0, false);
    }

    /// Committed, not pending any more, and never received.
    pub(super) fn lost(&self) -> Set {
        (bit(self.database.committed) - 1) & !self.database.pending & !self.seen
    }

    /// Every lease ages by one unit, wherever it is known.
    pub(super) fn pass_time(&mut self) {
        self.database.age = EXPIRED.min(self.database.age + 1);
        for node in &mut self.nodes {
            let older = node.held.map(|held| Held { age: held.age + 1, ..held });
            node.held = older.filter(|held| held.age < EXPIRED);
        }
    }

    /// States that differ only in the names of nodes and in the values of epochs are one state:
    /// epochs are only compared for equality, and nodes are alike.
    pub(super) fn normalized(mut self) -> Self {
        self.rename_epochs();
        let owner = self.database.owner;
        let mut order: [u8; NODES] = [0, 1, 2];
        order.sort_by_key(|node| (self.nodes[usize::from(*node)], Some(*node) == owner));
        self.nodes = order.map(|node| self.nodes[usize::from(node)]);
        let place = order.iter().position(|node| Some(*node) == owner);
        self.database.owner = place.and_then(|place| u8::try_from(place).ok());
        self
    }

    /// Forgets what can have no effect any more: queues of former epochs, which are dropped before
    /// anything is sent from them, and outcomes that are stored already.
    pub(super) fn forget_former(&mut self) {
        let Database { epoch, pending, .. } = self.database;
        for node in &mut self.nodes {
            let held = node.held.map(|held| held.epoch);
            let is_former = |queue: &mut Queue| queue.epoch != epoch && held != Some(queue.epoch);
            if let Some(queue) = node.queue.take_if(is_former) {
                node.old_received |= queue.received;
            }
            node.old_received &= pending;
        }
    }

    fn rename_epochs(&mut self) {
        let mut used: u32 = 0;
        self.each_epoch(|epoch| used |= 1 << *epoch);
        self.each_epoch(|epoch| {
            let smaller = used & ((1 << *epoch) - 1);
            *epoch = u8::try_from(smaller.count_ones()).unwrap_or(0);
        });
    }

    fn each_epoch(&mut self, mut edit: impl FnMut(&mut u8)) {
        edit(&mut self.database.epoch);
        for node in &mut self.nodes {
            node.held.iter_mut().for_each(|held| edit(&mut held.epoch));
            node.queue.iter_mut().for_each(|queue| edit(&mut queue.epoch));
        }
    }
}

impl Node {
    /// Messages that were received and whose outcome is not stored yet.
    pub(super) fn received(&self) -> Set {
        self.old_received | self.queue.map_or(0, |queue| queue.received)
    }

    /// Whether attempts may be started, as the node's own clock may have it at worst.
    pub(super) fn may_start(&self) -> bool {
        self.held.is_some_and(|held| held.age.saturating_sub(SKEW) < START_BEFORE)
    }

    /// Whether an attempt that was started may still be written.
    pub(super) fn may_write(&self) -> bool {
        self.held.is_some_and(|held| held.age.saturating_sub(SKEW) < WRITE_BEFORE)
    }

    /// Starts no attempts any more, and writes those that were started until the next unit.
    pub(super) fn leave(&mut self) {
        if let Some(held) = &mut self.held {
            held.age = WRITE_BEFORE;
        }
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.held.is_some_and(|held| held.age == WRITE_BEFORE)
    }
}

impl Queue {
    /// The first messages of lanes, where no attempt at one of `closed` is under way.
    pub(super) fn ready(&self, closed: Set) -> impl Iterator<Item = u8> {
        let waiting = self.window & !self.received & !self.started;
        let before = self.window & !self.received | closed;
        let is_ready =
            move |message: &u8| earlier(*message) & before == 0 && lane(*message) & closed == 0;
        messages(waiting).filter(is_ready)
    }
}
