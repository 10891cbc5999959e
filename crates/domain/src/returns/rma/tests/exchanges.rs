//! Exchange orders and gift cards.

use super::*;

/// A return of one unit to refund, one to exchange and one for a gift card.
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
    let rma = changed(&mixed(), &placed("EX-1"));

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
fn a_mixed_return_is_closed_by_the_refund_and_the_fulfilment_in_any_order() {
    let rma = changed(&mixed(), &placed("EX-1"));
    let refund = refunded("RF-1", &[("1", 1)]);

    let refund_last = changed(&changed(&rma, &fulfilled("EX-1")), &refund);
    let fulfilment_last = changed(&changed(&rma, &refund), &fulfilled("EX-1"));

    assert_eq!(refund_last.status, RmaStatus::Refunded);
    assert_eq!(refund_last, fulfilment_last);
    assert_unchanged(&refund_last, &fulfilled("EX-1"));
}

#[test]
fn a_gift_card_is_settled_when_its_order_is_placed() {
    let rma = changed(&single(Resolution::GiftCard), &placed("EX-1"));

    assert_eq!(rma.status, RmaStatus::Refunded);
    assert_unchanged(&rma, &fulfilled("EX-1"));
}

#[test]
fn an_exchange_is_settled_when_its_order_is_fulfilled() {
    let rma = changed(&single(Resolution::Exchange), &placed("EX-1"));
    assert_eq!(rma.status, RmaStatus::Created);

    let rma = changed(&rma, &fulfilled("EX-1"));

    assert_eq!(rma.status, RmaStatus::Refunded);
}

#[test]
fn a_fulfilment_that_is_early_or_of_another_order_changes_nothing() {
    assert_unchanged(&mixed(), &fulfilled("EX-1"));
    assert_unchanged(&changed(&mixed(), &placed("EX-1")), &fulfilled("EX-2"));
}

#[test]
fn what_cannot_be_placed_becomes_a_refund() {
    let rma = changed(&mixed(), &failed());

    assert_eq!(rma.status, RmaStatus::Created);
    assert!(rma.units.iter().all(RmaUnit::awaits_refund));
    assert_unchanged(&rma, &failed());
    assert_eq!(refusal(&rma, &placed("EX-1")), RmaRefusal::NoExchange(ORDER.to_owned()));
    let rma = changed(&rma, &refunded("RF-1", &[("1", 1), ("2", 1), ("3", 1)]));
    assert_eq!(rma.status, RmaStatus::Refunded);
}

#[test]
fn a_failure_that_comes_after_the_order_was_placed_changes_nothing() {
    assert_unchanged(&changed(&mixed(), &placed("EX-1")), &failed());
}

#[test]
fn a_second_order_for_the_same_goods_is_refused() {
    let rma = changed(&mixed(), &placed("EX-1"));

    assert_eq!(refusal(&rma, &placed("EX-2")), RmaRefusal::ExchangePlaced("EX-1".to_owned()));
}

#[test]
fn an_exchange_order_that_the_merchant_cancels_is_money_again() {
    let goods = vec![
        goods(ORDER, "1", Resolution::Exchange),
        goods(ORDER, "2", Resolution::GiftCard),
        goods(ORDER, "3", Resolution::Refund),
    ];
    let cancelled =
        |order: &str| RmaEvent::ExchangeCancelled { exchange_order_identifier: order.to_owned() };
    let rma = changed(&open(ReturnMethod::MailBack, goods), &placed("EX-1"));
    assert!(!apply(&rma, &cancelled("EX-2"), time(60)).unwrap().changed);

    let after = changed(&rma, &cancelled("EX-1"));

    assert!(after.units[0].awaits_refund() && after.units[0].exchange.is_none());
    assert!(after.units[1].is_settled(), "a card that was given stays given");
    assert!(!apply(&after, &cancelled("EX-1"), time(60)).unwrap().changed);
    let shipped = changed(&rma, &fulfilled("EX-1"));
    assert!(!apply(&shipped, &cancelled("EX-1"), time(60)).unwrap().changed);
}

#[test]
fn each_order_has_an_exchange_order_of_its_own() {
    let goods =
        vec![goods(ORDER, "1", Resolution::Exchange), goods("B-2", "1", Resolution::Exchange)];
    let rma = changed(&open(ReturnMethod::MailBack, goods), &placed("EX-1"));
    assert_eq!(rma.status, RmaStatus::PendingExchange, "the other one is still to come");

    let other = RmaEvent::ExchangeFailed { order_identifier: "B-2".to_owned() };
    let rma = changed(&rma, &other);

    assert_eq!(rma.status, RmaStatus::Created);
    assert!(rma.units[0].exchange.is_some() && rma.units[1].awaits_refund());
}

#[test]
fn closing_leaves_an_awaited_order_pending_and_the_status_only_goes_forward() {
    let rma = changed(&mixed(), &RmaEvent::ReceivingClosed);
    assert_eq!(rma.status, RmaStatus::PendingExchange);

    let rma = changed(&rma, &placed("EX-1"));
    assert_eq!(rma.status, RmaStatus::PartialRefund, "refund and exchange are still to come");

    let rma = changed(&rma, &refunded("RF-1", &[("1", 1)]));
    assert_eq!(rma.status, RmaStatus::PartialRefund, "the exchange is still to come");

    assert_eq!(changed(&rma, &fulfilled("EX-1")).status, RmaStatus::Refunded);
}
