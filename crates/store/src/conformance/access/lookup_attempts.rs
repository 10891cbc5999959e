//! Failed look-ups.

use std::collections::HashMap;

use domain::identifier::MerchantId;

use crate::{
    AttemptWindow, LookupState, Store, StoreError,
    conformance::{Subject, acme, commit, on_every_engine},
};

on_every_engine!(
    attempts_are_counted_up_to_the_limit_of_the_window,
    attempts_that_arrive_together_do_not_exceed_the_limit,
);

async fn count(store: &Store, merchant: &MerchantId, slot_us: i64) -> Result<(), StoreError> {
    let window = AttemptWindow { slot_us, from_us: slot_us - 60 };
    commit(store, |it| it.count_lookup(merchant, "postal", window, 2)).await.map(drop)
}

async fn attempts_are_counted_up_to_the_limit_of_the_window(Subject { store, .. }: Subject) {
    let (acme, other) = (acme(), MerchantId::parse("other").unwrap());
    for slot_us in [100, 110] {
        count(&store, &acme, slot_us).await.unwrap();
    }
    assert!(matches!(count(&store, &acme, 110).await, Err(StoreError::Conflict)));
    assert!(matches!(count(&store, &acme, 160).await, Err(StoreError::Conflict)));
    count(&store, &other, 110).await.unwrap();
    count(&store, &acme, 161).await.unwrap();

    assert!(matches!(count(&store, &acme, 161).await, Err(StoreError::Conflict)));

    let subjects = ["postal", "never counted"];
    let window = AttemptWindow { slot_us: 160, from_us: 101 };
    let state = store.look_up(&acme, "A-1", subjects, window).await.unwrap();
    let failures = HashMap::from([("postal".to_owned(), 2)]);
    assert_eq!(state, LookupState { order: None, failures });

    assert!(store.has_old_lookups(111).await.unwrap());
    commit(&store, |it| it.delete_old_lookups(111, 9)).await.unwrap();
    assert!(!store.has_old_lookups(111).await.unwrap());
    count(&store, &acme, 161).await.unwrap();
}

async fn attempts_that_arrive_together_do_not_exceed_the_limit(Subject { store, .. }: Subject) {
    let merchant = acme();
    let all = (0..20).map(|_| count(&store, &merchant, 100));
    let counted = futures_util::future::join_all(all).await;
    assert!(counted.iter().filter(|it| it.is_ok()).count() <= 2);
}
