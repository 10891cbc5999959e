//! Goods in transit and in the warehouse.

use std::collections::HashSet;

use crate::returns::ReturnMethod;
use crate::returns::rma::event::{CarrierScan, CorrectedReceipt, RmaRefusal};
use crate::returns::rma::receiving::ReceivingStatus;
use crate::returns::rma::record::{Rma, is_transported};
use crate::returns::rma::tracking::TrackingStatus;
use crate::returns::rma::unit::{RmaUnit, UnitReceipt, WrongItem};
use crate::warehouse::gtin::is_same_code;

/// The units that a carrier reports about: those of the parcel and of the lines.
pub(super) fn select_units<'a>(
    rma: &'a mut Rma,
    tracking_number: Option<&str>,
    lines: &[String],
) -> Result<Vec<&'a mut RmaUnit>, RmaRefusal> {
    if !is_transported(rma.return_method) {
        return Err(RmaRefusal::Kept);
    }
    let in_parcel = |unit: &&mut RmaUnit| {
        tracking_number.is_none_or(|number| unit.tracking_number.as_deref() == Some(number))
    };
    let mut units: Vec<&mut RmaUnit> = rma.units.iter_mut().filter(in_parcel).collect();
    if let Some(number) = tracking_number.filter(|_| units.is_empty()) {
        return Err(RmaRefusal::UnknownParcel(number.to_owned()));
    }
    // Sets, because a return may have thousands of units, and an event may name as many lines.
    let present: HashSet<&str> = units.iter().map(|unit| line_of(unit)).collect();
    if let Some(line) = lines.iter().find(|line| !present.contains(line.as_str())) {
        return Err(RmaRefusal::UnknownLine(line.clone()));
    }
    let named: HashSet<&str> = lines.iter().map(String::as_str).collect();
    units.retain(|unit| named.is_empty() || named.contains(line_of(unit)));
    Ok(units)
}

/// The units that travel in a parcel.
pub(super) fn select_parcel(rma: &mut Rma, parcel: i64) -> Result<Vec<&mut RmaUnit>, RmaRefusal> {
    if !is_transported(rma.return_method) {
        return Err(RmaRefusal::Kept);
    }
    if parcel > rma.parcel_count {
        return Err(RmaRefusal::NoSuchParcel(rma.parcel_count));
    }
    let its: Vec<bool> = (0..rma.units.len()).map(|it| rma.parcel_of(it) == parcel).collect();
    Ok(rma.units.iter_mut().zip(its).filter_map(|(unit, is_its)| is_its.then_some(unit)).collect())
}

fn line_of(unit: &RmaUnit) -> &str {
    &unit.goods.order_line_item_identifier
}

pub(super) fn advance(unit: &mut RmaUnit, tracking: TrackingStatus) {
    if tracking.follows(unit.tracking) {
        unit.tracking = Some(tracking);
    }
}

pub(super) fn track(
    rma: &mut Rma,
    scan: CarrierScan,
    number: Option<&str>,
    lines: &[String],
) -> Result<(), RmaRefusal> {
    if number.is_some_and(|number| rma.labels.iter().any(|label| label.is_void_number(number))) {
        return Ok(());
    }
    let method = rma.return_method;
    let units = select_units(rma, number, lines)?;
    if scan == CarrierScan::NotDroppedOff && method != ReturnMethod::ExpressReturns {
        return Err(RmaRefusal::NotExpressReturns);
    }
    for unit in units {
        advance(unit, scan.tracking());
    }
    Ok(())
}

/// What is known about a received unit.
pub(super) struct ReceivedUnit<'a> {
    pub(super) line: Option<&'a str>,
    pub(super) sku: Option<&'a str>,
    /// Whether a person assigned it to the return.
    pub(super) assigned: bool,
}

/// Receives or rejects one unit: the first expected one that matches. Once receiving was closed, a
/// person can assign a unit that came late to one that was given up.
pub(super) fn receive(
    rma: &mut Rma,
    received: &ReceivedUnit<'_>,
    receipt: &UnitReceipt,
) -> Result<(), RmaRefusal> {
    let receipts = rma.units.iter().filter_map(|unit| unit.receipt.as_ref());
    if receipts.into_iter().any(|known| known.receipt_identifier == receipt.receipt_identifier) {
        return Ok(());
    }
    if rma.units.iter().all(|unit| unit.receiving.is_none()) {
        return Err(RmaRefusal::ReceivingNotManaged);
    }
    let closed = rma.units.iter().any(RmaUnit::is_given_up);
    let mut units: Vec<&mut RmaUnit> = rma.units.iter_mut().collect();
    if let Some(line) = received.line {
        units.retain(|unit| line_of(unit) == line);
        if units.is_empty() {
            return Err(RmaRefusal::UnknownLine(line.to_owned()));
        }
    }
    if let Some(sku) = received.sku {
        units.retain(|unit| is_same_code(unit.code(), sku));
        if units.is_empty() {
            return Err(RmaRefusal::UnknownSku(sku.to_owned()));
        }
    }
    if closed && !received.assigned {
        return Err(RmaRefusal::ReceivingClosed);
    }
    if closed {
        units.retain(|unit| unit.is_given_up());
    } else {
        units.retain(|unit| ReceivingStatus::Received.follows(unit.receiving));
    }
    if units.is_empty() {
        return Err(RmaRefusal::NotAwaited);
    }
    // What the merchant paid for although it did not arrive is settled.
    let is_open = |unit: &&mut RmaUnit| !closed || unit.refund.is_none();
    let unit = units.into_iter().find(is_open).ok_or(RmaRefusal::Refunded)?;
    let rejected = receipt.reject_reason.is_some();
    unit.receiving =
        Some(if rejected { ReceivingStatus::NotReceived } else { ReceivingStatus::Received });
    unit.receipt = Some(receipt.clone());
    Ok(())
}

/// Replaces a receipt, or removes it. What was received and paid for stays received; what was paid
/// for and rejected by mistake can still be received.
pub(super) fn correct_receipt(
    rma: &mut Rma,
    receipt_identifier: &str,
    corrected: Option<&CorrectedReceipt>,
) -> Result<(), RmaRefusal> {
    let closed = rma.units.iter().any(RmaUnit::is_given_up);
    let is_meant = |unit: &&mut RmaUnit| {
        let known = unit.receipt.as_ref();
        known.is_some_and(|known| known.receipt_identifier == receipt_identifier)
    };
    let Some(unit) = rma.units.iter_mut().find(is_meant) else {
        // A receipt that is removed already stays removed.
        let unknown = || RmaRefusal::UnknownReceipt(receipt_identifier.to_owned());
        return corrected.map_or(Ok(()), |_| Err(unknown()));
    };
    let receiving = match corrected {
        None => ReceivingStatus::Pending,
        Some(corrected) if corrected.reject_reason.is_some() => ReceivingStatus::NotReceived,
        Some(_) => ReceivingStatus::Received,
    };
    let was_received = unit.receiving == Some(ReceivingStatus::Received);
    if unit.refund.is_some() && was_received && receiving != ReceivingStatus::Received {
        return Err(RmaRefusal::Refunded);
    }
    if closed && corrected.is_none() {
        return Err(RmaRefusal::ReceivingClosed);
    }
    unit.receiving = Some(receiving);
    unit.receipt = unit.receipt.take().zip(corrected).map(|(receipt, corrected)| UnitReceipt {
        condition: corrected.condition,
        channel: corrected.channel.clone(),
        reject_reason: corrected.reject_reason.clone(),
        ..receipt
    });
    Ok(())
}

/// Lists something that does not belong to the return, once.
pub(super) fn reject_wrong_item(rma: &mut Rma, item: &WrongItem) {
    if rma.wrong_items.iter().all(|it| it.receipt_identifier != item.receipt_identifier) {
        rma.wrong_items.push(item.clone());
    }
}

pub(super) fn close_receiving(rma: &mut Rma) -> Result<(), RmaRefusal> {
    if rma.units.iter().all(|unit| unit.receiving.is_none()) {
        return Err(RmaRefusal::ReceivingNotManaged);
    }
    for unit in &mut rma.units {
        if ReceivingStatus::NotReceived.follows(unit.receiving) {
            unit.receiving = Some(ReceivingStatus::NotReceived);
        }
    }
    Ok(())
}
