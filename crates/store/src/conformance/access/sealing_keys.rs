//! The keys that values are encrypted with, and stored responses that are encrypted anew.

use bytes::Bytes;
use domain::identifier::ClientId;

use crate::{
    ResponseKey, SealingKeyRow, StoreError, StoredResponse,
    conformance::{Subject, acme, commit, on_every_engine},
};

on_every_engine!(
    sealing_keys_are_added_once_and_removed,
    stored_responses_are_read_in_pages_and_replaced,
);

async fn sealing_keys_are_added_once_and_removed(Subject { store, .. }: Subject) {
    let key = |id: &str, check: &'static [u8]| SealingKeyRow {
        id: id.to_owned(),
        check: Bytes::from_static(check),
    };
    for row in [key("a", b"1"), key("b", b"2")] {
        commit(&store, |it| it.insert_sealing_key(&row)).await.unwrap();
    }
    let again = commit(&store, |it| it.insert_sealing_key(&key("a", b"3"))).await;
    assert!(matches!(again, Err(StoreError::Conflict)), "{again:?}");
    assert_eq!(store.sealing_keys().await.unwrap(), [key("a", b"1"), key("b", b"2")]);
    commit(&store, |it| it.delete_sealing_key("a")).await.unwrap();
    let again = commit(&store, |it| it.delete_sealing_key("a")).await;
    assert!(matches!(again, Err(StoreError::Conflict)), "{again:?}");
    assert_eq!(store.sealing_keys().await.unwrap(), [key("b", b"2")]);
}

async fn stored_responses_are_read_in_pages_and_replaced(Subject { store, .. }: Subject) {
    let client = ClientId::new(&acme(), "1");
    let response = |body: &'static [u8]| StoredResponse {
        request_hash: Bytes::from_static(b"hash"),
        answered_us: 5,
        body: Bytes::from_static(body),
    };
    for key in ["a", "b", "c"] {
        commit(&store, |it| it.store_response(&client, key, &response(b"old"), 0)).await.unwrap();
    }
    let first = store.responses_after(&ResponseKey::default(), 2).await.unwrap();
    let keys = |rows: &[(ResponseKey, Bytes)]| {
        rows.iter().map(|(row, _)| row.idempotency_key.clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&first), ["a", "b"]);
    let rest = store.responses_after(&first[1].0, 2).await.unwrap();
    assert_eq!(keys(&rest), ["c"]);

    let new = Bytes::from_static(b"new");
    for old in [Bytes::from_static(b"other"), Bytes::from_static(b"old")] {
        commit(&store, |it| it.replace_response(&first[0].0, old, new.clone())).await.unwrap();
    }
    let stored = store.stored_response(&client, "a", 0).await.unwrap().unwrap();
    assert_eq!(stored, response(b"new"));
}
