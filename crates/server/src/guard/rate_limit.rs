//! Limits the requests of one address, or of another kind of key, in a sliding minute.
//!
//! Each address has sixty buckets of one second. A request is allowed while the sixty buckets
//! together hold less than the limit; it is then counted in the newest. A refused request is
//! not counted, so a client that keeps trying is allowed as soon as its oldest second leaves the
//! window. The limit is exact to a second.
//!
//! An IPv6 client is counted by its /64 network: that is the smallest network that subscribers get,
//! and they can use all its addresses, so a limit per address would be useless. An IPv4 address
//! written as IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
//!
//! Memory is bounded. The addresses lie in sixteen shards with a lock each; a full shard
//! forgets the addresses that were quiet for a minute, and when there are none, addresses it
//! does not know share one window with each other. The known ones do not notice.
//!
//! Several nodes share what they count (`limit_sharing`), a few times a second. What a node has
//! counted since is unknown to the others, so it may use no more than its part of what was left: an
//! address that calls all nodes at once gets hardly more than the limit.
//!
//! The caller brings the time: any clock that does not run backwards, as the time since an
//! origin of the caller's choice.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    net::{IpAddr, Ipv6Addr},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

const WINDOW_S: u32 = 60;
const WINDOW_BUCKETS: usize = 60;
const SHARDS: usize = 16;
const ADDRESSES_MAX: usize = 100_000;

/// The decision on one request, with the values of the `RateLimit-*` and `Retry-After` headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateDecision {
    pub allowed: bool,
    pub limit: u32,
    /// Requests that would still be allowed now, after this one.
    pub remaining: u32,
    /// Refused: seconds until one request is allowed again. Allowed: seconds until the window
    /// is entirely free, if no other request comes.
    pub reset_s: u32,
}

/// Counts requests per address, or per key of another kind. Share it by reference; it locks inside.
#[derive(Debug)]
pub struct RateLimit<K = IpAddr> {
    limit: AtomicU32,
    /// How many nodes count requests.
    nodes: AtomicU32,
    shard_addresses_max: usize,
    hasher: RandomState,
    shards: [Mutex<Shard<K>>; SHARDS],
    overflow: Mutex<Window>,
}

impl RateLimit {
    /// Counts one request of `address` at `now`, or refuses it.
    pub fn check(&self, address: IpAddr, now: Duration) -> RateDecision {
        self.check_key(counted_as(address), now)
    }

    /// Takes back what was counted last for `address`.
    pub fn take_back(&self, address: IpAddr, now: Duration) {
        self.take_back_key(&counted_as(address), now);
    }
}

impl<K: Eq + Hash> RateLimit<K> {
    pub fn new(limit_per_minute: u32) -> Self {
        Self::bounded(limit_per_minute, ADDRESSES_MAX / SHARDS)
    }

    fn bounded(limit: u32, shard_addresses_max: usize) -> Self {
        Self {
            limit: AtomicU32::new(limit),
            nodes: AtomicU32::new(1),
            shard_addresses_max,
            hasher: RandomState::new(),
            shards: Default::default(),
            overflow: Mutex::default(),
        }
    }

    /// Counts one request of `client` at `now`, or refuses it.
    pub fn check_key(&self, client: K, now: Duration) -> RateDecision {
        let now_s = now.as_secs();
        if let Some(shard) = self.shard(&client) {
            let mut shard = lock(shard);
            if let Some(window) = shard.window(client, now_s, self.shard_addresses_max) {
                return window.check(self.quota(), now_s);
            }
        }
        lock(&self.overflow).check(self.quota(), now_s)
    }

    fn quota(&self) -> Quota {
        let limit = self.limit.load(Ordering::Relaxed);
        Quota { limit, nodes: self.nodes.load(Ordering::Relaxed).max(1) }
    }

    pub(crate) fn set_limit(&self, limit_per_minute: u32) {
        self.limit.store(limit_per_minute, Ordering::Relaxed);
    }

    pub(crate) fn set_nodes(&self, nodes: u32) {
        self.nodes.store(nodes, Ordering::Relaxed);
    }

    /// Takes back the last count of `client`, for a request that should not be limited after all.
    pub fn take_back_key(&self, client: &K, now: Duration) {
        let Some(shard) = self.shard(client) else { return };
        if let Some(window) = lock(shard).windows.get_mut(client) {
            window.take_back(now.as_secs());
        }
    }

    /// Adds what another node has counted for `client`.
    pub(crate) fn add(&self, client: K, count: u32, now: Duration) {
        let Some(shard) = self.shard(&client) else { return };
        if let Some(window) = lock(shard).window(client, now.as_secs(), self.shard_addresses_max) {
            window.add(count, now.as_secs());
        }
    }

    /// The choice of the shard is secret, so an attacker cannot fill one on purpose.
    fn shard(&self, client: &K) -> Option<&Mutex<Shard<K>>> {
        let [low_byte, ..] = self.hasher.hash_one(client).to_le_bytes();
        self.shards.get(usize::from(low_byte) % SHARDS)
    }
}

impl<K: Eq + Hash + Clone> RateLimit<K> {
    /// What was counted here since the last call, to be shared.
    pub(crate) fn take_news(&self) -> Vec<(K, u32)> {
        let mut news = Vec::new();
        for shard in &self.shards {
            for (client, window) in &mut lock(shard).windows {
                let count = window.share();
                if count > 0 {
                    news.push((client.clone(), count));
                }
            }
        }
        news
    }
}

/// The address that is counted for `address`.
pub(crate) fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// A panic while the lock was held can at worst have left one count wrong.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct Shard<K> {
    windows: HashMap<K, Window>,
    cleaned_s: Option<u64>,
}

impl<K> Default for Shard<K> {
    fn default() -> Self {
        Self { windows: HashMap::new(), cleaned_s: None }
    }
}

impl<K: Eq + Hash> Shard<K> {
    /// The window of `client`, a new one if need be, or none when there is no room.
    fn window(&mut self, client: K, now_s: u64, max: usize) -> Option<&mut Window> {
        if !self.windows.contains_key(&client) && self.windows.len() >= max {
            self.forget_quiet(now_s);
            if self.windows.len() >= max {
                return None;
            }
        }
        Some(self.windows.entry(client).or_default())
    }

    /// Forgets quiet addresses. Within one second none becomes quiet, so once a second is as
    /// good as always, and a flood of new addresses cannot slow down every request.
    fn forget_quiet(&mut self, now_s: u64) {
        if self.cleaned_s.is_none_or(|cleaned_s| cleaned_s < now_s) {
            self.windows.retain(|_, window| !window.is_quiet(now_s));
            self.cleaned_s = Some(now_s);
        }
    }
}

/// The last sixty seconds of one address.
#[derive(Debug)]
struct Window {
    /// Allowed requests by age: the newest second first.
    counts: [u32; WINDOW_BUCKETS],
    total: u32,
    /// The second that the first bucket stands for.
    newest_s: u64,
    /// What the other nodes do not know yet: counted since it was last shared, and what was shared
    /// then.
    unshared: u32,
    just_shared: u32,
}

/// What all nodes together may count, and how many there are.
#[derive(Clone, Copy)]
struct Quota {
    limit: u32,
    nodes: u32,
}

impl Default for Window {
    fn default() -> Self {
        Self { counts: [0; WINDOW_BUCKETS], total: 0, newest_s: 0, unshared: 0, just_shared: 0 }
    }
}

impl Window {
    fn check(&mut self, quota: Quota, now_s: u64) -> RateDecision {
        let Quota { limit, nodes } = quota;
        self.advance(now_s);
        let unknown_to_others = self.unshared.saturating_add(self.just_shared).min(self.total);
        let was_left = limit.saturating_sub(self.total - unknown_to_others);
        if self.total >= limit || unknown_to_others >= was_left.div_ceil(nodes) {
            // A part that is used up is renewed when the counts are shared.
            let reset_s = if self.total >= limit { self.opens_in_s() } else { 1 };
            return RateDecision { allowed: false, limit, remaining: 0, reset_s };
        }
        let [newest, ..] = &mut self.counts;
        *newest += 1;
        self.total += 1;
        if nodes > 1 {
            self.unshared += 1;
        }
        RateDecision { allowed: true, limit, remaining: limit - self.total, reset_s: WINDOW_S }
    }

    fn take_back(&mut self, now_s: u64) {
        self.advance(now_s);
        if let Some(newest) = self.counts.iter_mut().find(|count| **count > 0) {
            *newest -= 1;
            self.total -= 1;
        }
    }

    fn add(&mut self, count: u32, now_s: u64) {
        self.advance(now_s);
        let [newest, ..] = &mut self.counts;
        *newest = newest.saturating_add(count);
        self.total = self.counts.iter().fold(0, |total, count| total.saturating_add(*count));
    }

    fn share(&mut self) -> u32 {
        self.just_shared = self.unshared;
        std::mem::take(&mut self.unshared)
    }

    /// Turns the ring so that its first bucket is `now_s`. Two threads may take the lock in
    /// another order than they read the clock: the later time stands.
    fn advance(&mut self, now_s: u64) {
        let passed_s = now_s.saturating_sub(self.newest_s);
        let passed = usize::try_from(passed_s).unwrap_or(usize::MAX).min(WINDOW_BUCKETS);
        self.counts.rotate_right(passed);
        for expired in self.counts.iter_mut().take(passed) {
            self.total = self.total.saturating_sub(*expired);
            *expired = 0;
        }
        self.newest_s = self.newest_s.max(now_s);
    }

    /// Seconds until the oldest counted second leaves. With a limit of zero nothing is ever
    /// counted and the whole window is as good an answer as any.
    fn opens_in_s(&self) -> u32 {
        let newer = self.counts.iter().rev().skip_while(|count| **count == 0).skip(1).count();
        WINDOW_S.saturating_sub(u32::try_from(newer).unwrap_or(WINDOW_S)).max(1)
    }

    fn is_quiet(&self, now_s: u64) -> bool {
        now_s.saturating_sub(self.newest_s) >= u64::from(WINDOW_S)
    }
}

#[cfg(test)]
mod tests;
