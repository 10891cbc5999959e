//! A map that drops its oldest entries.
//!
//! There are two generations. New entries go into the young one. When that is full it replaces the
//! old one, and old entries are dropped unless they were used meanwhile. So the map always has the
//! latest `generation` entries, and never more than twice as many.
//!
//! The map is split into shards, because a large table that grows moves all its entries at once,
//! and a call at that moment would have to wait.

use std::{collections::HashMap, mem};

const SHARDS: usize = 64;

pub(crate) struct RecentMap<V> {
    shards: Vec<Shard<V>>,
    shard_generation: usize,
}

struct Shard<V> {
    young: HashMap<u64, V>,
    old: HashMap<u64, V>,
}

impl<V> RecentMap<V> {
    /// Keeps at least about the latest `generation` entries.
    pub(crate) fn new(generation: usize) -> Self {
        let shard = || Shard { young: HashMap::new(), old: HashMap::new() };
        Self {
            shards: (0..SHARDS).map(|_| shard()).collect(),
            shard_generation: generation.div_ceil(SHARDS).max(1),
        }
    }

    /// The entry of `key`, which counts as new again.
    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut V> {
        let generation = self.shard_generation;
        let shard = self.shard(key)?;
        if let Some(value) = shard.old.remove(&key) {
            shard.insert(key, value, generation);
        }
        shard.young.get_mut(&key)
    }

    pub(crate) fn insert(&mut self, key: u64, value: V) {
        let generation = self.shard_generation;
        if let Some(shard) = self.shard(key) {
            shard.old.remove(&key);
            shard.insert(key, value, generation);
        }
    }

    fn shard(&mut self, key: u64) -> Option<&mut Shard<V>> {
        let shards = u64::try_from(SHARDS).unwrap_or(1);
        usize::try_from(key % shards).ok().and_then(|index| self.shards.get_mut(index))
    }
}

impl<V> Shard<V> {
    fn insert(&mut self, key: u64, value: V, generation: usize) {
        if self.young.len() >= generation && !self.young.contains_key(&key) {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_entries_are_kept_and_the_oldest_dropped() {
        let mut recent = RecentMap::new(SHARDS * 10);
        let keys = |range: std::ops::Range<u64>| range.map(|number| number * 64);
        for key in keys(0..25) {
            recent.insert(key, key);
        }
        assert!(keys(15..25).all(|key| recent.get_mut(key) == Some(&mut key.clone())));
        assert!(keys(0..5).all(|key| recent.get_mut(key).is_none()));
    }

    #[test]
    fn entries_in_use_are_kept() {
        let mut recent = RecentMap::new(SHARDS);
        recent.insert(0, "kept");
        for key in 1..50 {
            recent.insert(key * 64, "other");
            assert!(recent.get_mut(0).is_some());
        }
    }
}
