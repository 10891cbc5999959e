//! What is found and erased of a shopper: the exchange order of a gift's recipient, whose message
//! is about the buyer's order, units of returns, and data that is older than its keys.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::kind::MessageKind,
    orders::{erasure::is_erased_exchange_order, order::OrderStatus},
    returns::{
        condition::Condition,
        identifier::RmaId,
        rma::{NewRma, WrongItem},
    },
    samples,
    warehouse::unit::{UnitChange, UnitRecord},
};
use serde_json::{Value, json};
use store::{OrderRow, ShopperKeyKind, ShopperReference, Transaction, UnitRow};

use super::{Fixture, scope_of, started_return, test_operator};
use crate::{
    core::audit_trail::record_change,
    messages::outbox::{self, About},
    orders::{
        shopper_data::{ShopperQuery, export_shopper},
        shopper_keys::{add_keys, shopper_hash},
    },
    warehouse::unit_changes::change_unit_state,
};

const BUYER: &str = "dana.whitfield@example.com";
const RECIPIENT: &str = "robin.ames@example.com";

fn acme() -> MerchantId {
    MerchantId::parse("acme").unwrap()
}

/// An order whose units a recipient returned for an exchange, and the number of the message with
/// the exchange order.
async fn exchanged_gift() -> (Fixture, i64) {
    let fixture = Fixture::new().await;
    fixture.publish(None, samples::order_message()).await.unwrap();
    fixture.store_return(&started_return(samples::rma_opening())).await;
    let order = samples::exchange_order();
    let about = About {
        kind: MessageKind::ExchangeOrder,
        reference: &order.original_order_id,
        sequence: 1,
    };
    let body = Bytes::from(serde_json::to_vec(&order).unwrap());
    let mut transaction = Transaction::new("testing");
    transaction.enqueue(outbox::message(&fixture.app, &acme(), &about, body));
    let message = fixture.app.store.commit(transaction).await.unwrap()[0].message_id;
    (fixture, message)
}

#[tokio::test]
async fn the_recipient_of_a_gift_exports_its_exchange_order_and_the_buyer_does_not() {
    let (fixture, _) = exchanged_gift().await;
    for (email, orders, expected) in [(BUYER, 1, 0), (RECIPIENT, 0, 1)] {
        let query = ShopperQuery { email: email.to_owned(), merchant: None, after: None };
        let export = export_shopper(&fixture.app, &query).await.unwrap();
        assert_eq!(export.orders.len(), orders, "{email}");
        let messages = export.messages.iter();
        let exchanges = messages.filter(|it| it.kind == MessageKind::ExchangeOrder).count();
        assert_eq!(exchanges, expected, "{email}");
    }
}

#[tokio::test]
async fn the_exchange_order_of_a_gift_is_erased_with_its_recipient() {
    let (fixture, message) = exchanged_gift().await;

    let erasure = fixture.erase(RECIPIENT).await;

    assert!(erasure.orders.is_empty(), "the order is the buyer's");
    let (_, body) = fixture.app.store.message(&acme(), message).await.unwrap().unwrap();
    assert!(is_erased_exchange_order(&body));
    assert!(erasure.messages.iter().any(|it| it.kind == MessageKind::ExchangeOrder));
}

#[tokio::test]
async fn the_recipient_of_a_gift_exports_the_return_without_the_address_of_the_buyer() {
    let (fixture, _) = exchanged_gift().await;
    let query = ShopperQuery { email: RECIPIENT.to_owned(), merchant: None, after: None };

    let export = export_shopper(&fixture.app, &query).await.unwrap();

    let rma = &export.returns[0].data;
    assert_eq!((&rma["giftee_email"], &rma["email"]), (&json!(RECIPIENT), &Value::Null));
}

#[tokio::test]
async fn orders_at_other_merchants_do_not_hide_those_of_the_one_that_is_named() {
    let fixture = Fixture::new().await;
    fixture.publish(None, samples::order_message()).await.unwrap();
    let row = |number: usize| OrderRow {
        order_id: format!("ORD-{number}"),
        replaces: 0,
        updated_us: 1,
        status: OrderStatus::Shipped,
        shopper_hash: shopper_hash(BUYER),
        secondary_id: String::new(),
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from_static(b"{}"),
    };
    let mut transaction = Transaction::new("testing");
    let other = MerchantId::parse("aaa").unwrap();
    transaction.put_orders(&other, (0..100).map(row).collect(), 1);
    fixture.app.store.commit(transaction).await.unwrap();

    let merchant = Some(acme());
    let query = ShopperQuery { email: BUYER.to_owned(), merchant, after: None };
    let export = export_shopper(&fixture.app, &query).await.unwrap();

    assert_eq!((export.orders.len(), export.next), (1, None));
}

#[tokio::test]
async fn nothing_that_people_wrote_about_a_unit_of_an_erased_return_is_in_any_file() {
    const WRITTEN: &str = "Dana wore it in the mud";
    let fixture = Fixture::new().await;
    fixture.publish(None, samples::order_message()).await.unwrap();
    let mut rma = started_return(samples::rma_opening());
    rma.wrong_items.push(WrongItem {
        receipt_identifier: "LP-1".to_owned(),
        code: "MUG-CLAY".to_owned(),
        reject_reason: WRITTEN.to_owned(),
    });
    fixture.store_return(&rma).await;
    let (merchant, operator) = (acme(), test_operator());
    let scope = scope_of(&fixture.app, &operator).for_merchant(&merchant);
    let unit = UnitRecord { unit_identifier: "LP-1".to_owned(), ..samples::received_unit() };
    let mut transaction = Transaction::new("testing");
    transaction.put_units(&merchant, vec![UnitRow { replaces: 0, unit }]);
    let answer = json!({ "action": "reject", "reason": WRITTEN });
    let detail = json!({ "unit": "LP-1", "asn": "ASN-1", "answer": answer });
    record_change(scope, &mut transaction, "unit.answer", &detail);
    fixture.app.store.commit(transaction).await.unwrap();
    for condition in [Condition::C, Condition::X] {
        let change = UnitChange {
            condition: Some(condition),
            channel: None,
            location_identifier: None,
            reason: Some(WRITTEN.to_owned()),
            user_login: Some("mkowalski".to_owned()),
        };
        change_unit_state(scope, "LP-1", &change).await.unwrap();
    }
    let steps = story_of(&fixture, "LP-1").await;

    fixture.erase(BUYER).await;

    let erased = |it: &String| it.replace(WRITTEN, "erased").replace("stained", "erased");
    let steps: Vec<String> = steps.iter().map(erased).collect();
    assert_eq!(story_of(&fixture, "LP-1").await, steps);
    for file in std::fs::read_dir(fixture.directory.path()).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let is_written = bytes.windows(WRITTEN.len()).any(|it| it == WRITTEN.as_bytes());
        assert!(!is_written, "{}", path.display());
    }
}

/// What happened to a unit, as it is stored.
async fn story_of(fixture: &Fixture, unit: &str) -> Vec<String> {
    let units = fixture.app.store.units(&acme(), [unit].into_iter()).await.unwrap();
    units[0].value.story.iter().map(|step| json!(step).to_string()).collect()
}

#[tokio::test]
async fn older_data_that_is_unreadable_does_not_keep_other_data_from_getting_its_key() {
    let fixture = Fixture::new().await;
    let store = &fixture.app.store;
    let mut older = Vec::new();
    for id in ["RMA-0000-0000-0000", "RMA-7K3Q-9XWD-2M4T"] {
        let rma_identifier = RmaId::parse(id).unwrap();
        let opening = NewRma { rma_identifier, ..samples::rma_opening() };
        let rma = started_return(opening);
        fixture.store_return(&rma).await;
        let mut transaction = Transaction::new("testing");
        for email in [BUYER, RECIPIENT] {
            let hash = shopper_hash(email);
            transaction.delete_shopper_key(&acme(), hash, ShopperKeyKind::Return, id);
        }
        if older.is_empty() {
            let body = "not JSON".to_owned();
            transaction.erase_return(&acme(), &rma.rma_identifier, 1, body);
        }
        store.commit(transaction).await.unwrap();
        let (merchant, kind) = (acme(), ShopperKeyKind::Return);
        older.push(ShopperReference { merchant, kind, reference: id.to_owned() });
    }

    add_keys(&fixture.app, &older).await.unwrap();

    let found = store.shopper_references(None, shopper_hash(BUYER), 9).await.unwrap();
    assert_eq!(found, older[1..]);
}
