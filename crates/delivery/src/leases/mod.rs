//! Which node sends what, when several nodes share a store.
//!
//! Queues are spread over 1,024 shards, and a shard is leased to one node at a time: for thirty
//! seconds, renewed every five. A node starts no attempt for a shard when the lease could expire
//! before the attempt ends, so the next node that takes the shard is the only one that sends for
//! it. A node that stops releases its shards at once; one that died loses them when its leases
//! expire. Nodes take no more than their share, and release what exceeds it when others join.
//!
//! Each lease has an epoch. A node that was stopped for a while may lose a shard and take it again
//! without noticing; the epoch shows that another node may have sent meanwhile, so that what is in
//! memory is old. A node that renews its leases late sends nothing meanwhile, and keeps what is in
//! memory: it continues if the epochs are still the same. The same holds for a shard that is about
//! to be released, which stays if another node stops before that. Queues that were read again
//! instead would send what is on its way once more. `leases/model.rs` is a model of the whole
//! protocol, checked exhaustively.
//!
//! Messages that were committed for a shard of another node are announced to it, those of a few
//! milliseconds together. In case an announcement is lost, the store is searched: every two seconds
//! or, where that takes long, less often, and at once after shards were gained or announcements may
//! have been missed. Old messages that an operator put back cannot be found that way, so they are
//! announced as such, until that succeeds, and a node that did not listen for a while reads its
//! queues again. In case a node dies before it announces them, the queues that have something
//! waiting are read again every five minutes. Changed endpoints are announced in the same way.
//!
//! With a store of its own, a node owns everything.

#[cfg(test)]
#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::wildcard_enum_match_arm,
    reason = "parts of a state are passed alike, whatever their size, and each function takes some steps"
)]
mod model;
#[cfg(test)]
mod tests;

pub(crate) mod held;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};

use boxed::boxed;
use domain::{identifier::MerchantId, messages::kind::QueueKind};
use store::{LastingFailure, Store, StoreError, with_causes};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use self::held::{HeldShards, RESERVE, WriteLimit};
use crate::dispatcher::events::{DispatcherHandle, Event};

/// More than any installation has nodes, so that each gets about the same number. A node renews all
/// of its leases with one row, so they cost nothing.
const SHARDS: i64 = 1024;
const LEASE_MIN: Duration = Duration::from_secs(30);
const RENEW_EVERY: Duration = Duration::from_secs(5);
/// Announcements wait this long for others to be sent with them.
const ANNOUNCE_EVERY: Duration = Duration::from_millis(5);
/// Before the merchant in an announcement of messages that were put back.
const RETRIED: char = '!';
/// Before the merchant in an announcement of changed endpoints.
const CHANGED: char = '~';
/// Announces that a node has released its shards. It is not the name of a merchant.
const RELEASED: &str = "=";
/// As many merchants as surely fit into one notification.
const ANNOUNCED_AT_ONCE: usize = 100;

/// What this node owns.
#[derive(Clone, Default)]
pub struct Leases(Option<Arc<SharedLeases>>);

struct SharedLeases {
    node: String,
    lease: Duration,
    attempt_max: Duration,
    held: Arc<RwLock<HeldShards>>,
    announced: Mutex<BTreeSet<String>>,
    announcement: Notify,
    /// Notified when another node has released shards.
    released: Notify,
}

/// The right to send for a queue now.
pub(crate) struct QueueLease {
    pub(crate) epoch: i64,
    /// For an attempt that starts now. None when no other node exists.
    pub(crate) write_limit: Option<WriteLimit>,
}

/// What follows from renewed leases.
struct Renewal {
    /// Shards that can be released now.
    gone: Vec<i64>,
    /// Whether there are shards that this node may send for now and could not before.
    has_gained: bool,
}

impl Leases {
    /// Everything: no other node uses the store.
    pub fn all() -> Self {
        Self(None)
    }

    /// What [`Leases::keep`] gets for `node`, where attempts end within `attempt_max`.
    pub fn shared(node: String, attempt_max: Duration) -> Self {
        Self(Some(Arc::new(SharedLeases {
            node,
            lease: LEASE_MIN.max(attempt_max + RESERVE + 2 * RENEW_EVERY),
            attempt_max,
            held: Arc::default(),
            announced: Mutex::default(),
            announcement: Notify::new(),
            released: Notify::new(),
        })))
    }

    /// How many shards this node may send for.
    pub(crate) fn held(&self) -> usize {
        let Some(shared) = &self.0 else { return usize::try_from(SHARDS).unwrap_or_default() };
        let held = shared.held.read().unwrap_or_else(PoisonError::into_inner);
        held.shards.len()
    }

    pub(crate) fn are_shared(&self) -> bool {
        self.0.is_some()
    }

    /// The lease under which this node, and no other, may start attempts for this queue now.
    pub(crate) fn of_queue(&self, merchant: &MerchantId, queue: QueueKind) -> Option<QueueLease> {
        let Some(leases) = &self.0 else {
            return Some(QueueLease { epoch: 0, write_limit: None });
        };
        let held = leases.held.read().unwrap_or_else(PoisonError::into_inner);
        let shard = shard_of(merchant, queue);
        let epoch = held.epoch(shard, leases.margin())?;
        let until = Instant::now() + leases.attempt_max;
        let held = Arc::clone(&leases.held);
        Some(QueueLease { epoch, write_limit: Some(WriteLimit { until, held, shard, epoch }) })
    }

    /// The epoch of that lease.
    pub(crate) fn epoch(&self, merchant: &MerchantId, queue: QueueKind) -> Option<i64> {
        self.of_queue(merchant, queue).map(|lease| lease.epoch)
    }

    /// Whether this node may start attempts now, for the queues that it keeps. While its leases are
    /// too old, it waits until they are renewed, or until it knows that they are lost.
    pub(crate) fn are_current(&self) -> bool {
        let Some(leases) = &self.0 else { return true };
        let held = leases.held.read().unwrap_or_else(PoisonError::into_inner);
        held.is_valid(leases.margin())
    }

    /// Whether what was read for a queue under this epoch is still of use: no other node has sent
    /// for it since, unless this node will find out when it renews its leases.
    pub(crate) fn keeps(&self, merchant: &MerchantId, queue: QueueKind, epoch: i64) -> bool {
        let Some(leases) = &self.0 else { return true };
        let held = leases.held.read().unwrap_or_else(PoisonError::into_inner);
        held.keeps(shard_of(merchant, queue), epoch)
    }

    /// Announces pending messages of a merchant to the node that holds its shard.
    pub(crate) fn announce(&self, merchant: &MerchantId) {
        if let Some(shared) = &self.0 {
            shared.announce([merchant.to_string()]);
        }
    }

    /// Announces messages of a merchant that were put back, to the nodes that hold its shards.
    pub(crate) fn announce_retried(&self, merchant: &MerchantId) {
        if let Some(shared) = &self.0 {
            shared.announce([format!("{RETRIED}{merchant}")]);
        }
    }

    /// Announces to all nodes that endpoints of a merchant were changed.
    pub(crate) fn announce_changed(&self, merchant: &MerchantId) {
        if let Some(shared) = &self.0 {
            shared.announce([format!("{CHANGED}{merchant}")]);
        }
    }

    /// Takes and renews this node's share until `stop`, then releases it.
    #[boxed]
    pub async fn keep(self, store: Store, handle: DispatcherHandle, stop: CancellationToken) {
        let Some(shared) = self.0 else { return };
        let announcing =
            tokio::spawn(send_announcements(Arc::clone(&shared), store.clone(), stop.clone()));
        let receiving =
            tokio::spawn(shared.clone().receive(store.clone(), handle.clone(), stop.clone()));
        // What this node held before it was killed can be taken at once: no other process uses
        // its name.
        if let Err(error) = store.release_all_leases(&shared.node).await {
            tracing::warn!(
                "releasing leases from before the start failed, waiting until they expire: {}",
                with_causes(&error)
            );
        }
        let failures = LastingFailure::new("renewing leases", "retrying in 5 s");
        while !stop.is_cancelled() {
            failures.note(&shared.renew(&store, &handle).await);
            let wait = tokio::time::timeout(RENEW_EVERY, shared.released.notified());
            stop.run_until_cancelled(wait).await;
        }
        let _ = announcing.await;
        let _ = receiving.await;
        shared.release_all(&store).await;
    }
}

/// The shard of a queue: the same on every node and in every version.
fn shard_of(merchant: &MerchantId, queue: QueueKind) -> i64 {
    // FNV-1a, because the standard library's hash may change between versions.
    let bytes = merchant.as_str().bytes().chain([b' ']).chain(queue.name().bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    i64::try_from(hash % SHARDS.unsigned_abs()).unwrap_or(0)
}

impl SharedLeases {
    /// Nothing is started when less than this is left of a lease; what was started has ended by
    /// then.
    fn margin(&self) -> Duration {
        self.attempt_max + RESERVE
    }

    async fn renew(&self, store: &Store, handle: &DispatcherHandle) -> Result<(), StoreError> {
        let asked = Instant::now();
        let Some(now_us) = store.shared_clock_us().await? else { return Ok(()) };
        let lease_us = i64::try_from(self.lease.as_micros()).unwrap_or(i64::MAX);
        let expires_us = now_us + lease_us;
        let nodes = store.heartbeat(&self.node, now_us, expires_us).await?.max(1);
        let mut leases = store.leases(&self.node).await?;
        let share = (SHARDS + nodes - 1) / nodes;
        let own = i64::try_from(leases.len()).unwrap_or(SHARDS);
        if own < share {
            leases = store.take_leases(&self.node, now_us, share - own).await?;
        }
        let shards = leases.into_iter().map(|lease| (lease.shard, lease.epoch)).collect();
        let Renewal { gone, has_gained } = self.hold(shards, share, asked);
        if has_gained {
            handle.notify(Event::LeasesGained);
        }
        store.release_leases(&self.node, &gone).await?;
        self.forget(&gone);
        Ok(())
    }

    /// Notes what is held, as it was when the database was `asked`. What can be released is kept
    /// until it is.
    fn hold(&self, shards: BTreeMap<i64, i64>, share: i64, asked: Instant) -> Renewal {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        // Until now attempts may have been started for what is leaving.
        let now = Instant::now();
        let kept = usize::try_from(share).unwrap_or(usize::MAX);
        let leaving: BTreeMap<i64, Instant> = shards
            .keys()
            .skip(kept)
            .map(|shard| (*shard, held.leaving.get(shard).copied().unwrap_or(now)))
            .collect();
        let could_send =
            |shard: &i64, epoch: &i64| held.epoch(*shard, self.margin()) == Some(*epoch);
        let has_gained = shards
            .iter()
            .any(|(shard, epoch)| !leaving.contains_key(shard) && !could_send(shard, epoch));
        let is_over = |since: &Instant| now.duration_since(*since) > self.margin();
        let gone = leaving.iter().filter(|it| is_over(it.1)).map(|it| *it.0).collect();
        held.shards = shards;
        held.leaving = leaving;
        held.valid_until = Some(asked + self.lease);
        Renewal { gone, has_gained }
    }

    /// Forgets shards that were released.
    fn forget(&self, released: &[i64]) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        for shard in released {
            held.shards.remove(shard);
            held.leaving.remove(shard);
        }
    }

    fn announce(&self, merchants: impl IntoIterator<Item = String>) {
        let mut announced = self.announced.lock().unwrap_or_else(PoisonError::into_inner);
        announced.extend(merchants);
        self.announcement.notify_one();
    }

    async fn release_all(&self, store: &Store) {
        let shards: Vec<i64> = {
            let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
            held.valid_until = None;
            std::mem::take(&mut held.shards).into_keys().collect()
        };
        let given = store.release_leases(&self.node, &shards).await;
        let removed = given.and(store.remove_node(&self.node).await);
        // Other nodes take the shards at once, instead of when they renew their leases.
        let announced = match removed {
            Ok(()) => store.notify(RELEASED).await,
            Err(error) => Err(error),
        };
        if let Err(error) = announced {
            tracing::warn!(
                "releasing leases failed, other nodes wait until they expire: {}",
                with_causes(&error)
            );
        }
    }
}

/// Sends announcements to other nodes, those of a few milliseconds together.
async fn send_announcements(shared: Arc<SharedLeases>, store: Store, stop: CancellationToken) {
    let failures = LastingFailure::new("announcing messages to other nodes", "retrying in 1 s");
    while stop.run_until_cancelled(shared.announcement.notified()).await.is_some() {
        tokio::time::sleep(ANNOUNCE_EVERY).await;
        let merchants = {
            let mut all = shared.announced.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *all)
        };
        let merchants: Vec<String> = merchants.into_iter().collect();
        for some in merchants.chunks(ANNOUNCED_AT_ONCE) {
            let announced = store.notify(&some.join(" ")).await;
            failures.note(&announced);
            if announced.is_err() {
                tokio::time::sleep(Duration::from_secs(1)).await;
                shared.announce(some.iter().cloned());
            }
        }
    }
}

impl SharedLeases {
    /// Receives what other nodes announce; listens again when the connection is lost.
    async fn receive(
        self: Arc<Self>,
        store: Store,
        handle: DispatcherHandle,
        stop: CancellationToken,
    ) {
        let failures = LastingFailure::new("listening to other nodes", "retrying in 1 s");
        while !stop.is_cancelled() {
            let listening = store.listen().await;
            failures.note(&listening);
            if let Ok(mut announcements) = listening {
                handle.notify(Event::AnnouncementsMissed);
                while let Some(Some(text)) = stop.run_until_cancelled(announcements.recv()).await {
                    let read = |word: &str| MerchantId::parse_stored(word).ok();
                    let words = text.split(' ');
                    if words.clone().any(|word| word == RELEASED) {
                        self.released.notify_one();
                    }
                    let retried = words.clone().filter_map(|word| word.strip_prefix(RETRIED));
                    for merchant in retried.filter_map(read) {
                        handle.notify(Event::RetryAnnounced(merchant));
                    }
                    let changed = words.clone().filter_map(|word| word.strip_prefix(CHANGED));
                    for merchant in changed.filter_map(read) {
                        handle.notify(Event::ChangeAnnounced(merchant));
                    }
                    let pending: Vec<MerchantId> = words.filter_map(read).collect();
                    if !pending.is_empty() {
                        handle.notify(Event::PendingAnnounced(pending));
                    }
                }
            }
            stop.run_until_cancelled(tokio::time::sleep(Duration::from_secs(1))).await;
        }
    }
}
