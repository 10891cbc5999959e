//! What the overview of the console reads.

use std::sync::Arc;

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::rma::{Rma, RmaStatus},
};
use jiff::Timestamp;

use super::{Subject, acme, on_both_engines, other};
use crate::{
    Attempt, AttemptOutcome, CountedEvent, DayCount, FailingEndpoint, FailureCause, NewMessage,
    OrderRow, Store, Transaction,
};

on_both_engines!(
    orders_are_counted_by_day_once_each,
    a_return_is_counted_when_it_starts_and_once_when_it_closes,
    a_change_that_is_undone_is_not_counted,
    a_commit_is_noticed,
    failures_are_counted_by_endpoint_up_to_a_limit,
);

const DAY_US: i64 = 86_400_000_000;

fn at(us: i64) -> Timestamp {
    Timestamp::from_microsecond(us).unwrap()
}

async fn change(store: &Store, fill: impl FnOnce(&mut Transaction)) -> bool {
    let mut transaction = Transaction::new("testing");
    fill(&mut transaction);
    store.commit(transaction).await.is_ok()
}

fn order(id: &str, replaces: i64) -> OrderRow {
    OrderRow {
        order_id: id.to_owned(),
        replaces,
        updated_us: 7,
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from_static(b"body"),
        status: domain::orders::order::OrderStatus::Created,
        shopper_hash: 5,
    }
}

fn count(day: i64, event: CountedEvent, number: i64) -> DayCount {
    DayCount { day_us: day * DAY_US, event, number }
}

async fn orders_are_counted_by_day_once_each(Subject { store, .. }: Subject) {
    let put = async |merchant, orders, at_us| {
        change(&store, |it| it.put_orders(&merchant, orders, at_us)).await
    };
    assert!(put(acme(), vec![order("1", 0), order("2", 0)], DAY_US).await);
    assert!(put(other(), vec![order("1", 0)], DAY_US + 1).await);
    assert!(put(acme(), vec![order("1", 1), order("3", 0)], 2 * DAY_US).await);
    assert!(put(acme(), vec![order("1", 2)], 3 * DAY_US).await);

    let all = [count(1, CountedEvent::OrdersTakenIn, 3), count(2, CountedEvent::OrdersTakenIn, 1)];
    assert_eq!(store.day_counts(0).await.unwrap(), all);
    assert_eq!(store.day_counts(2 * DAY_US + 5).await.unwrap(), all[1..]);
}

fn rma(status: RmaStatus, updated_us: i64) -> Rma {
    let opened = domain::samples::rma();
    Rma { status, created_at: at(DAY_US), updated_at: at(updated_us), ..opened }
}

async fn a_return_is_counted_when_it_starts_and_once_when_it_closes(
    Subject { store, .. }: Subject,
) {
    let open = rma(RmaStatus::Created, DAY_US);
    assert!(change(&store, |it| it.insert_return(&acme(), &open)).await);
    let still_open = rma(RmaStatus::PartialRefund, 2 * DAY_US);
    assert!(change(&store, |it| it.update_return(&acme(), &still_open, 1, open.status)).await);
    for (version, was) in [(2, RmaStatus::PartialRefund), (3, RmaStatus::Refunded)] {
        let closed = rma(RmaStatus::Refunded, 3 * DAY_US + version);
        assert!(change(&store, |it| it.update_return(&acme(), &closed, version, was)).await);
    }

    let started = count(1, CountedEvent::ReturnsStarted, 1);
    let closed = count(3, CountedEvent::ReturnsClosed, 1);
    assert_eq!(store.day_counts(0).await.unwrap(), [started, closed]);
}

async fn a_change_that_is_undone_is_not_counted(Subject { store, .. }: Subject) {
    let open = rma(RmaStatus::Created, DAY_US);
    assert!(change(&store, |it| it.insert_return(&acme(), &open)).await);
    assert!(!change(&store, |it| it.insert_return(&acme(), &open)).await);
    let closed = rma(RmaStatus::Canceled, DAY_US);
    assert!(!change(&store, |it| it.update_return(&acme(), &closed, 7, open.status)).await);

    assert_eq!(store.day_counts(0).await.unwrap(), [count(1, CountedEvent::ReturnsStarted, 1)]);
}

async fn a_commit_is_noticed(Subject { store, .. }: Subject) {
    let before = store.changes();
    assert!(change(&store, |it| it.put_orders(&acme(), vec![order("1", 0)], 1)).await);
    assert_eq!(store.changes(), before + 1);
    assert!(!change(&store, |it| it.put_orders(&acme(), vec![order("1", 0)], 1)).await);
    assert_eq!(store.clone().changes(), before + 1);
}

/// A message that was tried for the last time.
async fn fail(store: &Store, merchant: &MerchantId, kind: MessageKind) {
    let message = NewMessage {
        merchant: merchant.clone(),
        kind,
        reference: "A".to_owned(),
        sequence: 1,
        lane: 7,
        created_us: 100,
        body: Bytes::from_static(b"body"),
    };
    let mut transaction = Transaction::new("enqueueing a message");
    transaction.enqueue(message);
    let pending = store.commit(transaction).await.unwrap();
    let attempt = Attempt {
        message: Arc::new(pending[0].clone()),
        number: 1,
        at_us: 1_000,
        latency_us: 500,
        waited_us: 900,
        status: Some(503),
        error: None,
        answer: None,
        outcome: AttemptOutcome::Failed { cause: FailureCause::Overloaded },
    };
    assert!(change(store, |it| it.record_attempts([&attempt].into_iter())).await);
}

async fn failures_are_counted_by_endpoint_up_to_a_limit(Subject { store, .. }: Subject) {
    assert_eq!(store.failing_endpoints(10, 10).await.unwrap(), []);
    for kind in [MessageKind::Rma, MessageKind::Rma, MessageKind::Rma, MessageKind::OutboundAsn] {
        fail(&store, &acme(), kind).await;
    }
    fail(&store, &other(), MessageKind::ExchangeOrder).await;

    let row = |merchant: &str, kind: MessageKind, failures| FailingEndpoint {
        merchant: merchant.to_owned(),
        kind,
        failures,
    };
    let all = [
        row("acme", MessageKind::OutboundAsn, 1),
        row("acme", MessageKind::Rma, 2),
        row("other", MessageKind::ExchangeOrder, 1),
    ];
    assert_eq!(store.failing_endpoints(2, 10).await.unwrap(), all);
    assert_eq!(store.failing_endpoints(2, 2).await.unwrap(), all[..2]);
}
