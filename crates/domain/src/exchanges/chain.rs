//! Returns of goods that the shopper got in an exchange.
//!
//! The merchant publishes an exchange order like any other order, with its own prices. But it was
//! paid with the returned units, and with what the shopper paid on top. More than that is never
//! refunded, however many exchanges there were: each order of a chain is limited to the credit of
//! the one before it. Units that are not shipped yet may still be canceled and refunded, so what
//! was given for them is not part of the limit until they are shipped.

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::record::ExchangeRecord;
use crate::orders::order::{Order, OrderLine, OrderStatus};
use crate::orders::payments::MovedMoney;
use crate::returns::Resolution;
use crate::returns::ledger::Ledger;
use crate::returns::money::{cents, divide_by_largest_remainder, line_totals};
use crate::returns::rma::Rma;

/// What was given for an exchange order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeCredit {
    transaction_id: String,
    /// The units that are still exchanged for goods, by their value.
    units: Vec<CreditUnit>,
    gift_card_sku: Option<String>,
}

/// A returned unit that is exchanged for goods.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CreditUnit {
    /// The SKU of the goods.
    sku: Option<String>,
    worth_cents: i64,
}

impl ExchangeCredit {
    /// `rma` is the return whose units were exchanged. `gift_card_sku` was the SKU of gift cards
    /// when it started.
    pub fn of(record: &ExchangeRecord, rma: Option<&Rma>, gift_card_sku: Option<&str>) -> Self {
        let whole = CreditUnit { sku: None, worth_cents: record.goods_credit_cents };
        let mut units = rma.map_or_else(|| vec![whole], |rma| units_of(rma, record));
        units.sort_by_key(|unit| unit.worth_cents);
        let has_card = record.credit_cents > record.goods_credit_cents;
        Self {
            transaction_id: record.transaction_id.clone(),
            units,
            gift_card_sku: gift_card_sku.filter(|_| has_card).map(str::to_owned),
        }
    }

    /// A gift card that was issued is not refunded in money.
    fn is_gift_card(&self, line: &OrderLine) -> bool {
        self.gift_card_sku.is_some() && line.sku == self.gift_card_sku
    }

    /// What was given for the goods that were shipped. When the order is finished, the units that
    /// it did not ship are refunded, and the others are all that is left.
    fn shipped_cents(&self, order: &Order) -> i128 {
        let worth = |unit: &CreditUnit| i128::from(unit.worth_cents);
        match order.status {
            OrderStatus::Shipped | OrderStatus::Cancelled => {
                return self.units.iter().map(worth).sum();
            }
            OrderStatus::Created => (),
        }
        let mut shipped: BTreeMap<Option<&str>, i64> = BTreeMap::new();
        for line in order.items.iter().filter(|line| !self.is_gift_card(line)) {
            *shipped.entry(line.sku.as_deref()).or_default() += line.quantity_shipped;
        }
        let (named, unnamed): (Vec<&CreditUnit>, Vec<&CreditUnit>) =
            self.units.iter().partition(|unit| shipped.contains_key(&unit.sku.as_deref()));
        let own = named.into_iter().filter(|unit| {
            let left = shipped.get_mut(&unit.sku.as_deref()).filter(|left| **left > 0);
            left.map(|left| *left -= 1).is_some()
        });
        let own: i128 = own.map(worth).sum();
        // The merchant may have shipped goods under another SKU than the one that was asked for.
        let others = shipped.values().copied().fold(0, i64::saturating_add);
        let others = usize::try_from(others).unwrap_or_default();
        own + unnamed.into_iter().take(others).map(worth).sum::<i128>()
    }

    /// What the shopper paid for the order on top of the credit. Refunds that the order reports
    /// count where their units are spent; what was paid back beyond them was not paid.
    fn on_top_cents(&self, order: &Order) -> i128 {
        let ours = |id: &Option<String>| id.as_ref() == Some(&self.transaction_id);
        let others = order
            .transactions
            .iter()
            .filter(|payment| !ours(&payment.identifier) && !ours(&payment.parent_identifier));
        let moved = MovedMoney::of(others);
        let reported = order.refunds.iter().filter(|refund| !refund.is_ignored());
        let reported: i128 =
            reported.map(|refund| i128::from(refund.total_refund_amount_cents)).sum();
        (moved.paid - (moved.refunded - reported).max(0)).max(0)
    }

    /// The most that can be refunded for the order: what was given for the shipped goods, and what
    /// was paid on top.
    pub fn limit_cents(&self, order: &Order) -> i64 {
        cents(self.shipped_cents(order) + self.on_top_cents(order))
    }
}

fn units_of(rma: &Rma, record: &ExchangeRecord) -> Vec<CreditUnit> {
    let exchanged = rma.units.iter().map(|unit| &unit.goods).filter(|goods| {
        goods.order_identifier == record.original_order_id
            && goods.resolution == Resolution::Exchange
    });
    let units = exchanged.map(|goods| CreditUnit {
        sku: goods.exchange_sku.clone(),
        worth_cents: goods.replaced_cents(),
    });
    units.collect()
}

/// The order with larger discounts on its lines, with less tax if that is not enough, and with less
/// shipping, so that all of it is worth no more than can still be refunded.
#[must_use]
pub fn held_to_credit(order: &Order, credit: &ExchangeCredit, ledger: &Ledger) -> Order {
    let (frozen, frozen_ever) = (ledger.frozen_cents(order), ledger.frozen_ever_cents());
    let shipping_refunded = ledger.shipping().map_or(0, |shipping| shipping.amount_cents);
    let elsewhere = frozen_ever - frozen + i128::from(shipping_refunded);
    let limit = (i128::from(credit.limit_cents(order)) - elsewhere).max(0);

    let (mut nets, mut taxes) = (Vec::new(), Vec::new());
    for (line, totals) in order.items.iter().zip(line_totals(order)) {
        let counts = line.quantity_shipped > 0 && !credit.is_gift_card(line);
        nets.push(if counts { i128::from(totals.net_cents) } else { 0 });
        taxes.push(if counts { i128::from(totals.tax_cents) } else { 0 });
    }
    let (net, tax): (i128, i128) = (nets.iter().sum(), taxes.iter().sum());
    let excess = (net + tax - limit).max(0);
    let less_net = divide_by_largest_remainder(excess, &nets);
    let less_tax = divide_by_largest_remainder(excess - net, &taxes);

    let mut held = order.clone();
    let amounts = nets.iter().zip(less_net).zip(taxes.iter().zip(less_tax));
    for (line, ((net, less_net), (tax, less_tax))) in held.items.iter_mut().zip(amounts) {
        let price = line.product_amount_cents.max(0);
        line.discount_amount_cents = price.saturating_sub(cents(net - less_net));
        line.tax_amount_cents = cents(tax - less_tax);
    }
    let discounts = held.items.iter().map(|line| i128::from(line.discount_amount_cents));
    held.discount_amount_cents = cents(discounts.sum());
    let left = cents(limit - (net + tax - excess).max(frozen));
    held.shipping_amount_cents = held.shipping_amount_cents.max(0).min(left);
    let left = left - held.shipping_amount_cents;
    held.shipping_tax_amount_cents = held.shipping_tax_amount_cents.max(0).min(left);
    held
}
