//! However an order is returned, unit by unit, not a cent is lost or gained.

use std::collections::BTreeSet;

use super::*;
use crate::random::SeededRandom;
use crate::returns::test_orders::{empty_order, fill_randomly};

fn refund_cents(units: &[SpentUnit]) -> i64 {
    units.iter().map(|unit| unit.amounts.refund_cents()).sum()
}

/// Every line is consistent: numbers are distinct, parts are not negative, and the units differ by
/// at most one cent and add up to the line.
fn check_lines(ledger: &Ledger, order: &Order, seed: u64) {
    let totals = money::line_totals(order);
    for (line, totals) in ledger.units(order).iter().zip(totals) {
        let numbers: BTreeSet<u32> = line.units.iter().map(|unit| unit.unit).collect();
        assert_eq!(numbers.len(), line.units.len(), "seed {seed}");
        let refunds: Vec<i64> = line.units.iter().map(|unit| unit.amounts.refund_cents()).collect();
        let (Some(least), Some(most)) = (refunds.iter().min(), refunds.iter().max()) else {
            continue;
        };
        assert!(*least >= 0 && most - least <= 1, "seed {seed}: {refunds:?}");
        assert_eq!(refunds.iter().sum::<i64>(), totals.refund_cents(), "seed {seed}");
        for unit in &line.units {
            assert!(unit.amounts.price_cents >= 0, "seed {seed}");
            assert!(unit.amounts.discount_cents >= 0, "seed {seed}");
            assert!(unit.amounts.tax_cents >= 0, "seed {seed}");
        }
    }
}

/// Returns units at random, with cancellations and refunds in between, until none is open. Returns
/// the final ledger.
fn return_everything(order: &Order, random: &mut SeededRandom, seed: u64) -> Ledger {
    let mut ledger = Ledger::default();
    let mut left: Vec<&str> = order.items.iter().map(|line| line.identifier.as_str()).collect();
    let mut cancellations = 0;
    let mut step = 0;
    while !left.is_empty() {
        step += 1;
        if cancellations < 4 && step > 1 && random.one_in(4) {
            cancellations += 1;
            let rma = ledger.rmas().get(random.index(ledger.rmas().len().max(1)));
            if let Some(rma) = rma.cloned() {
                ledger = ledger.release(&rma);
                left = order.items.iter().map(|line| line.identifier.as_str()).collect();
            }
            continue;
        }
        let position = random.index(left.len());
        let line = left[position];
        let open = ledger.units_of(order, line).unwrap().open().count();
        if open == 0 {
            left.remove(position);
            continue;
        }
        let quantity = 1 + random.between(0, i64::try_from(open).unwrap() - 1);
        if random.one_in(6) {
            let now = order.created_at;
            let identifier = format!("RF-{step}");
            let refund = MerchantRefund { identifier: &identifier, line, quantity, now };
            let refunded = ledger.clone().refund_outside(order, &[refund]);
            assert_eq!(refunded.conflicts, [], "seed {seed}");
            ledger = refunded.ledger;
        } else {
            let before: BTreeSet<u32> = ledger.spent(line).iter().map(|unit| unit.unit).collect();
            let (next, units) =
                ledger.spend(order, line, quantity, &format!("rma_{step}")).unwrap();
            assert!(units.iter().all(|unit| !before.contains(&unit.unit)), "seed {seed}");
            ledger = next;
        }
        if random.one_in(8) {
            check_lines(&ledger, order, seed);
        }
    }
    ledger
}

#[test]
fn any_grouping_of_partial_returns_gives_what_one_full_return_gives() {
    let mut order = empty_order();
    for seed in 0..100_000 {
        let mut random = SeededRandom::new(seed);
        fill_randomly(&mut order, &mut random);

        let ledger = return_everything(&order, &mut random, seed);

        check_lines(&ledger, &order, seed);
        let mut together = 0;
        for line in &order.items {
            let spent = ledger.spent(&line.identifier);
            assert_eq!(spent.len(), money::units(line.quantity_shipped), "seed {seed}");
            together += refund_cents(spent);
            let refusal = ledger.spend(&order, &line.identifier, 1, "rma_late").unwrap_err();
            assert!(matches!(refusal, LedgerRefusal::NotEnoughOpen { open: 0, .. }), "seed {seed}");
        }
        let paid =
            order.product_amount_cents - order.discount_amount_cents + order.tax_amount_cents;
        assert_eq!(together, paid, "seed {seed}");
    }
}

/// The units of the newest snapshot that are not spent, and what they should be worth together.
struct Expected {
    open: usize,
    /// What the snapshot says beyond what is frozen of its units.
    left_cents: i64,
    /// Whether any line with open units has a price, so that its units can be worth something.
    has_price: bool,
}

impl Expected {
    fn of(ledger: &Ledger, order: &Order) -> Self {
        let mut expected = Self { open: 0, left_cents: 0, has_price: false };
        for (line, totals) in order.items.iter().zip(money::line_totals(order)) {
            let spent = ledger.spent(&line.identifier);
            let shipped = money::units(line.quantity_shipped);
            let open = shipped.saturating_sub(spent.len());
            let frozen = &spent[..spent.len().min(shipped)];
            expected.open += open;
            expected.left_cents -= refund_cents(frozen);
            expected.has_price |= open > 0 && totals.price_cents > 0;
            if shipped > 0 {
                expected.left_cents += totals.refund_cents();
            }
        }
        expected.left_cents = expected.left_cents.max(0);
        expected
    }
}

fn frozen_cents(ledger: &Ledger) -> i64 {
    ledger.lines.values().map(|units| refund_cents(units)).sum()
}

/// No part of a unit is negative. Returns what the open units are worth together.
fn worth_of_open(ledger: &Ledger, order: &Order, seed: u64) -> i64 {
    let lines = ledger.units(order);
    let open = lines.iter().flat_map(LineUnits::open).map(|unit| {
        let amounts = unit.amounts;
        assert!(amounts.price_cents >= 0 && amounts.discount_cents >= 0, "seed {seed}");
        assert!(amounts.tax_cents >= 0 && amounts.refund_cents() >= 0, "seed {seed}");
        amounts.refund_cents()
    });
    open.sum()
}

fn spend_some(ledger: &Ledger, order: &Order, random: &mut SeededRandom, rma: &str) -> Ledger {
    let mut spent = ledger.clone();
    for line in &order.items {
        let open = spent.units_of(order, &line.identifier).unwrap().open().count();
        let quantity = random.between(0, i64::try_from(open).unwrap());
        spent = spent.spend(order, &line.identifier, quantity, rma).unwrap().0;
    }
    spent
}

/// The merchant publishes the order again: other lines, amounts and quantities, or only another
/// discount, or a line that is shipped or canceled now.
fn change_snapshot(order: &mut Order, random: &mut SeededRandom) {
    if random.one_in(3) {
        fill_randomly(order, random);
        return;
    }
    let position = random.index(order.items.len());
    if let Some(line) = order.items.get_mut(position) {
        let units = if random.one_in(2) { 0 } else { random.between(1, 6) };
        line.quantity_shipped = units;
        line.product_amount_cents = line.unit_price_amount_cents * units;
        line.tax_amount_cents = line.product_amount_cents / 10;
        line.discount_amount_cents = line.discount_amount_cents.min(line.product_amount_cents);
    }
    let price: i64 = order.items.iter().map(|line| line.product_amount_cents).sum();
    order.discount_amount_cents = random.between(0, price.min(3_000));
}

#[test]
fn all_units_are_worth_what_the_newest_snapshot_says_whatever_was_returned_before() {
    let mut order = empty_order();
    let mut changed = 0;
    for seed in 0..50_000 {
        let mut random = SeededRandom::new(seed);
        fill_randomly(&mut order, &mut random);
        let mut ledger = Ledger::default();
        for step in 0..random.between(1, 4) {
            ledger = spend_some(&ledger, &order, &mut random, &format!("rma_{step}"));
            if random.one_in(4) {
                ledger = ledger.release("rma_0");
            }
            change_snapshot(&mut order, &mut random);
            let expected = Expected::of(&ledger, &order);
            let worth = worth_of_open(&ledger, &order, seed);
            assert!(worth <= expected.left_cents, "seed {seed}");
            if expected.open > 0 && expected.has_price {
                assert_eq!(worth, expected.left_cents, "seed {seed}");
                changed += 1;
            }
        }

        let expected = worth_of_open(&ledger, &order, seed);
        let before = frozen_cents(&ledger);
        let ledger = return_the_rest(ledger, &order, &mut random);
        let rest = frozen_cents(&ledger) - before;
        assert_eq!(rest, expected, "seed {seed}: however it is grouped");
    }
    assert!(changed > 50_000, "{changed}: too few to mean anything");
}

fn return_the_rest(mut ledger: Ledger, order: &Order, random: &mut SeededRandom) -> Ledger {
    for step in 0..3 {
        ledger = spend_some(&ledger, order, random, &format!("rma_late_{step}"));
    }
    for line in &order.items {
        let open = ledger.units_of(order, &line.identifier).unwrap().open().count();
        let open = i64::try_from(open).unwrap();
        ledger = ledger.spend(order, &line.identifier, open, "rma_last").unwrap().0;
    }
    ledger
}
