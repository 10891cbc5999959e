//! What the units of an order are worth, to the cent.
//!
//! Rounding neither loses nor creates money. The part of the order's discount that is not in the
//! lines is distributed over the lines by largest remainder, and the totals of a line are
//! distributed over its units: every unit gets the quotient, and the remaining cents go to the
//! units one by one. The cents of the tax start where those of the net amount ended, so the refunds
//! of a line's units differ by at most one cent. Tax is never calculated, only distributed.
//!
//! Sums and products use 128 bits, in which 64-bit amounts cannot overflow.

#[cfg(test)]
mod tests;

use super::UnitAmounts;
use crate::orders::order::{Order, OrderLine};
use crate::reader::fields::QUANTITY_MAX;

/// What a line is worth, or the part of it that is not frozen. No amount is negative, and the net
/// amount is never more than the price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineTotals {
    /// Before any discount.
    pub price_cents: i64,
    /// The price less the line's discount and its share of the order's discount.
    pub net_cents: i64,
    pub tax_cents: i64,
}

impl LineTotals {
    /// What is refunded if every unit is returned, before fees.
    pub const fn refund_cents(&self) -> i64 {
        self.net_cents.saturating_add(self.tax_cents)
    }

    /// What is left after units with `frozen` amounts. If a newer snapshot reduced the line below
    /// what is frozen, nothing is left. If it reduced the price but not the net amount, the price
    /// is raised to the net amount, which is what is paid.
    pub(super) fn subtract(&self, frozen: impl IntoIterator<Item = UnitAmounts>) -> Self {
        let mut price = i128::from(self.price_cents);
        let mut net = i128::from(self.net_cents);
        let mut tax = i128::from(self.tax_cents);
        for amounts in frozen {
            price -= i128::from(amounts.price_cents);
            net -= i128::from(amounts.price_cents) - i128::from(amounts.discount_cents);
            tax -= i128::from(amounts.tax_cents);
        }
        let net_cents = cents(net);
        Self { price_cents: cents(price).max(net_cents), net_cents, tax_cents: cents(tax) }
    }

    /// Distributes the totals over so many units.
    pub(crate) fn distribute(&self, units: usize) -> Vec<UnitAmounts> {
        let prices = Distribution::over(units, self.price_cents, 0);
        let nets = Distribution::over(units, self.net_cents, 0);
        let taxes = Distribution::over(units, self.tax_cents, nets.end);
        let amounts = (0..units).map(|unit| {
            let price_cents = prices.share(unit);
            UnitAmounts {
                price_cents,
                discount_cents: price_cents - nets.share(unit),
                tax_cents: taxes.share(unit),
            }
        });
        amounts.collect()
    }
}

/// One amount over several units: each gets the quotient, and `leftover` of them get one more cent,
/// beginning at `start` and wrapping around.
struct Distribution {
    units: usize,
    quotient: i64,
    leftover: usize,
    start: usize,
    /// The unit after the last one with an extra cent.
    end: usize,
}

impl Distribution {
    fn over(units: usize, total_cents: i64, start: usize) -> Self {
        let Some(divisor) = i64::try_from(units).ok().filter(|divisor| *divisor > 0) else {
            return Self { units, quotient: 0, leftover: 0, start, end: start };
        };
        let total_cents = total_cents.max(0);
        let leftover = usize::try_from(total_cents % divisor).unwrap_or_default();
        let end = (start + leftover) % units;
        Self { units, quotient: total_cents / divisor, leftover, start, end }
    }

    fn share(&self, unit: usize) -> i64 {
        let turn = (unit + self.units - self.start) % self.units;
        self.quotient + i64::from(turn < self.leftover)
    }
}

/// What each line of the order is worth, in the order of the lines.
pub fn line_totals(order: &Order) -> Vec<LineTotals> {
    let discounted: Vec<i128> = order.items.iter().map(after_line_discount).collect();
    let in_lines: i128 =
        order.items.iter().map(|line| i128::from(line.discount_amount_cents.max(0))).sum();
    let beyond_lines = i128::from(order.discount_amount_cents) - in_lines;
    let shares = divide_by_largest_remainder(beyond_lines, &discounted);
    let totals =
        order.items.iter().zip(discounted.iter().zip(shares)).map(|(line, (amount, share))| {
            LineTotals {
                price_cents: line.product_amount_cents.max(0),
                net_cents: cents(amount - share),
                tax_cents: line.tax_amount_cents.max(0),
            }
        });
    totals.collect()
}

/// The price less the line's own discount. A discount larger than its line does not affect others.
fn after_line_discount(line: &OrderLine) -> i128 {
    let discount = i128::from(line.discount_amount_cents.max(0));
    (i128::from(line.product_amount_cents) - discount).max(0)
}

/// Divides `amount` in proportion to the weights; no share exceeds its weight.
pub(crate) fn divide_by_largest_remainder(amount: i128, weights: &[i128]) -> Vec<i128> {
    divide_in_proportion(amount.min(weights.iter().sum()), weights)
}

/// Divides `amount` in proportion to the weights. The remaining cents go to the largest remainders,
/// and among equals to the first. Without any weight, nothing is divided.
pub(crate) fn divide_in_proportion(amount: i128, weights: &[i128]) -> Vec<i128> {
    let total: i128 = weights.iter().sum();
    if amount <= 0 || total <= 0 {
        return vec![0; weights.len()];
    }
    let product = |weight: &i128| amount.saturating_mul(*weight);
    let mut shares: Vec<i128> = weights.iter().map(|weight| product(weight) / total).collect();
    let mut positions: Vec<usize> = (0..weights.len()).collect();
    let remainder = |position: &usize| weights.get(*position).map(|w| product(w) % total);
    positions.sort_by_key(|position| std::cmp::Reverse(remainder(position)));

    let mut leftover = amount - shares.iter().sum::<i128>();
    for position in positions {
        if leftover == 0 {
            break;
        }
        if let Some(share) = shares.get_mut(position) {
            *share += 1;
            leftover -= 1;
        }
    }
    shares
}

/// An amount in 64 bits: at least zero, and at most the largest possible amount.
pub(crate) fn cents(amount: i128) -> i64 {
    i64::try_from(amount.max(0)).unwrap_or(i64::MAX)
}

/// A quantity as a number of units, of which a line has at most [`QUANTITY_MAX`].
pub(super) fn units(quantity: i64) -> usize {
    usize::try_from(quantity.clamp(0, QUANTITY_MAX)).unwrap_or_default()
}
