//! Statements of returns with every component.

use super::*;
use crate::returns::rma::{RmaEvent, RmaGoods, apply};
use crate::returns::test_orders::new_rma;
use crate::returns::{ReturnMethod, UnitAmounts};
use crate::samples;

fn goods(resolution: Resolution, exchange_price_cents: Option<i64>) -> RmaGoods {
    RmaGoods {
        resolution,
        exchange_price_cents,
        amounts: UnitAmounts { price_cents: 4000, discount_cents: 400, tax_cents: 360 },
        ..samples::rma().units.swap_remove(0).goods
    }
}

/// One unit each for a refund, a cheaper and a dearer variant, and a gift card.
fn started() -> Rma {
    let goods = vec![
        goods(Resolution::Refund, None),
        goods(Resolution::Exchange, Some(2000)),
        goods(Resolution::Exchange, Some(5000)),
        goods(Resolution::GiftCard, None),
    ];
    let mut new = new_rma(ReturnMethod::MailBack, false, goods);
    (
        new.amounts.fee_cents,
        new.amounts.shipping_refund_cents,
        new.amounts.bonus_credit_amount_cents,
    ) = (500, 700, 396);
    Rma::open(new, "2026-01-10T12:00:00Z".parse().unwrap())
}

#[test]
fn a_statement_names_every_component_and_what_is_left() {
    let statement = Statement::of(&started());

    let promised = statement.promised;
    assert_eq!(
        (promised.price_cents, promised.discount_cents, promised.tax_cents),
        (16000, 1600, 1440)
    );
    assert_eq!(
        (promised.shipping_cents, promised.fee_cents, promised.bonus_cents),
        (700, 500, 396)
    );
    assert_eq!(promised.total_cents, 16436);
    assert_eq!((promised.refund_cents, promised.difference_cents), (6140, 1980));
    assert_eq!((promised.gift_card_cents, promised.exchange_cents), (4356, 5940));
    assert_eq!(promised.absorbed_cents, 1000);
    assert_eq!((statement.balance_cents, statement.paid.len()), (16436, 0));
}

#[test]
fn placed_orders_are_paid_and_what_the_merchant_absorbs_is_not() {
    let rma = started();
    let event = RmaEvent::ExchangePlaced {
        order_identifier: rma.units[0].goods.order_identifier.clone(),
        exchange_order_identifier: "EX-1".to_owned(),
    };

    let placed = apply(&rma, &event, "2026-01-10T12:01:00Z".parse().unwrap()).unwrap().rma;

    let statement = Statement::of(&placed);
    let paid: Vec<(PaidKind, i64)> =
        statement.paid.iter().map(|it| (it.kind, it.amount_cents)).collect();
    assert_eq!(paid, [(PaidKind::ExchangeOrder, 5940), (PaidKind::GiftCard, 4356)]);
    assert_eq!(statement.balance_cents, 6140);
    let states: Vec<PaidState> =
        placed.units.iter().map(|unit| PaidState::of(&placed, unit)).collect();
    assert_eq!(states, [PaidState::Open, PaidState::Open, PaidState::Open, PaidState::Paid]);
}

/// An even exchange and a gift card, which pays the whole fee, in one order that was placed. Then
/// the exchange is canceled.
fn cancel_beside_card(gift_card_fee_cents: i64) -> Statement {
    let goods = vec![goods(Resolution::Exchange, None), goods(Resolution::GiftCard, None)];
    let order_identifier = goods[0].order_identifier.clone();
    let mut new = new_rma(ReturnMethod::MailBack, false, goods);
    (new.amounts.fee_cents, new.amounts.gift_card_fee_cents) = (595, gift_card_fee_cents);
    let mut rma = Rma::open(new, "2026-01-10T12:00:00Z".parse().unwrap());
    let exchange_order_identifier = "EX-1".to_owned();
    let placed = RmaEvent::ExchangePlaced {
        order_identifier,
        exchange_order_identifier: exchange_order_identifier.clone(),
    };
    for event in [placed, RmaEvent::ExchangeCanceled { exchange_order_identifier }] {
        rma = apply(&rma, &event, "2026-01-10T12:01:00Z".parse().unwrap()).unwrap().rma;
    }
    Statement::of(&rma)
}

#[test]
fn a_fee_that_a_gift_card_has_paid_is_not_deducted_from_a_later_refund() {
    let statement = cancel_beside_card(595);

    let promised = statement.promised;
    assert_eq!((promised.refund_cents, promised.gift_card_cents), (3960, 3365));
    assert_eq!((promised.fee_cents, statement.paid_cents()), (595, 3365));
    assert_eq!(statement.balance_cents, 3960);
}

/// The postings of its events are stored, and follow from the return.
#[test]
fn a_return_of_an_older_version_keeps_the_fee_where_it_was_posted() {
    let statement = cancel_beside_card(0);

    let promised = statement.promised;
    assert_eq!((promised.refund_cents, promised.gift_card_cents), (3365, 3960));
    assert_eq!(statement.balance_cents, 3365);
}

#[test]
fn a_canceled_return_owes_nothing() {
    let mut rma = started();
    for unit in &mut rma.units {
        unit.goods.resolution = Resolution::Refund;
    }
    let now = "2026-01-10T12:01:00Z".parse().unwrap();

    let canceled = apply(&rma, &RmaEvent::Canceled, now).unwrap().rma;

    let statement = Statement::of(&canceled);
    assert_eq!(statement.balance_cents, 0);
    assert_eq!(statement.withdrawn_cents, statement.promised.total_cents);
    assert_eq!(PaidState::of(&canceled, &canceled.units[0]), PaidState::Withdrawn);
}
