//! Shipments and drop-ship orders.

use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    warehouse::{
        asn_number::AsnNumber,
        drop_ship::DropShipOrder,
        shipment::{Shipment, ShipmentHead},
    },
};

use crate::{
    ShipmentRow,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    a_shipment_reads_back_and_is_replaced_only_at_its_version,
    every_number_belongs_to_one_shipment,
    a_drop_ship_order_reads_back_and_is_replaced_only_at_its_version,
);

fn number(text: &str) -> AsnNumber {
    AsnNumber::parse(text).unwrap()
}

fn sample_shipment(text: &str) -> Shipment {
    Shipment { asn_number: number(text), ..domain::samples::outbound_shipment() }
}

fn order(identifier: &str) -> DropShipOrder {
    DropShipOrder { client_identifier: identifier.to_owned(), ..domain::samples::drop_ship_order() }
}

fn shipment_row(shipment: &Shipment) -> ShipmentRow {
    ShipmentRow { head: ShipmentHead::of(shipment), body: shipment.to_json().into() }
}

async fn a_shipment_reads_back_and_is_replaced_only_at_its_version(Subject { store, .. }: Subject) {
    let first = sample_shipment("OUT-1");
    let second = Shipment { announcements: 3, ..first.clone() };
    let insert = async |merchant: MerchantId| {
        let numbers = ["OUT-1_1", "OUT-1_2"].into_iter();
        commit(&store, |it| it.insert_shipment(&merchant, shipment_row(&first), numbers)).await
    };
    let update = async |version: i64| {
        commit(&store, |it| it.update_shipment(&acme(), shipment_row(&second), version)).await
    };

    insert(acme()).await.unwrap();
    assert_conflict(&insert(acme()).await);
    assert_conflict(&update(2).await);
    update(1).await.unwrap();

    let stored = store.shipment(&acme(), "OUT-1").await.unwrap().unwrap();
    assert_eq!((stored.version, stored.value), (2, second.clone()));
    assert!(store.shipment(&other(), "OUT-1").await.unwrap().is_none());
    insert(other()).await.unwrap();
    assert_eq!(store.merchants_of_shipment("OUT-1").await.unwrap(), [acme(), other()]);
}

async fn every_number_belongs_to_one_shipment(Subject { store, .. }: Subject) {
    let insert = async |text: &str, numbers: &[&str]| {
        let shipment = sample_shipment(text);
        commit(&store, |it| {
            it.insert_shipment(&acme(), shipment_row(&shipment), numbers.iter().copied());
        })
        .await
    };

    insert("OUT-1_2", &["OUT-1_2"]).await.unwrap();
    assert_conflict(&insert("OUT-1", &["OUT-1_1", "OUT-1_2"]).await);

    assert!(store.shipment(&acme(), "OUT-1").await.unwrap().is_none(), "nothing was kept");
    let asked = ["OUT-1_1", "OUT-1_2"];
    let taken = store.taken_shipment_numbers(&acme(), asked.into_iter()).await.unwrap();
    assert_eq!(taken, ["OUT-1_2"]);
    let theirs = store.taken_shipment_numbers(&other(), asked.into_iter()).await.unwrap();
    assert!(theirs.is_empty());
    insert("OUT-1", &["OUT-1_1"]).await.unwrap();
}

async fn a_drop_ship_order_reads_back_and_is_replaced_only_at_its_version(
    Subject { store, .. }: Subject,
) {
    let first = order("DS-1");
    let second = DropShipOrder { messages_sent: 9, ..first.clone() };
    let put = async |merchant: MerchantId, order: &DropShipOrder, version: i64| {
        commit(&store, |it| it.put_drop_ship_order(&merchant, order, version)).await
    };

    put(acme(), &first, 0).await.unwrap();
    assert_conflict(&put(acme(), &second, 0).await);
    assert_conflict(&put(acme(), &second, 2).await);
    put(acme(), &second, 1).await.unwrap();

    let stored = store.drop_ship_order(&acme(), "DS-1").await.unwrap().unwrap();
    assert_eq!((stored.version, stored.value), (2, second.clone()));
    assert!(store.drop_ship_order(&other(), "DS-1").await.unwrap().is_none());
    put(other(), &first, 0).await.unwrap();
    let owners = store.merchants_of_drop_ship_order("DS-1").await.unwrap();
    assert_eq!(owners, [acme(), other()]);
}
