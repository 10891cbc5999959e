//! Totals and shares, by example and for a hundred thousand random orders.

use super::*;
use crate::random::SeededRandom;
use crate::returns::test_orders::{empty_order, fill_randomly, order_line, order_of};

fn nets(order: &Order) -> Vec<i64> {
    line_totals(order).iter().map(|totals| totals.net_cents).collect()
}

fn distribute(price_cents: i64, net_cents: i64, tax_cents: i64, units: usize) -> Vec<[i64; 4]> {
    let amounts = LineTotals { price_cents, net_cents, tax_cents }.distribute(units);
    let parts = amounts
        .iter()
        .map(|unit| [unit.price_cents, unit.discount_cents, unit.tax_cents, unit.refund_cents()]);
    parts.collect()
}

#[test]
fn an_order_discount_is_shared_in_proportion_and_the_leftover_goes_to_the_largest_remainder() {
    let lines = vec![
        order_line("a", 1, [1_000, 0, 0]),
        order_line("b", 1, [1_000, 0, 0]),
        order_line("c", 1, [999, 0, 0]),
    ];
    // 100 * 1000 / 2999 = 33.34 twice and 33.31: one cent is left, for the first of the equals.
    assert_eq!(nets(&order_of(lines, 100)), [966, 967, 966]);
}

#[test]
fn a_discount_that_is_in_the_lines_is_not_deducted_twice() {
    let order =
        order_of(vec![order_line("a", 1, [1_000, 80, 300]), order_line("b", 1, [500, 40, 0])], 0);

    assert_eq!(order.discount_amount_cents, 300);
    assert_eq!(nets(&order), [700, 500]);
}

#[test]
fn the_order_discount_is_shared_by_the_discounted_lines() {
    let order =
        order_of(vec![order_line("a", 1, [1_000, 0, 900]), order_line("b", 1, [900, 0, 0])], 100);

    assert_eq!(nets(&order), [90, 810]);
}

#[test]
fn an_order_discount_smaller_than_that_of_the_lines_adds_nothing() {
    let mut order = order_of(vec![order_line("a", 1, [1_000, 0, 300])], 0);
    order.discount_amount_cents = 0;

    assert_eq!(nets(&order), [700]);
}

#[test]
fn a_discount_larger_than_the_goods_leaves_zero() {
    let free =
        order_of(vec![order_line("a", 2, [1_000, 80, 0]), order_line("b", 1, [0, 0, 0])], 5_000);
    let over =
        order_of(vec![order_line("a", 1, [1_000, 0, 1_500]), order_line("b", 1, [400, 0, 0])], 0);

    assert_eq!(nets(&free), [0, 0]);
    assert_eq!(nets(&over), [0, 400]);
}

#[test]
fn remaining_cents_go_around_and_tax_starts_where_the_net_amount_ended() {
    assert_eq!(
        distribute(101, 100, 10, 3),
        [[34, 0, 3, 37], [34, 1, 4, 37], [33, 0, 3, 36]],
        "34 + 33 + 33 net, then tax from the second unit on"
    );
    assert_eq!(
        distribute(5, 5, 2, 3),
        [[2, 0, 1, 3], [2, 0, 0, 2], [1, 0, 1, 2]],
        "tax goes to the third unit and wraps around to the first"
    );
}

#[test]
fn zero_units_get_nothing() {
    assert_eq!(distribute(100, 100, 10, 0), [[0; 4]; 0]);
}

#[test]
fn the_largest_amounts_do_not_overflow() {
    let lines =
        (0..5).map(|position| order_line(&position.to_string(), 7, [i64::MAX, i64::MAX, 3]));
    let order = order_of(lines.collect(), i64::MAX);

    for totals in line_totals(&order) {
        assert!(totals.net_cents >= 0 && totals.net_cents <= totals.price_cents);
        for amounts in totals.distribute(7) {
            assert!(amounts.discount_cents >= 0 && amounts.refund_cents() >= 0);
        }
        assert_eq!(totals.subtract([UnitAmounts::default()]), totals);
    }
}

#[test]
fn nothing_is_left_below_the_frozen_amounts() {
    let totals = LineTotals { price_cents: 100, net_cents: 100, tax_cents: 5 };
    let frozen = UnitAmounts { price_cents: 60, discount_cents: 10, tax_cents: 8 };

    let left = totals.subtract([frozen]);

    assert_eq!(left, LineTotals { price_cents: 50, net_cents: 50, tax_cents: 0 });
}

#[test]
fn the_lines_of_any_order_add_up_to_its_product_less_discount_and_its_tax() {
    let mut order = empty_order();
    for seed in 0..100_000 {
        fill_randomly(&mut order, &mut SeededRandom::new(seed));
        let totals = line_totals(&order);

        let net: i64 = totals.iter().map(|totals| totals.net_cents).sum();
        let tax: i64 = totals.iter().map(|totals| totals.tax_cents).sum();
        assert_eq!(net, order.product_amount_cents - order.discount_amount_cents, "seed {seed}");
        assert_eq!(tax, order.tax_amount_cents, "seed {seed}");

        for (line, totals) in order.items.iter().zip(totals) {
            let units = totals.distribute(usize::try_from(line.quantity_shipped).unwrap());
            let refunds: Vec<i64> = units.iter().map(UnitAmounts::refund_cents).collect();
            let (Some(least), Some(most)) = (refunds.iter().min(), refunds.iter().max()) else {
                continue;
            };
            assert_eq!(refunds.iter().sum::<i64>(), totals.refund_cents(), "seed {seed}");
            assert!(most - least <= 1, "seed {seed}");
            for unit in units {
                assert!(unit.price_cents >= 0 && unit.discount_cents >= 0, "seed {seed}");
                assert!(unit.tax_cents >= 0, "seed {seed}");
            }
        }
    }
}
