//! The lifecycle of a return: `(return, event) -> (return, whether it changed)`.
//!
//! | event             | effect                                                           |
//! | ----------------- | ---------------------------------------------------------------- |
//! | LabelCreated      | units without a number get it, and become PRE_TRANSIT            |
//! | LabelVoided       | units that travel with the label have none                       |
//! | LabelRenewed      | the same for all labels, and new ones are awaited                |
//! | Scanned           | tracking of the units moves forward                              |
//! | Received          | one PENDING unit becomes RECEIVED, or NOT_RECEIVED if rejected;  |
//! |                   | if a person assigned it, also one that receiving closed without  |
//! | ReceiptCorrected  | a receipt is replaced, or its unit becomes PENDING again         |
//! | WrongItemRejected | it is listed on the return; its units do not change              |
//! | ReceivingClosed   | PENDING units become NOT_RECEIVED                                |
//! | Refunded          | as many units as were paid for, among those that await a refund  |
//! | RefundedExtra     | the money is recorded on the return; its status does not change  |
//! | DifferenceAccepted| a refund that is not what was promised counts as if it were      |
//! | Canceled          | the return is canceled, if no goods or money have moved          |
//! | ExchangePlaced    | units that await the order have it                               |
//! | ExchangeFulfilled | units of that order are settled                                  |
//! | ExchangePart…     | so many units of that order are settled, or become refunds       |
//! | ExchangeCanceled  | units of that order that were not shipped become refunds         |
//! | ExchangeFailed    | units that await the order become refunds                        |
//!
//! Events are repeated and arrive late: what is already true, or was overtaken, changes nothing and
//! causes no message. What contradicts the return is refused, so that a person looks at it. Whether
//! anything changed is determined by comparison, in one place, so that no event can forget its
//! message.
//!
//! A REFUNDED return is still tracked and received: a merchant who refunds at the first scan is
//! notified of the delivery, too. The status does not change. A CANCELED return does not change at
//! all: goods that arrive anyway are refused, and a refund cannot be assigned to it.

mod goods;
mod labels;
mod settlement;

use jiff::Timestamp;

use self::goods::{
    ReceivedUnit, close_receiving, correct_receipt, receive, reject_wrong_item, track,
};
use self::labels::change_labels;
use self::settlement::{
    Payment, accept_difference, cancel_exchange, cancel_some, fail_exchange, fulfill_exchange,
    fulfill_some, list_unplaced, place_exchange, refund, refund_extra, sum_by_line,
};
use super::event::{LineQuantity, RmaDecision, RmaEvent, RmaRefusal};
use super::record::Rma;
use super::status::RmaStatus;
use super::tracking::TrackingStatus;
use super::unit::{RmaUnit, UnitReceipt};

/// Applies `event` to `rma`.
pub fn apply(rma: &Rma, event: &RmaEvent, now: Timestamp) -> Result<RmaDecision, RmaRefusal> {
    let mut next = rma.clone();
    let unplaced = change(&mut next, event, now)?;
    let changed = next != *rma;
    if changed {
        next.count_change(now);
    }
    Ok(RmaDecision { rma: next, changed, unplaced })
}

/// Applies an event that is known to change the return, without a copy of the return.
pub fn apply_again(rma: &mut Rma, event: &RmaEvent, now: Timestamp) -> Result<(), RmaRefusal> {
    change(rma, event, now)?;
    rma.count_change(now);
    Ok(())
}

fn change(
    rma: &mut Rma,
    event: &RmaEvent,
    now: Timestamp,
) -> Result<Vec<LineQuantity>, RmaRefusal> {
    let unplaced = match rma.status {
        RmaStatus::Canceled => when_canceled(rma, event)?,
        RmaStatus::Created
        | RmaStatus::PendingExchange
        | RmaStatus::PartialRefund
        | RmaStatus::Refunded => when_live(rma, event, now)?,
    };
    rma.receiving_complete = rma.derive_receiving_complete();
    rma.status = rma.derive_status();
    Ok(unplaced)
}

fn when_canceled(rma: &mut Rma, event: &RmaEvent) -> Result<Vec<LineQuantity>, RmaRefusal> {
    match event {
        RmaEvent::Refunded { lines, .. } => Ok(list_unplaced(sum_by_line(lines))),
        RmaEvent::DifferenceAccepted { refund_identifier, amount_cents, .. } => {
            accept_difference(rma, refund_identifier, *amount_cents)?;
            Ok(Vec::new())
        }
        RmaEvent::Canceled
        | RmaEvent::LabelVoided { .. }
        | RmaEvent::ExchangeFulfilled { .. }
        | RmaEvent::ExchangePartShipped { .. }
        | RmaEvent::ExchangePartCanceled { .. }
        | RmaEvent::ExchangeCanceled { .. }
        | RmaEvent::ExchangeFailed { .. } => Ok(Vec::new()),
        RmaEvent::LabelCreated { .. }
        | RmaEvent::LabelRenewed { .. }
        | RmaEvent::Scanned { .. }
        | RmaEvent::Received { .. }
        | RmaEvent::ReceiptCorrected { .. }
        | RmaEvent::WrongItemRejected(_)
        | RmaEvent::ReceivingClosed
        | RmaEvent::RefundedExtra { .. }
        | RmaEvent::ExchangePlaced { .. } => Err(RmaRefusal::Canceled),
    }
}

fn when_live(
    rma: &mut Rma,
    event: &RmaEvent,
    now: Timestamp,
) -> Result<Vec<LineQuantity>, RmaRefusal> {
    match event {
        RmaEvent::LabelCreated { .. }
        | RmaEvent::LabelVoided { .. }
        | RmaEvent::LabelRenewed { .. } => change_labels(rma, event, now)?,
        RmaEvent::Scanned { scan, tracking_number, lines } => {
            track(rma, *scan, tracking_number.as_deref(), lines)?;
        }
        RmaEvent::Received { .. } => receive_unit(rma, event, now)?,
        RmaEvent::ReceiptCorrected { receipt_identifier, corrected } => {
            correct_receipt(rma, receipt_identifier, corrected.as_ref())?;
        }
        RmaEvent::WrongItemRejected(item) => reject_wrong_item(rma, item),
        RmaEvent::ReceivingClosed => close_receiving(rma)?,
        RmaEvent::Refunded {
            refund_identifier,
            order_identifier,
            lines,
            amount_cents,
            accepted_cents,
        } => {
            let (amount_cents, accepted_cents) = (*amount_cents, *accepted_cents);
            let payment = Payment { refund_identifier, amount_cents, accepted_cents, now };
            return Ok(refund(rma, &payment, order_identifier, lines));
        }
        RmaEvent::RefundedExtra { refund_identifier, amount_cents, accepted_cents } => {
            let (amount_cents, accepted_cents) = (*amount_cents, *accepted_cents);
            let payment = Payment { refund_identifier, amount_cents, accepted_cents, now };
            refund_extra(rma, &payment);
        }
        RmaEvent::DifferenceAccepted { refund_identifier, amount_cents, .. } => {
            accept_difference(rma, refund_identifier, *amount_cents)?;
        }
        RmaEvent::Canceled => cancel(rma)?,
        RmaEvent::ExchangePlaced { order_identifier, exchange_order_identifier } => {
            place_exchange(rma, order_identifier, exchange_order_identifier, now)?;
        }
        RmaEvent::ExchangeFulfilled { exchange_order_identifier: id } => {
            fulfill_exchange(rma, id, now);
        }
        RmaEvent::ExchangePartShipped { exchange_order_identifier: id, units } => {
            fulfill_some(rma, id, units, now);
        }
        RmaEvent::ExchangePartCanceled { exchange_order_identifier: id, units } => {
            cancel_some(rma, id, units);
        }
        RmaEvent::ExchangeCanceled { exchange_order_identifier: id } => cancel_exchange(rma, id),
        RmaEvent::ExchangeFailed { order_identifier } => fail_exchange(rma, order_identifier),
    }
    Ok(Vec::new())
}

fn receive_unit(rma: &mut Rma, event: &RmaEvent, now: Timestamp) -> Result<(), RmaRefusal> {
    let RmaEvent::Received {
        receipt_identifier,
        line,
        sku,
        condition,
        reject_reason,
        channel,
        assigned,
    } = event
    else {
        return Ok(());
    };
    let unit = ReceivedUnit { line: line.as_deref(), sku: sku.as_deref(), assigned: *assigned };
    let receipt = UnitReceipt {
        receipt_identifier: receipt_identifier.clone(),
        condition: *condition,
        reject_reason: reject_reason.clone(),
        channel: channel.clone(),
        received_at: now,
    };
    receive(rma, &unit, &receipt)
}

fn cancel(rma: &mut Rma) -> Result<(), RmaRefusal> {
    if let Some(refusal) = rma.units.iter().find_map(cancel_refusal) {
        return Err(refusal);
    }
    rma.status = RmaStatus::Canceled;
    Ok(())
}

/// Why a return with this unit cannot be canceled. None if it can.
fn cancel_refusal(unit: &RmaUnit) -> Option<RmaRefusal> {
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
