//! Which node holds which shard.

use crate::{
    ShardLease, Store,
    conformance::{Subject, on_every_engine},
};

on_every_engine!(
    a_shard_belongs_to_one_node_until_it_expires_or_is_released,
    a_node_that_expired_keeps_what_no_other_node_has_taken,
    the_epoch_of_a_shard_rises_each_time_it_is_taken,
);

const LEASE_US: i64 = 30;

/// Renews what `node` holds, and takes up to `limit` more.
async fn renew(store: &Store, node: &str, now_us: i64, limit: i64) -> Vec<ShardLease> {
    store.heartbeat(node, now_us, now_us + LEASE_US).await.unwrap();
    store.take_leases(node, now_us, limit).await.unwrap()
}

async fn a_shard_belongs_to_one_node_until_it_expires_or_is_released(subject: Subject) {
    let store = subject.store;
    let first = renew(&store, "a", 100, 1_000).await;
    assert_eq!(first.len(), 1_000);
    assert_eq!(renew(&store, "b", 110, 1_000).await.len(), 24, "what is left");

    assert_eq!(renew(&store, "a", 120, 0).await, first, "one row renews all");
    assert_eq!(
        renew(&store, "b", 150, 1_000).await.len(),
        24,
        "a lease ends after its last moment"
    );
    store.release_leases("a", &[first[0].shard, first[1].shard]).await.unwrap();
    assert_eq!(renew(&store, "b", 150, 1_000).await.len(), 26);

    assert_eq!(store.heartbeat("b", 151, 181).await.unwrap(), 1);
    assert_eq!(renew(&store, "b", 151, 2_000).await.len(), 1_024);
    assert_eq!(store.leases("a").await.unwrap(), []);
}

async fn a_node_that_expired_keeps_what_no_other_node_has_taken(subject: Subject) {
    let store = subject.store;
    let first = renew(&store, "a", 100, 10).await;

    let taken = renew(&store, "b", 200, 4).await;

    assert_eq!(taken.len(), 4, "they were the first node's");
    assert_eq!(store.leases("a").await.unwrap(), [], "it is not in the table of nodes");
    assert_eq!(renew(&store, "a", 201, 0).await, first[4..], "at the epoch that it knows");
}

async fn the_epoch_of_a_shard_rises_each_time_it_is_taken(subject: Subject) {
    let store = subject.store;
    let before = renew(&store, "a", 100, 1).await;
    assert_eq!(renew(&store, "a", 200, 1).await.first(), before.first(), "no other node took it");
    renew(&store, "b", 300, 2_000).await;
    store.release_all_leases("b").await.unwrap();

    let after = renew(&store, "a", 301, 1).await;

    let [before, after] = [before, after].map(|leases| leases[0]);
    assert_eq!(after, ShardLease { epoch: before.epoch + 2, ..before });
}
