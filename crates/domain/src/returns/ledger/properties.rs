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
            let refunded = ledger.refund_outside(order, &refund);
            assert_eq!(refunded.conflict, None, "seed {seed}");
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

#[test]
fn amounts_that_change_between_returns_never_become_negative_and_sum_while_they_can() {
    let mut order = empty_order();
    for seed in 0..100_000 {
        let mut random = SeededRandom::new(seed);
        fill_randomly(&mut order, &mut random);
        let mut ledger = Ledger::default();
        for line in &order.items {
            let quantity = random.between(0, line.quantity_shipped);
            ledger = ledger.spend(&order, &line.identifier, quantity, "rma_1").unwrap().0;
        }
        let shipped: Vec<i64> = order.items.iter().map(|line| line.quantity_shipped).collect();
        fill_randomly(&mut order, &mut random);
        for (line, shipped) in order.items.iter_mut().zip(shipped) {
            line.quantity_shipped = line.quantity_shipped.max(shipped);
        }

        let totals = money::line_totals(&order);
        for (line, totals) in ledger.units(&order).iter().zip(totals) {
            let left =
                totals.subtract(ledger.spent(&line.line_identifier).iter().map(|u| u.amounts));
            let mut open_cents = 0;
            for unit in line.open() {
                let amounts = unit.amounts;
                assert!(amounts.discount_cents >= 0 && amounts.tax_cents >= 0, "seed {seed}");
                assert!(amounts.refund_cents() >= 0, "seed {seed}");
                open_cents += amounts.refund_cents();
            }
            if line.open().next().is_some() {
                assert_eq!(open_cents, left.refund_cents(), "seed {seed}");
            }
        }
    }
}
