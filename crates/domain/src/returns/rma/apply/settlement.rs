//! What the shopper gets for the goods: the merchant's refunds and exchange orders.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::returns::Resolution;
use crate::returns::rma::{
    LineQuantity, ReceivingStatus, RefundMade, Rma, RmaExchangeOrder, RmaRefusal, RmaUnit,
};

/// Settles as many units of each line as `made` paid for, and gives what it could not place. What
/// it has settled before counts, so that it can be told twice.
pub(super) fn refund(
    rma: &mut Rma,
    made: &RefundMade,
    order_identifier: &str,
    lines: &[LineQuantity],
) -> Vec<LineQuantity> {
    let mut owed = owed(lines);
    let of_order = |unit: &&mut RmaUnit| unit.goods.order_identifier == order_identifier;
    let mut open = Vec::new();
    for unit in rma.units.iter_mut().filter(of_order) {
        match &unit.refund {
            None if unit.awaits_refund() => open.push(unit),
            Some(before) if before.refund_identifier == made.refund_identifier => {
                take_one(&mut owed, unit);
            }
            Some(_) | None => (),
        }
    }
    // Merchants pay for what has arrived, so that is settled first.
    open.sort_by_key(|unit| unit.receiving != Some(ReceivingStatus::Received));
    for unit in open {
        if take_one(&mut owed, unit) {
            unit.refund = Some(made.clone());
        }
    }
    unplaced(owed)
}

/// Takes one unit off what is owed for its line, if there is any.
fn take_one(owed: &mut BTreeMap<&str, i64>, unit: &RmaUnit) -> bool {
    match owed.get_mut(unit.goods.order_line_item_identifier.as_str()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        Some(_) | None => false,
    }
}

/// Units by line. A refund may name a line more than once.
pub(super) fn owed(lines: &[LineQuantity]) -> BTreeMap<&str, i64> {
    let mut owed = BTreeMap::new();
    for line in lines {
        let units: &mut i64 = owed.entry(line.order_line_item_identifier.as_str()).or_default();
        *units = units.saturating_add(line.quantity.max(0));
    }
    owed
}

pub(super) fn unplaced(owed: BTreeMap<&str, i64>) -> Vec<LineQuantity> {
    let left = owed.into_iter().filter(|(_, quantity)| *quantity > 0);
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

/// A gift card is settled by its order being placed, so only exchanges are marked.
pub(super) fn fulfil_exchange(rma: &mut Rma, exchange_order_identifier: &str, now: Timestamp) {
    let exchanged = |unit: &&mut RmaUnit| unit.goods.resolution == Resolution::Exchange;
    let units = rma.units.iter_mut().filter(exchanged);
    for order in units.filter_map(|unit| unit.exchange.as_mut()) {
        if order.exchange_order_identifier == exchange_order_identifier {
            order.fulfilled_at.get_or_insert(now);
        }
    }
}

/// Nothing that is settled is ever unsettled: neither what was shipped, nor a gift card, which is given when its
/// order is placed.
pub(super) fn cancel_exchange(rma: &mut Rma, exchange_order_identifier: &str) {
    let cancelled = |unit: &&mut RmaUnit| {
        let order = unit.exchange.as_ref();
        !unit.is_settled()
            && order.is_some_and(|it| it.exchange_order_identifier == exchange_order_identifier)
    };
    for unit in rma.units.iter_mut().filter(cancelled) {
        unit.exchange = None;
        unit.goods.resolution = Resolution::Refund;
    }
}

/// One exchange order is placed for an order, ever. So what cannot be placed is not tried as
/// something else; it is money. The bonus was for taking a card, and goes with the last of them.
pub(super) fn fail_exchange(rma: &mut Rma, order_identifier: &str) {
    let mut cards_lost = false;
    for unit in rma.units.iter_mut().filter(|unit| unit.awaits_order()) {
        if unit.goods.order_identifier == order_identifier {
            cards_lost |= unit.goods.resolution == Resolution::GiftCard;
            unit.goods.resolution = Resolution::Refund;
        }
    }
    let is_card = |unit: &RmaUnit| unit.goods.resolution == Resolution::GiftCard;
    if cards_lost && !rma.units.iter().any(is_card) {
        rma.bonus_credit_amount_cents = 0;
    }
}
