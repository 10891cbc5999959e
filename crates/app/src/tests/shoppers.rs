//! The exchange order of a gift's recipient, whose message is about the buyer's order.

use bytes::Bytes;
use domain::{
    identifier::MerchantId, messages::kind::MessageKind, orders::erasure::is_erased_exchange_order,
    samples,
};
use store::Transaction;

use super::{Fixture, started_return};
use crate::{
    messages::outbox::{self, About},
    orders::shopper_data::{ShopperQuery, export_shopper},
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
