//! Applies events to a unit: `(unit, event) -> (unit, whether it changed)`.
//!
//! | event      | changes                                                                 |
//! | ---------- | ----------------------------------------------------------------------- |
//! | Announced  | a unit that was not announced, or that the same ASN announces again     |
//! | Questioned | the first scan for an ASN that does not match                           |
//! | Answered   | an open question; a refused unit that was not received is rejected      |
//! | Received   | a unit that was never received, rejected or shipped, or that its ASN    |
//! |            | announces for the return that it was received for                       |
//! | Corrected  | the receipt of a unit in the warehouse; or it was not received at all   |
//! | Graded     | the condition of a unit in the warehouse                                |
//! | Moved      | the location or the channel of a unit in the warehouse                  |
//! | Packed     | a unit without another shipment and without an open question            |
//! | Unpacked   | a unit of that shipment that has not left                               |
//! | Shipped    | a unit of that shipment, or of none yet; this is final                  |
//!
//! An event that is already applied changes nothing. An event that contradicts the record is
//! refused. Every change is added to the history, in one place.

use jiff::Timestamp;

use super::event::{ChangedBy, UnitDecision, UnitEvent, UnitRefusal};
use super::{
    Announcement, Departure, ReceivingAnswer, ReceivingQuestion, StoryEvent, StoryStep, UnitRecord,
    WarehouseUnitReceipt,
};
use crate::returns::receipt::Condition;
use crate::returns::rma::CorrectedReceipt;
use crate::warehouse::asn_number::AsnNumber;

/// Applies `event` to `unit`.
pub fn apply(
    unit: &UnitRecord,
    event: &UnitEvent,
    now: Timestamp,
) -> Result<UnitDecision, UnitRefusal> {
    let mut next = unit.clone();
    let happened = match event {
        UnitEvent::Announced(announcement) => announce(&mut next, announcement)?,
        UnitEvent::Questioned(question) => ask(&mut next, question),
        UnitEvent::Answered { asn_number, answer } => decide(&mut next, asn_number, answer)?,
        UnitEvent::Received(receipt) => receive(&mut next, receipt)?,
        UnitEvent::Corrected { corrected, by } => correct(&mut next, corrected.as_ref(), by)?,
        UnitEvent::Graded { condition, by } => grade(&mut next, *condition, by)?,
        UnitEvent::Moved { location_identifier, channel, by } => {
            move_to(&mut next, location_identifier.as_ref(), channel.as_ref(), by)?
        }
        UnitEvent::Packed { asn_number } => pack(&mut next, asn_number)?,
        UnitEvent::Unpacked { asn_number } => unpack(&mut next, asn_number)?,
        UnitEvent::Shipped { asn_number } => ship(&mut next, asn_number)?,
    };
    let changed = happened.is_some();
    // If the clock was set back, the history is not.
    let last = next.story.last().map_or(now, |step| step.at.max(now));
    next.story.extend(happened.map(|happened| StoryStep { at: last, happened }));
    Ok(UnitDecision { unit: next, changed })
}

/// The entry of a change in the history. None if nothing changed.
type Change = Result<Option<StoryEvent>, UnitRefusal>;

fn announce(unit: &mut UnitRecord, announcement: &Announcement) -> Change {
    if let Some(known) = &unit.announcement {
        if known.asn_number != announcement.asn_number
            || known.program_identifier != announcement.program_identifier
        {
            return Err(UnitRefusal::AnnouncedElsewhere(known.asn_number.clone()));
        }
        if known == announcement {
            return Ok(None);
        }
    }
    unit.announcement = Some(announcement.clone());
    let line_identifier = announcement.line_identifier.clone();
    Ok(Some(StoryEvent::Announced { asn_number: announcement.asn_number.clone(), line_identifier }))
}

fn ask(unit: &mut UnitRecord, question: &ReceivingQuestion) -> Option<StoryEvent> {
    if unit.question(&question.asn_number).is_some() {
        return None;
    }
    unit.questions.push(question.clone());
    let asn_number = question.asn_number.clone();
    Some(StoryEvent::Questioned { asn_number, kind: question.kind })
}

fn decide(unit: &mut UnitRecord, asn_number: &str, answer: &ReceivingAnswer) -> Change {
    let asked = |question: &&mut ReceivingQuestion| question.asn_number == asn_number;
    let Some(question) = unit.questions.iter_mut().find(asked) else {
        return Err(UnitRefusal::NoQuestion(asn_number.to_owned()));
    };
    if let Some(known) = &question.answer {
        return if known == answer { Ok(None) } else { Err(UnitRefusal::AnsweredOtherwise) };
    }
    question.answer = Some(answer.clone());
    // A received unit stays received, whatever is decided about a second scan of it.
    if let ReceivingAnswer::Reject { reason } = answer
        && unit.receipt.is_none()
        && !unit.is_in_doubt()
    {
        unit.reject_reason = Some(reason.clone());
    }
    Ok(Some(StoryEvent::Answered { asn_number: asn_number.to_owned(), answer: answer.clone() }))
}

fn receive(unit: &mut UnitRecord, receipt: &WarehouseUnitReceipt) -> Change {
    if let Some(known) = &unit.receipt {
        if known.asn_number == receipt.asn_number {
            return Ok(None);
        }
        let announced = unit.announcement.as_ref().map(|it| it.asn_number.as_str());
        let is_announcer = announced == Some(receipt.asn_number.as_str());
        if !(is_announcer && unit.is_received_for_announced_return()) {
            return Err(UnitRefusal::ReceivedElsewhere(known.asn_number.clone()));
        }
    }
    if let Some(departure) = &unit.departure {
        return Err(UnitRefusal::Leaves(departure.asn_number.clone()));
    }
    if unit.reject_reason.is_some() {
        return Err(UnitRefusal::Rejected);
    }
    // What was found out since the first report stays.
    if unit.receipt.is_none() {
        unit.condition = Some(receipt.scanned.condition);
        unit.channel.clone_from(&receipt.scanned.channel);
        unit.location_identifier.clone_from(&receipt.scanned.location_identifier);
    }
    unit.receipt = Some(receipt.clone());
    Ok(Some(StoryEvent::Received {
        asn_number: receipt.asn_number.clone(),
        line_identifier: receipt.line_identifier.clone(),
        user_login: receipt.scanned.user_login.clone(),
        reject_reason: receipt.scanned.reject_reason.clone(),
    }))
}

/// Refuses events that need a unit in the warehouse.
fn must_be_here(unit: &UnitRecord) -> Result<(), UnitRefusal> {
    match &unit.departure {
        Some(departure) if departure.shipped => {
            Err(UnitRefusal::HasLeft(departure.asn_number.clone()))
        }
        Some(_) | None if unit.receipt.is_none() => Err(UnitRefusal::NotHere),
        Some(_) | None => Ok(()),
    }
}

/// Replaces the receipt, or removes it: then the unit can be received again, and a question that
/// was answered with it is open again. What an operator decided about it stays.
fn correct(unit: &mut UnitRecord, corrected: Option<&CorrectedReceipt>, by: &ChangedBy) -> Change {
    must_be_here(unit)?;
    if let Some(departure) = &unit.departure {
        return Err(UnitRefusal::Leaves(departure.asn_number.clone()));
    }
    let asked = unit.receipt.as_ref().and_then(|receipt| unit.question(&receipt.asn_number));
    if corrected.is_none() && asked.is_some() {
        return Err(UnitRefusal::Decided);
    }
    let before = (unit.receipt.clone(), unit.condition, unit.channel.clone());
    match (&mut unit.receipt, corrected) {
        (Some(receipt), Some(corrected)) => {
            receipt.scanned.condition = corrected.condition;
            receipt.scanned.channel.clone_from(&corrected.channel);
            receipt.scanned.reject_reason.clone_from(&corrected.reject_reason);
            unit.condition = Some(corrected.condition);
            unit.channel.clone_from(&corrected.channel);
        }
        (receipt, None) => {
            for question in &mut unit.questions {
                let led_here = |it: &ReceivingAnswer| leads_to(it, receipt.as_ref());
                question.answer = question.answer.take().filter(|it| !led_here(it));
            }
            *receipt = None;
            (unit.condition, unit.channel, unit.location_identifier) = (None, None, None);
        }
        (None, Some(_)) => (),
    }
    if before == (unit.receipt.clone(), unit.condition, unit.channel.clone()) {
        return Ok(None);
    }
    let corrected = corrected.cloned();
    Ok(Some(StoryEvent::Corrected { corrected, user_login: by.user_login.clone() }))
}

/// Whether a unit was received because of this answer.
fn leads_to(answer: &ReceivingAnswer, receipt: Option<&WarehouseUnitReceipt>) -> bool {
    let number = match answer {
        ReceivingAnswer::Match { asn_number, .. } => asn_number.as_str(),
        ReceivingAnswer::MatchReturn { rma_identifier, .. } => rma_identifier.as_str(),
        ReceivingAnswer::Surplus | ReceivingAnswer::Reject { .. } => return false,
    };
    receipt.is_some_and(|receipt| receipt.asn_number == number)
}

fn grade(unit: &mut UnitRecord, condition: Condition, by: &ChangedBy) -> Change {
    must_be_here(unit)?;
    if unit.condition == Some(condition) {
        return Ok(None);
    }
    unit.condition = Some(condition);
    let ChangedBy { reason, user_login } = by.clone();
    Ok(Some(StoryEvent::Graded { condition, reason, user_login }))
}

fn move_to(
    unit: &mut UnitRecord,
    location: Option<&String>,
    channel: Option<&String>,
    by: &ChangedBy,
) -> Change {
    must_be_here(unit)?;
    let location = location.filter(|it| unit.location_identifier.as_ref() != Some(it));
    let channel = channel.filter(|it| unit.channel.as_ref() != Some(it));
    if location.is_none() && channel.is_none() {
        return Ok(None);
    }
    unit.put(location.map(String::as_str), channel.map(String::as_str));
    let ChangedBy { reason, user_login } = by.clone();
    Ok(Some(StoryEvent::Moved {
        location_identifier: location.cloned(),
        channel: channel.cloned(),
        reason,
        user_login,
    }))
}

/// Whether the unit is already in this shipment. Refuses a unit that cannot be shipped.
fn is_in(unit: &UnitRecord, asn_number: &AsnNumber) -> Result<bool, UnitRefusal> {
    match &unit.departure {
        Some(departure) if departure.asn_number == *asn_number => Ok(true),
        Some(departure) => Err(UnitRefusal::Leaves(departure.asn_number.clone())),
        None if unit.is_in_doubt() => Err(UnitRefusal::InDoubt),
        None => Ok(false),
    }
}

fn pack(unit: &mut UnitRecord, asn_number: &AsnNumber) -> Change {
    if is_in(unit, asn_number)? {
        return Ok(None);
    }
    unit.departure = Some(Departure { asn_number: asn_number.clone(), shipped: false });
    Ok(Some(StoryEvent::Packed { asn_number: asn_number.clone() }))
}

fn unpack(unit: &mut UnitRecord, asn_number: &AsnNumber) -> Change {
    match &unit.departure {
        Some(departure) if departure.asn_number != *asn_number => Ok(None),
        Some(departure) if departure.shipped => Err(UnitRefusal::HasLeft(asn_number.clone())),
        Some(_) => {
            unit.departure = None;
            Ok(Some(StoryEvent::Unpacked { asn_number: asn_number.clone() }))
        }
        None => Ok(None),
    }
}

fn ship(unit: &mut UnitRecord, asn_number: &AsnNumber) -> Change {
    is_in(unit, asn_number)?;
    if unit.has_left() {
        return Ok(None);
    }
    unit.departure = Some(Departure { asn_number: asn_number.clone(), shipped: true });
    Ok(Some(StoryEvent::Shipped { asn_number: asn_number.clone() }))
}
