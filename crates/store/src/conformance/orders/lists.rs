//! Orders newest first, by number, and by shopper.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    merchants::merchant::{Merchant, MerchantSettings},
    orders::order::OrderStatus,
    time::from_micros,
};

use super::order_row;
use crate::{
    Cursor, ListedOrder, OrderFilter, OrderRow, Store, Transaction,
    conformance::{Subject, acme, on_every_engine, other},
};

on_every_engine!(
    orders_come_newest_first_of_one_merchant_or_of_all,
    a_page_of_orders_in_one_status_says_where_to_continue,
    orders_are_found_by_their_number_at_every_merchant,
    orders_are_found_by_shopper_even_after_it_changed,
    orders_are_found_by_their_second_number_even_after_it_changed,
);

fn row(order_id: &str, replaces: i64, status: OrderStatus, shopper_hash: i64) -> OrderRow {
    let body = Bytes::from(format!("body of {order_id}"));
    OrderRow { status, shopper_hash, body, ..order_row(order_id, replaces) }
}

async fn put(store: &Store, merchant: &MerchantId, order: OrderRow, now_us: i64) {
    let mut transaction = Transaction::new("storing orders");
    transaction.put_orders(merchant, vec![order], now_us);
    store.commit(transaction).await.unwrap();
}

fn shipped(order_id: &str, replaces: i64) -> OrderRow {
    row(order_id, replaces, OrderStatus::Shipped, 5)
}

fn filter(limit: usize) -> OrderFilter {
    OrderFilter { before: Cursor::newest(), merchant: None, status: None, limit }
}

fn ids(places: &[ListedOrder]) -> Vec<&str> {
    places.iter().map(|place| place.order_id.as_str()).collect()
}

async fn orders_come_newest_first_of_one_merchant_or_of_all(Subject { store, .. }: Subject) {
    put(&store, &acme(), shipped("A", 0), 1).await;
    put(&store, &other(), shipped("B", 0), 2).await;
    put(&store, &acme(), shipped("C", 0), 2).await;
    put(&store, &acme(), shipped("D", 0), 3).await;
    put(&store, &acme(), shipped("A", 1), 9).await;

    let (first, end) = store.orders(&filter(3)).await.unwrap();
    assert_eq!(ids(&first), ["D", "B", "C"]);
    let next = OrderFilter { before: end.unwrap().cursor(), ..filter(3) };
    let (rest, end) = store.orders(&next).await.unwrap();
    assert_eq!((ids(&rest), end), (vec!["A"], None));
    assert_eq!((rest[0].created_us, rest[0].received_us), (1, 9));

    let of_acme = OrderFilter { merchant: Some(acme()), ..filter(2) };
    let (first, end) = store.orders(&of_acme).await.unwrap();
    assert_eq!(ids(&first), ["D", "C"]);
    let next = OrderFilter { before: end.unwrap().cursor(), ..of_acme };
    assert_eq!(ids(&store.orders(&next).await.unwrap().0), ["A"]);
    let keys = first.iter().map(|it| [it.merchant.as_str(), it.order_id.as_str()]);
    let mut bodies = store.order_bodies(keys).await.unwrap();
    bodies.sort();
    assert_eq!(bodies[0], ("acme".to_owned(), "C".to_owned(), "body of C".into()));
}

async fn a_page_of_orders_in_one_status_says_where_to_continue(Subject { store, .. }: Subject) {
    for (number, status) in (1..).zip([OrderStatus::Cancelled; 3]) {
        put(&store, &acme(), row(&format!("X{number}"), 0, status, 1), number).await;
        put(&store, &acme(), shipped(&format!("S{number}"), 0), number).await;
    }
    // A new snapshot moves an order from one status to another.
    put(&store, &acme(), row("S1", 1, OrderStatus::Cancelled, 5), 8).await;

    let wanted = OrderFilter { status: Some(OrderStatus::Cancelled), ..filter(2) };
    let (first, end) = store.orders(&wanted).await.unwrap();
    assert_eq!(ids(&first), ["X3", "X2"]);
    let next = OrderFilter { before: end.unwrap().cursor(), ..wanted };
    let (rest, end) = store.orders(&next).await.unwrap();
    assert_eq!((ids(&rest), end), (vec!["X1", "S1"], None));
}

async fn add_merchants(store: &Store) {
    let mut transaction = Transaction::new("adding merchants");
    for id in [acme(), other()] {
        transaction.insert_merchant(&Merchant {
            id,
            name: "A merchant".to_owned(),
            settings: MerchantSettings::default(),
            return_address: None,
            signing_secrets: Vec::new(),
            created_at: from_micros(0).unwrap(),
            disabled_at: None,
        });
    }
    store.commit(transaction).await.unwrap();
}

async fn orders_are_found_by_their_number_at_every_merchant(Subject { store, .. }: Subject) {
    add_merchants(&store).await;
    for merchant in [acme(), other()] {
        put(&store, &merchant, shipped("A", 0), 1).await;
    }
    put(&store, &other(), shipped("B", 0), 1).await;

    let found = store.orders_numbered("A").await.unwrap();

    let merchants: Vec<&str> = found.iter().map(|place| place.merchant.as_str()).collect();
    assert_eq!(merchants, ["acme", "other"]);
    assert_eq!(store.orders_numbered("B").await.unwrap().len(), 1);
    assert_eq!(store.orders_numbered("C").await.unwrap(), []);
}

async fn orders_are_found_by_shopper_even_after_it_changed(Subject { store, .. }: Subject) {
    put(&store, &acme(), row("A", 0, OrderStatus::Shipped, -3), 1).await;
    put(&store, &other(), row("B", 0, OrderStatus::Created, -3), 2).await;
    put(&store, &acme(), row("C", 0, OrderStatus::Created, 4), 3).await;
    assert_eq!(ids(&store.orders_of_shopper(-3).await.unwrap()), ["B", "A"]);

    put(&store, &acme(), row("A", 1, OrderStatus::Shipped, 4), 4).await;

    assert_eq!(ids(&store.orders_of_shopper(-3).await.unwrap()), ["B"]);
    assert_eq!(ids(&store.orders_of_shopper(4).await.unwrap()), ["C", "A"]);
}

async fn orders_are_found_by_their_second_number_even_after_it_changed(subject: Subject) {
    let Subject { store, .. } = subject;
    let numbered = |order_id: &str, replaces: i64, secondary_id: &str| OrderRow {
        secondary_id: secondary_id.to_owned(),
        ..row(order_id, replaces, OrderStatus::Shipped, 5)
    };
    for (order_id, secondary_id) in [("A-2", "S-1"), ("A-1", "S-1"), ("A-3", "S-3"), ("A-4", "")] {
        put(&store, &acme(), numbered(order_id, 0, secondary_id), 9).await;
    }
    put(&store, &other(), numbered("A-9", 0, "S-1"), 9).await;
    let found = async |secondary_id: &str, limit: usize| {
        store.orders_by_secondary(&acme(), secondary_id, limit).await.unwrap()
    };
    assert_eq!(found("S-1", 9).await, ["A-1", "A-2"]);
    assert_eq!(found("S-1", 1).await, ["A-1"]);
    assert_eq!(found("", 9).await, [""; 0]);

    put(&store, &acme(), numbered("A-1", 1, "S-7"), 10).await;
    assert_eq!(found("S-1", 9).await, ["A-2"]);
    assert_eq!(found("S-7", 9).await, ["A-1"]);
}
