//! The limit of an exchange order, by example.

use super::*;
use crate::exchanges::record::ExchangeState;
use crate::orders::order::{PaymentTransaction, Refund};
use crate::orders::payments::tests::payment;
use crate::random::SeededRandom;
use crate::returns::identifier::RmaId;
use crate::returns::rma::RmaGoods;
use crate::returns::test_orders::{empty_order, fill_randomly, new_rma, order_line, order_of};
use crate::returns::{ReturnMethod, UnitAmounts};
use proptest::prelude::*;

pub(super) const ORIGINAL: &str = "O-1";

pub(super) fn sample_record(goods_credit_cents: i64, card_cents: i64) -> ExchangeRecord {
    ExchangeRecord {
        original_order_id: ORIGINAL.to_owned(),
        rma_identifier: RmaId::parse("RMA-7K3Q-9XWD-2M4T").unwrap(),
        transaction_id: "PAY-1".to_owned(),
        state: ExchangeState::Placed,
        credit_cents: goods_credit_cents + card_cents,
        goods_credit_cents,
        currency: "USD".to_owned(),
        created_at: "2026-01-10T12:00:00Z".parse().unwrap(),
        decided_at: None,
        exchange_order_identifier: Some("E-1".to_owned()),
        total_amount_cents: None,
        product_amount_cents: None,
        tax_amount_cents: None,
    }
}

/// A unit that is worth so much and exchanged for goods with this SKU.
pub(super) fn exchanged(sku: &str, worth_cents: i64) -> RmaGoods {
    RmaGoods {
        order_identifier: ORIGINAL.to_owned(),
        original_order_identifier: None,
        order_line_item_identifier: "1".to_owned(),
        unit_number: 1,
        sku: None,
        upc: None,
        title: String::new(),
        return_reason: "too_small".to_owned(),
        resolution: Resolution::Exchange,
        exchange_sku: Some(sku.to_owned()),
        exchange_price_cents: None,
        fallback: None,
        fallback_sku: None,
        amounts: UnitAmounts { price_cents: worth_cents, ..UnitAmounts::default() },
        weight_thousandths: None,
        exchange_title: None,
    }
}

fn return_of(goods: Vec<RmaGoods>) -> Rma {
    let rma = new_rma(ReturnMethod::CustomerKeep, false, goods);
    Rma::open(rma, "2026-01-10T12:00:00Z".parse().unwrap())
}

/// The credit of so much, whatever it is exchanged for.
fn credit_worth(goods_credit_cents: i64) -> ExchangeCredit {
    ExchangeCredit::of(&sample_record(goods_credit_cents, 0), None, None)
}

/// The credit of units that are exchanged for goods with these SKUs.
fn credit_of(units: &[(&str, i64)]) -> ExchangeCredit {
    let goods: Vec<RmaGoods> = units.iter().map(|(sku, worth)| exchanged(sku, *worth)).collect();
    let record = sample_record(units.iter().map(|(_, worth)| worth).sum(), 0);
    ExchangeCredit::of(&record, Some(&return_of(goods)), None)
}

fn hold(order: &Order, credit: &ExchangeCredit) -> Order {
    held_to_credit(order, credit, &Ledger::default())
}

fn worth(order: &Order) -> i64 {
    let lines = Ledger::default().units(order);
    lines.iter().flat_map(|it| &it.units).map(|unit| unit.amounts.refund_cents()).sum()
}

#[test]
fn a_dearer_replacement_is_refunded_at_what_was_given_for_it() {
    let exchange = order_of(vec![order_line("A", 2, [9000, 720, 0])], 0);

    assert_eq!(worth(&hold(&exchange, &credit_worth(6001))), 6001);
    assert_eq!(worth(&hold(&exchange, &credit_worth(20_000))), 9720);
}

#[test]
fn what_was_paid_on_top_counts_and_the_credit_itself_does_not_count_twice() {
    let mut exchange = order_of(vec![order_line("A", 1, [5000, 400, 0])], 0);
    let named = |identifier: &str, amount_cents| PaymentTransaction {
        identifier: Some(identifier.to_owned()),
        ..payment("", "", amount_cents)
    };
    exchange.transactions = vec![named("PAY-1", 4000), named("TX-2", 500)];

    assert_eq!(worth(&hold(&exchange, &credit_worth(4000))), 4500);
}

#[test]
fn only_payments_that_succeeded_were_paid_on_top() {
    let limit = |payments: &[PaymentTransaction]| {
        let mut exchange = order_of(vec![order_line("A", 1, [2000, 0, 0])], 0);
        exchange.transactions = payments.to_vec();
        credit_worth(1000).limit_cents(&exchange)
    };
    let paid = payment("sale", "success", 500);

    assert_eq!(limit(std::slice::from_ref(&paid)), 1500);
    assert_eq!(limit(&[payment("capture", "failure", 500)]), 1000);
    assert_eq!(limit(&[payment("authorization", "success", 500)]), 1000);
    assert_eq!(limit(&[payment("refund", "success", 500)]), 1000);
    assert_eq!(limit(&[paid.clone(), payment("refund", "success", 200)]), 1300);
    let test = PaymentTransaction { is_test: Some(true), ..paid };
    assert_eq!(limit(&[test]), 1000);
}

#[test]
fn a_payment_on_top_that_was_paid_back_for_a_returned_line_does_not_reduce_what_is_left() {
    let limit = |payments: &[PaymentTransaction], reported: i64| {
        let mut exchange = order_of(vec![order_line("A", 2, [3000, 0, 0])], 0);
        exchange.transactions = payments.to_vec();
        exchange.refunds = vec![Refund {
            identifier: "RF-1".to_owned(),
            total_refund_amount_cents: reported,
            refund_line_items: Vec::new(),
            note: None,
            created_at: exchange.created_at,
            rma_identifier: None,
            tags: Vec::new(),
        }];
        credit_worth(1000).limit_cents(&exchange)
    };
    let paid_back = payment("sale", "refunded", 500);

    assert_eq!(limit(std::slice::from_ref(&paid_back), 500), 1500, "the refund spends its unit");
    assert_eq!(limit(&[paid_back], 0), 1000, "the money is back, for no goods");
}

#[test]
fn refunds_for_returned_goods_do_not_reduce_the_limit_twice() {
    let mut exchange = order_of(vec![order_line("A", 2, [3000, 0, 0])], 0);
    exchange.transactions =
        vec![payment("sale", "success", 500), payment("refund", "success", 1250)];
    exchange.refunds = vec![Refund {
        identifier: "RF-1".to_owned(),
        total_refund_amount_cents: 1250,
        refund_line_items: Vec::new(),
        note: None,
        created_at: exchange.created_at,
        rma_identifier: None,
        tags: Vec::new(),
    }];

    assert_eq!(credit_worth(2000).limit_cents(&exchange), 2500);
}

#[test]
fn a_gift_card_takes_nothing_from_the_goods_and_is_worth_nothing() {
    let exchange = order_of(
        vec![order_line("GOODS", 1, [1000, 0, 0]), order_line("CARD", 1, [1000, 0, 0])],
        0,
    );
    let goods = vec![exchanged("SKU-GOODS", 1000)];
    let record = sample_record(1000, 1000);
    let credit = ExchangeCredit::of(&record, Some(&return_of(goods)), Some("SKU-CARD"));

    let lines = Ledger::default().units(&hold(&exchange, &credit));

    let worth = |position: usize| lines[position].units[0].amounts.refund_cents();
    assert_eq!([worth(0), worth(1)], [1000, 0]);
}

#[test]
fn shipping_that_was_not_paid_is_not_refunded() {
    let mut exchange = order_of(vec![order_line("A", 1, [1000, 0, 0])], 0);
    (exchange.shipping_amount_cents, exchange.shipping_tax_amount_cents) = (500, 50);
    let shipping = |exchange: &Order| {
        let held = hold(exchange, &credit_worth(1000));
        (held.shipping_amount_cents, held.shipping_tax_amount_cents)
    };
    assert_eq!(shipping(&exchange), (0, 0));

    exchange.transactions = vec![payment("sale", "success", 520)];
    assert_eq!(shipping(&exchange), (500, 20), "as far as it was paid");
}

#[test]
fn what_was_given_for_units_that_are_not_shipped_is_kept_for_their_cancellation() {
    let credit = credit_of(&[("SKU-X", 1000), ("SKU-Y", 3000)]);
    let mut exchange =
        order_of(vec![order_line("X", 1, [9000, 0, 0]), order_line("Y", 0, [0, 0, 0])], 0);
    exchange.items[1].quantity = 1;

    exchange.status = OrderStatus::Created;
    assert_eq!(credit.limit_cents(&exchange), 1000);
    exchange.items[0].sku = Some("ANOTHER".to_owned());
    assert_eq!(credit.limit_cents(&exchange), 1000, "it can only be the first");
    exchange.status = OrderStatus::Shipped;
    assert_eq!(credit.limit_cents(&exchange), 4000);
}

#[test]
fn an_exchange_order_that_ships_in_parts_is_worth_its_credit() {
    let credit = credit_of(&[("SKU-X", 1000), ("SKU-Y", 1000)]);
    let mut first =
        order_of(vec![order_line("X", 1, [1500, 0, 0]), order_line("Y", 0, [0, 0, 0])], 0);
    first.status = OrderStatus::Created;
    let second =
        order_of(vec![order_line("X", 1, [1500, 0, 0]), order_line("Y", 1, [1500, 0, 0])], 0);

    let (ledger, x) = Ledger::default().spend(&hold(&first, &credit), "X", 1, "rma_1").unwrap();
    let rest = held_to_credit(&second, &credit, &ledger);
    let (_, y) = ledger.spend(&rest, "Y", 1, "rma_2").unwrap();

    let refunds = [x, y].map(|units| units[0].amounts.refund_cents());
    assert_eq!(refunds, [1000, 1000]);
}

#[test]
fn units_that_became_refunds_are_no_credit_for_goods() {
    let goods = vec![
        exchanged("SKU-X", 1000),
        RmaGoods { resolution: Resolution::Refund, ..exchanged("SKU-X", 1000) },
    ];
    let credit = ExchangeCredit::of(&sample_record(2000, 0), Some(&return_of(goods)), None);
    let exchange = order_of(vec![order_line("X", 1, [1500, 0, 0])], 0);

    assert_eq!(worth(&hold(&exchange, &credit)), 1000);
}

#[test]
fn returned_goods_that_a_newer_snapshot_omits_still_used_their_credit() {
    let credit = credit_of(&[("SKU-X", 1000), ("SKU-Y", 1000)]);
    let both =
        order_of(vec![order_line("X", 1, [1500, 0, 0]), order_line("Y", 1, [1500, 0, 0])], 0);
    let (ledger, _) = Ledger::default().spend(&hold(&both, &credit), "X", 1, "rma_1").unwrap();

    let fewer = order_of(vec![order_line("Y", 1, [1500, 0, 0])], 0);

    assert_eq!(worth(&held_to_credit(&fewer, &credit, &ledger)), 1000);
}

proptest! {
    #[test]
    fn no_exchange_order_is_worth_more_than_its_credit(
        seed in any::<u64>(), credit_cents in 0_i64..200_000,
    ) {
        let mut exchange = empty_order();
        fill_randomly(&mut exchange, &mut SeededRandom::new(seed));
        let credit = credit_worth(credit_cents);
        let held = hold(&exchange, &credit);

        prop_assert!(worth(&held) <= credit.limit_cents(&exchange));
        prop_assert!(worth(&held) <= worth(&exchange).max(0));
    }
}
