//! Transactions that wait for a committer, and the groups that are made of them.
//!
//! A statement costs more than a row of it, so small groups are committed one after the other:
//! meanwhile the next one grows. It does not wait long, for a slow disk or for a group that is held
//! up by a lock. Large groups are committed side by side.

use std::{
    collections::VecDeque,
    mem,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Notify, mpsc},
    time::{Instant, sleep_until},
};

use crate::{
    core::transaction::Transaction,
    engine::group::{Group, ReplySender},
};

/// While one waits for a slow disk, the next sends its steps.
const COMMITTERS: usize = 3;
/// Groups of different merchants do not wait for each other, and each crosses the network twice.
const COMMITTERS_BY_MERCHANT: usize = 8;
/// Transactions that are set aside for other groups.
const SET_ASIDE_MAX: usize = 4096;
/// A group of this size need not grow.
const TRANSACTIONS_MANY: usize = 32;
const BYTES_MANY: usize = 256 << 10;
/// How long a group grows at most.
const GROWS_FOR: Duration = Duration::from_millis(2);

pub(super) type Job = (Transaction, ReplySender);

/// Which transactions may be committed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grouping {
    /// All: they are on one server.
    Together,
    /// Those of one merchant, which are on one server, although not all of them are.
    ByMerchant,
}

impl Grouping {
    /// How many committers there are; each uses one connection at a time.
    pub(super) fn committers(self) -> usize {
        match self {
            Self::Together => COMMITTERS,
            Self::ByMerchant => COMMITTERS_BY_MERCHANT,
        }
    }
}

pub(super) struct Waiting {
    receiver: mpsc::Receiver<Job>,
    /// Received, but not for the group that was formed then.
    set_aside: VecDeque<Job>,
    grouping: Grouping,
    turns: Arc<Turns>,
}

#[derive(Default)]
struct Turns {
    taken: AtomicUsize,
    ended: Notify,
}

/// A group is being committed until this is dropped.
pub(super) struct Turn(Arc<Turns>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::AcqRel);
        self.0.ended.notify_one();
    }
}

impl Waiting {
    pub(super) fn new(receiver: mpsc::Receiver<Job>, grouping: Grouping) -> Self {
        Self { receiver, set_aside: VecDeque::new(), grouping, turns: Arc::default() }
    }

    /// Waiting transactions that may be committed together, as soon as there is one. None when no
    /// caller can enqueue one any more.
    pub(super) async fn next_group(&mut self) -> Option<(Group, Turn)> {
        let (transaction, reply) = match self.set_aside.pop_front() {
            Some(job) => job,
            None => self.receiver.recv().await?,
        };
        let merchant = match self.grouping {
            Grouping::Together => None,
            Grouping::ByMerchant => Some(transaction.merchant().map(str::to_owned)),
        };
        let mut group = Group::default();
        group.push(transaction, reply);
        match merchant {
            None => self.grow(&mut group).await,
            Some(Some(merchant)) => self.gather_merchant(&mut group, &merchant),
            Some(None) => {}
        }
        self.turns.taken.fetch_add(1, Ordering::AcqRel);
        Some((group, Turn(Arc::clone(&self.turns))))
    }

    /// Adds what waits, and, to a small group, what comes while another is being committed.
    async fn grow(&mut self, group: &mut Group) {
        let until = Instant::now() + GROWS_FOR;
        loop {
            while !group.is_full()
                && let Ok((transaction, reply)) = self.receiver.try_recv()
            {
                group.push(transaction, reply);
            }
            let is_alone = self.turns.taken.load(Ordering::Acquire) == 0;
            if is_alone || group.has(TRANSACTIONS_MANY, BYTES_MANY) || Instant::now() >= until {
                return;
            }
            tokio::select! {
                Some((transaction, reply)) = self.receiver.recv() => group.push(transaction, reply),
                () = self.turns.ended.notified() => {}
                () = sleep_until(until) => {}
            }
        }
    }

    /// Adds what waits of the same merchant.
    fn gather_merchant(&mut self, group: &mut Group, merchant: &str) {
        let mut set_aside = VecDeque::new();
        let mut others = mem::take(&mut self.set_aside).into_iter();
        while !group.is_full()
            && set_aside.len() < SET_ASIDE_MAX
            && let Some(job) = others.next().or_else(|| self.receiver.try_recv().ok())
        {
            if job.0.merchant() == Some(merchant) {
                group.push(job.0, job.1);
            } else {
                set_aside.push_back(job);
            }
        }
        set_aside.extend(others);
        self.set_aside = set_aside;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, future::join};
    use tokio::sync::oneshot;

    use super::*;

    fn job() -> Job {
        (Transaction::new("testing"), oneshot::channel().0)
    }

    #[tokio::test]
    async fn a_small_group_grows_while_another_is_committed() {
        let (jobs, receiver) = mpsc::channel(8);
        let mut waiting = Waiting::new(receiver, Grouping::Together);
        jobs.send(job()).await.unwrap();
        let (first, turn) = waiting.next_group().await.unwrap();
        jobs.send(job()).await.unwrap();
        let later = async {
            jobs.send(job()).await.unwrap();
            drop(turn);
        };

        let (second, ()) = join(waiting.next_group(), later).await;

        assert_eq!(first.transactions.len(), 1);
        assert_eq!(second.unwrap().0.transactions.len(), 2);
    }

    #[tokio::test]
    async fn a_group_that_is_held_up_does_not_hold_up_the_next() {
        let (jobs, receiver) = mpsc::channel(8);
        let mut waiting = Waiting::new(receiver, Grouping::Together);
        jobs.send(job()).await.unwrap();
        let (_, held_up) = waiting.next_group().await.unwrap();
        jobs.send(job()).await.unwrap();

        let (next, _) = waiting.next_group().await.unwrap();

        assert_eq!(next.transactions.len(), 1);
        drop(held_up);
    }

    #[tokio::test]
    async fn a_large_group_does_not_wait() {
        let (jobs, receiver) = mpsc::channel(TRANSACTIONS_MANY + 1);
        let mut waiting = Waiting::new(receiver, Grouping::Together);
        jobs.send(job()).await.unwrap();
        let (_, held_up) = waiting.next_group().await.unwrap();
        for _ in 0..TRANSACTIONS_MANY {
            jobs.send(job()).await.unwrap();
        }

        let (next, turn) = waiting.next_group().now_or_never().unwrap().unwrap();

        assert_eq!(next.transactions.len(), TRANSACTIONS_MANY);
        drop((held_up, turn));
    }
}
