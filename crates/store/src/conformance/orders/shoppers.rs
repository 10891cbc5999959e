//! What finds the data of a shopper, and what is left when it was erased.

use bytes::Bytes;
use domain::returns::{
    identifier::RmaId,
    journal::{Actor, ActorKind},
    rma::Rma,
};

use super::order_row;
use crate::{
    AuditRecord, DocumentRow, EventHeader, OrderPosition, OrderRow, RefundRow, ShopperKeyKind,
    ShopperReference, Transaction,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    returns_and_drop_ship_orders_are_found_by_the_hash_of_their_shopper,
    orders_of_a_shopper_are_listed_in_pages,
    an_erased_order_keeps_its_refunds_and_is_not_found_by_its_shopper,
    an_erased_return_keeps_its_journal_and_has_no_label,
    audit_records_are_found_by_what_they_are_about,
);

fn order(order_id: &str, shopper_hash: i64) -> OrderRow {
    OrderRow { shopper_hash, ..order_row(order_id, 0) }
}

async fn returns_and_drop_ship_orders_are_found_by_the_hash_of_their_shopper(
    Subject { store, .. }: Subject,
) {
    let put = |transaction: &mut Transaction| {
        for (merchant, hash, kind, reference) in [
            (acme(), 5, ShopperKeyKind::Return, "R1"),
            (acme(), 5, ShopperKeyKind::DropShipOrder, "D1"),
            (acme(), 6, ShopperKeyKind::Return, "R2"),
            (other(), 5, ShopperKeyKind::Return, "R3"),
        ] {
            transaction.put_shopper_key(&merchant, hash, kind, reference);
        }
    };
    commit(&store, put).await.unwrap();
    // A key may be written again.
    commit(&store, put).await.unwrap();

    let names =
        |found: Vec<ShopperReference>| found.into_iter().map(|it| it.reference).collect::<Vec<_>>();
    assert_eq!(names(store.shopper_references(None, 5, 9).await.unwrap()), ["D1", "R1", "R3"]);
    let ours = store.shopper_references(Some(&acme()), 5, 9).await.unwrap();
    assert_eq!(names(ours), ["D1", "R1"]);
    let remove = |transaction: &mut Transaction| {
        transaction.delete_shopper_key(&acme(), 5, ShopperKeyKind::Return, "R1");
    };
    commit(&store, remove).await.unwrap();
    assert_eq!(names(store.shopper_references(None, 5, 9).await.unwrap()), ["D1", "R3"]);
    assert_eq!(store.unkeyed_shoppers(9).await.unwrap(), []);
}

async fn orders_of_a_shopper_are_listed_in_pages(Subject { store, .. }: Subject) {
    for merchant in [acme(), other()] {
        let orders = vec![order("A", 5), order("B", 5), order("C", 6)];
        commit(&store, |transaction| transaction.put_orders(&merchant, orders, 1)).await.unwrap();
    }
    let first = store.orders_of_shopper_after(None, 5, OrderPosition::default(), 3).await.unwrap();
    let names = |page: &[crate::ListedOrder]| {
        page.iter().map(|it| format!("{}/{}", it.merchant, it.order_id)).collect::<Vec<_>>()
    };
    assert_eq!(names(&first), ["acme/A", "acme/B", "other/A"]);
    let last = OrderPosition { merchant: "other", order_id: "A" };
    let rest = store.orders_of_shopper_after(None, 5, last, 3).await.unwrap();
    assert_eq!(names(&rest), ["other/B"]);
    let start = OrderPosition::default();
    let theirs = store.orders_of_shopper_after(Some(&other()), 5, start, 1).await.unwrap();
    assert_eq!(names(&theirs), ["other/A"]);
}

async fn an_erased_order_keeps_its_refunds_and_is_not_found_by_its_shopper(
    Subject { store, .. }: Subject,
) {
    let refund = RefundRow {
        refund_id: "RF".to_owned(),
        order_id: "A".to_owned(),
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from_static(b"for Dana"),
    };
    commit(&store, |transaction| {
        transaction.put_orders(&acme(), vec![order("A", 5)], 1);
        transaction.insert_refunds(&acme(), vec![refund], 1);
    })
    .await
    .unwrap();

    let erased = Bytes::from_static(b"erased");
    let erase = |version: i64| {
        let erased = erased.clone();
        move |transaction: &mut Transaction| {
            transaction.erase_order(&acme(), "A", version, erased.clone());
            let refunds = vec![DocumentRow { key: "RF".to_owned(), body: erased }];
            transaction.erase_refunds(&acme(), refunds);
        }
    };
    assert_conflict(&commit(&store, erase(2)).await);
    commit(&store, erase(1)).await.unwrap();
    store.remove_traces().await.unwrap();

    let stored = store.stored_order(&acme(), "A").await.unwrap().unwrap();
    assert_eq!((stored.body, stored.version), (erased.clone(), 2));
    let refunds = store.refund_documents(&acme(), "A").await.unwrap();
    assert_eq!(refunds, [DocumentRow { key: "RF".to_owned(), body: erased }]);
    assert_eq!(
        store.orders_of_shopper_after(None, 5, OrderPosition::default(), 9).await.unwrap(),
        []
    );
}

async fn an_erased_return_keeps_its_journal_and_has_no_label(Subject { store, .. }: Subject) {
    let rma: Rma = domain::samples::rma();
    let id: RmaId = rma.rma_identifier.clone();
    let actor = Actor::unnamed(ActorKind::Shopper);
    let started = EventHeader { number: 1, at: rma.created_at, actor: &actor, cause: None };
    commit(&store, |transaction| {
        transaction.start_return(&acme(), &rma, &started);
        let label = Bytes::from_static(b"Dana Whitfield");
        transaction.put_label_document(&acme(), &id, "ab", &label);
        let keys = ["person dana whitfield 97205", "order A"].map(str::to_owned);
        transaction.put_receiving_keys(&acme(), &id, &keys.into_iter().collect());
    })
    .await
    .unwrap();

    let events = store.journal_documents(&acme(), &id).await.unwrap();
    assert_eq!(events.iter().map(|it| it.key).collect::<Vec<_>>(), [1]);
    let nameless = Rma { email: None, ..rma.clone() };
    let body = serde_json::to_string(&nameless).unwrap();
    let events = vec![DocumentRow { key: 1, body: Bytes::from(body.clone()) }];
    commit(&store, |transaction| {
        transaction.erase_return(&acme(), &id, 1, body);
        transaction.erase_return_events(&acme(), &id, events);
    })
    .await
    .unwrap();

    assert_eq!(store.rma(&acme(), &id).await.unwrap().unwrap().value, nameless);
    let journal = store.journal_documents(&acme(), &id).await.unwrap();
    assert!(!String::from_utf8_lossy(&journal[0].body).contains("dana.whitfield"));
    assert_eq!(store.label_document_piece(&acme(), &id, "ab", 0).await.unwrap(), None);
    let person = store.returns_by_receiving_key(None, "person dana whitfield 97205", 9);
    assert_eq!(person.await.unwrap(), []);
    let order = store.returns_by_receiving_key(None, "order A", 9);
    assert_eq!(order.await.unwrap().len(), 1);
}

async fn audit_records_are_found_by_what_they_are_about(Subject { store, .. }: Subject) {
    let mut record = AuditRecord {
        merchant: "acme".to_owned(),
        at_us: 3,
        id: "a".to_owned(),
        actor: "lena".to_owned(),
        address: String::new(),
        action: "refund.match".to_owned(),
        detail: r#"{"note":"called Dana"}"#.to_owned(),
    };
    commit(&store, |transaction| {
        transaction.insert_audit(&record, ["RF-1", "RMA-1"].into_iter());
    })
    .await
    .unwrap();

    assert_eq!(store.audit_about(&acme(), "RF-1", 9).await.unwrap(), [record.clone()]);
    assert_eq!(store.audit_about(&other(), "RF-1", 9).await.unwrap(), []);
    record.detail = "{}".to_owned();
    commit(&store, |transaction| transaction.erase_audit_detail(&record)).await.unwrap();
    assert_eq!(store.audit_about(&acme(), "RMA-1", 9).await.unwrap(), [record]);
}
