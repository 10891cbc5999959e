//! An exchange order with both kinds of item: another variant, and a gift card with its bonus.

use std::collections::BTreeMap;

use super::rma::{opening, tee};
use super::{document, order_message, time};
use crate::exchanges::order::{ExchangeOrder, ExchangeTerms, exchange_order as asked};
use crate::orders::order_message::{OrderReadContext, RefundCheck, read_message};
use crate::returns::Resolution;
use crate::returns::rma::{NewRma, Rma, RmaGoods};

/// What is asked of the merchant for both units of the first line of [`order_message`]: one becomes
/// another size, the other a gift card.
pub fn exchange_order() -> ExchangeOrder {
    let context = OrderReadContext {
        now: time("2026-02-20T10:15:00Z"),
        strict: false,
        refunds: RefundCheck::All,
    };
    let reading = read_message(&document(order_message()), &context);
    let orders = reading.map(|it| it.orders).unwrap_or_default();
    let order = orders.first().expect("the sample message has an order");
    let variants = BTreeMap::new();
    let terms = ExchangeTerms {
        gift_card_sku: "GIFT-CARD",
        fee_cents: 0,
        bonus_cents: 461,
        variants: &variants,
    };
    let exchanged = asked(&rma(), &order.order, &terms, 1);
    exchanged.expect("the sample return exchanges units").0
}

fn rma() -> Rma {
    let larger = RmaGoods {
        resolution: Resolution::Exchange,
        exchange_sku: Some("TEE-NAVY-L".to_owned()),
        exchange_price_cents: Some(4500),
        ..tee(1)
    };
    let card = RmaGoods { resolution: Resolution::GiftCard, ..tee(2) };
    let opening = NewRma { giftee_email: None, goods: vec![larger, card], ..opening() };
    Rma::open(opening, time("2026-02-20T10:15:00Z"))
}
