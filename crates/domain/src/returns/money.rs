//! What the units of an order are worth, to the cent.
//!
//! Nothing is lost by rounding and nothing is made by it. The part of the order's discount that
//! the lines do not show yet is dealt over the lines by largest remainder, and the totals of a
//! line are dealt over its units: every unit gets the whole quotient, and the cents that are left
//! over go round the units one by one. Tax begins where the net amount stopped, so the units of a
//! line differ by at most one cent in what is paid back for them. Tax is never computed, only
//! dealt.
//!
//! Sums and products are formed in 128 bits, where amounts of 64 bits cannot overflow.

#[cfg(test)]
mod tests;

use super::UnitAmounts;
use crate::orders::order::{Order, OrderLine};
use crate::reader::fields::QUANTITY_MAX;

/// What a whole line is worth, or the part of it that is not frozen. Nothing here is negative,
/// and the net amount is never more than the price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineTotals {
    /// Before any discount.
    pub price_cents: i64,
    /// The price less the line's discount and its share of the order's.
    pub net_cents: i64,
    pub tax_cents: i64,
}

impl LineTotals {
    /// What is paid back when every unit comes back, before fees.
    pub const fn refund_cents(&self) -> i64 {
        self.net_cents.saturating_add(self.tax_cents)
    }

    /// What is left beside units that have their amounts already. Should a newer snapshot have
    /// shrunk the line below what is frozen, nothing is left; should it have cut the price and not
    /// the net amount, the price follows the net amount, which is what is paid.
    pub(super) fn less(&self, frozen: impl IntoIterator<Item = UnitAmounts>) -> Self {
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

    /// Deals the totals over so many units.
    pub(super) fn deal(&self, units: usize) -> Vec<UnitAmounts> {
        let prices = Dealt::over(units, self.price_cents, 0);
        let nets = Dealt::over(units, self.net_cents, 0);
        let taxes = Dealt::over(units, self.tax_cents, nets.stopped);
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

/// One amount over several units: each has the quotient, and `leftover` of them, from `start` on
/// and round, have a cent more.
struct Dealt {
    units: usize,
    quotient: i64,
    leftover: usize,
    start: usize,
    /// The unit behind the last that has a cent more.
    stopped: usize,
}

impl Dealt {
    fn over(units: usize, total_cents: i64, start: usize) -> Self {
        let Some(divisor) = i64::try_from(units).ok().filter(|divisor| *divisor > 0) else {
            return Self { units, quotient: 0, leftover: 0, start, stopped: start };
        };
        let total_cents = total_cents.max(0);
        let leftover = usize::try_from(total_cents % divisor).unwrap_or_default();
        let stopped = (start + leftover) % units;
        Self { units, quotient: total_cents / divisor, leftover, start, stopped }
    }

    fn share(&self, unit: usize) -> i64 {
        let turn = (unit + self.units - self.start) % self.units;
        self.quotient + i64::from(turn < self.leftover)
    }
}

/// What each line of the order is worth, in the order of the lines.
pub fn line_totals(order: &Order) -> Vec<LineTotals> {
    let shown: Vec<i128> = order.items.iter().map(after_line_discount).collect();
    let in_lines: i128 =
        order.items.iter().map(|line| i128::from(line.discount_amount_cents.max(0))).sum();
    let beyond_lines = i128::from(order.discount_amount_cents) - in_lines;
    let shares = by_largest_remainder(beyond_lines, &shown);
    let totals =
        order.items.iter().zip(shown.iter().zip(shares)).map(|(line, (shown, share))| LineTotals {
            price_cents: line.product_amount_cents.max(0),
            net_cents: cents(shown - share),
            tax_cents: line.tax_amount_cents.max(0),
        });
    totals.collect()
}

/// A discount that is more than the product it is on does not reach into other lines.
fn after_line_discount(line: &OrderLine) -> i128 {
    let discount = i128::from(line.discount_amount_cents.max(0));
    (i128::from(line.product_amount_cents) - discount).max(0)
}

/// Divides `amount` in proportion to the weights, none of which gets more than itself. Cents that
/// are left over go where the division left most, and among equals to the first.
fn by_largest_remainder(amount: i128, weights: &[i128]) -> Vec<i128> {
    let together: i128 = weights.iter().sum();
    let amount = amount.clamp(0, together);
    if amount == 0 {
        return vec![0; weights.len()];
    }
    let mut shares: Vec<i128> = weights.iter().map(|weight| amount * weight / together).collect();
    let mut positions: Vec<usize> = (0..weights.len()).collect();
    let remainder = |position: &usize| weights.get(*position).map(|w| amount * w % together);
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

/// Back to 64 bits: nothing is less than zero, and what is too large stays the largest amount.
pub(crate) fn cents(amount: i128) -> i64 {
    i64::try_from(amount.max(0)).unwrap_or(i64::MAX)
}

/// A quantity as a number of units: no line has more than [`QUANTITY_MAX`].
pub(super) fn units(quantity: i64) -> usize {
    usize::try_from(quantity.clamp(0, QUANTITY_MAX)).unwrap_or_default()
}
