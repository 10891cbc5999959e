//! What the shopper gets for the goods: the merchant's refunds and exchange orders.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::returns::Resolution;
use crate::returns::rma::event::{LineQuantity, RmaRefusal};
use crate::returns::rma::receiving::ReceivingStatus;
use crate::returns::rma::record::Rma;
use crate::returns::rma::unit::{RefundMade, ReportedRefund, RmaExchangeOrder, RmaUnit};

/// Money that the merchant reports.
pub(super) struct Payment<'a> {
    pub(super) refund_identifier: &'a str,
    pub(super) amount_cents: i64,
    pub(super) accepted_cents: i64,
    pub(super) now: Timestamp,
}

/// Settles as many units of each line as were paid for, and returns those that the payment could
/// not be assigned to. Units that it settled before count, so a repeated refund changes nothing.
pub(super) fn refund(
    rma: &mut Rma,
    payment: &Payment<'_>,
    order_identifier: &str,
    lines: &[LineQuantity],
) -> Vec<LineQuantity> {
    let mut unassigned = sum_by_line(lines);
    let of_order = |unit: &&mut RmaUnit| unit.goods.order_identifier == order_identifier;
    let mut open = Vec::new();
    for unit in rma.units.iter_mut().filter(of_order) {
        match &unit.refund {
            None if unit.awaits_refund() => open.push(unit),
            Some(before) if before.refund_identifier == payment.refund_identifier => {
                take_one(&mut unassigned, unit);
            }
            Some(_) | None => (),
        }
    }
    // Merchants pay for what has arrived, so that is settled first.
    open.sort_by_key(|unit| unit.receiving != Some(ReceivingStatus::Received));
    let mut settled = false;
    for unit in open {
        if take_one(&mut unassigned, unit) {
            let refund_identifier = payment.refund_identifier.to_owned();
            unit.refund = Some(RefundMade { refund_identifier, refunded_at: payment.now });
            settled = true;
        }
    }
    let left = list_unplaced(unassigned);
    if settled {
        record_payment(rma, payment);
    }
    left
}

/// Records money that pays for no units, once.
pub(super) fn refund_extra(rma: &mut Rma, payment: &Payment<'_>) {
    if !rma.refunds.iter().any(|it| it.refund_identifier == payment.refund_identifier) {
        record_payment(rma, payment);
    }
}

fn record_payment(rma: &mut Rma, payment: &Payment<'_>) {
    let id = payment.refund_identifier;
    match rma.refunds.iter_mut().find(|it| it.refund_identifier == id) {
        Some(known) => {
            known.amount_cents = known.amount_cents.saturating_add(payment.amount_cents);
            known.accepted_cents = known.accepted_cents.saturating_add(payment.accepted_cents);
        }
        None => rma.refunds.push(ReportedRefund {
            refund_identifier: id.to_owned(),
            amount_cents: payment.amount_cents,
            accepted_cents: payment.accepted_cents,
            refunded_at: payment.now,
        }),
    }
}

/// Accepts that a refund differs from the promise.
pub(super) fn accept_difference(
    rma: &mut Rma,
    refund_identifier: &str,
    missing_cents: i64,
) -> Result<(), RmaRefusal> {
    let refund = rma.refunds.iter_mut().find(|it| it.refund_identifier == refund_identifier);
    let refund = refund.ok_or_else(|| RmaRefusal::UnknownRefund(refund_identifier.to_owned()))?;
    refund.accepted_cents = refund.accepted_cents.saturating_add(missing_cents);
    Ok(())
}

/// Takes one unit from what is left for its line, if there is any.
fn take_one(unassigned: &mut BTreeMap<&str, i64>, unit: &RmaUnit) -> bool {
    match unassigned.get_mut(unit.goods.order_line_item_identifier.as_str()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        Some(_) | None => false,
    }
}

/// Units by line. A refund may name a line more than once.
pub(super) fn sum_by_line(lines: &[LineQuantity]) -> BTreeMap<&str, i64> {
    let mut sums = BTreeMap::new();
    for line in lines {
        let units: &mut i64 = sums.entry(line.order_line_item_identifier.as_str()).or_default();
        *units = units.saturating_add(line.quantity.max(0));
    }
    sums
}

pub(super) fn list_unplaced(unassigned: BTreeMap<&str, i64>) -> Vec<LineQuantity> {
    let left = unassigned.into_iter().filter(|(_, quantity)| *quantity > 0);
    let left = left.map(|(line, quantity)| LineQuantity {
        order_line_item_identifier: line.to_owned(),
        quantity,
    });
    left.collect()
}

pub(super) fn place_exchange(
    rma: &mut Rma,
    order_identifier: &str,
    exchange_order_identifier: &str,
    now: Timestamp,
) -> Result<(), RmaRefusal> {
    let replaced =
        |unit: &&mut RmaUnit| unit.goods.order_identifier == order_identifier && unit.is_replaced();
    let units: Vec<&mut RmaUnit> = rma.units.iter_mut().filter(replaced).collect();
    if units.is_empty() {
        return Err(RmaRefusal::NoExchange(order_identifier.to_owned()));
    }
    let mut placed = units.iter().filter_map(|unit| unit.exchange.as_ref());
    if let Some(other) =
        placed.find(|order| order.exchange_order_identifier != exchange_order_identifier)
    {
        return Err(RmaRefusal::ExchangePlaced(other.exchange_order_identifier.clone()));
    }
    for unit in units.into_iter().filter(|unit| unit.exchange.is_none()) {
        unit.exchange = Some(RmaExchangeOrder {
            exchange_order_identifier: exchange_order_identifier.to_owned(),
            placed_at: now,
            fulfilled_at: None,
        });
    }
    Ok(())
}

/// A gift card is settled when its order is placed, so only exchanges are marked.
pub(super) fn fulfill_exchange(rma: &mut Rma, exchange_order_identifier: &str, now: Timestamp) {
    let exchanged = |unit: &&mut RmaUnit| unit.goods.resolution == Resolution::Exchange;
    let of_order = |unit: &&mut RmaUnit| is_in_order(unit, exchange_order_identifier);
    for unit in rma.units.iter_mut().filter(exchanged).filter(of_order) {
        fulfill_unit(unit, now);
    }
}

fn is_in_order(unit: &RmaUnit, exchange_order_identifier: &str) -> bool {
    let order = unit.exchange.as_ref();
    order.is_some_and(|it| it.exchange_order_identifier == exchange_order_identifier)
}

fn fulfill_unit(unit: &mut RmaUnit, now: Timestamp) {
    if let Some(order) = &mut unit.exchange {
        order.fulfilled_at.get_or_insert(now);
    }
}

/// Marks so many units of an exchange order, by SKU, as shipped.
pub(super) fn fulfill_some(
    rma: &mut Rma,
    exchange_order_identifier: &str,
    by_sku: &BTreeMap<String, i64>,
    now: Timestamp,
) {
    for unit in choose_units(rma, exchange_order_identifier, by_sku) {
        fulfill_unit(unit, now);
    }
}

/// Turns so many units of an exchange order, by SKU, into refunds.
pub(super) fn cancel_some(
    rma: &mut Rma,
    exchange_order_identifier: &str,
    by_sku: &BTreeMap<String, i64>,
) {
    choose_units(rma, exchange_order_identifier, by_sku).into_iter().for_each(refund_instead);
}

/// So many units of an exchange order by the SKUs of their variants, as far as they are not settled
/// yet. The order may also have goods that replace none.
fn choose_units<'a>(
    rma: &'a mut Rma,
    exchange_order_identifier: &str,
    by_sku: &BTreeMap<String, i64>,
) -> Vec<&'a mut RmaUnit> {
    let mut left = by_sku.clone();
    let open = rma.units.iter_mut().filter(|unit| {
        unit.goods.resolution == Resolution::Exchange
            && !unit.is_settled()
            && is_in_order(unit, exchange_order_identifier)
    });
    let chosen = open.filter(|unit| {
        let sku = unit.goods.exchange_sku.as_deref().unwrap_or_default();
        let Some(left) = left.get_mut(sku).filter(|left| **left > 0) else { return false };
        *left -= 1;
        true
    });
    chosen.collect()
}

/// A settled unit remains settled: neither shipped goods nor a gift card, which is issued when its
/// order is placed, become refunds.
pub(super) fn cancel_exchange(rma: &mut Rma, exchange_order_identifier: &str) {
    let is_canceled =
        |unit: &&mut RmaUnit| !unit.is_settled() && is_in_order(unit, exchange_order_identifier);
    rma.units.iter_mut().filter(is_canceled).for_each(refund_instead);
}

fn refund_instead(unit: &mut RmaUnit) {
    unit.exchange = None;
    unit.goods.resolution = Resolution::Refund;
}

/// There is only ever one exchange order for an order. So if it cannot be placed, its units are
/// refunded. The bonus was for taking a gift card, and is lost with the card that it was on. What
/// that card would have paid of the fee is deducted from the refund.
pub(super) fn fail_exchange(rma: &mut Rma, order_identifier: &str) {
    let had_bonus = rma.first_gift_card() == Some(order_identifier);
    let mut cards_lost = false;
    for unit in rma.units.iter_mut().filter(|unit| unit.awaits_order()) {
        if unit.goods.order_identifier == order_identifier {
            cards_lost |= unit.goods.resolution == Resolution::GiftCard;
            unit.goods.resolution = Resolution::Refund;
        }
    }
    if cards_lost && had_bonus {
        rma.bonus_credit_amount_cents = 0;
        rma.gift_card_fee_cents = 0;
    }
}
