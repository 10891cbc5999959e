//! Rules that propose channels, counts of what became of goods, and keys of awaited returns.

use std::collections::BTreeSet;

use domain::{
    identifier::MerchantId,
    returns::{
        receipt::Condition,
        rma::{ReceivingStatus, Rma, UnitReceipt},
    },
    time::micros,
    warehouse::disposition::{DispositionRule, DispositionTable},
};
use jiff::Timestamp;

use crate::{
    DisposedGoods, StoredDisposition,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    rules_are_listed_and_replaced_at_the_version_read,
    what_became_of_units_is_counted_and_corrected,
    a_return_is_found_by_its_keys_while_it_awaits_units,
);

fn table(channel: &str) -> DispositionTable {
    let rule = DispositionRule { channel: channel.to_owned(), ..DispositionRule::default() };
    DispositionTable { rules: vec![rule] }
}

async fn rules_are_listed_and_replaced_at_the_version_read(Subject { store, .. }: Subject) {
    commit(&store, |it| it.put_disposition(&acme(), "31", &table("OUTLET"), 0)).await.unwrap();
    commit(&store, |it| it.put_disposition(&acme(), "", &table("RTS"), 0)).await.unwrap();
    assert_conflict(&commit(&store, |it| it.put_disposition(&acme(), "", &table("X"), 0)).await);
    commit(&store, |it| it.put_disposition(&acme(), "", &table("VAULT"), 1)).await.unwrap();
    let stored = |warehouse: &str, channel| StoredDisposition {
        warehouse: warehouse.to_owned(),
        table: table(channel),
    };
    let all = store.dispositions(&acme()).await.unwrap();
    assert_eq!(all, [stored("", "VAULT"), stored("31", "OUTLET")]);
    assert_eq!(store.dispositions(&other()).await.unwrap(), []);
    assert_eq!(store.disposition(&acme(), "").await.unwrap().unwrap().version, 2);
    assert_conflict(&commit(&store, |it| it.delete_disposition(&acme(), "31", 2)).await);
    commit(&store, |it| it.delete_disposition(&acme(), "31", 1)).await.unwrap();
    assert!(store.disposition(&acme(), "31").await.unwrap().is_none());
}

/// The sample's return with its first unit received like this.
fn received(channel: &str, weight: Option<i64>, reject_reason: Option<&str>) -> Rma {
    let mut rma = pending();
    let unit = &mut rma.units[0];
    unit.goods.weight_thousandths = weight;
    unit.receipt = Some(UnitReceipt {
        receipt_identifier: "LP-1".to_owned(),
        condition: Condition::B,
        reject_reason: reject_reason.map(str::to_owned),
        channel: Some(channel.to_owned()),
        received_at: at(),
    });
    rma
}

fn pending() -> Rma {
    let mut rma = domain::samples::rma();
    for unit in &mut rma.units {
        (unit.receiving, unit.receipt) = (Some(ReceivingStatus::Pending), None);
    }
    rma
}

fn at() -> Timestamp {
    "2026-03-04T10:12:00Z".parse().unwrap()
}

async fn what_became_of_units_is_counted_and_corrected(Subject { store, .. }: Subject) {
    let count = async |merchant: &MerchantId, before: &Rma, after: &Rma| {
        commit(&store, |it| it.count_dispositions(merchant, before, after)).await.unwrap();
    };
    let (outlet, stock) = (received("OUTLET", Some(250), None), received("RTS", None, None));
    count(&acme(), &pending(), &outlet).await;
    count(&acme(), &pending(), &outlet).await;
    count(&acme(), &outlet, &stock).await;
    count(&other(), &pending(), &received("RTS", None, Some("stained"))).await;
    let row = |channel: &str, outcome: &str, weight: i64| DisposedGoods {
        channel: channel.to_owned(),
        condition: "B".to_owned(),
        outcome: outcome.to_owned(),
        units: 1,
        weighed: i64::from(weight > 0),
        weight_thousandths: weight,
    };
    let (day, next) = (micros(at()), micros(at()) + 24 * 60 * 60 * 1_000_000);
    let goods = store.disposed_goods(&acme(), day, next).await.unwrap();
    assert_eq!(goods, [row("OUTLET", "received", 250), row("RTS", "received", 0)]);
    let goods = store.disposed_goods(&other(), day, next).await.unwrap();
    assert_eq!(goods, [row("RTS", "rejected", 0)]);
    assert_eq!(store.disposed_goods(&acme(), next, next + 1).await.unwrap(), []);
    count(&acme(), &outlet, &pending()).await;
    let goods = store.disposed_goods(&acme(), day, next).await.unwrap();
    assert_eq!(goods, [row("RTS", "received", 0)], "what is taken back is not counted");
}

async fn a_return_is_found_by_its_keys_while_it_awaits_units(Subject { store, .. }: Subject) {
    let id = pending().rma_identifier;
    let keys: BTreeSet<String> = ["article TEE", "order A"].map(str::to_owned).into();
    for merchant in [acme(), other()] {
        commit(&store, |it| it.put_receiving_keys(&merchant, &id, &keys)).await.unwrap();
        commit(&store, |it| it.put_receiving_keys(&merchant, &id, &keys)).await.unwrap();
    }
    let found = store.returns_by_receiving_key(None, "order A", 9).await.unwrap();
    assert_eq!(found, [(acme(), id.clone()), (other(), id.clone())]);
    assert_eq!(store.returns_by_receiving_key(None, "order A", 1).await.unwrap().len(), 1);
    let own = store.returns_by_receiving_key(Some(&acme()), "article TEE", 9).await.unwrap();
    assert_eq!(own, [(acme(), id.clone())]);
    commit(&store, |it| it.delete_receiving_keys(&acme(), &id)).await.unwrap();
    let found = store.returns_by_receiving_key(None, "order A", 9).await.unwrap();
    assert_eq!(found, [(other(), id)]);
}
