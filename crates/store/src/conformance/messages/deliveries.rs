//! Deliveries, attempts at them, and the failure queue.

use std::{collections::HashSet, sync::Arc};

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::{endpoint::Endpoints, kind::MessageKind, state::MessageState},
};

use super::{enqueue, message};
use crate::{
    Attempt, AttemptCount, AttemptOutcome, Cursor, FailingEndpoint, FailureCause, FailureCount,
    FailureFilter, FailureKey, FailureRow, LastDelivery, MessageFilter, MessageKey, NewMessage,
    PendingMessage, ResponseCount, Store, StoreError, Transaction,
    conformance::{Subject, acme, on_every_engine, other},
};

on_every_engine!(
    a_page_of_deliveries_starts_after_the_last_one,
    a_queue_of_several_kinds_is_read_as_one,
    a_delivered_message_leaves_only_history,
    a_retry_is_due_later_and_only_once,
    a_failed_message_is_in_the_failure_queue_until_retried,
    a_discarded_message_keeps_its_reason,
    a_failure_older_than_a_delivered_snapshot_is_superseded,
    the_last_delivery_of_each_merchant_and_kind_is_found,
    endpoints_change_only_at_the_version_read,
    pages_of_messages_continue_where_they_ended,
    attempts_are_counted_by_hour_and_status,
    only_finished_messages_are_removed,
);

const FAILED: AttemptOutcome = AttemptOutcome::Failed { cause: FailureCause::Overloaded };

fn retry_at(due_us: i64) -> AttemptOutcome {
    AttemptOutcome::Retry { due_us, cause: FailureCause::Overloaded }
}

fn attempt(message_id: i64, number: u32, outcome: AttemptOutcome) -> Attempt {
    let status = if outcome == AttemptOutcome::Delivered { 200 } else { 503 };
    let message = PendingMessage {
        merchant: acme(),
        message_id,
        kind: MessageKind::Rma,
        lane: 7,
        cycle: 1,
        attempts: i64::from(number) - 1,
        due_us: 100,
        sequence: 1,
        created_us: 100,
        replay: false,
        body: Bytes::new(),
    };
    Attempt {
        message: Arc::new(message),
        number,
        at_us: 1_000,
        latency_us: 500,
        waited_us: 900,
        status: Some(status),
        error: None,
        answer: Some(Bytes::from_static(b"sorry")),
        outcome,
    }
}

async fn record(store: &Store, attempts: &[Attempt]) {
    let mut transaction = Transaction::new("recording attempts");
    transaction.record_attempts(attempts.iter());
    store.commit(transaction).await.unwrap();
}

async fn waiting(store: &Store, after: i64) -> Vec<i64> {
    let rows = store.pending_messages(&acme(), MessageKind::Rma.queue(), after, 100).await.unwrap();
    rows.iter().map(|row| row.message_id).collect()
}

async fn state(store: &Store, message_id: i64) -> MessageState {
    store.message(&acme(), message_id).await.unwrap().unwrap().0.state
}

fn any_failure() -> FailureFilter {
    FailureFilter { merchant: None, kind: None, status: None, from_us: 0, to_us: i64::MAX }
}

async fn a_page_of_deliveries_starts_after_the_last_one(Subject { store, .. }: Subject) {
    enqueue(&store, (1..=5).map(|sequence| message(&acme(), "A", sequence)).collect())
        .await
        .unwrap();

    let rows = store.pending_messages(&acme(), MessageKind::Rma.queue(), 2, 2).await.unwrap();

    let seen: Vec<_> = rows.iter().map(|row| (row.message_id, row.sequence)).collect();
    assert_eq!(seen, [(3, 3), (4, 4)]);
    assert_eq!((rows[0].cycle, rows[0].attempts, rows[0].lane), (1, 0, 7));
    assert_eq!(rows[0].body, "A 3");
    assert!(
        store
            .pending_messages(&acme(), MessageKind::ExchangeOrder.queue(), 0, 9)
            .await
            .unwrap()
            .is_empty()
    );
}

async fn a_queue_of_several_kinds_is_read_as_one(Subject { store, .. }: Subject) {
    let kinds = [
        MessageKind::DropShipmentCancellation,
        MessageKind::DropShipmentConfirmation,
        MessageKind::Rma,
        MessageKind::DropShipmentPartialCancellation,
        MessageKind::DropShipmentConfirmation,
    ];
    let of = |kind: MessageKind| NewMessage { kind, ..message(&acme(), "A", 1) };
    enqueue(&store, kinds.map(of).to_vec()).await.unwrap();
    let queue = MessageKind::DropShipmentConfirmation.queue();
    let read = async |after: i64, most: usize| -> Vec<(i64, MessageKind)> {
        let rows = store.pending_messages(&acme(), queue, after, most).await.unwrap();
        rows.into_iter().map(|row| (row.message_id, row.kind)).collect()
    };
    let all = [(1, kinds[0]), (2, kinds[1]), (4, kinds[3]), (5, kinds[4])];

    assert_eq!(read(0, 9).await, all);
    assert_eq!(read(0, 3).await, all[..3]);
    assert_eq!(read(2, 9).await, all[2..]);
    let other = store.pending_messages(&other(), queue, 0, 9).await.unwrap();
    assert!(other.is_empty());
}

async fn a_delivered_message_leaves_only_history(Subject { store, .. }: Subject) {
    enqueue(&store, vec![message(&acme(), "A", 1), message(&acme(), "A", 2)]).await.unwrap();

    record(&store, &[attempt(1, 1, AttemptOutcome::Delivered)]).await;
    record(&store, &[attempt(1, 1, AttemptOutcome::Delivered)]).await;

    assert_eq!(waiting(&store, 0).await, [2]);
    assert_eq!(state(&store, 1).await, MessageState::Delivered);
    let attempts = store.attempts(&acme(), 1).await.unwrap();
    assert_eq!(attempts.len(), 1);
    assert_eq!((attempts[0].status, attempts[0].latency_us), (Some(200), 500));
}

async fn a_retry_is_due_later_and_only_once(Subject { store, .. }: Subject) {
    enqueue(&store, vec![message(&acme(), "A", 1)]).await.unwrap();

    record(&store, &[attempt(1, 1, retry_at(5_000))]).await;
    record(&store, &[attempt(1, 1, retry_at(9_000))]).await;

    let rows = store.pending_messages(&acme(), MessageKind::Rma.queue(), 0, 9).await.unwrap();
    assert_eq!((rows[0].attempts, rows[0].due_us), (1, 5_000));
    assert_eq!(state(&store, 1).await, MessageState::Waiting);
}

async fn a_failed_message_is_in_the_failure_queue_until_retried(Subject { store, .. }: Subject) {
    enqueue(&store, vec![message(&acme(), "A", 1)]).await.unwrap();
    record(&store, &[attempt(1, 1, FAILED)]).await;

    assert_eq!(state(&store, 1).await, MessageState::Failed);
    let failures = store.failures(&any_failure(), &Cursor::oldest(), 10).await.unwrap();
    assert_eq!(failures.len(), 1);
    assert_eq!((failures[0].status, failures[0].failed_us), (Some(503), 1_500));
    assert_eq!(store.count_failures(&any_failure()).await.unwrap(), 1);
    let elsewhere = FailureFilter { merchant: Some(other()), ..any_failure() };
    assert_eq!(store.count_failures(&elsewhere).await.unwrap(), 0);
    let endpoint =
        FailingEndpoint { merchant: "acme".to_owned(), kind: MessageKind::Rma, failures: 1 };
    assert_eq!(store.failing_endpoints(10, 10).await.unwrap(), [endpoint]);
    let counts = store.failure_counts(&any_failure()).await.unwrap();
    let counted = |it: &FailureCount| (it.merchant.clone(), it.failures, it.since_us);
    assert_eq!(counts.iter().map(counted).collect::<Vec<_>>(), [("acme".to_owned(), 1, 1_500)]);
    assert_eq!(store.failure_counts(&elsewhere).await.unwrap(), []);

    let merchant = acme();
    let key = FailureKey { merchant: &merchant, kind: MessageKind::Rma, message_id: 1 };
    let mut transaction = Transaction::new("retrying");
    transaction.retry_failure(key, 77);
    store.commit(transaction).await.unwrap();
    let rows = store.pending_messages(&acme(), MessageKind::Rma.queue(), 0, 9).await.unwrap();
    assert_eq!((rows[0].cycle, rows[0].attempts, rows[0].due_us), (2, 0, 77));
    let mut again = Transaction::new("retrying");
    again.retry_failure(key, 78);
    assert!(matches!(store.commit(again).await, Err(StoreError::Conflict)));
}

async fn a_discarded_message_keeps_its_reason(Subject { store, .. }: Subject) {
    enqueue(&store, vec![message(&acme(), "A", 1)]).await.unwrap();
    record(&store, &[attempt(1, 1, FAILED)]).await;

    let mut transaction = Transaction::new("discarding");
    let key = FailureKey { merchant: &acme(), kind: MessageKind::Rma, message_id: 1 };
    transaction.discard_failure(key, "agreed by telephone", 9);
    store.commit(transaction).await.unwrap();

    let (row, _) = store.message(&acme(), 1).await.unwrap().unwrap();
    assert_eq!(
        (row.state, row.discard_reason.as_deref()),
        (MessageState::Discarded, Some("agreed by telephone"))
    );
    assert_eq!(store.count_failures(&any_failure()).await.unwrap(), 0);
}

async fn a_failure_older_than_a_delivered_snapshot_is_superseded(Subject { store, .. }: Subject) {
    enqueue(&store, (1..=3).map(|sequence| message(&acme(), "A", sequence)).collect())
        .await
        .unwrap();
    record(&store, &[attempt(1, 1, FAILED), attempt(2, 1, AttemptOutcome::Delivered)]).await;
    record(&store, &[attempt(3, 1, FAILED)]).await;

    let failures = store.failures(&any_failure(), &Cursor::oldest(), 10).await.unwrap();

    let key = |it: &FailureRow| MessageKey {
        merchant: it.merchant.clone(),
        kind: it.kind,
        reference: it.reference.clone(),
        message_id: it.message_id,
    };
    let keys: Vec<_> = failures.iter().map(key).collect();
    assert_eq!(keys.len(), 2);
    let superseded = store.superseded(&keys).await.unwrap();
    assert_eq!(superseded, HashSet::from([("acme".to_owned(), 1)]));
}

async fn the_last_delivery_of_each_merchant_and_kind_is_found(Subject { store, .. }: Subject) {
    assert!(store.last_deliveries().await.unwrap().is_empty());
    let mut messages = vec![message(&other(), "X", 1), message(&acme(), "A", 1)];
    for kind in MessageKind::ALL {
        messages.push(NewMessage { kind, ..message(&other(), "Y", 1) });
    }
    enqueue(&store, messages).await.unwrap();
    let last = |merchant: MerchantId, kind, message_id| LastDelivery { merchant, kind, message_id };
    let mut all: Vec<_> = (2..).zip(MessageKind::ALL).map(|it| last(other(), it.1, it.0)).collect();
    all.push(last(acme(), MessageKind::Rma, 1));
    let by_key = |it: &LastDelivery| (it.merchant.to_string(), it.kind.name());
    all.sort_by_key(by_key);
    assert_eq!(store.last_deliveries().await.unwrap(), all, "every kind");

    record(&store, &[attempt(1, 1, AttemptOutcome::Delivered)]).await;
    assert_eq!(store.last_deliveries().await.unwrap(), all[1..]);
}

async fn endpoints_change_only_at_the_version_read(Subject { store, .. }: Subject) {
    let found = store.endpoints(&acme()).await.unwrap();
    assert_eq!((found.version, found.value), (0, Endpoints::default()));
    let base_url = Some("https://shop.example.com".to_owned());
    let endpoints = Endpoints { base_url, ..Endpoints::default() };
    let put = async |version| {
        let mut transaction = Transaction::new("setting endpoints");
        transaction.put_endpoints(&acme(), &endpoints, version);
        store.commit(transaction).await
    };
    put(0).await.unwrap();
    assert!(matches!(put(0).await, Err(StoreError::Conflict)));
    put(1).await.unwrap();
    let found = store.endpoints(&acme()).await.unwrap();
    assert_eq!((found.version, found.value), (2, endpoints));
}

async fn pages_of_messages_continue_where_they_ended(Subject { store, .. }: Subject) {
    let references = ["A", "B", "A", "B", "A"];
    enqueue(&store, references.iter().map(|it| message(&acme(), it, 1)).collect()).await.unwrap();
    record(&store, &[attempt(5, 1, AttemptOutcome::Delivered)]).await;
    let page = async |before, state, reference: Option<&str>| {
        let reference = reference.map(str::to_owned);
        let filter =
            MessageFilter { before, state, reference, limit: 2, ..MessageFilter::default() };
        let (rows, next) = store.messages(&acme(), &filter).await.unwrap();
        (rows.iter().map(|row| row.message_id).collect::<Vec<_>>(), next)
    };

    assert_eq!(page(i64::MAX, None, None).await, (vec![5, 4], Some(4)));
    assert_eq!(page(4, None, None).await, (vec![3, 2], Some(2)));
    assert_eq!(page(2, None, None).await, (vec![1], None));
    assert_eq!(page(i64::MAX, Some(MessageState::Delivered), None).await, (vec![5], None));
    assert_eq!(page(i64::MAX, Some(MessageState::Waiting), Some("A")).await, (vec![3, 1], None));
}

async fn attempts_are_counted_by_hour_and_status(Subject { store, .. }: Subject) {
    enqueue(&store, (1..=3).map(|sequence| message(&acme(), "A", sequence)).collect())
        .await
        .unwrap();
    record(&store, &[attempt(1, 1, AttemptOutcome::Delivered), attempt(2, 1, FAILED)]).await;
    record(&store, &[attempt(3, 1, AttemptOutcome::Delivered)]).await;

    let counts = store.attempt_counts(Some(&acme()), 0, 1).await.unwrap();

    let expected = |status, attempts| AttemptCount {
        merchant: "acme".to_owned(),
        hour_us: 0,
        kind: MessageKind::Rma,
        status,
        bucket: 0,
        attempts,
        waited_us: 900 * attempts,
        latency_us: 500 * attempts,
    };
    assert_eq!(counts, [expected(200, 2), expected(503, 1)]);
    assert!(store.attempt_counts(Some(&other()), 0, 1).await.unwrap().is_empty());
    assert!(store.attempt_counts(None, 1, i64::MAX).await.unwrap().is_empty());
    let responses = [(200, 2), (503, 1)];
    let responses =
        responses.map(|(status, attempts)| ResponseCount { status, bucket: 0, attempts });
    assert_eq!(store.response_counts(0).await.unwrap(), responses);
    assert_eq!(store.response_counts(3_600_000_000).await.unwrap(), []);
}

async fn only_finished_messages_are_removed(Subject { store, .. }: Subject) {
    enqueue(&store, (1..=4).map(|sequence| message(&acme(), "A", sequence)).collect())
        .await
        .unwrap();
    record(&store, &[attempt(1, 1, AttemptOutcome::Delivered), attempt(2, 1, FAILED)]).await;
    record(&store, &[attempt(4, 1, AttemptOutcome::Delivered)]).await;
    let finished = async |after, before_us| {
        let found = store.finished_messages(&acme(), after, before_us, 3).await.unwrap();
        (found.finished, found.last_examined)
    };

    assert_eq!(finished(0, 100).await, (vec![], None), "too young");
    assert_eq!(finished(0, 101).await, (vec![1], Some(3)));
    assert_eq!(finished(3, 101).await, (vec![4], Some(4)));

    let mut transaction = Transaction::new("removing");
    transaction.remove_messages(&acme(), &[1, 4]);
    store.commit(transaction).await.unwrap();
    assert!(store.message(&acme(), 1).await.unwrap().is_none());
    assert!(store.attempts(&acme(), 1).await.unwrap().is_empty());
    assert_eq!(state(&store, 2).await, MessageState::Failed);
    assert_eq!(state(&store, 3).await, MessageState::Waiting);
}
