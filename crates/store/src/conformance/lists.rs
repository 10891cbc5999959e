//! What people look for: orders and returns newest first, by number, by shopper; stories; the audit
//! trail.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    merchants::merchant::{Merchant, MerchantSettings},
    messages::kind::MessageKind,
    orders::order::OrderStatus,
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaStatus},
    },
    time::from_micros,
};

use super::{Subject, acme, on_both_engines, other};
use crate::{
    AuditFilter, AuditRecord, Cursor, ListedOrder, NewMessage, OrderFilter, OrderRow,
    RefundProblem, ReturnFilter, Store, Transaction,
};

on_both_engines!(
    orders_come_newest_first_of_one_merchant_or_of_all,
    a_page_of_orders_in_one_status_says_where_to_go_on,
    orders_are_found_by_their_number_at_every_merchant,
    orders_are_found_by_their_shopper_also_when_it_changes,
    returns_come_newest_first_of_one_merchant_or_of_all,
    messages_about_a_thing_come_with_their_bytes_oldest_first,
    problems_are_found_by_their_refunds,
    the_audit_trail_is_read_by_actor,
);

fn row(order_id: &str, replaces: i64, (status, shopper_hash): (OrderStatus, i64)) -> OrderRow {
    OrderRow {
        order_id: order_id.to_owned(),
        replaces,
        updated_us: 7,
        status,
        shopper_hash,
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from(format!("body of {order_id}")),
    }
}

async fn put(store: &Store, merchant: &MerchantId, order: OrderRow, now_us: i64) {
    let mut transaction = Transaction::new("storing orders");
    transaction.put_orders(merchant, vec![order], now_us);
    store.commit(transaction).await.unwrap();
}

const SHIPPED: (OrderStatus, i64) = (OrderStatus::Shipped, 5);

fn filter(limit: usize) -> OrderFilter {
    OrderFilter { before: Cursor::newest(), merchant: None, status: None, limit }
}

fn ids(places: &[ListedOrder]) -> Vec<&str> {
    places.iter().map(|place| place.order_id.as_str()).collect()
}

async fn orders_come_newest_first_of_one_merchant_or_of_all(Subject { store, .. }: Subject) {
    put(&store, &acme(), row("A", 0, SHIPPED), 1).await;
    put(&store, &other(), row("B", 0, SHIPPED), 2).await;
    put(&store, &acme(), row("C", 0, SHIPPED), 2).await;
    put(&store, &acme(), row("D", 0, SHIPPED), 3).await;
    put(&store, &acme(), row("A", 1, SHIPPED), 9).await;

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
    let mut bodies = store.order_bodies(&first).await.unwrap();
    bodies.sort();
    assert_eq!(bodies[0], ("acme".to_owned(), "C".to_owned(), "body of C".into()));
}

async fn a_page_of_orders_in_one_status_says_where_to_go_on(Subject { store, .. }: Subject) {
    for (number, status) in (1..).zip([OrderStatus::Cancelled; 3]) {
        put(&store, &acme(), row(&format!("X{number}"), 0, (status, 1)), number).await;
        put(&store, &acme(), row(&format!("S{number}"), 0, SHIPPED), number).await;
    }
    // A new snapshot moves an order from one status to another.
    put(&store, &acme(), row("S1", 1, (OrderStatus::Cancelled, 5)), 8).await;

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
        put(&store, &merchant, row("A", 0, SHIPPED), 1).await;
    }
    put(&store, &other(), row("B", 0, SHIPPED), 1).await;

    let found = store.orders_numbered("A").await.unwrap();

    let merchants: Vec<&str> = found.iter().map(|place| place.merchant.as_str()).collect();
    assert_eq!(merchants, ["acme", "other"]);
    assert_eq!(store.orders_numbered("B").await.unwrap().len(), 1);
    assert_eq!(store.orders_numbered("C").await.unwrap(), []);
}

async fn orders_are_found_by_their_shopper_also_when_it_changes(Subject { store, .. }: Subject) {
    put(&store, &acme(), row("A", 0, (OrderStatus::Shipped, -3)), 1).await;
    put(&store, &other(), row("B", 0, (OrderStatus::Created, -3)), 2).await;
    put(&store, &acme(), row("C", 0, (OrderStatus::Created, 4)), 3).await;
    assert_eq!(ids(&store.orders_of_shopper(-3).await.unwrap()), ["B", "A"]);

    put(&store, &acme(), row("A", 1, (OrderStatus::Shipped, 4)), 4).await;

    assert_eq!(ids(&store.orders_of_shopper(-3).await.unwrap()), ["B"]);
    assert_eq!(ids(&store.orders_of_shopper(4).await.unwrap()), ["C", "A"]);
}

fn rma(number: u8, status: RmaStatus) -> Rma {
    let created_at = from_micros(i64::from(number)).unwrap();
    let rma_identifier = RmaId::from_random([number; 8]);
    Rma { rma_identifier, created_at, status, ..domain::samples::rma() }
}

async fn returns_come_newest_first_of_one_merchant_or_of_all(Subject { store, .. }: Subject) {
    let all = [
        (acme(), rma(1, RmaStatus::Created)),
        (other(), rma(2, RmaStatus::Created)),
        (acme(), rma(3, RmaStatus::Canceled)),
    ];
    let mut transaction = Transaction::new("testing");
    for (merchant, rma) in &all {
        transaction.insert_return(merchant, rma);
    }
    store.commit(transaction).await.unwrap();
    let filter = ReturnFilter { before: Cursor::newest(), merchant: None, status: None, limit: 2 };

    let (first, end) = store.returns(&filter).await.unwrap();
    let end = end.unwrap();
    assert_eq!(first.iter().map(|it| it.created_us).collect::<Vec<_>>(), [3, 2]);
    let (rest, end) =
        store.returns(&ReturnFilter { before: end.cursor(), ..filter }).await.unwrap();
    assert_eq!((rest.len(), rest[0].created_us, end), (1, 1, None));

    let merchant = Some(acme());
    let status = Some(RmaStatus::Created);
    let filter = ReturnFilter { before: Cursor::newest(), merchant, status, limit: 2 };
    let (found, end) = store.returns(&filter).await.unwrap();
    assert_eq!((found.len(), found[0].created_us, end), (1, 1, None));
    let named = all.iter().map(|(merchant, rma)| (merchant.as_str(), rma.rma_identifier.as_str()));
    let mut named = store.returns_named(named.chain([("acme", "no")])).await.unwrap();
    named.sort_by_key(|(_, rma)| rma.created_at);
    assert_eq!(named, all.map(|(merchant, rma)| (merchant.to_string(), rma)));
}

async fn messages_about_a_thing_come_with_their_bytes_oldest_first(Subject { store, .. }: Subject) {
    let mut transaction = Transaction::new("owing messages");
    for (reference, sequence) in [("A", 1), ("B", 1), ("A", 2), ("A", 3)] {
        transaction.enqueue(NewMessage {
            merchant: acme(),
            kind: MessageKind::Rma,
            reference: reference.to_owned(),
            sequence,
            lane: 7,
            created_us: 100,
            body: Bytes::from(format!("{reference}{sequence}")),
        });
    }
    store.commit(transaction).await.unwrap();

    let files = store.message_histories(&acme(), "A", 2).await.unwrap();

    let bodies: Vec<&[u8]> = files.iter().map(|file| file.body.as_ref()).collect();
    assert_eq!(bodies, [b"A2", b"A3"]);
    assert!(files.iter().all(|file| file.attempts.is_empty() && file.message.reference == "A"));
    assert_eq!(store.message_histories(&other(), "A", 2).await.unwrap(), []);
}

async fn problems_are_found_by_their_refunds(Subject { store, .. }: Subject) {
    let problem = |refund_id: &str| RefundProblem {
        merchant: "acme".to_owned(),
        refund_id: refund_id.to_owned(),
        order_id: "A".to_owned(),
        state: "unmatched".to_owned(),
        noticed_us: 3,
        detail: "nobody".to_owned(),
    };
    let mut transaction = Transaction::new("testing");
    transaction.put_refund_problem(&acme(), &problem("R1"));
    transaction.put_refund_problem(&acme(), &problem("R2"));
    store.commit(transaction).await.unwrap();

    let found = store.problems_of_refunds(&acme(), ["R2", "R9"].into_iter()).await.unwrap();

    assert_eq!(found, [problem("R2")]);
    let elsewhere = store.problems_of_refunds(&other(), ["R2"].into_iter()).await.unwrap();
    assert_eq!(elsewhere, []);
}

async fn the_audit_trail_is_read_by_actor(Subject { store, .. }: Subject) {
    let mut transaction = Transaction::new("testing");
    let records = [("acme", "lena"), ("other", "lena"), ("acme", "omar"), ("acme", "lena")];
    for (at_us, (merchant, actor)) in (1..).zip(records) {
        transaction.insert_audit(&AuditRecord {
            merchant: merchant.to_owned(),
            at_us,
            id: format!("id{at_us}"),
            actor: actor.to_owned(),
            action: "test".to_owned(),
            detail: "{}".to_owned(),
        });
    }
    store.commit(transaction).await.unwrap();
    let times = |records: Vec<AuditRecord>| records.iter().map(|it| it.at_us).collect::<Vec<_>>();
    let (acme, newest) = (acme(), Cursor::newest());
    let fourth = Cursor { at_us: 4, merchant: "acme".to_owned(), id: "id4".to_owned() };
    let all = AuditFilter { merchant: None, actor: Some("lena"), before: &newest, limit: 9 };
    let of_acme = AuditFilter { merchant: Some(&acme), ..all };

    assert_eq!(times(store.audit(&all).await.unwrap()), [4, 2, 1]);
    let first = store.audit(&AuditFilter { limit: 1, ..of_acme }).await.unwrap();
    assert_eq!(times(first), [4]);
    let rest = store.audit(&AuditFilter { before: &fourth, ..of_acme }).await.unwrap();
    assert_eq!(times(rest), [1]);
    let none = store.audit(&AuditFilter { actor: Some("no one"), ..all }).await.unwrap();
    assert_eq!(times(none), Vec::<i64>::new());
}
