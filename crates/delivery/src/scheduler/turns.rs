//! Which queue goes next: fair sharing of slots among owners, then among the queues of an owner.
//!
//! Deficit round robin, kept as a running account instead of a wheel: every owner and every queue
//! has used so much slot-time, and the one that used least goes first. One that comes back after a
//! pause starts where the others are, so that no turns are saved up. A start is charged what
//! attempts there usually take, and corrected by what it took; a queue that hangs for fifteen
//! seconds pays for fifteen seconds. Only queues that can send now are in a line.

use std::collections::BTreeSet;

use super::numbers::NumberMap;

/// What a start costs at least, so that turns count even where answers take no time.
const PRICE_MIN_US: i64 = 1_000;

/// What an attempt is thought to take before the first one is over.
const PRICE_FIRST_US: i64 = 100_000;

/// Messages that stay in order and are sent to one endpoint, or to one for each kind of them. The
/// caller numbers them.
///
/// A number is not used again until everything sent under it has come back: an outcome names its
/// message by this number and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct QueueId(pub(crate) u32);

/// The merchant that a queue belongs to, numbered by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Owner(pub(crate) u32);

/// The line in which a queue waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineClass {
    Quiet,
    /// Keeps a slot for long, or has not shown yet that it does not: all of these
    /// together leave a share of the slots to the others.
    Slow,
    /// Has a large share already: served when no other queue waits.
    Noisy,
    /// Degraded: all of these share a few slots.
    Throttled,
}

const CLASSES: [LineClass; 4] =
    [LineClass::Quiet, LineClass::Slow, LineClass::Noisy, LineClass::Throttled];

#[derive(Debug)]
struct Lines<T> {
    quiet: BTreeSet<(i64, T)>,
    slow: BTreeSet<(i64, T)>,
    noisy: BTreeSet<(i64, T)>,
    throttled: BTreeSet<(i64, T)>,
}

impl<T> Lines<T> {
    fn new() -> Self {
        Self {
            quiet: BTreeSet::new(),
            slow: BTreeSet::new(),
            noisy: BTreeSet::new(),
            throttled: BTreeSet::new(),
        }
    }

    fn of(&self, class: LineClass) -> &BTreeSet<(i64, T)> {
        match class {
            LineClass::Quiet => &self.quiet,
            LineClass::Slow => &self.slow,
            LineClass::Noisy => &self.noisy,
            LineClass::Throttled => &self.throttled,
        }
    }

    fn of_mut(&mut self, class: LineClass) -> &mut BTreeSet<(i64, T)> {
        match class {
            LineClass::Quiet => &mut self.quiet,
            LineClass::Slow => &mut self.slow,
            LineClass::Noisy => &mut self.noisy,
            LineClass::Throttled => &mut self.throttled,
        }
    }

    fn are_empty(&self) -> bool {
        CLASSES.into_iter().all(|class| self.of(class).is_empty())
    }
}

/// The share of slots that an attempt counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotClass {
    Light,
    Heavy,
    Throttled,
}

/// Which lines may have a slot now, besides the quiet one.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenLines {
    pub(super) heavy: bool,
    pub(super) throttled: bool,
}

/// The slot-time that a queue has used, within its owner's share.
#[derive(Debug)]
pub(super) struct SlotAccount {
    used_us: i64,
    /// What an attempt usually takes.
    usual_us: i64,
    /// What finished attempts took beyond what was charged for them.
    debt_us: i64,
    proven: bool,
}

impl SlotAccount {
    pub(super) fn new() -> Self {
        Self { used_us: 0, usual_us: PRICE_FIRST_US, debt_us: 0, proven: false }
    }

    /// Whether an attempt was ever over.
    pub(super) fn is_proven(&self) -> bool {
        self.proven
    }

    /// What an attempt usually takes.
    pub(super) fn usual_us(&self) -> i64 {
        self.usual_us
    }

    /// An attempt for which `price_us` was charged took `took_us`.
    pub(super) fn settle(&mut self, price_us: i64, took_us: i64) {
        self.debt_us = self.debt_us.saturating_add(took_us - price_us);
        self.usual_us += (took_us - self.usual_us) / 8;
        self.proven = true;
    }

    /// Charges one more attempt, old debts included. Credit beyond the price of the attempt
    /// is kept.
    fn charge(&mut self) -> i64 {
        let due_us = self.usual_us.saturating_add(self.debt_us);
        let paid_us = due_us.max(PRICE_MIN_US);
        self.debt_us = due_us - paid_us;
        paid_us
    }
}

#[derive(Debug)]
struct OwnerShare {
    /// Queues of this owner that are known.
    queues: usize,
    used_us: i64,
    /// What the queue served last had used before.
    reached_us: i64,
    lines: Lines<QueueId>,
}

#[derive(Debug)]
pub(super) struct Turns {
    shares: NumberMap<Owner, OwnerShare>,
    lines: Lines<Owner>,
    reached_us: i64,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self { shares: NumberMap::default(), lines: Lines::new(), reached_us: 0 }
    }

    /// `owner` has one more queue.
    pub(super) fn add_queue(&mut self, owner: Owner) {
        let share = OwnerShare { queues: 0, used_us: 0, reached_us: 0, lines: Lines::new() };
        self.shares.entry(owner).or_insert(share).queues += 1;
    }

    /// `owner` has one queue less, which is in no line.
    pub(super) fn remove_queue(&mut self, owner: Owner) {
        if let Some(share) = self.shares.get_mut(&owner) {
            share.queues -= 1;
            if share.queues == 0 {
                self.shares.remove(&owner);
            }
        }
    }

    pub(super) fn enter(
        &mut self,
        class: LineClass,
        owner: Owner,
        id: QueueId,
        account: &mut SlotAccount,
    ) {
        let Some(share) = self.shares.get_mut(&owner) else { return };
        if share.lines.are_empty() {
            share.used_us = share.used_us.max(self.reached_us);
        }
        account.used_us = account.used_us.max(share.reached_us);
        let line = share.lines.of_mut(class);
        if line.is_empty() {
            self.lines.of_mut(class).insert((share.used_us, owner));
        }
        line.insert((account.used_us, id));
    }

    pub(super) fn leave(
        &mut self,
        class: LineClass,
        owner: Owner,
        id: QueueId,
        account: &SlotAccount,
    ) {
        let Some(share) = self.shares.get_mut(&owner) else { return };
        let line = share.lines.of_mut(class);
        line.remove(&(account.used_us, id));
        if line.is_empty() {
            self.lines.of_mut(class).remove(&(share.used_us, owner));
        }
    }

    /// The queue that goes next, among those that `open` admits.
    pub(super) fn first(&self, open: OpenLines) -> Option<QueueId> {
        let slow = self.lines.slow.first().filter(|_| open.heavy);
        let throttled = self.lines.throttled.first().filter(|_| open.throttled);
        let classes = [
            (self.lines.quiet.first(), LineClass::Quiet),
            (slow, LineClass::Slow),
            (throttled, LineClass::Throttled),
        ];
        let waiting = classes.into_iter().filter_map(|(first, class)| Some((first?, class)));
        let noisy = || Some((self.lines.noisy.first().filter(|_| open.heavy)?, LineClass::Noisy));
        let ((_, owner), class) = waiting.min_by_key(|(first, _)| *first).or_else(noisy)?;
        let (_, id) = self.shares.get(owner)?.lines.of(class).first()?;
        Some(*id)
    }

    /// Charges one start to a queue that is in no line, and returns what was charged for
    /// this attempt, debts not counted.
    pub(super) fn charge(&mut self, owner: Owner, account: &mut SlotAccount) -> i64 {
        let price_us = account.usual_us;
        let paid_us = account.charge();
        if let Some(share) = self.shares.get_mut(&owner) {
            share.reached_us = share.reached_us.max(account.used_us);
            self.reached_us = self.reached_us.max(share.used_us);
            let used_us = share.used_us.saturating_add(paid_us);
            for class in CLASSES {
                if !share.lines.of(class).is_empty() {
                    let line = self.lines.of_mut(class);
                    line.remove(&(share.used_us, owner));
                    line.insert((used_us, owner));
                }
            }
            share.used_us = used_us;
        }
        account.used_us = account.used_us.saturating_add(paid_us);
        price_us
    }
}
