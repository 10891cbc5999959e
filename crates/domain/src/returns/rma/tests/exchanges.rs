//! Exchange orders and gift cards.

use std::collections::BTreeMap;

use super::*;

/// A return with one unit each for a refund, an exchange, and a gift card.
fn mixed() -> Rma {
    let goods = vec![
        goods(ORDER, "1", Resolution::Refund),
        goods(ORDER, "2", Resolution::Exchange),
        goods(ORDER, "3", Resolution::GiftCard),
    ];
    open(ReturnMethod::MailBack, goods)
}

fn single(resolution: Resolution) -> Rma {
    open(ReturnMethod::MailBack, vec![goods(ORDER, "1", resolution)])
}

#[test]
fn a_placed_order_replaces_exchanges_and_gift_cards_together() {
    let rma = change(&mixed(), &placed("EX-1"));

    assert_eq!(rma.status, RmaStatus::Created);
    let orders: Vec<Option<&str>> = rma
        .units
        .iter()
        .map(|unit| unit.exchange.as_ref().map(|order| order.exchange_order_identifier.as_str()))
        .collect();
    assert_eq!(orders, [None, Some("EX-1"), Some("EX-1")]);
    assert_unchanged(&rma, &placed("EX-1"));
}

#[test]
fn a_mixed_return_is_closed_by_the_refund_and_the_fulfillment_in_any_order() {
    let rma = change(&mixed(), &placed("EX-1"));
    let refund = refunded("RF-1", &[("1", 1)]);

    let refund_last = change(&change(&rma, &fulfilled("EX-1")), &refund);
    let fulfillment_last = change(&change(&rma, &refund), &fulfilled("EX-1"));

    assert_eq!(refund_last.status, RmaStatus::Refunded);
    assert_eq!(refund_last, fulfillment_last);
    assert_unchanged(&refund_last, &fulfilled("EX-1"));
}

#[test]
fn a_gift_card_is_settled_when_its_order_is_placed() {
    let rma = change(&single(Resolution::GiftCard), &placed("EX-1"));

    assert_eq!(rma.status, RmaStatus::Refunded);
    assert_unchanged(&rma, &fulfilled("EX-1"));
}

#[test]
fn an_exchange_is_settled_when_its_order_is_fulfilled() {
    let rma = change(&single(Resolution::Exchange), &placed("EX-1"));
    assert_eq!(rma.status, RmaStatus::Created);

    let rma = change(&rma, &fulfilled("EX-1"));

    assert_eq!(rma.status, RmaStatus::Refunded);
}

#[test]
fn a_fulfillment_that_is_early_or_of_another_order_changes_nothing() {
    assert_unchanged(&mixed(), &fulfilled("EX-1"));
    assert_unchanged(&change(&mixed(), &placed("EX-1")), &fulfilled("EX-2"));
}

#[test]
fn an_exchange_that_cannot_be_placed_becomes_a_refund() {
    let rma = change(&mixed(), &failed());

    assert_eq!(rma.status, RmaStatus::Created);
    assert!(rma.units.iter().all(RmaUnit::awaits_refund));
    assert_unchanged(&rma, &failed());
    assert_eq!(refusal(&rma, &placed("EX-1")), RmaRefusal::NoExchange(ORDER.to_owned()));
    let rma = change(&rma, &refunded("RF-1", &[("1", 1), ("2", 1), ("3", 1)]));
    assert_eq!(rma.status, RmaStatus::Refunded);
}

#[test]
fn a_failure_after_the_order_was_placed_changes_nothing() {
    assert_unchanged(&change(&mixed(), &placed("EX-1")), &failed());
}

#[test]
fn a_second_order_for_the_same_goods_is_refused() {
    let rma = change(&mixed(), &placed("EX-1"));

    assert_eq!(refusal(&rma, &placed("EX-2")), RmaRefusal::ExchangePlaced("EX-1".to_owned()));
}

#[test]
fn an_exchange_order_that_the_merchant_cancels_becomes_a_refund() {
    let goods = vec![
        goods(ORDER, "1", Resolution::Exchange),
        goods(ORDER, "2", Resolution::GiftCard),
        goods(ORDER, "3", Resolution::Refund),
    ];
    let canceled =
        |order: &str| RmaEvent::ExchangeCanceled { exchange_order_identifier: order.to_owned() };
    let rma = change(&open(ReturnMethod::MailBack, goods), &placed("EX-1"));
    assert!(!apply(&rma, &canceled("EX-2"), time(60)).unwrap().changed);

    let after = change(&rma, &canceled("EX-1"));

    assert!(after.units[0].awaits_refund() && after.units[0].exchange.is_none());
    assert!(after.units[1].is_settled(), "an issued card remains issued");
    assert!(!apply(&after, &canceled("EX-1"), time(60)).unwrap().changed);
    let shipped = change(&rma, &fulfilled("EX-1"));
    assert!(!apply(&shipped, &canceled("EX-1"), time(60)).unwrap().changed);
}

#[test]
fn units_of_an_exchange_order_are_shipped_and_canceled_by_their_variants() {
    let of_variant = |line: &str, sku: &str| RmaGoods {
        exchange_sku: Some(sku.to_owned()),
        ..goods(ORDER, line, Resolution::Exchange)
    };
    let units = vec![of_variant("1", "S"), of_variant("1", "S"), of_variant("2", "L")];
    let rma = change(&open(ReturnMethod::MailBack, units), &placed("EX-1"));
    let by_sku = |sku: &str| BTreeMap::from([(sku.to_owned(), 1), ("OTHER".to_owned(), 3)]);
    let order = || "EX-1".to_owned();

    let event =
        RmaEvent::ExchangePartCanceled { exchange_order_identifier: order(), units: by_sku("S") };
    let some = change(&rma, &event);
    let awaiting: Vec<bool> = some.units.iter().map(RmaUnit::awaits_refund).collect();
    assert_eq!(awaiting, [true, false, false]);
    let rest = change(&some, &fulfilled("EX-1"));
    assert!(rest.units[1].is_settled() && rest.units[2].is_settled());
    assert!(!apply(&rest, &event, time(60)).unwrap().changed, "what was shipped stays shipped");

    let event =
        RmaEvent::ExchangePartShipped { exchange_order_identifier: order(), units: by_sku("L") };
    let some = change(&rma, &event);
    let settled: Vec<bool> = some.units.iter().map(RmaUnit::is_settled).collect();
    assert_eq!(settled, [false, false, true]);
}

#[test]
fn each_order_has_its_own_exchange_order() {
    let goods =
        vec![goods(ORDER, "1", Resolution::Exchange), goods("B-2", "1", Resolution::Exchange)];
    let rma = change(&open(ReturnMethod::MailBack, goods), &placed("EX-1"));
    assert_eq!(rma.status, RmaStatus::PendingExchange, "the other one is not placed yet");

    let other = RmaEvent::ExchangeFailed { order_identifier: "B-2".to_owned() };
    let rma = change(&rma, &other);

    assert_eq!(rma.status, RmaStatus::Created);
    assert!(rma.units[0].exchange.is_some() && rma.units[1].awaits_refund());
}

#[test]
fn closing_leaves_an_awaited_order_pending_and_the_status_only_moves_forward() {
    let rma = change(&mixed(), &RmaEvent::ReceivingClosed);
    assert_eq!(rma.status, RmaStatus::PendingExchange);

    let rma = change(&rma, &placed("EX-1"));
    assert_eq!(rma.status, RmaStatus::PartialRefund, "refund and exchange are outstanding");

    let rma = change(&rma, &refunded("RF-1", &[("1", 1)]));
    assert_eq!(rma.status, RmaStatus::PartialRefund, "the exchange is outstanding");

    assert_eq!(change(&rma, &fulfilled("EX-1")).status, RmaStatus::Refunded);
}
