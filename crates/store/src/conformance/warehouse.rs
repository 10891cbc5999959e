//! Units, shipments and drop-ship orders.

use domain::{
    identifier::MerchantId,
    warehouse::{
        asn_number::AsnNumber,
        drop_ship::DropShipOrder,
        shipment::Shipment,
        unit::{ExceptionKind, ReceivingQuestion, UnitEvent, UnitRecord, apply},
    },
};
use jiff::Timestamp;

use super::{Subject, acme, on_both_engines, other};
use crate::{
    Cursor, DoubtfulUnit, ShipmentRow, Store, StoreError, Transaction, UnitRow, UnitSteps,
    core::body::to_json,
};

on_both_engines!(
    units_read_back_and_are_replaced_only_at_their_versions,
    a_stale_unit_undoes_all_others,
    what_happened_to_units_is_read_with_them,
    a_thousand_units_are_one_batch,
    units_in_doubt_are_listed_by_age_and_page_by_page,
    a_unit_that_was_never_matched_is_no_merchants,
    a_shipment_reads_back_and_is_replaced_only_at_its_version,
    every_number_belongs_to_one_shipment,
    a_drop_ship_order_reads_back_and_is_replaced_only_at_its_version,
    rivals_for_one_unit_have_one_winner,
);

fn number(text: &str) -> AsnNumber {
    AsnNumber::parse(text).unwrap()
}

fn unit(plate: &str) -> UnitRecord {
    UnitRecord { unit_identifier: plate.to_owned(), ..domain::samples::received_unit() }
}

/// A unit of which nothing is known but that it was scanned in this second.
fn doubtful(plate: &str, second: i64) -> UnitRecord {
    let raised_at = Timestamp::from_second(second).unwrap();
    let asked = UnitEvent::Questioned(Box::new(ReceivingQuestion {
        asn_number: "A-1".to_owned(),
        kind: ExceptionKind::UnknownAsn,
        raised_at,
        scanned: domain::samples::asn_receipt(),
        candidates: Vec::new(),
        answer: None,
    }));
    apply(&UnitRecord::new(plate), &asked, raised_at).unwrap().unit
}

fn shipment(text: &str) -> Shipment {
    Shipment { asn_number: number(text), ..domain::samples::outbound_shipment() }
}

fn order(identifier: &str) -> DropShipOrder {
    DropShipOrder { client_identifier: identifier.to_owned(), ..domain::samples::drop_ship_order() }
}

fn shipment_row(shipment: &Shipment) -> ShipmentRow<'_> {
    ShipmentRow { asn_number: &shipment.asn_number, body: to_json(shipment).into() }
}

async fn commit(store: &Store, fill: impl FnOnce(&mut Transaction)) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("testing the warehouse");
    fill(&mut transaction);
    store.commit(transaction).await.map(drop)
}

async fn put(
    store: &Store,
    merchant: &MerchantId,
    units: Vec<(UnitRecord, i64)>,
) -> Result<(), StoreError> {
    let rows = units.into_iter().map(|(unit, replaces)| UnitRow { replaces, unit }).collect();
    commit(store, |transaction| transaction.put_units(merchant, rows)).await
}

async fn versions(store: &Store, merchant: &MerchantId, plates: &[&str]) -> Vec<(String, i64)> {
    let found = store.units(merchant, plates.iter().copied()).await.unwrap();
    let mut found: Vec<_> =
        found.into_iter().map(|it| (it.value.unit_identifier, it.version)).collect();
    found.sort();
    found
}

fn at(plate: &str, version: i64) -> (String, i64) {
    (plate.to_owned(), version)
}

fn assert_conflict(result: &Result<(), StoreError>) {
    assert!(matches!(result, Err(StoreError::Conflict)), "{result:?}");
}

async fn units_read_back_and_are_replaced_only_at_their_versions(Subject { store, .. }: Subject) {
    put(&store, &acme(), vec![(unit("LP-1"), 0)]).await.unwrap();
    assert_conflict(&put(&store, &acme(), vec![(doubtful("LP-1", 1), 0)]).await);
    assert_conflict(&put(&store, &acme(), vec![(doubtful("LP-1", 1), 2)]).await);

    let held = store.units(&acme(), ["LP-1", "LP-2"].into_iter()).await.unwrap();

    assert_eq!(held.len(), 1);
    assert_eq!((held[0].version, &held[0].value), (1, &unit("LP-1")));
    put(&store, &acme(), vec![(doubtful("LP-1", 1), 1)]).await.unwrap();
    let held = store.units(&acme(), ["LP-1"].into_iter()).await.unwrap();
    assert_eq!((held[0].version, &held[0].value), (2, &doubtful("LP-1", 1)));
    assert!(store.units(&other(), ["LP-1"].into_iter()).await.unwrap().is_empty());
    assert_eq!(store.merchants_of_unit("LP-1").await.unwrap(), [acme()]);
}

async fn a_stale_unit_undoes_all_others(Subject { store, .. }: Subject) {
    put(&store, &acme(), vec![(unit("LP-1"), 0), (unit("LP-2"), 0)]).await.unwrap();

    let units = vec![(unit("LP-1"), 1), (unit("LP-2"), 9), (unit("LP-3"), 0)];
    assert_conflict(&put(&store, &acme(), units).await);

    let all = versions(&store, &acme(), &["LP-1", "LP-2", "LP-3"]).await;
    assert_eq!(all, [at("LP-1", 1), at("LP-2", 1)]);
}

async fn what_happened_to_units_is_read_with_them(Subject { store, .. }: Subject) {
    put(&store, &acme(), vec![(unit("LP-1"), 0), (unit("LP-2"), 0)]).await.unwrap();
    let event = UnitEvent::Packed { asn_number: number("OUT-1") };
    let packed = |plate: &str| apply(&unit(plate), &event, Timestamp::MAX).unwrap().unit;
    let step = async |plate: &str, before: &UnitRecord, after: &UnitRecord, version: i64| {
        let row = UnitSteps { unit_id: plate, replaces: version, steps: after.since(before) };
        commit(&store, |it| it.put_unit_steps(&acme(), &[row])).await
    };

    assert_conflict(&step("LP-1", &unit("LP-1"), &packed("LP-1"), 2).await);
    step("LP-1", &unit("LP-1"), &packed("LP-1"), 1).await.unwrap();
    let event = UnitEvent::Shipped { asn_number: number("OUT-1") };
    let gone = apply(&packed("LP-1"), &event, Timestamp::MAX).unwrap().unit;
    step("LP-1", &packed("LP-1"), &gone, 2).await.unwrap();

    let mut held = store.units(&acme(), ["LP-2", "LP-1"].into_iter()).await.unwrap();
    held.sort_by_key(|it| it.version);
    assert_eq!((held[0].version, &held[0].value), (1, &unit("LP-2")));
    assert_eq!((held[1].version, &held[1].value), (3, &gone));
    put(&store, &acme(), vec![(doubtful("LP-1", 1), 3)]).await.unwrap();
    let held = store.units(&acme(), ["LP-1"].into_iter()).await.unwrap();
    assert_eq!((held[0].version, &held[0].value), (4, &doubtful("LP-1", 1)), "as it was put");
}

async fn a_thousand_units_are_one_batch(Subject { store, .. }: Subject) {
    let plates: Vec<String> = (0..1000).map(|place| format!("LP-{place:04}")).collect();
    let all = |version: i64| plates.iter().map(|plate| (unit(plate), version)).collect();
    put(&store, &acme(), all(0)).await.unwrap();
    put(&store, &acme(), all(1)).await.unwrap();

    let plates: Vec<&str> = plates.iter().map(String::as_str).collect();
    let held = versions(&store, &acme(), &plates).await;

    assert_eq!(held.len(), 1000);
    assert!(held.iter().all(|(_, version)| *version == 2));
}

async fn units_in_doubt_are_listed_by_age_and_page_by_page(Subject { store, .. }: Subject) {
    let ours = vec![(doubtful("LP-2", 2), 0), (unit("LP-0"), 0), (doubtful("LP-1", 2), 0)];
    put(&store, &acme(), ours).await.unwrap();
    put(&store, &other(), vec![(doubtful("LP-9", 1), 0)]).await.unwrap();
    let page = async |after: &Cursor, limit: usize| -> Vec<Cursor> {
        let found = store.units_in_doubt(after, limit).await.unwrap();
        found.iter().map(DoubtfulUnit::cursor).collect()
    };
    let row = |second: i64, merchant: &str, plate: &str| {
        let (merchant, id) = (merchant.to_owned(), plate.to_owned());
        Cursor { at_us: second * 1_000_000, merchant, id }
    };
    let all = [row(1, "other", "LP-9"), row(2, "acme", "LP-1"), row(2, "acme", "LP-2")];

    assert_eq!(page(&Cursor::oldest(), 9).await, all);
    assert_eq!(page(&Cursor::oldest(), 2).await, all[..2]);
    assert_eq!(page(&all[1], 2).await, all[2..]);
    put(&store, &other(), vec![(unit("LP-9"), 1)]).await.unwrap();
    assert_eq!(page(&Cursor::oldest(), 9).await, all[1..], "it was decided");
}

async fn a_unit_that_was_never_matched_is_no_merchants(Subject { store, .. }: Subject) {
    put(&store, &MerchantId::platform(), vec![(doubtful("LP-1", 1), 0)]).await.unwrap();
    assert_eq!(store.merchants_of_unit("LP-1").await.unwrap(), []);

    put(&store, &acme(), vec![(unit("LP-1"), 0)]).await.unwrap();

    assert_eq!(store.merchants_of_unit("LP-1").await.unwrap(), [acme()]);
}

async fn a_shipment_reads_back_and_is_replaced_only_at_its_version(Subject { store, .. }: Subject) {
    let first = shipment("OUT-1");
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

    let held = store.shipment(&acme(), "OUT-1").await.unwrap().unwrap();
    assert_eq!((held.version, held.value), (2, second.clone()));
    assert!(store.shipment(&other(), "OUT-1").await.unwrap().is_none());
    insert(other()).await.unwrap();
    assert_eq!(store.merchants_of_shipment("OUT-1").await.unwrap(), [acme(), other()]);
}

async fn every_number_belongs_to_one_shipment(Subject { store, .. }: Subject) {
    let insert = async |text: &str, numbers: &[&str]| {
        let shipment = shipment(text);
        commit(&store, |it| {
            it.insert_shipment(&acme(), shipment_row(&shipment), numbers.iter().copied())
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

    let held = store.drop_ship_order(&acme(), "DS-1").await.unwrap().unwrap();
    assert_eq!((held.version, held.value), (2, second.clone()));
    assert!(store.drop_ship_order(&other(), "DS-1").await.unwrap().is_none());
    put(other(), &first, 0).await.unwrap();
    let owners = store.merchants_of_drop_ship_order("DS-1").await.unwrap();
    assert_eq!(owners, [acme(), other()]);
}

async fn rivals_for_one_unit_have_one_winner(Subject { store, .. }: Subject) {
    put(&store, &acme(), vec![(unit("LP-1"), 0)]).await.unwrap();
    let mut rivals = tokio::task::JoinSet::new();
    for rival in 0..16 {
        let store = store.clone();
        let units = vec![(unit("LP-1"), 1), (unit(&format!("own-{rival}")), 0)];
        rivals.spawn(async move { put(&store, &acme(), units).await });
    }

    let outcomes = rivals.join_all().await;

    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    let own: Vec<String> = (0..16).map(|rival| format!("own-{rival}")).collect();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    assert_eq!(versions(&store, &acme(), &own).await.len(), 1, "a loser's others are undone too");
}
