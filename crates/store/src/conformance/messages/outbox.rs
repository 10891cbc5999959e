//! The numbers of messages.

use domain::{
    identifier::MerchantId,
    messages::{endpoint::Endpoints, state::MessageState},
};

use super::{enqueue, message};
use crate::{
    StoreError, Transaction,
    conformance::{Subject, acme, on_every_engine, other},
};

on_every_engine!(
    messages_are_numbered_in_the_order_of_commits,
    messages_of_many_merchants_get_the_numbers_of_their_merchant,
    a_message_is_lost_with_the_transaction_that_enqueues_it,
    concurrent_commits_number_messages_without_gaps,
);

async fn messages_are_numbered_in_the_order_of_commits(Subject { store, .. }: Subject) {
    let mixed = vec![message(&acme(), "A", 1), message(&other(), "X", 1), message(&acme(), "A", 2)];
    let first = enqueue(&store, mixed).await.unwrap();
    let second = enqueue(&store, vec![message(&acme(), "A", 3)]).await.unwrap();

    let numbers: Vec<i64> = first.iter().chain(&second).map(|it| it.message_id).collect();
    assert_eq!(numbers, [1, 1, 2, 3]);
    let (row, body) = store.message(&acme(), 3).await.unwrap().unwrap();
    assert_eq!((row.reference.as_str(), row.sequence, row.state), ("A", 3, MessageState::Waiting));
    assert_eq!(body, "A 3");
    assert!(store.message(&other(), 3).await.unwrap().is_none());
}

async fn messages_of_many_merchants_get_the_numbers_of_their_merchant(
    Subject { store, .. }: Subject,
) {
    // Their order depends on the language, unless bytes are compared.
    let merchants = ["b", "a-c", "ab", "a1", "a-b"].map(|it| MerchantId::parse(it).unwrap());
    for (number, merchant) in (1..).zip(&merchants) {
        let before = (1..number).map(|it| message(merchant, "before", it));
        enqueue(&store, before.collect()).await.unwrap();
    }
    let mixed = (1..=2).flat_map(|it| merchants.iter().map(move |one| message(one, "A", it)));
    let pending = enqueue(&store, mixed.collect()).await.unwrap();

    for (number, merchant) in (1..).zip(&merchants) {
        let of_merchant = pending.iter().filter(|it| it.merchant == *merchant);
        let numbers: Vec<i64> = of_merchant.map(|it| it.message_id).collect();
        assert_eq!(numbers, [number, number + 1], "{merchant}");
        let (_, body) = store.message(merchant, number + 1).await.unwrap().unwrap();
        assert_eq!(body, "A 2", "{merchant}");
    }
}

async fn a_message_is_lost_with_the_transaction_that_enqueues_it(Subject { store, .. }: Subject) {
    let mut transaction = Transaction::new("failing");
    transaction.enqueue(message(&acme(), "A", 1));
    transaction.put_endpoints(&acme(), &Endpoints::default(), 0);
    transaction.put_endpoints(&acme(), &Endpoints::default(), 9);

    assert!(matches!(store.commit(transaction).await, Err(StoreError::Conflict)));

    assert!(store.message(&acme(), 1).await.unwrap().is_none());
    assert!(store.last_deliveries().await.unwrap().is_empty());
    assert_eq!(enqueue(&store, vec![message(&acme(), "A", 1)]).await.unwrap()[0].message_id, 1);
}

async fn concurrent_commits_number_messages_without_gaps(Subject { store, .. }: Subject) {
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..40 {
        let store = store.clone();
        writers.spawn(async move {
            let reference = writer.to_string();
            let pair = vec![message(&acme(), &reference, 1), message(&acme(), &reference, 2)];
            enqueue(&store, pair).await.unwrap()
        });
    }
    let mut numbers = Vec::new();
    for pair in writers.join_all().await {
        assert_eq!(pair[0].message_id + 1, pair[1].message_id);
        numbers.extend(pair.iter().map(|it| it.message_id));
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=80).collect::<Vec<_>>());
}
