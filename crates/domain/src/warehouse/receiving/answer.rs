//! What an operator decides about a unit that did not fit.

use std::fmt;

use jiff::Timestamp;

use super::{Acceptance, AsnState, ReceivingContext, can_count_on, is_spent};
use crate::warehouse::asn::AsnLine;
use crate::warehouse::asn_number::AsnNumber;
use crate::warehouse::unit::{
    Announcement, ReceivingAnswer, UnitEvent, UnitRecord, UnitRefusal, WarehouseUnitReceipt, apply,
};

/// What an answer comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerDecision {
    /// It was decided before in the same way: nothing changes.
    Unchanged,
    /// The unit is here now, and its merchant is to be told.
    Accepted(Box<Acceptance>),
    /// The scan is not accepted. If the unit is not here otherwise, it is rejected now, and its
    /// merchant is to be told.
    Rejected(Box<UnitRecord>),
}

/// Why an answer cannot be. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerRefusal {
    /// What the record of the unit has against it.
    Unit(UnitRefusal),
    /// The unit was received, rejected or shipped already; it cannot count again.
    Spent,
    /// There is no such line.
    NoLine(AsnNumber, String),
    /// The line awaits no more units.
    LineFull(AsnNumber, String),
}

impl fmt::Display for AnswerRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit(refusal) => refusal.fmt(formatter),
            Self::Spent => {
                formatter.write_str("the unit was received, rejected or shipped already")
            }
            Self::NoLine(asn, line) => write!(formatter, "the ASN {asn} has no line {line}"),
            Self::LineFull(asn, line) => {
                write!(formatter, "line {line} of the ASN {asn} awaits no more units")
            }
        }
    }
}

impl std::error::Error for AnswerRefusal {}

impl From<UnitRefusal> for AnswerRefusal {
    fn from(refusal: UnitRefusal) -> Self {
        Self::Unit(refusal)
    }
}

/// Decides, as the operator does, what was asked about `unit` when it was scanned for the ASN
/// `asn_number`. The ASNs of the scene are those that the unit can be matched to.
pub fn answer(
    scene: &ReceivingContext<'_>,
    asn_number: &str,
    answer: &ReceivingAnswer,
    now: Timestamp,
) -> Result<AnswerDecision, AnswerRefusal> {
    let no_question = || UnitRefusal::NoQuestion(asn_number.to_owned());
    let unit = scene.unit.ok_or_else(no_question)?;
    let asked = unit.question(asn_number).ok_or_else(no_question)?;
    let answered =
        UnitEvent::Answered { asn_number: asn_number.to_owned(), answer: answer.clone() };
    let decision = apply(unit, &answered, now)?;
    if !decision.changed {
        return Ok(AnswerDecision::Unchanged);
    }
    let line = match answer {
        ReceivingAnswer::Reject { .. } => {
            return Ok(AnswerDecision::Rejected(Box::new(decision.unit)));
        }
        ReceivingAnswer::Surplus | ReceivingAnswer::MatchReturn { .. } => None,
        ReceivingAnswer::Match { asn_number, line_identifier } => {
            Some(matched(scene, asn_number, line_identifier)?)
        }
    };
    let can_count = line.map_or(!is_spent(unit), |(_, line)| can_count_on(&line, unit));
    if !can_count {
        return Err(AnswerRefusal::Spent);
    }
    let (number, line_identifier) = match (answer, line) {
        (ReceivingAnswer::MatchReturn { rma_identifier, line_identifier }, _) => {
            (rma_identifier.as_str(), Some(line_identifier))
        }
        (_, Some((_, line))) => (line.asn.asn_number.as_str(), Some(&line.detail.line_identifier)),
        (_, None) => (asn_number, None),
    };
    let receipt = WarehouseUnitReceipt {
        asn_number: number.to_owned(),
        line_identifier: line_identifier.cloned(),
        received_at: now,
        scanned: asked.scanned.clone(),
    };
    let line_identifier = receipt.line_identifier.clone();
    let announced = line.map_or(decision.unit.clone(), |(state, line)| {
        let announcement = Announcement::of(&line, state.announced_at);
        let event = UnitEvent::Announced(Box::new(announcement));
        // What another ASN announced stays told; the operator knows better what came.
        let announced = apply(&decision.unit, &event, now);
        announced.map_or(decision.unit, |announced| announced.unit)
    });
    let unit = apply(&announced, &UnitEvent::Received(Box::new(receipt)), now)?.unit;
    Ok(AnswerDecision::Accepted(Box::new(Acceptance { line_identifier, unit, assigned: true })))
}

/// The line that the operator chose, which must await a unit.
fn matched<'a>(
    scene: &ReceivingContext<'a>,
    asn_number: &AsnNumber,
    line_identifier: &str,
) -> Result<(&'a AsnState, AsnLine<'a>), AnswerRefusal> {
    let states = scene.asn.into_iter().chain(scene.others);
    // Programs may share a number: the line tells which one is meant.
    let found = states
        .filter(|state| state.asn.asn_number == *asn_number)
        .find_map(|state| Some((state, state.asn.line(line_identifier)?)));
    let Some((state, line)) = found else {
        return Err(AnswerRefusal::NoLine(asn_number.clone(), line_identifier.to_owned()));
    };
    if state.awaited(line.detail) == 0 {
        return Err(AnswerRefusal::LineFull(asn_number.clone(), line_identifier.to_owned()));
    }
    Ok((state, line))
}
