//! What is left of an order for the units that are not spent.
//!
//! A newer snapshot can distribute the order's discount differently over the lines, because a line
//! was shipped, canceled or added since. What is frozen stays. The difference belongs to the units
//! that are not spent, also if they are of other lines, so that all units together are worth what
//! the newest snapshot says. If more than that is frozen already, the rest is worth nothing.
//!
//! Spent units that the snapshot no longer has do not count: it does not say what they are worth.

use super::{Ledger, SpentUnit};
use crate::orders::order::{Order, OrderLine};
use crate::returns::money::{
    LineTotals, cents, divide_by_largest_remainder, divide_in_proportion, line_totals, units,
};

/// Amounts in 128 bits, in which sums of 64-bit amounts cannot overflow.
#[derive(Clone, Copy, Default)]
struct Sums {
    price: i128,
    net: i128,
    tax: i128,
}

impl Sums {
    fn of_line(totals: &LineTotals) -> Self {
        Self {
            price: totals.price_cents.into(),
            net: totals.net_cents.into(),
            tax: totals.tax_cents.into(),
        }
    }

    fn of_units(units: &[SpentUnit]) -> Self {
        units.iter().fold(Self::default(), |sums, unit| {
            let price = i128::from(unit.amounts.price_cents);
            let net = price - i128::from(unit.amounts.discount_cents);
            sums.plus(Self { price, net, tax: unit.amounts.tax_cents.into() })
        })
    }

    fn plus(self, other: Self) -> Self {
        let Self { price, net, tax } = other;
        Self { price: self.price + price, net: self.net + net, tax: self.tax + tax }
    }

    fn less(self, other: Self) -> Self {
        let Self { price, net, tax } = other;
        Self { price: self.price - price, net: self.net - net, tax: self.tax - tax }
    }

    fn refund(self) -> i128 {
        self.net + self.tax
    }
}

/// A line of an order.
struct LineParts {
    /// What its spent units are worth.
    frozen: Sums,
    /// What the snapshot says beyond that; less than nothing if more is frozen.
    left: Sums,
    /// What its units that are not spent cost now, rounded up: only what is free has no price.
    open_price: i128,
    /// Whether it has units that are not spent.
    is_open: bool,
}

impl Ledger {
    /// What each line is worth, in the order of the lines: what is frozen of it, and what is left
    /// for its other units. A line that is spent has its totals from the snapshot.
    pub(crate) fn line_totals(&self, order: &Order) -> Vec<LineTotals> {
        let mut totals = line_totals(order);
        if self.lines.is_empty() {
            return totals;
        }
        let lines = order.items.iter().zip(&totals);
        let lines: Vec<LineParts> =
            lines.map(|(line, totals)| self.parts_of(line, totals)).collect();
        let left = lines.iter().fold(Sums::default(), |left, line| left.plus(line.left));
        let refund = left.refund().max(0);
        let net = left.net.clamp(0, refund);

        let part = |amount: fn(&LineParts) -> i128| {
            let parts = lines.iter().map(|line| if line.is_open { amount(line).max(0) } else { 0 });
            parts.collect::<Vec<i128>>()
        };
        let prices = part(|line| line.left.price);
        let mut nets = part(|line| line.left.net);
        // No unit gets more than its price while others can still get something.
        let room: Vec<i128> =
            prices.iter().zip(&nets).map(|(price, net)| (price - net).max(0)).collect();
        fit(&mut nets, net, &room);
        let open_prices = part(|line| line.open_price);
        fit_in_proportion(&mut nets, net, &open_prices);
        let mut taxes = part(|line| line.left.tax);
        fit(&mut taxes, refund - net, &[]);
        fit_in_proportion(&mut taxes, refund - net, &open_prices);

        let amounts = prices.into_iter().zip(nets.into_iter().zip(taxes));
        for ((totals, line), (price, (net, tax))) in totals.iter_mut().zip(&lines).zip(amounts) {
            if line.is_open {
                *totals = LineTotals {
                    price_cents: cents(line.frozen.price + price.max(net)),
                    net_cents: cents(line.frozen.net + net),
                    tax_cents: cents(line.frozen.tax + tax),
                };
            }
        }
        totals
    }

    fn parts_of(&self, line: &OrderLine, totals: &LineTotals) -> LineParts {
        let (spent, shipped) = (self.spent(&line.identifier), units(line.quantity_shipped));
        let frozen = Sums::of_units(self.frozen_units(line));
        let total = if shipped == 0 { Sums::default() } else { Sums::of_line(totals) };
        let count = |units: usize| i128::try_from(units).unwrap_or(i128::MAX);
        let (open, all) = (count(shipped.saturating_sub(spent.len())), count(shipped.max(1)));
        let open_price = (total.price * open + all - 1) / all;
        LineParts { frozen, left: total.less(frozen), open_price, is_open: open > 0 }
    }

    /// The spent units of a line, as far as the line has them.
    fn frozen_units(&self, line: &OrderLine) -> &[SpentUnit] {
        let spent = self.spent(&line.identifier);
        spent.get(..units(line.quantity_shipped)).unwrap_or(spent)
    }

    /// What is frozen of the units that the order has.
    pub(crate) fn frozen_cents(&self, order: &Order) -> i128 {
        let lines = order.items.iter().map(|line| Sums::of_units(self.frozen_units(line)));
        lines.map(Sums::refund).sum()
    }

    /// What is frozen of all units, including those that the order no longer has.
    pub(crate) fn frozen_ever_cents(&self) -> i128 {
        self.lines.values().map(|spent| Sums::of_units(spent).refund()).sum()
    }
}

/// Changes the parts so that they add up to `total`: takes from each in proportion, or adds to each
/// in proportion to its room, and no more than that.
fn fit(parts: &mut [i128], total: i128, room: &[i128]) {
    let sum: i128 = parts.iter().sum();
    let less = divide_by_largest_remainder(sum - total, parts);
    parts.iter_mut().zip(less).for_each(|(part, less)| *part -= less);
    let more = divide_by_largest_remainder(total - sum, room);
    parts.iter_mut().zip(more).for_each(|(part, more)| *part += more);
}

/// Adds what is missing of `total` to the parts in proportion to `weights`.
fn fit_in_proportion(parts: &mut [i128], total: i128, weights: &[i128]) {
    let more = divide_in_proportion(total - parts.iter().sum::<i128>(), weights);
    parts.iter_mut().zip(more).for_each(|(part, more)| *part += more);
}
