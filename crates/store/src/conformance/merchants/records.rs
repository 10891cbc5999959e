//! Merchants.

use crate::{
    StoreError,
    conformance::{Subject, acme, commit, merchant, on_every_engine, other},
};

on_every_engine!(
    a_merchant_reads_back_and_is_listed,
    a_merchant_identifier_is_taken_once,
    a_merchant_changes_only_at_the_version_read,
);

async fn a_merchant_reads_back_and_is_listed(Subject { store, .. }: Subject) {
    let (acme, other) = (merchant(&acme()), merchant(&other()));
    commit(&store, |transaction| {
        transaction.insert_merchant(&other);
        transaction.insert_merchant(&acme);
    })
    .await
    .unwrap();

    assert_eq!(store.merchant(&acme.id).await.unwrap().unwrap().value, acme);
    assert_eq!(store.merchants("", 10).await.unwrap(), [acme.clone(), other.clone()]);
    assert_eq!(store.merchants("acme", 10).await.unwrap(), [other]);
    assert_eq!(store.merchants("", 1).await.unwrap(), [acme]);
}

async fn a_merchant_identifier_is_taken_once(Subject { store, .. }: Subject) {
    let acme = merchant(&acme());
    commit(&store, |transaction| transaction.insert_merchant(&acme)).await.unwrap();

    let again = commit(&store, |transaction| transaction.insert_merchant(&acme)).await;

    assert!(matches!(again, Err(StoreError::Conflict)));
}

async fn a_merchant_changes_only_at_the_version_read(Subject { store, .. }: Subject) {
    let mut acme = merchant(&acme());
    commit(&store, |transaction| transaction.insert_merchant(&acme)).await.unwrap();
    acme.name = "New".to_owned();

    let refused = commit(&store, |transaction| transaction.update_merchant(&acme, 2)).await;
    assert!(matches!(refused, Err(StoreError::Conflict)));
    commit(&store, |transaction| transaction.update_merchant(&acme, 1)).await.unwrap();

    let found = store.merchant(&acme.id).await.unwrap().unwrap();
    assert_eq!((found.value, found.version), (acme, 2));
}
