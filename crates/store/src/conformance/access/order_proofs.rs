//! Codes that prove an e-mail address.

use domain::access::proof::ProofState;

use crate::{
    Versioned,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    the_codes_of_an_order_change_only_at_the_version_that_was_read,
    codes_that_no_longer_count_are_removed,
);

fn sent(version: i64) -> Versioned<ProofState> {
    Versioned { value: ProofState::default().issue("hash", 7).unwrap(), version }
}

async fn the_codes_of_an_order_change_only_at_the_version_that_was_read(
    Subject { store, .. }: Subject,
) {
    let none = Versioned { value: ProofState::default(), version: 0 };
    assert_eq!(store.order_proof(&acme(), "A").await.unwrap(), none);
    commit(&store, |it| it.put_order_proof(&acme(), "A", &sent(0), 7)).await.unwrap();
    for stale in [0, 2] {
        let late = commit(&store, |it| it.put_order_proof(&acme(), "A", &sent(stale), 8)).await;
        assert_conflict(&late);
    }
    assert_eq!(store.order_proof(&acme(), "A").await.unwrap(), sent(1));
    commit(&store, |it| it.put_order_proof(&acme(), "A", &sent(1), 8)).await.unwrap();
    assert_eq!(store.order_proof(&acme(), "A").await.unwrap(), sent(2));
    assert_eq!(store.order_proof(&other(), "A").await.unwrap(), none);
}

async fn codes_that_no_longer_count_are_removed(Subject { store, .. }: Subject) {
    for (order, now_us) in [("A", 10), ("B", 20)] {
        commit(&store, |it| it.put_order_proof(&acme(), order, &sent(0), now_us)).await.unwrap();
    }
    assert!(store.has_old_proofs(20).await.unwrap());
    commit(&store, |it| it.delete_old_proofs(20, 5)).await.unwrap();
    assert!(!store.has_old_proofs(20).await.unwrap());
    assert_eq!(store.order_proof(&acme(), "A").await.unwrap().version, 0);
    assert_eq!(store.order_proof(&acme(), "B").await.unwrap().version, 1);
}
