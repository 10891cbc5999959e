//! What merchants see of returns. The whole message is compared with its sample in
//! [`samples`](crate::samples); here is what depends on the return.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::returns::UnitAmounts;
use crate::returns::rma::{RmaEvent, apply};
use crate::samples;

fn written(rma: &Rma) -> Value {
    serde_json::to_value(RmaMessage::of(rma)).unwrap()
}

/// The second unit of the sample, after `edit`.
fn written_unit(edit: impl FnOnce(&mut RmaUnit)) -> Value {
    let mut rma = samples::rma();
    edit(&mut rma.units[1]);
    written(&rma)["items"][1].clone()
}

#[test]
fn what_is_not_known_yet_is_null() {
    let mut rma = samples::rma();
    for unit in &mut rma.units {
        unit.tracking_number = None;
        unit.tracking = None;
        unit.receiving = None;
        unit.receipt = None;
        unit.exchange = None;
        unit.goods.upc = None;
    }
    rma.concept = None;

    let message = written(&rma);

    let item = message["items"][1].as_object().unwrap();
    for key in [
        "exchange_order_identifier",
        "original_order_identifier",
        "tracking_number",
        "package_tracking_status",
        "receiving_status",
        "upc",
        "warehouse_receipt_condition",
    ] {
        assert_eq!(item.get(key), Some(&Value::Null), "{key}");
    }
    assert_eq!(message.get("concept"), Some(&Value::Null));
}

#[test]
fn the_e_mail_address_for_a_gift_card_is_present_only_for_a_gift() {
    let mut rma = samples::rma();
    assert_eq!(written(&rma)["gift_refund_only"], true);

    rma.giftee_email = None;

    let message = written(&rma);
    assert_eq!(message["gift_refund_only"], false);
    assert_eq!(message.get("giftee_email"), None);
}

#[test]
fn a_unit_of_an_exchange_order_names_the_original_order() {
    let item = written_unit(|unit| {
        unit.goods.original_order_identifier = Some("ORD-1".to_owned());
    });

    assert_eq!(item["original_order_identifier"], "ORD-1");
}

#[test]
fn an_article_without_a_sku_has_its_upc() {
    assert_eq!(written_unit(|unit| unit.goods.sku = None)["sku"], "012345678905");
}

#[test]
fn the_party_that_pays_the_shopper_is_paid() {
    let judged = |resolution: Resolution, exchange_price_cents: Option<i64>| {
        let item = written_unit(|unit| {
            unit.goods.resolution = resolution;
            unit.goods.exchange_price_cents = exchange_price_cents;
        });
        let financials = &item["refund_financials"];
        assert_eq!(financials["estimated_refund_amount_cents"], 4610);
        json!([
            item["refund_type"],
            item["is_exchange"],
            financials["service_refund_amount_cents"],
            financials["shopper_refund_amount_cents"],
        ])
    };

    assert_eq!(judged(Resolution::Refund, None), json!(["REFUND", false, 0, 4610]));
    assert_eq!(judged(Resolution::Exchange, None), json!(["EVEN_EXCHANGE", true, 4610, 0]));
    assert_eq!(judged(Resolution::Exchange, Some(4500)), json!(["EVEN_EXCHANGE", true, 4610, 0]));
    assert_eq!(judged(Resolution::Exchange, Some(4501)), json!(["UNEVEN_EXCHANGE", true, 4610, 0]));
    assert_eq!(judged(Resolution::GiftCard, None), json!(["UNEVEN_EXCHANGE", true, 4610, 0]));
}

#[test]
fn a_failed_exchange_is_a_refund() {
    let mut rma = samples::rma();
    rma.units[1].exchange = None;
    let event = RmaEvent::ExchangeFailed { order_identifier: "ORD-100472".to_owned() };

    let decision = apply(&rma, &event, rma.updated_at).unwrap();

    let item = &written(&decision.rma)["items"][1];
    assert_eq!((&item["refund_type"], &item["is_exchange"]), (&json!("REFUND"), &json!(false)));
    assert_eq!(item["refund_financials"]["shopper_refund_amount_cents"], 4610);
}

proptest! {
    #[test]
    fn amounts_add_up_whatever_they_are(
        price_cents in any::<i64>(),
        discount_cents in any::<i64>(),
        tax_cents in any::<i64>(),
        resolution in prop::sample::select(&Resolution::ALL[..]),
    ) {
        let mut rma = samples::rma();
        rma.units[0].goods.amounts = UnitAmounts { price_cents, discount_cents, tax_cents };
        rma.units[0].goods.resolution = resolution;

        let financials = RmaMessage::of(&rma).items[0].refund_financials;

        let parts =
            [financials.service_refund_amount_cents, financials.shopper_refund_amount_cents];
        prop_assert_eq!(parts.iter().sum::<i64>(), financials.estimated_refund_amount_cents);
        prop_assert!(parts.contains(&0));
    }
}
