//! The shards that this node holds, and until when it may write requests for them.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

/// What must be left of a lease, besides the time of an attempt, to start one.
pub(super) const RESERVE: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(crate) struct HeldShards {
    /// With the epoch of each.
    pub(super) shards: BTreeMap<i64, i64>,
    /// Shards that are being released, and since when: nothing is started for them. They may stay
    /// after all, if another node stops meanwhile.
    pub(super) leaving: BTreeMap<i64, Instant>,
    pub(super) valid_until: Option<Instant>,
}

impl HeldShards {
    /// The epoch of a shard for which this node may start something that takes `margin`.
    pub(super) fn epoch(&self, shard: i64, margin: Duration) -> Option<i64> {
        let epoch = *self.shards.get(&shard)?;
        (self.is_valid(margin) && !self.leaving.contains_key(&shard)).then_some(epoch)
    }

    /// Whether this node may start something that takes `margin`, for the shards that it keeps.
    pub(super) fn is_valid(&self, margin: Duration) -> bool {
        self.valid_until.is_some_and(|until| Instant::now() + margin < until)
    }

    /// Whether this node keeps a shard under this epoch, as far as it knows: the lease may be too
    /// old to start anything, or is being released, and may still be renewed.
    pub(super) fn keeps(&self, shard: i64, epoch: i64) -> bool {
        self.shards.get(&shard) == Some(&epoch)
    }
}

/// Until when the request of an attempt may be written.
#[derive(Clone, Debug)]
pub(crate) struct WriteLimit {
    pub(super) until: Instant,
    pub(super) held: Arc<RwLock<HeldShards>>,
    pub(super) shard: i64,
    pub(super) epoch: i64,
}

impl WriteLimit {
    /// A limit that is not extended.
    #[cfg(test)]
    pub(crate) fn at(until: Instant) -> Self {
        Self { until, held: Arc::default(), shard: 0, epoch: 0 }
    }

    /// Mail servers may take longer than the endpoints of merchants. Meanwhile the lease is
    /// renewed.
    pub(crate) fn is_over(&self) -> bool {
        if Instant::now() < self.until {
            return false;
        }
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.epoch(self.shard, RESERVE) != Some(self.epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_is_renewed_late_is_kept_and_starts_nothing_meanwhile() {
        let now = Instant::now();
        let mut held = HeldShards { valid_until: Some(now + RESERVE), ..HeldShards::default() };
        held.shards.insert(7, 3);
        assert!(held.keeps(7, 3));
        assert!(!held.is_valid(RESERVE));
        assert_eq!(held.epoch(7, RESERVE), None, "it is too old");
        assert!(!held.keeps(7, 2), "another node had it meanwhile");
        assert!(!held.keeps(8, 3));

        held.valid_until = Some(now + Duration::from_secs(60));
        assert_eq!(held.epoch(7, RESERVE), Some(3));
        held.leaving.insert(7, now);
        assert_eq!(held.epoch(7, RESERVE), None, "it is being released");
        assert!(held.keeps(7, 3), "until it is");
    }

    #[test]
    fn a_request_may_be_written_later_if_its_lease_was_renewed() {
        let now = Instant::now();
        let limit = WriteLimit { shard: 7, epoch: 3, ..WriteLimit::at(now) };
        assert!(limit.is_over(), "the shard is not held");

        let renew = |epoch: i64, left: Duration| {
            let mut held = limit.held.write().unwrap();
            held.shards.insert(7, epoch);
            held.valid_until = Some(Instant::now() + left);
        };
        renew(3, Duration::from_secs(60));
        assert!(!limit.is_over());
        renew(3, RESERVE);
        assert!(limit.is_over(), "the lease is almost over");
        renew(4, Duration::from_secs(60));
        assert!(limit.is_over(), "it was another node's meanwhile");
        renew(3, Duration::from_secs(60));
        limit.held.write().unwrap().leaving.insert(7, now);
        assert!(limit.is_over(), "it is being released");
    }
}
