//! What an event of a return says to an operator.

use domain::{
    currency::format_amount,
    returns::{
        journal::{ReturnChange, ReturnEvent},
        rma::{
            CorrectedReceipt, ReceivingStatus, Rma, RmaEvent, RmaUnit, TrackingStatus, VoidReason,
            WrongItem,
        },
    },
};

/// What happened, and what changed with it. `before` is the return before the step, `rma` after it.
pub(super) fn describe_step(step: &ReturnEvent, before: Option<&Rma>, rma: &Rma) -> Vec<String> {
    let (event, before) = match (&step.change, before) {
        (ReturnChange::Event(event), Some(before)) => (event, before),
        (ReturnChange::Event(_) | ReturnChange::State(_), _) => {
            let units = format_units(rma.units.len());
            return vec![match step.number {
                0 => format!("Journal begun: {units}, status {}", rma.status.name()),
                _ => format!("Return started: {units}"),
            }];
        }
    };
    let mut lines = vec![describe_event(before, rma, event)];
    let closed = matches!(event, RmaEvent::ReceivingClosed);
    if rma.receiving_complete && !before.receiving_complete && !closed {
        lines.push("Receiving complete: nothing more is expected".to_owned());
    }
    if rma.status != before.status {
        lines.push(format!("Status: {}", rma.status.name()));
    }
    lines
}

fn describe_event(before: &Rma, after: &Rma, event: &RmaEvent) -> String {
    let changed = |differs: fn(&RmaUnit, &RmaUnit) -> bool| {
        let pairs = before.units.iter().zip(&after.units);
        format_units(pairs.filter(|(old, new)| differs(old, new)).count())
    };
    let replaced = || changed(|old, new| old.exchange != new.exchange);
    let money = |cents: i64| format_amount(cents, &after.currency);
    match event {
        RmaEvent::LabelCreated { .. }
        | RmaEvent::LabelVoided { .. }
        | RmaEvent::LabelRenewed { .. } => {
            describe_label(event, &changed(|old, new| old.tracking_number != new.tracking_number))
        }
        RmaEvent::Scanned { scan, .. } => {
            let units = changed(|old, new| old.tracking != new.tracking);
            format!("{}: {units}", describe_tracking(scan.tracking()))
        }
        RmaEvent::Received { receipt_identifier, reject_reason: Some(reason), .. } => {
            format!("Rejected as {receipt_identifier} ({reason}): 1 unit")
        }
        RmaEvent::Received { receipt_identifier, condition, .. } => {
            format!("Received as {receipt_identifier} in condition {}: 1 unit", condition.name())
        }
        RmaEvent::ReceiptCorrected { receipt_identifier, corrected } => {
            describe_correction(receipt_identifier, corrected.as_ref())
        }
        RmaEvent::WrongItemRejected(WrongItem { receipt_identifier, code, reject_reason }) => {
            format!("Wrong item {code} rejected as {receipt_identifier} ({reject_reason})")
        }
        RmaEvent::ReceivingClosed => describe_closing(after),
        RmaEvent::Refunded { refund_identifier, amount_cents, .. } => {
            let units = changed(|old, new| old.refund != new.refund);
            format!("Refunded by {refund_identifier}: {units}, {}", money(*amount_cents))
        }
        RmaEvent::RefundedExtra { refund_identifier, amount_cents, .. } => {
            format!("Refunded by {refund_identifier}: {}, for no units", money(*amount_cents))
        }
        RmaEvent::DifferenceAccepted { refund_identifier, amount_cents, note } => {
            let amount = money(*amount_cents);
            format!("Difference of {refund_identifier} accepted: {amount} ({note})")
        }
        RmaEvent::Canceled => "Return canceled".to_owned(),
        RmaEvent::ExchangePlaced { exchange_order_identifier: id, .. } => {
            format!("Exchange order {id} placed: {}", replaced())
        }
        RmaEvent::ExchangeFulfilled { exchange_order_identifier: id } => {
            format!("Exchange order {id} shipped")
        }
        RmaEvent::ExchangePartShipped { exchange_order_identifier: id, .. } => {
            format!("Exchange order {id} partly shipped: {}", replaced())
        }
        RmaEvent::ExchangePartCanceled { exchange_order_identifier: id, .. } => {
            format!("Exchange order {id} partly canceled: {}, refunded instead", replaced())
        }
        RmaEvent::ExchangeCanceled { exchange_order_identifier: id } => {
            format!("Exchange order {id} canceled: refunded instead")
        }
        RmaEvent::ExchangeFailed { order_identifier } => {
            format!("No exchange for order {order_identifier}: refunded instead")
        }
    }
}

fn describe_closing(after: &Rma) -> String {
    let is_missing = |unit: &&RmaUnit| {
        unit.receiving == Some(ReceivingStatus::NotReceived) && unit.receipt.is_none()
    };
    match after.units.iter().filter(is_missing).count() {
        0 => "Receiving closed: nothing more is expected".to_owned(),
        units => format!("Receiving closed: {} never arrived", format_units(units)),
    }
}

fn describe_label(event: &RmaEvent, units: &str) -> String {
    if let RmaEvent::LabelCreated { tracking_number, .. } = event {
        format!("Label created for {units}: {tracking_number}")
    } else if let RmaEvent::LabelRenewed { reason, .. } = event {
        format!("New label requested: {}", describe_void(*reason))
    } else {
        format!("Label canceled by the carrier: {units}")
    }
}

const fn describe_void(reason: VoidReason) -> &'static str {
    match reason {
        VoidReason::Lost => "the old one was lost",
        VoidReason::Expired => "the old one expired",
        VoidReason::WrongSize => "the old one has the wrong size",
        VoidReason::Damaged => "the old one cannot be read",
        VoidReason::Carrier => "the carrier canceled the old one",
        VoidReason::NotIssued => "none was issued",
    }
}

const fn describe_tracking(tracking: TrackingStatus) -> &'static str {
    match tracking {
        TrackingStatus::PreTransit => "Waiting for the carrier",
        TrackingStatus::NotDroppedOff => "Not dropped off",
        TrackingStatus::Accepted => "Accepted by the carrier",
        TrackingStatus::Transit => "In transit",
        TrackingStatus::Failure => "Delivery failed",
        TrackingStatus::Delivered => "Delivered",
        TrackingStatus::Returned => "Returned to the shopper",
    }
}

fn format_units(units: usize) -> String {
    if units == 1 { "1 unit".to_owned() } else { format!("{units} units") }
}

fn describe_correction(receipt: &str, corrected: Option<&CorrectedReceipt>) -> String {
    let Some(CorrectedReceipt { condition, reject_reason, .. }) = corrected else {
        return format!("Receipt {receipt} removed: 1 unit was not received after all");
    };
    let name = condition.name();
    match reject_reason {
        Some(reason) => format!("Receipt {receipt} corrected: rejected ({reason})"),
        None => format!("Receipt {receipt} corrected: received in condition {name}"),
    }
}
