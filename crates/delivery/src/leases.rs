//! Who sends what, when several nodes share a store.
//!
//! Queues of messages are spread over 64 shards, and a shard is leased to one node at a time: for thirty seconds, renewed every
//! five. A node begins nothing for a shard whose lease could end before the attempt does, so whoever takes a
//! shard over finds nobody else sending for it. A node that stops gives its shards back at once; one that died loses
//! them when its leases end. Nodes take no more than their share, and give up what is beyond it when others join.
//!
//! Messages that were committed for a shard of another node are announced to it, a few milliseconds' worth at a time; a look into
//! the store every two seconds is behind that, should an announcement be lost.
//!
//! With a store of its own, a node owns everything.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};

use domain::{identifier::MerchantId, messages::kind::QueueKind};
use store::{Store, StoreError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::dispatcher::events::{DispatcherHandle, Event};

const SHARDS: i64 = 64;
const LEASE_MIN: Duration = Duration::from_secs(30);
const RENEW_EVERY: Duration = Duration::from_secs(5);
/// What is left of a lease, besides the time of an attempt, when something may still be begun.
const RESERVE: Duration = Duration::from_secs(5);
/// Announcements wait this long for company.
const ANNOUNCE_EVERY: Duration = Duration::from_millis(5);
/// As many merchants as surely fit into one notification.
const ANNOUNCED_AT_ONCE: usize = 100;

/// What this node owns.
#[derive(Clone, Default)]
pub struct Leases(Option<Arc<Shared>>);

struct Shared {
    node: String,
    lease: Duration,
    /// Nothing is begun when less than this is left of a lease; what was begun has ended by then.
    margin: Duration,
    held: RwLock<Held>,
    announced: Mutex<BTreeSet<String>>,
    something_announced: Notify,
}

#[derive(Default)]
struct Held {
    shards: BTreeSet<i64>,
    /// Shards that are given up, and since when: nothing is begun for them any more.
    leaving: BTreeMap<i64, Instant>,
    valid_until: Option<Instant>,
}

/// Whether a node has shards now that it had not before.
enum Renewed {
    AsBefore,
    WithMore,
}

impl Leases {
    /// Everything: nobody else uses the store.
    pub fn all() -> Self {
        Self(None)
    }

    /// Whatever [`Leases::keep`] gets for `node`, whose attempts end within `attempt_max`.
    pub fn shared(node: String, attempt_max: Duration) -> Self {
        let margin = attempt_max + RESERVE;
        Self(Some(Arc::new(Shared {
            node,
            lease: LEASE_MIN.max(margin + 2 * RENEW_EVERY),
            margin,
            held: RwLock::default(),
            announced: Mutex::default(),
            something_announced: Notify::new(),
        })))
    }

    pub(crate) fn are_shared(&self) -> bool {
        self.0.is_some()
    }

    /// Whether this node, and nobody else, may begin to send messages of this queue now.
    pub(crate) fn own(&self, merchant: &MerchantId, queue: QueueKind) -> bool {
        let Some(shared) = &self.0 else { return true };
        let held = shared.held.read().unwrap_or_else(PoisonError::into_inner);
        let wanted = shard(merchant, queue);
        let valid = held.valid_until.is_some_and(|until| Instant::now() + shared.margin < until);
        valid && held.shards.contains(&wanted) && !held.leaving.contains_key(&wanted)
    }

    /// Tells whoever owns a merchant's queue that there is something to do.
    pub(crate) fn announce(&self, merchant: &MerchantId) {
        let Some(shared) = &self.0 else { return };
        let mut announced = shared.announced.lock().unwrap_or_else(PoisonError::into_inner);
        announced.insert(merchant.to_string());
        shared.something_announced.notify_one();
    }

    /// Gets and keeps this node's share until `stop`, then gives it back.
    pub async fn keep(self, store: Store, handle: DispatcherHandle, stop: CancellationToken) {
        let Some(shared) = self.0 else { return };
        let telling = tokio::spawn(tell(Arc::clone(&shared), store.clone(), stop.clone()));
        let hearing = tokio::spawn(hear(store.clone(), handle.clone(), stop.clone()));
        // What this node held before it was killed is its own again at once: nobody sends in its name.
        if let Err(error) = store.release_all_leases(&shared.node).await {
            tracing::warn!("leases from before the start stay until they end: {error}");
        }
        while !stop.is_cancelled() {
            match shared.renew(&store).await {
                Ok(Renewed::WithMore) => handle.notify(Event::LeasesGained),
                Ok(Renewed::AsBefore) => (),
                Err(error) => tracing::error!("leases could not be renewed: {error}"),
            }
            stop.run_until_cancelled(tokio::time::sleep(RENEW_EVERY)).await;
        }
        let _ = telling.await;
        let _ = hearing.await;
        shared.give_back(&store).await;
    }
}

/// The shard of a queue: the same on every node and in every version.
fn shard(merchant: &MerchantId, queue: QueueKind) -> i64 {
    // FNV-1a, because the standard library's hash may change between versions.
    let bytes = merchant.as_str().bytes().chain([b' ']).chain(queue.name().bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    i64::try_from(hash % SHARDS.unsigned_abs()).unwrap_or(0)
}

impl Shared {
    async fn renew(&self, store: &Store) -> Result<Renewed, StoreError> {
        let asked = Instant::now();
        let Some(now_us) = store.shared_clock_us().await? else { return Ok(Renewed::AsBefore) };
        let lease_us = i64::try_from(self.lease.as_micros()).unwrap_or(i64::MAX);
        let expires_us = now_us + lease_us;
        let nodes = store.heartbeat(&self.node, now_us, expires_us).await?.max(1);
        let mut shards: BTreeSet<i64> =
            store.renew_leases(&self.node, now_us, expires_us).await?.into_iter().collect();
        let share = (SHARDS + nodes - 1) / nodes;
        let own = i64::try_from(shards.len()).unwrap_or(SHARDS);
        if own < share {
            let most = share - own;
            shards.extend(store.take_leases(&self.node, now_us, expires_us, most).await?);
        }
        let (gone, renewed) = self.hold(shards, share, asked);
        store.release_leases(&self.node, &gone).await?;
        Ok(renewed)
    }

    /// Takes note of what is held, and gives what was being left long enough.
    fn hold(&self, shards: BTreeSet<i64>, share: i64, now: Instant) -> (Vec<i64>, Renewed) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let more = !shards.is_subset(&held.shards);
        let kept = usize::try_from(share).unwrap_or(usize::MAX);
        let leaving: BTreeMap<i64, Instant> = shards
            .iter()
            .skip(kept)
            .map(|shard| (*shard, held.leaving.get(shard).copied().unwrap_or(now)))
            .collect();
        let ended = |since: &Instant| now.duration_since(*since) > self.margin;
        let (gone, leaving) = leaving.into_iter().partition::<BTreeMap<_, _>, _>(|it| ended(&it.1));
        held.shards = shards.into_iter().filter(|shard| !gone.contains_key(shard)).collect();
        held.leaving = leaving;
        held.valid_until = Some(now + self.lease);
        (gone.into_keys().collect(), if more { Renewed::WithMore } else { Renewed::AsBefore })
    }

    async fn give_back(&self, store: &Store) {
        let shards: Vec<i64> = {
            let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
            held.valid_until = None;
            std::mem::take(&mut held.shards).into_iter().collect()
        };
        let given = store.release_leases(&self.node, &shards).await;
        if let Err(error) = given.and(store.remove_node(&self.node).await) {
            tracing::warn!("leases could not be given back, others wait for their end: {error}");
        }
    }
}

/// Passes announcements on, those of a few milliseconds together.
async fn tell(shared: Arc<Shared>, store: Store, stop: CancellationToken) {
    while stop.run_until_cancelled(shared.something_announced.notified()).await.is_some() {
        tokio::time::sleep(ANNOUNCE_EVERY).await;
        let merchants = {
            let mut all = shared.announced.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *all)
        };
        let merchants: Vec<String> = merchants.into_iter().collect();
        for some in merchants.chunks(ANNOUNCED_AT_ONCE) {
            if let Err(error) = store.notify(&some.join(" ")).await {
                tracing::warn!("other nodes were not told of new messages: {error}");
            }
        }
    }
}

/// Hears what other nodes announce; listens again when the connection is lost.
async fn hear(store: Store, handle: DispatcherHandle, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match store.listen().await {
            Ok(mut told) => {
                while let Some(Some(text)) = stop.run_until_cancelled(told.recv()).await {
                    let merchants = text.split(' ').filter_map(|it| MerchantId::parse(it).ok());
                    handle.notify(Event::PendingFound(merchants.collect()));
                }
            }
            Err(error) => tracing::warn!("other nodes cannot be heard: {error}"),
        }
        stop.run_until_cancelled(tokio::time::sleep(Duration::from_secs(1))).await;
    }
}
