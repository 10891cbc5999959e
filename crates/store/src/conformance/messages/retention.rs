//! What is removed by age.

use bytes::Bytes;
use domain::messages::kind::MessageKind;

use crate::{
    Attempt, AttemptOutcome, FailureKey, FinishedMessages, NewMessage, ReplayedMessage, Store,
    Transaction,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine},
    core::value::params,
};

on_every_engine!(
    messages_are_examined_up_to_the_first_that_is_too_young,
    one_node_at_a_time_removes_old_messages_and_remembers_how_far_it_came,
    only_merchants_with_something_in_the_period_are_looked_at,
    a_message_that_was_put_back_is_not_removed,
    a_queue_does_not_wait_for_a_delivery_whose_message_is_gone,
);

async fn enqueue(store: &Store, created_us: i64) {
    let message = NewMessage {
        merchant: acme(),
        kind: MessageKind::Rma,
        reference: "A".to_owned(),
        sequence: 1,
        lane: 7,
        created_us,
        replay: false,
        body: Bytes::from_static(b"body"),
    };
    commit(store, |it| it.enqueue(message)).await.unwrap();
}

/// Puts all messages into the failure queue and discards them.
async fn discard(store: &Store, at_us: i64) {
    let pending = store.pending_messages(&acme(), MessageKind::Rma.queue(), 0, 10).await.unwrap();
    let attempts: Vec<_> = pending.into_iter().map(super::failures::last_attempt).collect();
    commit(store, |it| it.record_attempts(attempts.iter())).await.unwrap();
    let mut transaction = Transaction::new("discarding");
    for attempt in &attempts {
        let message = &attempt.message;
        let key = FailureKey {
            merchant: &message.merchant,
            kind: message.kind,
            message_id: message.message_id,
        };
        transaction.discard_failure(key, "old", at_us);
    }
    store.commit(transaction).await.unwrap();
}

async fn messages_are_examined_up_to_the_first_that_is_too_young(subject: Subject) {
    let store = subject.store;
    for created_us in [10, 20, 30, 5] {
        enqueue(&store, created_us).await;
    }
    discard(&store, 50).await;
    enqueue(&store, 15).await;

    let examine = |after, before_us, limit| {
        let store = store.clone();
        async move { store.finished_messages(&acme(), after, before_us, limit).await.unwrap() }
    };
    let found = |finished: &[i64], last_examined| FinishedMessages {
        finished: finished.to_vec(),
        last_examined,
    };
    assert_eq!(examine(0, 25, 2).await, found(&[1, 2], Some(2)), "a full page");
    assert_eq!(examine(2, 25, 2).await, found(&[], None), "the third is too young");
    assert_eq!(examine(0, 99, 9).await, found(&[1, 2, 3, 4], Some(5)), "the last one waits");
    assert_eq!(examine(5, 99, 9).await, found(&[], None));
}

async fn one_node_at_a_time_removes_old_messages_and_remembers_how_far_it_came(subject: Subject) {
    let store = subject.store;
    assert_eq!(store.retention_done_us().await.unwrap(), 0);
    commit(&store, |it| it.begin_retention(100, 200)).await.unwrap();
    assert_conflict(&commit(&store, |it| it.begin_retention(150, 250)).await);
    commit(&store, |it| it.end_retention(90)).await.unwrap();
    assert_eq!(store.retention_done_us().await.unwrap(), 90);
    commit(&store, |it| it.begin_retention(200, 300)).await.unwrap();
}

async fn only_merchants_with_something_in_the_period_are_looked_at(subject: Subject) {
    const HOUR_US: i64 = 3_600_000_000;
    let store = subject.store;
    enqueue(&store, 10).await;
    discard(&store, 5 * HOUR_US).await;
    let busy = |from_us, to_us| {
        let store = store.clone();
        async move { store.merchants_with_attempts("", from_us, to_us, 9).await.unwrap() }
    };
    assert_eq!(busy(0, HOUR_US).await, [acme()], "an attempt");
    assert_eq!(busy(HOUR_US, 5 * HOUR_US).await, []);
    assert_eq!(busy(5 * HOUR_US, 6 * HOUR_US).await, [acme()], "discarded");
    assert_eq!(store.merchants_with_attempts("acme", 0, HOUR_US, 9).await.unwrap(), []);

    assert!(store.has_old_counts(1).await.unwrap());
    commit(&store, |it| {
        it.delete_old_attempt_counts(1, 500);
        it.delete_old_day_counts(1, 500);
    })
    .await
    .unwrap();
    assert!(!store.has_old_counts(1).await.unwrap());
    assert_eq!(busy(0, HOUR_US).await, []);
}

async fn pending(store: &Store, limit: usize) -> Vec<i64> {
    let found = store.pending_messages(&acme(), MessageKind::Rma.queue(), 0, limit).await.unwrap();
    found.into_iter().map(|it| it.message_id).collect()
}

/// Removes messages 1 and 2, as a node that found both finished before the first was put back.
async fn a_message_that_was_put_back_is_not_removed(Subject { store, .. }: Subject) {
    for created_us in [10, 20] {
        enqueue(&store, created_us).await;
    }
    let queue = MessageKind::Rma.queue();
    let delivered = store.pending_messages(&acme(), queue, 0, 10).await.unwrap().into_iter();
    let delivered: Vec<Attempt> = delivered
        .map(super::failures::last_attempt)
        .map(|it| Attempt { outcome: AttemptOutcome::Delivered, ..it })
        .collect();
    commit(&store, |it| it.record_attempts(delivered.iter())).await.unwrap();
    store.update_message_index("acme").await.unwrap();
    let replayed = [ReplayedMessage { kind: MessageKind::Rma, message_id: 1, lane: 7 }];
    commit(&store, |it| it.replay_messages(&acme(), &replayed, 50)).await.unwrap();

    commit(&store, |it| it.remove_messages(&acme(), &[1, 2])).await.unwrap();

    assert_eq!(pending(&store, 10).await, [1]);
    let stored = store.stored_messages(&acme(), 1..=2).await.unwrap();
    assert_eq!(stored.into_iter().collect::<Vec<_>>(), [1]);
    assert_eq!(store.attempts(&acme(), 1).await.unwrap().len(), 1);
    assert_eq!(store.attempts(&acme(), 2).await.unwrap(), []);
}

async fn a_queue_does_not_wait_for_a_delivery_whose_message_is_gone(subject: Subject) {
    let store = subject.store;
    for created_us in [10, 20, 30, 40] {
        enqueue(&store, created_us).await;
    }
    for message_id in [1_i64, 2, 4] {
        let mut transaction = Transaction::new("removing a message");
        let sql = "DELETE FROM messages WHERE merchant_id = $1 AND message_id = $2";
        transaction.one_row(sql, params![&acme(), message_id]);
        store.commit(transaction).await.unwrap();
    }
    assert_eq!(pending(&store, 1).await, [3]);
    assert_eq!(store.last_deliveries().await.unwrap()[0].message_id, 4);
    assert_eq!(pending(&store, 10).await, [3]);
    assert_eq!(store.last_deliveries().await.unwrap()[0].message_id, 3);
}
