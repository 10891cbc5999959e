//! Attempts at the first try, which are stored packed.

use std::sync::Arc;

use bytes::Bytes;
use domain::messages::kind::MessageKind;

use crate::{
    Attempt, AttemptOutcome, AttemptRow, NewMessage, PendingMessage, Store, Transaction,
    conformance::{Subject, acme, on_every_engine},
};

on_every_engine!(
    packed_attempts_are_found_by_their_message,
    packed_attempts_are_removed_with_their_messages,
);

const MESSAGES: i64 = 600;

async fn enqueue_all(store: &Store) -> Vec<PendingMessage> {
    let mut transaction = Transaction::new("enqueueing messages");
    for sequence in 1..=MESSAGES {
        transaction.enqueue(NewMessage {
            merchant: acme(),
            kind: MessageKind::Rma,
            reference: if sequence <= 2 { "A" } else { "B" }.to_owned(),
            sequence,
            lane: sequence,
            created_us: 100,
            replay: false,
            body: Bytes::from_static(b"{}"),
        });
    }
    store.commit(transaction).await.unwrap()
}

fn deliver(message: &PendingMessage) -> Attempt {
    Attempt {
        message: Arc::new(message.clone()),
        number: 1,
        at_us: 1_771_582_500_000_000 + message.message_id,
        latency_us: message.message_id,
        waited_us: 900,
        status: Some(202),
        error: None,
        answer: None,
        outcome: AttemptOutcome::Delivered,
    }
}

async fn record(store: &Store, attempts: impl Iterator<Item = Attempt>) {
    let attempts: Vec<Attempt> = attempts.collect();
    let mut transaction = Transaction::new("recording attempts");
    transaction.record_attempts(attempts.iter());
    store.commit(transaction).await.unwrap();
}

fn expected(message_id: i64) -> AttemptRow {
    AttemptRow {
        cycle: 1,
        attempt: 1,
        at_us: 1_771_582_500_000_000 + message_id,
        latency_us: message_id,
        status: Some(202),
        error: None,
        answer: None,
    }
}

async fn packed_attempts_are_found_by_their_message(Subject { store, .. }: Subject) {
    let messages = enqueue_all(&store).await;
    let (even, odd): (Vec<_>, Vec<_>) = messages.iter().partition(|it| it.message_id % 2 == 0);
    record(&store, even.iter().map(|it| deliver(it))).await;
    assert_eq!(store.attempts(&acme(), 1).await.unwrap(), []);
    record(&store, odd.iter().map(|it| deliver(it))).await;
    // Stored once more, after a lost connection.
    record(&store, odd.iter().map(|it| deliver(it))).await;

    for message_id in [1, 2, 255, 256, 257, 511, 512, MESSAGES] {
        let attempts = store.attempts(&acme(), message_id).await.unwrap();
        assert_eq!(attempts, [expected(message_id)], "{message_id}");
    }
    let histories = store.message_histories(&acme(), "A", 9).await.unwrap();
    let attempts: Vec<_> = histories.into_iter().flat_map(|it| it.attempts).collect();
    assert_eq!(attempts, [expected(1), expected(2)]);
}

async fn packed_attempts_are_removed_with_their_messages(Subject { store, .. }: Subject) {
    let messages = enqueue_all(&store).await;
    record(&store, messages.iter().map(deliver)).await;

    let mut transaction = Transaction::new("removing");
    transaction.remove_messages(&acme(), &(1..=300).collect::<Vec<_>>());
    store.commit(transaction).await.unwrap();

    for removed in [1, 255, 256, 300] {
        assert_eq!(store.attempts(&acme(), removed).await.unwrap(), [], "{removed}");
    }
    for kept in [301, 511, 512, MESSAGES] {
        assert_eq!(store.attempts(&acme(), kept).await.unwrap(), [expected(kept)], "{kept}");
    }
}
