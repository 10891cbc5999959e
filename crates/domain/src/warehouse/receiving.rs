//! Receiving: which line of which ASN a scanned unit is, or what to ask an operator.
//!
//! | scan                                                 | decision                       |
//! | ---------------------------------------------------- | ------------------------------ |
//! | a unit of a line that still awaits one               | accepted                       |
//! | a unit that was received or asked about for this ASN | repeat: nothing changes        |
//! | every unit of the line is here already               | exception: overage             |
//! | the return of its carton awaits no such unit         | exception: overage             |
//! | the ASN does not announce the unit                   | exception: unknown_unit        |
//! | the return of its carton has no such line or SKU     | exception: unknown_unit        |
//! | another SKU than was announced                       | exception: wrong_sku           |
//! | no such ASN, or a cancelled one                      | exception: unknown_asn         |
//! | received elsewhere, refused, or gone                 | already_received_elsewhere     |
//! | received for the return that its carton refers to    | accepted: it counts here, too  |
//!
//! An exception is never a dead end: it is kept with the unit as a question, with the lines that
//! it could be, and an operator matches it, accepts it as surplus or rejects it. Whatever is
//! decided, a unit counts once. An open question answers itself when a later scan of the unit
//! fits, because the ASN came meanwhile.

mod answer;
mod candidates;
mod choice;
mod place;
mod returned;
mod state;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

pub use self::answer::{AnswerDecision, AnswerRefusal, answer};
use self::candidates::candidates;
pub use self::choice::{AsnChoice, AsnFit, choose, fit};
use self::place::place;
pub use self::returned::{ReturnedUnit, receive_for_return};
pub use self::state::{AsnRefusal, AsnState, AsnUpdate};
use super::ReferenceType;
use super::asn::{AsnLine, AsnStatus};
use super::gtin::is_same_code;
use super::unit::{
    Announcement, ExceptionKind, ReceivingAnswer, ReceivingQuestion, UnitEvent, UnitRecord,
    UnitRefusal, WarehouseUnitReceipt, apply,
};
use crate::returns::identifier::RmaId;
use crate::returns::receipt::Receipt;
use crate::returns::rma::{Rma, RmaEvent, RmaRefusal};

/// A unit that was scanned against an ASN.
#[derive(Clone, Copy, Debug)]
pub struct UnitScan<'a> {
    /// The license plate; see [`license_plate`].
    pub unit_identifier: &'a str,
    pub receipt: &'a Receipt,
}

/// What is known when a unit is scanned.
#[derive(Clone, Copy, Debug)]
pub struct ReceivingContext<'a> {
    /// The ASN that the receipt names, if there is one.
    pub asn: Option<&'a AsnState>,
    /// Other ASNs that may have announced the unit.
    pub others: &'a [AsnState],
    /// What is known of the unit.
    pub unit: Option<&'a UnitRecord>,
}

/// What a scan comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceivingDecision {
    Accepted(Box<Acceptance>),
    /// The same scan again: nothing changes.
    Repeat,
    /// An operator has to look. The question is the last one of the unit.
    Exception(Box<UnitRecord>),
}

/// That a unit was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The line that it was received against. Nothing for surplus.
    pub line_identifier: Option<String>,
    /// The unit, which is here now.
    pub unit: UnitRecord,
    /// Whether a person decided which line it is.
    pub assigned: bool,
}

/// The license plate of a scanned unit: as scanned, or else as the named line announces it, or
/// else the merchant's own, or else `receipt_identifier`.
pub fn license_plate<'a>(
    asn: Option<&'a AsnState>,
    receipt: &'a Receipt,
    receipt_identifier: &'a str,
) -> &'a str {
    let named = || asn?.asn.line(receipt.line_identifier.as_deref()?);
    receipt
        .unit_identifier
        .as_deref()
        .or_else(|| named()?.detail.unit_identifier.as_deref())
        .or(receipt.client_unit_identifier.as_deref())
        .unwrap_or(receipt_identifier)
}

/// Decides what a scanned unit is.
pub fn receive(
    scene: &ReceivingContext<'_>,
    scan: &UnitScan<'_>,
    now: Timestamp,
) -> ReceivingDecision {
    let unknown = UnitRecord::new(scan.unit_identifier);
    let unit = scene.unit.unwrap_or(&unknown);
    let number = scan.receipt.asn_number.as_deref().unwrap_or_default();
    let question = unit.question(number);
    let here = unit.receipt.as_ref().is_some_and(|receipt| receipt.asn_number == number);
    if here || question.is_some_and(|question| question.answer.is_some()) {
        return ReceivingDecision::Repeat;
    }
    let awaiting = scene.asn.filter(|state| state.asn.status != AsnStatus::Cancelled);
    let awaiting = awaiting.ok_or(ExceptionKind::UnknownAsn);
    let kind = match awaiting.and_then(|state| Ok((state, place(state, unit, scan)?))) {
        Ok((state, line)) if can_count_on(&line, unit) => {
            match accept(state, &line, unit, scan, now) {
                Ok(acceptance) => return ReceivingDecision::Accepted(Box::new(acceptance)),
                Err(_) => ExceptionKind::AlreadyReceivedElsewhere,
            }
        }
        Err(kind) if !is_spent(unit) => kind,
        Ok(_) | Err(_) => ExceptionKind::AlreadyReceivedElsewhere,
    };
    set_aside(scene, scan, kind, now)
}

/// Keeps a scanned unit as a question.
pub fn set_aside(
    scene: &ReceivingContext<'_>,
    scan: &UnitScan<'_>,
    kind: ExceptionKind,
    now: Timestamp,
) -> ReceivingDecision {
    let unknown = UnitRecord::new(scan.unit_identifier);
    let unit = scene.unit.unwrap_or(&unknown);
    let asked = UnitEvent::Questioned(Box::new(ReceivingQuestion {
        asn_number: scan.receipt.asn_number.clone().unwrap_or_default(),
        kind,
        raised_at: now,
        scanned: scan.receipt.clone(),
        candidates: candidates(scene, scan),
        answer: None,
    }));
    match apply(unit, &asked, now) {
        Ok(decision) if decision.changed => ReceivingDecision::Exception(Box::new(decision.unit)),
        // It was asked before.
        Ok(_) | Err(_) => ReceivingDecision::Repeat,
    }
}

/// Whether a unit can be received no more.
fn is_spent(unit: &UnitRecord) -> bool {
    unit.receipt.is_some() || unit.departure.is_some() || unit.reject_reason.is_some()
}

/// Whether the unit can count on the line. One that was received for the return of the line's
/// carton counts there, too: it is the same unit, reported a second time in another way.
fn can_count_on(line: &AsnLine<'_>, unit: &UnitRecord) -> bool {
    !is_spent(unit) || is_of_return_of(line, unit)
}

/// Whether the unit was received for the return that the carton of the line refers to.
fn is_of_return_of(line: &AsnLine<'_>, unit: &UnitRecord) -> bool {
    let received = unit.receipt.as_ref().zip(return_of(line));
    received.is_some_and(|(receipt, rma)| receipt.asn_number == rma.as_str())
}

fn accept(
    state: &AsnState,
    line: &AsnLine<'_>,
    unit: &UnitRecord,
    scan: &UnitScan<'_>,
    now: Timestamp,
) -> Result<Acceptance, UnitRefusal> {
    let number = &line.asn.asn_number;
    let mut unit = unit.clone();
    if unit.question(number.as_str()).is_some() {
        let answer = ReceivingAnswer::Match {
            asn_number: number.clone(),
            line_identifier: line.detail.line_identifier.clone(),
        };
        let answered = UnitEvent::Answered { asn_number: number.to_string(), answer };
        unit = apply(&unit, &answered, now)?.unit;
    }
    // A unit that was received for the return is what it was found to be then.
    let known = unit.receipt.as_ref().map(|receipt| receipt.scanned.clone());
    let announcement = Announcement::of(line, state.announced_at);
    unit = apply(&unit, &UnitEvent::Announced(Box::new(announcement)), state.announced_at)?.unit;
    let receipt = WarehouseUnitReceipt {
        asn_number: number.to_string(),
        line_identifier: Some(line.detail.line_identifier.clone()),
        received_at: now,
        scanned: known.unwrap_or_else(|| scan.receipt.clone()),
    };
    unit = apply(&unit, &UnitEvent::Received(Box::new(receipt)), now)?.unit;
    let line_identifier = Some(line.detail.line_identifier.clone());
    Ok(Acceptance { line_identifier, unit, assigned: false })
}

/// What to ask about a unit that its ASN announces, but the return of its carton does not expect.
pub const fn question_of_refusal(refusal: &RmaRefusal) -> ExceptionKind {
    if matches!(refusal, RmaRefusal::UnknownLine(_) | RmaRefusal::UnknownSku(_)) {
        ExceptionKind::UnknownUnit
    } else {
        ExceptionKind::Overage
    }
}

/// The return that the carton of the line refers to, if it refers to one.
pub fn return_of(line: &AsnLine<'_>) -> Option<RmaId> {
    let reference = line.carton.reference.as_ref()?;
    if reference.kind != ReferenceType::Rma {
        return None;
    }
    RmaId::parse(&reference.identifier)
}

/// What a received unit is to the return of its carton. The order line that the ASN names counts.
/// The SKU decides if it names none, or if several orders of the return have a line of that name.
pub fn return_event(line: &AsnLine<'_>, accepted: &Acceptance, rma: &Rma) -> Option<RmaEvent> {
    let order_line = line.detail.reference_line_identifier.clone();
    let sku = &line.detail.sku;
    let is_of_line = order_line.as_deref().is_none_or(|named| has_unit(rma, named, sku));
    let scanned = &accepted.unit.receipt.as_ref()?.scanned;
    Some(RmaEvent::Received {
        receipt_identifier: accepted.unit.unit_identifier.clone(),
        line: order_line,
        sku: is_of_line.then(|| sku.clone()),
        condition: scanned.condition,
        reject_reason: scanned.reject_reason.clone(),
        channel: scanned.channel.clone(),
        assigned: accepted.assigned,
    })
}

/// The code of a scanned unit, its SKU or UPC, if a unit of this order line has it: several orders
/// of a return may have a line of the same name.
pub fn code_of_line(rma: &Rma, line: &str, scanned: &Receipt) -> Option<String> {
    let mut codes = [&scanned.sku, &scanned.upc].into_iter().flatten();
    codes.find(|code| has_unit(rma, line, code)).cloned()
}

/// Whether a return has a unit with this code of this order line.
fn has_unit(rma: &Rma, line: &str, code: &str) -> bool {
    let mut of_line = rma.units.iter().filter(|it| it.goods.order_line_item_identifier == line);
    of_line.any(|it| is_same_code(it.code(), code))
}
