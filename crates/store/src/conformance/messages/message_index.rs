//! The index of messages: updated in large steps, and never out of date for a query.

use domain::{identifier::MerchantId, messages::kind::MessageKind};

use super::message;
use crate::{
    Attempt, MessageFilter, Store, Transaction,
    conformance::{Subject, acme, on_every_engine, other},
};

on_every_engine!(
    a_message_is_found_by_reference_at_once,
    many_messages_are_indexed_in_the_background,
    messages_that_are_removed_leave_no_reference,
    concurrent_queries_index_each_message_once,
    the_newest_message_histories_are_read_oldest_first,
);

async fn enqueue(store: &Store, merchant: &MerchantId, references: impl Iterator<Item = String>) {
    let mut transaction = Transaction::new("enqueueing messages");
    for reference in references {
        transaction.enqueue(message(merchant, &reference, 1));
    }
    store.commit(transaction).await.unwrap();
}

async fn about(store: &Store, merchant: &MerchantId, reference: &str) -> Vec<i64> {
    let reference = Some(reference.to_owned());
    let filter = MessageFilter { reference, limit: 50, ..MessageFilter::default() };
    let (rows, _) = store.messages(merchant, &filter).await.unwrap();
    rows.iter().map(|row| row.message_id).collect()
}

/// The number of messages in the index, counted without updating it.
async fn count_indexed(store: &Store) -> i64 {
    let sql = "SELECT count(*) FROM message_references WHERE merchant_id > ''";
    store.query("counting", sql, Vec::new()).await.unwrap()[0].int(0).unwrap()
}

fn lanes(messages: usize) -> impl Iterator<Item = String> {
    (0..messages).map(|number| format!("RMA-{}", number % 1_000))
}

async fn a_message_is_found_by_reference_at_once(Subject { store, .. }: Subject) {
    for reference in ["A", "B", "A"] {
        enqueue(&store, &acme(), [reference.to_owned()].into_iter()).await;
    }
    enqueue(&store, &other(), ["A".to_owned()].into_iter()).await;
    assert_eq!(count_indexed(&store).await, 0);

    assert_eq!(about(&store, &acme(), "A").await, [3, 1]);

    enqueue(&store, &acme(), ["A".to_owned()].into_iter()).await;
    assert_eq!(about(&store, &acme(), "A").await, [4, 3, 1]);
    assert_eq!(about(&store, &other(), "A").await, [1]);
    assert!(about(&store, &acme(), "C").await.is_empty());
}

async fn many_messages_are_indexed_in_the_background(Subject { store, .. }: Subject) {
    enqueue(&store, &acme(), lanes(5_000)).await;
    for _ in 0..1_000 {
        if count_indexed(&store).await >= 4_096 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(count_indexed(&store).await >= 4_096);
    assert_eq!(about(&store, &acme(), "RMA-7").await, [4_008, 3_008, 2_008, 1_008, 8]);
    assert_eq!(count_indexed(&store).await, 5_000);
}

async fn messages_that_are_removed_leave_no_reference(Subject { store, .. }: Subject) {
    enqueue(&store, &acme(), lanes(3)).await;
    assert_eq!(about(&store, &acme(), "RMA-1").await, [2]);
    let pending = store.pending_messages(&acme(), MessageKind::Rma.queue(), 0, 2).await.unwrap();
    let over: Vec<Attempt> = pending.into_iter().map(super::failures::last_attempt).collect();
    let mut transaction = Transaction::new("removing");
    transaction.record_attempts(over.iter());
    transaction.remove_messages(&acme(), &[1, 2]);
    store.commit(transaction).await.unwrap();
    assert!(about(&store, &acme(), "RMA-1").await.is_empty());
    assert_eq!(count_indexed(&store).await, 1);
}

async fn concurrent_queries_index_each_message_once(Subject { store, .. }: Subject) {
    enqueue(&store, &acme(), lanes(2_000)).await;
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let store = store.clone();
        writers.spawn(async move { about(&store, &acme(), "RMA-1").await });
    }
    for found in writers.join_all().await {
        assert_eq!(found, [1_002, 2]);
    }
    assert_eq!(count_indexed(&store).await, 2_000);
}

async fn the_newest_message_histories_are_read_oldest_first(Subject { store, .. }: Subject) {
    let mut transaction = Transaction::new("enqueueing messages");
    for (reference, sequence) in [("A", 1), ("B", 1), ("A", 2), ("A", 3)] {
        transaction.enqueue(message(&acme(), reference, sequence));
    }
    store.commit(transaction).await.unwrap();

    let files = store.message_histories(&acme(), "A", 2).await.unwrap();

    let numbers: Vec<i64> = files.iter().map(|file| file.message.message_id).collect();
    assert_eq!(numbers, [3, 4]);
    assert!(files.iter().all(|file| file.attempts.is_empty() && file.message.reference == "A"));
    assert_eq!(store.message_histories(&other(), "A", 2).await.unwrap(), []);
}
