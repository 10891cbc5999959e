//! The life of a return: `(return, event) -> (return, whether it changed)`.
//!
//! | event             | moves                                                            |
//! | ----------------- | ---------------------------------------------------------------- |
//! | LabelCreated      | units without a number get it, and become PRE_TRANSIT            |
//! | Scanned           | tracking of the units, forward only                              |
//! | Received          | one unit from PENDING to RECEIVED                                |
//! | ReceivingClosed   | units from PENDING to NOT_RECEIVED; receiving is complete        |
//! | Refunded          | as many units as were paid for, of those that await their refund |
//! | Canceled          | the return, if nothing has begun                                 |
//! | ExchangePlaced    | the units that await the order                                   |
//! | ExchangeFulfilled | the units of that order                                          |
//! | ExchangeCancelled | units of that order that were not shipped become refunds         |
//! | ExchangeFailed    | units that await the order become refunds                        |
//!
//! The outside world repeats itself and is late: what is true already, or was overtaken, changes
//! nothing and owes nothing. What contradicts the return is refused, so that somebody looks.
//! Whether anything changed is found by comparison, in one place, so that no event can forget
//! to announce itself.
//!
//! A REFUNDED return still travels: a merchant who refunds at the first scan hears of the
//! delivery, too. Tracking and receiving go on; the status stays. To a CANCELED return nothing
//! happens any more; goods that come nevertheless are refused, and a refund has no place.

mod goods;
mod settlement;

use jiff::Timestamp;

use self::goods::{Wanted, close_receiving, label, receive, track};
use self::settlement::{
    cancel_exchange, fail_exchange, fulfil_exchange, owed, place_exchange, refund, unplaced,
};
use super::event::{LineQuantity, RmaDecision, RmaEvent, RmaRefusal};
use super::{RefundMade, Rma, RmaStatus, RmaUnit, TrackingStatus, UnitReceipt};

/// Applies `event` to `rma`.
pub fn apply(rma: &Rma, event: &RmaEvent, now: Timestamp) -> Result<RmaDecision, RmaRefusal> {
    let mut next = rma.clone();
    let unplaced = match rma.status {
        RmaStatus::Canceled => when_canceled(event)?,
        RmaStatus::Created
        | RmaStatus::PendingExchange
        | RmaStatus::PartialRefund
        | RmaStatus::Refunded => when_live(&mut next, event, now)?,
    };
    next.status = RmaStatus::of(&next);
    let changed = next != *rma;
    if changed {
        // A clock that was set back does not take the return back.
        next.updated_at = now.max(rma.updated_at);
        next.messages_sent = rma.messages_sent.saturating_add(1);
    }
    Ok(RmaDecision { rma: next, changed, unplaced })
}

fn when_canceled(event: &RmaEvent) -> Result<Vec<LineQuantity>, RmaRefusal> {
    match event {
        RmaEvent::Refunded { lines, .. } => Ok(unplaced(owed(lines))),
        RmaEvent::Canceled
        | RmaEvent::ExchangeFulfilled { .. }
        | RmaEvent::ExchangeCancelled { .. }
        | RmaEvent::ExchangeFailed { .. } => Ok(Vec::new()),
        RmaEvent::LabelCreated { .. }
        | RmaEvent::Scanned { .. }
        | RmaEvent::Received { .. }
        | RmaEvent::ReceivingClosed
        | RmaEvent::ExchangePlaced { .. } => Err(RmaRefusal::Canceled),
    }
}

fn when_live(
    rma: &mut Rma,
    event: &RmaEvent,
    now: Timestamp,
) -> Result<Vec<LineQuantity>, RmaRefusal> {
    match event {
        RmaEvent::LabelCreated { tracking_number, lines } => label(rma, tracking_number, lines)?,
        RmaEvent::Scanned { scan, tracking_number, lines } => {
            track(rma, *scan, tracking_number.as_deref(), lines)?;
        }
        RmaEvent::Received { receipt_identifier, line, sku, condition } => {
            let wanted = Wanted { line: line.as_deref(), sku: sku.as_deref() };
            let receipt = UnitReceipt {
                receipt_identifier: receipt_identifier.clone(),
                condition: *condition,
                received_at: now,
            };
            receive(rma, &wanted, &receipt)?;
        }
        RmaEvent::ReceivingClosed => close_receiving(rma)?,
        RmaEvent::Refunded { refund_identifier, order_identifier, lines } => {
            let made =
                RefundMade { refund_identifier: refund_identifier.clone(), refunded_at: now };
            return Ok(refund(rma, &made, order_identifier, lines));
        }
        RmaEvent::Canceled => cancel(rma)?,
        RmaEvent::ExchangePlaced { order_identifier, exchange_order_identifier } => {
            place_exchange(rma, order_identifier, exchange_order_identifier, now)?;
        }
        RmaEvent::ExchangeFulfilled { exchange_order_identifier } => {
            fulfil_exchange(rma, exchange_order_identifier, now);
        }
        RmaEvent::ExchangeCancelled { exchange_order_identifier } => {
            cancel_exchange(rma, exchange_order_identifier);
        }
        RmaEvent::ExchangeFailed { order_identifier } => fail_exchange(rma, order_identifier),
    }
    Ok(Vec::new())
}

fn cancel(rma: &mut Rma) -> Result<(), RmaRefusal> {
    if let Some(refusal) = rma.units.iter().find_map(hinders_cancel) {
        return Err(refusal);
    }
    rma.status = RmaStatus::Canceled;
    Ok(())
}

/// Why a return with this unit cannot be canceled, if it cannot.
fn hinders_cancel(unit: &RmaUnit) -> Option<RmaRefusal> {
    match unit.tracking {
        None | Some(TrackingStatus::PreTransit | TrackingStatus::NotDroppedOff) => (),
        Some(TrackingStatus::Accepted) => return Some(RmaRefusal::DroppedOff),
        Some(
            TrackingStatus::Transit
            | TrackingStatus::Failure
            | TrackingStatus::Delivered
            | TrackingStatus::Returned,
        ) => {
            return Some(RmaRefusal::Scanned);
        }
    }
    if unit.receipt.is_some() {
        return Some(RmaRefusal::Received);
    }
    if unit.refund.is_some() {
        return Some(RmaRefusal::Refunded);
    }
    if let Some(order) = &unit.exchange {
        return Some(RmaRefusal::ExchangePlaced(order.exchange_order_identifier.clone()));
    }
    unit.awaits_order().then_some(RmaRefusal::ExchangePending)
}
