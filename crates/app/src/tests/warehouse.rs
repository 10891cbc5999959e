//! Keys of requests, which belong to one client and end after a day, and units that are scanned
//! while their ASN is announced.

use domain::{
    identifier::{ClientId, MerchantId},
    json,
    returns::{
        receipt::{Receipt, read_receipts},
        rma::{NewRma, ReceivingStatus},
    },
    samples,
    warehouse::{asn::read_asn, drop_ship::read_cancellation},
};

use super::{Fixture, HOUR_US, scope_of, started_return, test_operator};
use crate::{
    core::scope::{IdempotencyKey, RequestScope},
    returns::{carrier_events::EventOutcome, origin::Origin},
    warehouse::{
        asn_receipts::{NamedReceipt, ScanResult, line_filter, load_scan_context, receive_scan},
        asns::announce_asn,
        corrections::{ReceivedUnitKey, correct_receipt},
        drop_ship::{act_on_drop_ship_order, place_drop_ship_order, read_drop_ship_order},
        receipts::{name_batch, record_receipts},
    },
};

const ASN: &str = r#"{ "program_identifier": "returns-west", "asn_number": "ASN-1",
    "status": "shipped", "details_type": "sku", "from": { "identifier": 12, "type": "store" },
    "to": { "identifier": "EAST", "type": "warehouse" },
    "cartons": [{ "details": [{ "line_identifier": "1", "sku": "A", "quantity": 9 }] }] }"#;

const RECEIPTS: &str = r#"{ "receipts": [{ "asn_number": "ASN-1", "sku": "A", "condition": "N",
    "channel": "RTS", "user_login": "mkowalski" }] }"#;

/// The same for a carton with a return.
const ASN_OF_RETURN: &str = r#"{ "program_identifier": "returns-west", "asn_number": "ASN-1",
    "status": "shipped", "details_type": "sku", "from": { "identifier": 12, "type": "store" },
    "to": { "identifier": "EAST", "type": "warehouse" },
    "cartons": [{ "identifier": "C-1",
        "reference": { "type": "RMA", "identifier": "RMA-7K3Q-9XWD-2M4T" },
        "details": [{ "line_identifier": "1", "sku": "TEE-NAVY-M", "quantity": 2 }] }] }"#;

fn key() -> IdempotencyKey {
    IdempotencyKey { key: "1".to_owned(), request_hash: bytes::Bytes::from_static(b"hash") }
}

fn clients() -> [ClientId; 2] {
    ["dock", "gate"].map(|name| ClientId::new(&MerchantId::platform(), name))
}

fn receipts() -> Vec<Receipt> {
    read_receipts(&json::parse(RECEIPTS.as_bytes()).unwrap()).unwrap()
}

fn scope_with_key<'a>(
    fixture: &'a Fixture,
    client: &'a ClientId,
    key: &'a IdempotencyKey,
) -> RequestScope<'a> {
    RequestScope { idempotency: Some(key), ..scope_of(&fixture.app, client) }
}

#[tokio::test]
async fn units_without_a_license_plate_count_once_for_each_request() {
    let fixture = Fixture::new().await;
    let (acme, operator, key) = (MerchantId::parse("acme").unwrap(), test_operator(), key());
    let asn = read_asn(&json::parse(ASN.as_bytes()).unwrap()).unwrap();
    announce_asn(scope_of(&fixture.app, &operator).for_merchant(&acme), asn).await.unwrap();
    let received = || async {
        let filter = store::AsnLineFilter { line: "1", ..store::AsnLineFilter::default() };
        let found = fixture.app.store.asns(&acme, "ASN-1", &filter).await.unwrap();
        let line = found[0].value.asn.line("1").unwrap();
        9 - found[0].value.awaited(line.detail)
    };

    for client in &clients() {
        for _ in 0..2 {
            let scope = scope_with_key(&fixture, client, &key);
            let answer = record_receipts(scope, &receipts()).await.unwrap();
            assert_eq!(answer.results[0].result, EventOutcome::Applied);
        }
    }
    assert_eq!(received().await, 2, "a key belongs to its client");

    fixture.pass(25 * HOUR_US);
    let dock = &clients()[0];
    record_receipts(scope_with_key(&fixture, dock, &key), &receipts()).await.unwrap();
    assert_eq!(received().await, 3, "a key ends after a day");
}

#[tokio::test]
async fn a_request_whose_answer_was_not_stored_finds_the_names_of_its_units() {
    let fixture = Fixture::new().await;
    let ([dock, gate], key, receipts) = (clients(), key(), receipts());
    let name = |client| name_batch(scope_with_key(&fixture, client, &key), &receipts);

    let first = name(&dock).await.unwrap();

    assert_eq!(name(&dock).await.unwrap(), first);
    assert_ne!(name(&gate).await.unwrap(), first);
    fixture.pass(25 * HOUR_US);
    assert_ne!(name(&dock).await.unwrap(), first);
}

#[tokio::test]
async fn two_clients_cancel_with_the_same_key() {
    let fixture = Fixture::new().await;
    let (acme, operator, key) = (MerchantId::parse("acme").unwrap(), test_operator(), key());
    let document = samples::drop_ship_order_request();
    let document = json::parse(document.as_bytes()).unwrap();
    let order = read_drop_ship_order(&fixture.app, &document).unwrap();
    let scope = scope_of(&fixture.app, &operator).for_merchant(&acme);
    place_drop_ship_order(scope, &order).await.unwrap();
    let item = &order.order_items[0];
    assert!(item.quantity >= 2, "each client cancels one unit");
    let body = format!(
        r#"{{ "reason": "damaged",
            "items": [{{ "client_identifier": "{}", "quantity": 1 }}] }}"#,
        item.client_identifier
    );
    let action = read_cancellation(&json::parse(body.as_bytes()).unwrap()).unwrap();

    for (client, expected) in clients().iter().zip([1, 2]) {
        for _ in 0..2 {
            let scope = scope_with_key(&fixture, client, &key);
            let id = &order.client_identifier;
            let after = act_on_drop_ship_order(scope, id, &action).await.unwrap();
            assert_eq!(after.cancellations.len(), expected);
        }
    }
}

#[tokio::test]
async fn a_unit_whose_asn_is_announced_during_its_scan_is_received_for_its_return() {
    let fixture = Fixture::new().await;
    let (app, acme, operator) = (&fixture.app, MerchantId::parse("acme").unwrap(), test_operator());
    let goods = samples::rma_opening().goods.into_iter().take(1).collect();
    let rma = started_return(NewRma { goods, ..samples::rma_opening() });
    fixture.store_return(&rma).await;
    let receipts = RECEIPTS.replace(r#""sku": "A""#, r#""sku": "TEE-NAVY-M""#);
    let receipts = read_receipts(&json::parse(receipts.as_bytes()).unwrap()).unwrap();
    let named = NamedReceipt { name: "LP-1".to_owned(), receipt: &receipts[0] };
    let filter = line_filter(named.receipt, false);

    let without_asn = load_scan_context(app, &acme, &named, &filter).await.unwrap();
    let asn = read_asn(&json::parse(ASN_OF_RETURN.as_bytes()).unwrap()).unwrap();
    announce_asn(scope_of(app, &operator).for_merchant(&acme), asn).await.unwrap();
    let origin = Origin::simulated_carrier();
    let result = receive_scan(app, &acme, &named, &origin, without_asn).await.unwrap();

    assert!(matches!(result, ScanResult::Received));
    let received = fixture.load_return(&rma).await;
    assert_eq!(received.units[0].receiving, Some(ReceivingStatus::Received));
}

#[tokio::test]
async fn a_unit_that_is_taken_back_at_its_return_leaves_its_asn_and_counts_on_both_again() {
    let fixture = Fixture::new().await;
    let (app, acme, operator) = (&fixture.app, MerchantId::parse("acme").unwrap(), test_operator());
    let goods = samples::rma_opening().goods.into_iter().take(1).collect();
    let rma = started_return(NewRma { goods, ..samples::rma_opening() });
    fixture.store_return(&rma).await;
    let asn = read_asn(&json::parse(ASN_OF_RETURN.as_bytes()).unwrap()).unwrap();
    let scope = scope_of(app, &operator).for_merchant(&acme);
    announce_asn(scope, asn).await.unwrap();
    let of_asn =
        RECEIPTS.replace(r#""sku": "A""#, r#""sku": "TEE-NAVY-M", "unit_identifier": "LP""#);
    let of_return =
        of_asn.replace(r#""asn_number": "ASN-1""#, r#""rma_identifier": "7K3Q9XWD2M4T""#);
    let report = async |text: &str| {
        let receipts = read_receipts(&json::parse(text.as_bytes()).unwrap()).unwrap();
        let mut reported = record_receipts(scope, &receipts).await.unwrap();
        reported.results.remove(0).result
    };
    let counted = async || {
        let filter = store::AsnLineFilter { line: "1", ..store::AsnLineFilter::default() };
        let asn = app.store.asns(&acme, "ASN-1", &filter).await.unwrap().remove(0).value;
        (fixture.load_return(&rma).await.units[0].receiving, asn.here)
    };

    assert_eq!(report(&of_asn).await, EventOutcome::Applied);
    assert_eq!(counted().await, (Some(ReceivingStatus::Received), 1));
    let parcel = rma.rma_identifier.as_str();
    let key = ReceivedUnitKey { merchant: &acme, is_return: true, parcel, unit: "LP" };
    assert!(correct_receipt(scope, key, None, "mkowalski").await.unwrap().changed);
    assert_eq!(counted().await, (Some(ReceivingStatus::Pending), 0));

    assert_eq!(report(&of_return).await, EventOutcome::Applied);
    assert_eq!(counted().await, (Some(ReceivingStatus::Received), 0));
    assert_eq!(report(&of_asn).await, EventOutcome::Applied);
    assert_eq!(report(&of_return).await, EventOutcome::Unchanged);
    assert_eq!(counted().await, (Some(ReceivingStatus::Received), 1));
}
