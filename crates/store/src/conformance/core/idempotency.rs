//! Stored responses.

use bytes::Bytes;
use domain::identifier::ClientId;

use crate::{
    StoreError, StoredResponse,
    conformance::{Subject, acme, commit, on_every_engine},
};

on_every_engine!(a_response_is_stored_for_its_key_until_it_expires,);

async fn a_response_is_stored_for_its_key_until_it_expires(Subject { store, .. }: Subject) {
    let client = ClientId::new(&acme(), "1");
    let answer = |at_us: i64| StoredResponse {
        request_hash: Bytes::from_static(b"hash"),
        answered_us: at_us,
        body: Bytes::from(at_us.to_string()),
    };
    let keep = async |at_us, forgotten_us| {
        commit(&store, |transaction| {
            transaction.store_response(&client, "key", &answer(at_us), forgotten_us);
        })
        .await
    };
    keep(10, 0).await.unwrap();

    assert_eq!(store.stored_response(&client, "key", 10).await.unwrap(), Some(answer(10)));
    assert_eq!(store.stored_response(&client, "key", 11).await.unwrap(), None);
    assert!(matches!(keep(12, 10).await, Err(StoreError::Conflict)));
    keep(20, 11).await.unwrap();
    assert_eq!(store.stored_response(&client, "key", 0).await.unwrap(), Some(answer(20)));
    commit(&store, |transaction| transaction.delete_expired_responses(21, 10)).await.unwrap();
    assert_eq!(store.stored_response(&client, "key", 0).await.unwrap(), None);
}
