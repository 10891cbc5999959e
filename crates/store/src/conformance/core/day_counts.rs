//! Events counted by day.

use bytes::Bytes;
use domain::returns::rma::{Rma, RmaStatus};
use jiff::Timestamp;

use crate::{
    CountedEvent, DayCount, OrderRow,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    orders_are_counted_by_day_once_each,
    a_return_is_counted_when_it_starts_and_once_when_it_closes,
    a_change_that_is_undone_is_not_counted,
    commits_are_counted,
);

const DAY_US: i64 = 86_400_000_000;

fn at(us: i64) -> Timestamp {
    Timestamp::from_microsecond(us).unwrap()
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
        secondary_id: String::new(),
    }
}

fn count(day: i64, event: CountedEvent, number: i64) -> DayCount {
    DayCount { day_us: day * DAY_US, event, number }
}

async fn orders_are_counted_by_day_once_each(Subject { store, .. }: Subject) {
    let put = async |merchant, orders, at_us| {
        commit(&store, |it| it.put_orders(&merchant, orders, at_us)).await
    };
    put(acme(), vec![order("1", 0), order("2", 0)], DAY_US).await.unwrap();
    put(other(), vec![order("1", 0)], DAY_US + 1).await.unwrap();
    put(acme(), vec![order("1", 1), order("3", 0)], 2 * DAY_US).await.unwrap();
    put(acme(), vec![order("1", 2)], 3 * DAY_US).await.unwrap();

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
    commit(&store, |it| it.insert_return(&acme(), &open)).await.unwrap();
    let still_open = rma(RmaStatus::PartialRefund, 2 * DAY_US);
    commit(&store, |it| it.update_return(&acme(), &still_open, 1, open.status)).await.unwrap();
    for (version, was) in [(2, RmaStatus::PartialRefund), (3, RmaStatus::Refunded)] {
        let closed = rma(RmaStatus::Refunded, 3 * DAY_US + version);
        commit(&store, |it| it.update_return(&acme(), &closed, version, was)).await.unwrap();
    }

    let started = count(1, CountedEvent::ReturnsStarted, 1);
    let closed = count(3, CountedEvent::ReturnsClosed, 1);
    assert_eq!(store.day_counts(0).await.unwrap(), [started, closed]);
}

async fn a_change_that_is_undone_is_not_counted(Subject { store, .. }: Subject) {
    let open = rma(RmaStatus::Created, DAY_US);
    commit(&store, |it| it.insert_return(&acme(), &open)).await.unwrap();
    assert_conflict(&commit(&store, |it| it.insert_return(&acme(), &open)).await);
    let closed = rma(RmaStatus::Canceled, DAY_US);
    assert_conflict(&commit(&store, |it| it.update_return(&acme(), &closed, 7, open.status)).await);

    assert_eq!(store.day_counts(0).await.unwrap(), [count(1, CountedEvent::ReturnsStarted, 1)]);
}

async fn commits_are_counted(Subject { store, .. }: Subject) {
    let before = store.changes();
    commit(&store, |it| it.put_orders(&acme(), vec![order("1", 0)], 1)).await.unwrap();
    assert_eq!(store.changes(), before + 1);
    assert_conflict(&commit(&store, |it| it.put_orders(&acme(), vec![order("1", 0)], 1)).await);
    assert_eq!(store.clone().changes(), before + 1);
}
