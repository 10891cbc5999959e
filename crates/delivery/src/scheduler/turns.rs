//! Whose turn it is: fair sharing of slots among owners, then among the endpoints
//! of an owner.
//!
//! Deficit round robin, kept as a running account instead of a wheel: every owner
//! and every endpoint has used so much slot-time, the one that used least goes
//! first, and whoever comes back after a pause starts where the others are, so that
//! nobody saves up turns. A start is charged what attempts there usually take, and
//! corrected by what it took; an endpoint that hangs for fifteen seconds pays for
//! fifteen seconds. Only those that can send this moment stand in a line.

use std::collections::BTreeSet;

use super::{Owner, QueueId, numbers::NumberMap};

/// What a start costs at least, so that turns count even where answers take no time.
const PRICE_MIN_US: i64 = 1_000;

/// What an attempt is thought to take before the first one is over.
const PRICE_FIRST_US: i64 = 100_000;

/// The line in which an endpoint waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Quiet,
    /// Keeps a slot for long, or has not shown yet that it does not: all of these
    /// together leave a share of the slots to the others.
    Slow,
    /// Has a large share already: served when nobody else waits.
    Noisy,
    /// In trouble: all of these share a few slots.
    Throttled,
}

const CLASSES: [Class; 4] = [Class::Quiet, Class::Slow, Class::Noisy, Class::Throttled];

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

    fn of(&self, class: Class) -> &BTreeSet<(i64, T)> {
        match class {
            Class::Quiet => &self.quiet,
            Class::Slow => &self.slow,
            Class::Noisy => &self.noisy,
            Class::Throttled => &self.throttled,
        }
    }

    fn of_mut(&mut self, class: Class) -> &mut BTreeSet<(i64, T)> {
        match class {
            Class::Quiet => &mut self.quiet,
            Class::Slow => &mut self.slow,
            Class::Noisy => &mut self.noisy,
            Class::Throttled => &mut self.throttled,
        }
    }

    fn are_empty(&self) -> bool {
        CLASSES.into_iter().all(|class| self.of(class).is_empty())
    }
}

/// The share of slots that an attempt counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Toll {
    None,
    Heavy,
    Throttled,
}

/// Which lines may have a slot now, besides the quiet one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) heavy: bool,
    pub(super) throttled: bool,
}

/// What an endpoint has used, within its owner's share.
#[derive(Debug)]
pub(super) struct Account {
    used_us: i64,
    /// What an attempt usually takes.
    usual_us: i64,
    /// What finished attempts took beyond what was charged for them.
    owed_us: i64,
    proven: bool,
}

impl Account {
    pub(super) fn new() -> Self {
        Self { used_us: 0, usual_us: PRICE_FIRST_US, owed_us: 0, proven: false }
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
        self.owed_us = self.owed_us.saturating_add(took_us - price_us);
        self.usual_us += (took_us - self.usual_us) / 8;
        self.proven = true;
    }

    /// What is due now for one more attempt, old debts included. Credit that is more
    /// than the attempt costs is kept.
    fn charge(&mut self) -> i64 {
        let due_us = self.usual_us.saturating_add(self.owed_us);
        let paid_us = due_us.max(PRICE_MIN_US);
        self.owed_us = due_us - paid_us;
        paid_us
    }
}

#[derive(Debug)]
struct Share {
    /// Endpoints of this owner that are known.
    endpoints: usize,
    used_us: i64,
    /// What the endpoint served last had used before.
    reached_us: i64,
    lines: Lines<QueueId>,
}

#[derive(Debug)]
pub(super) struct Turns {
    shares: NumberMap<Owner, Share>,
    lines: Lines<Owner>,
    reached_us: i64,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self { shares: NumberMap::default(), lines: Lines::new(), reached_us: 0 }
    }

    /// `owner` has one more endpoint.
    pub(super) fn join(&mut self, owner: Owner) {
        let share = Share { endpoints: 0, used_us: 0, reached_us: 0, lines: Lines::new() };
        self.shares.entry(owner).or_insert(share).endpoints += 1;
    }

    /// `owner` has one endpoint less, which stands in no line.
    pub(super) fn part(&mut self, owner: Owner) {
        if let Some(share) = self.shares.get_mut(&owner) {
            share.endpoints -= 1;
            if share.endpoints == 0 {
                self.shares.remove(&owner);
            }
        }
    }

    pub(super) fn enter(&mut self, class: Class, owner: Owner, id: QueueId, account: &mut Account) {
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

    pub(super) fn leave(&mut self, class: Class, owner: Owner, id: QueueId, account: &Account) {
        let Some(share) = self.shares.get_mut(&owner) else { return };
        let line = share.lines.of_mut(class);
        line.remove(&(account.used_us, id));
        if line.is_empty() {
            self.lines.of_mut(class).remove(&(share.used_us, owner));
        }
    }

    /// The endpoint whose turn it is, among those that `open` admits.
    pub(super) fn first(&self, open: Open) -> Option<QueueId> {
        let slow = self.lines.slow.first().filter(|_| open.heavy);
        let throttled = self.lines.throttled.first().filter(|_| open.throttled);
        let classes = [
            (self.lines.quiet.first(), Class::Quiet),
            (slow, Class::Slow),
            (throttled, Class::Throttled),
        ];
        let waiting = classes.into_iter().filter_map(|(first, class)| Some((first?, class)));
        let noisy = || Some((self.lines.noisy.first().filter(|_| open.heavy)?, Class::Noisy));
        let ((_, owner), class) = waiting.min_by_key(|(first, _)| *first).or_else(noisy)?;
        let (_, id) = self.shares.get(owner)?.lines.of(class).first()?;
        Some(*id)
    }

    /// Charges one start to an endpoint that stands in no line, and says what was
    /// charged for this attempt, debts not counted.
    pub(super) fn charge(&mut self, owner: Owner, account: &mut Account) -> i64 {
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
