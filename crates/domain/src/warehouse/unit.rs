//! One unit in the warehouse, and its history: announced, received, graded, moved, shipped.
//!
//! There is one record for each license plate. A unit is received at most once and shipped at most
//! once. If a scan did not match, the record has a [`ReceivingQuestion`] until an operator answers
//! it. Every change is a [`UnitEvent`] that [`apply()`] applies. A unit is stored as the JSON of
//! [`UnitRecord`].

mod apply;
mod change;
mod event;
mod question;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::apply::apply;
pub use self::change::{UnitChange, change_unit, read_unit_change};
pub use self::event::{ChangedBy, UnitDecision, UnitEvent, UnitRefusal};
pub use self::question::{
    ExceptionKind, MatchSign, ReceivingAnswer, ReceivingCandidate, ReceivingQuestion, read_answer,
};
use super::asn::AsnLine;
use super::asn_number::AsnNumber;
use super::{GoodsReference, ReferenceType};
use crate::returns::identifier::RmaId;
use crate::returns::receipt::{Condition, Receipt};
use crate::returns::rma::CorrectedReceipt;

/// What is known about a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitRecord {
    /// The license plate.
    #[schema(example = "LP-0093321")]
    pub unit_identifier: String,
    /// The unit as the merchant announced it.
    pub announcement: Option<Announcement>,
    /// How it was received. Absent until then.
    pub receipt: Option<WarehouseUnitReceipt>,
    /// Why an operator rejected it.
    pub reject_reason: Option<String>,
    /// Scans that did not match: at most one question for each ASN.
    pub questions: Vec<ReceivingQuestion>,
    /// Its current condition.
    pub condition: Option<Condition>,
    /// The channel that it is currently assigned to.
    #[schema(example = "RTS")]
    pub channel: Option<String>,
    /// Its current location.
    #[schema(example = "A-14-03")]
    pub location_identifier: Option<String>,
    /// The shipment that it is reserved for or was shipped with.
    pub departure: Option<Departure>,
    /// Everything that happened to it, in order.
    pub story: Vec<StoryStep>,
}

/// A unit as the merchant announced it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Announcement {
    /// The program that it belongs to.
    #[schema(example = "returns-west")]
    pub program_identifier: String,
    pub asn_number: AsnNumber,
    #[schema(example = "1")]
    pub line_identifier: String,
    /// When the ASN was first sent.
    #[schema(example = "2026-02-28T16:00:00Z")]
    pub announced_at: Timestamp,
    /// What it belongs to.
    pub reference: Option<GoodsReference>,
    #[schema(example = "TEE-NAVY-M")]
    pub sku: String,
    #[schema(example = "012345678905")]
    pub upc: Option<String>,
    /// The merchant's own identifier of the unit.
    pub client_unit_identifier: Option<String>,
    pub serial_number: Option<String>,
    /// Who supplied it.
    pub vendor_identifier: Option<String>,
    /// What may be done with it, in words agreed with the warehouse.
    pub eligibility_flags: Vec<String>,
    pub merchant: Option<String>,
}

impl Announcement {
    pub fn of(line: &AsnLine<'_>, announced_at: Timestamp) -> Self {
        let detail = line.detail;
        Self {
            program_identifier: line.asn.program_identifier.clone(),
            asn_number: line.asn.asn_number.clone(),
            line_identifier: detail.line_identifier.clone(),
            announced_at,
            reference: line.carton.reference.clone(),
            sku: detail.sku.clone(),
            upc: detail.upc.clone(),
            client_unit_identifier: detail.client_unit_identifier.clone(),
            serial_number: detail.serial_number.clone(),
            vendor_identifier: detail.vendor_identifier.clone(),
            eligibility_flags: detail.eligibility_flags.clone(),
            merchant: line.merchant().map(str::to_owned),
        }
    }
}

/// The receipt of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WarehouseUnitReceipt {
    /// The number of the ASN that it was received against, as it was scanned, or the return that it
    /// was received for.
    #[schema(example = "ASN-20260301-7")]
    pub asn_number: String,
    /// The line of the ASN, or of the order that is returned. Absent for a unit that was accepted
    /// as surplus.
    #[schema(example = "1")]
    pub line_identifier: Option<String>,
    /// When it was received.
    #[schema(example = "2026-03-04T10:12:00Z")]
    pub received_at: Timestamp,
    /// What the warehouse reported when it was scanned.
    pub scanned: Receipt,
}

/// The departure of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Departure {
    /// The shipment.
    pub asn_number: AsnNumber,
    /// Whether it has left. Before that, it is only reserved.
    pub shipped: bool,
}

/// Something that happened to a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StoryStep {
    #[schema(example = "2026-03-04T10:12:00Z")]
    pub at: Timestamp,
    pub happened: StoryEvent,
}

/// What happened to a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[schema(as = Happened)]
pub enum StoryEvent {
    /// The merchant announced it.
    Announced { asn_number: AsnNumber, line_identifier: String },
    /// It was scanned and did not match; an operator must decide.
    Questioned { asn_number: String, kind: ExceptionKind },
    /// An operator decided about it.
    Answered { asn_number: String, answer: ReceivingAnswer },
    Received {
        asn_number: String,
        line_identifier: Option<String>,
        user_login: Option<String>,
        /// Why the warehouse rejected it, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reject_reason: Option<String>,
    },
    /// The warehouse corrected its receipt.
    Corrected {
        /// The new receipt. Absent: it was not received after all.
        corrected: Option<CorrectedReceipt>,
        user_login: Option<String>,
    },
    /// The warehouse graded it again.
    Graded {
        condition: Condition,
        /// The reason, if one was given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        user_login: Option<String>,
    },
    /// It was moved, or assigned to another channel.
    Moved {
        /// Its new location, if that changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        location_identifier: Option<String>,
        /// Its new channel, if that changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
        /// The reason, if one was given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        user_login: Option<String>,
    },
    /// It was reserved for a shipment.
    Packed { asn_number: AsnNumber },
    /// The shipment was canceled.
    Unpacked { asn_number: AsnNumber },
    /// It left the warehouse.
    Shipped { asn_number: AsnNumber },
}

impl UnitRecord {
    /// A unit with nothing but its license plate.
    pub fn new(unit_identifier: &str) -> Self {
        Self {
            unit_identifier: unit_identifier.to_owned(),
            announcement: None,
            receipt: None,
            reject_reason: None,
            questions: Vec::new(),
            condition: None,
            channel: None,
            location_identifier: None,
            departure: None,
            story: Vec::new(),
        }
    }

    /// A unit that was only announced.
    pub fn announced(line: &AsnLine<'_>, announced_at: Timestamp) -> Self {
        let plate = line.detail.unit_identifier.as_deref().unwrap_or_default();
        let fresh = Self::new(plate);
        let event = UnitEvent::Announced(Box::new(Announcement::of(line, announced_at)));
        apply(&fresh, &event, announced_at).map_or(fresh, |decision| decision.unit)
    }

    /// The question from the scan of the unit for this ASN.
    pub fn question(&self, asn_number: &str) -> Option<&ReceivingQuestion> {
        self.questions.iter().find(|question| question.asn_number == asn_number)
    }

    /// Whether the unit was received for the return that its ASN announces it for, and not by that
    /// ASN.
    pub fn is_received_for_announced_return(&self) -> bool {
        let reference = self.announcement.as_ref().and_then(|it| it.reference.as_ref());
        let of_return = reference.filter(|it| it.kind == ReferenceType::Rma);
        let announced = of_return.and_then(|it| RmaId::parse(&it.identifier));
        let received = self.receipt.as_ref().zip(announced);
        received.is_some_and(|(receipt, rma)| receipt.asn_number == rma.as_str())
    }

    /// Whether the unit is in the warehouse.
    pub fn is_here(&self) -> bool {
        self.receipt.is_some() && !self.has_left()
    }

    /// Why the unit was rejected: when it was scanned, or by an operator.
    pub fn rejected_because(&self) -> Option<&str> {
        let scanned = self.receipt.as_ref().and_then(|it| it.scanned.reject_reason.as_deref());
        self.reject_reason.as_deref().or(scanned)
    }

    /// How often its merchant was told about its receipt: when it was received or rejected, and
    /// with every correction.
    pub fn times_told(&self) -> usize {
        // A unit that its return expects is told with the return.
        let mut is_of_return = false;
        let is_told = |step: &&StoryStep| match &step.happened {
            StoryEvent::Received { asn_number, line_identifier, .. } => {
                is_of_return =
                    line_identifier.is_some() && RmaId::parse_exact(asn_number).is_some();
                !is_of_return
            }
            StoryEvent::Corrected { .. } => !is_of_return,
            StoryEvent::Answered { answer, .. } => matches!(answer, ReceivingAnswer::Reject { .. }),
            StoryEvent::Announced { .. }
            | StoryEvent::Questioned { .. }
            | StoryEvent::Graded { .. }
            | StoryEvent::Moved { .. }
            | StoryEvent::Packed { .. }
            | StoryEvent::Unpacked { .. }
            | StoryEvent::Shipped { .. } => false,
        };
        self.story.iter().filter(is_told).count()
    }

    /// Whether the unit has left.
    pub fn has_left(&self) -> bool {
        self.departure.as_ref().is_some_and(|departure| departure.shipped)
    }

    /// The open questions about the unit, oldest first. Receiving the unit settles the questions
    /// from before; a later question is open until it is answered.
    pub fn open_questions(&self) -> impl Iterator<Item = &ReceivingQuestion> {
        let is_receipt = |step: &&StoryStep| matches!(step.happened, StoryEvent::Received { .. });
        let is_question =
            |step: &&StoryStep| matches!(step.happened, StoryEvent::Questioned { .. });
        let until_received = self.story.iter().take_while(|step| !is_receipt(step));
        let settled =
            if self.receipt.is_some() { until_received.filter(is_question).count() } else { 0 };
        self.questions.iter().skip(settled).filter(|it| it.answer.is_none())
    }

    /// When the oldest open question was asked.
    pub fn asked_since(&self) -> Option<Timestamp> {
        self.open_questions().next().map(|question| question.raised_at)
    }

    /// The unit after the steps since this record was stored. Only small changes are stored as
    /// steps: grading, moving and shipping.
    #[must_use]
    pub fn resumed(mut self, steps: Vec<StoryStep>) -> Self {
        for step in steps {
            match &step.happened {
                StoryEvent::Graded { condition, .. } => self.condition = Some(*condition),
                StoryEvent::Moved { location_identifier, channel, .. } => {
                    self.put(location_identifier.as_deref(), channel.as_deref());
                }
                StoryEvent::Packed { asn_number } | StoryEvent::Shipped { asn_number } => {
                    let shipped = matches!(step.happened, StoryEvent::Shipped { .. });
                    self.departure = Some(Departure { asn_number: asn_number.clone(), shipped });
                }
                StoryEvent::Unpacked { .. } => self.departure = None,
                StoryEvent::Announced { .. }
                | StoryEvent::Questioned { .. }
                | StoryEvent::Answered { .. }
                | StoryEvent::Received { .. }
                | StoryEvent::Corrected { .. } => (),
            }
            self.story.push(step);
        }
        self
    }

    /// The steps of the unit since `before`.
    pub fn since(&self, before: &Self) -> &[StoryStep] {
        self.story.get(before.story.len()..).unwrap_or_default()
    }

    /// Sets the location and the channel, as far as they are given.
    fn put(&mut self, location: Option<&str>, channel: Option<&str>) {
        if let Some(location) = location {
            self.location_identifier = Some(location.to_owned());
        }
        if let Some(channel) = channel {
            self.channel = Some(channel.to_owned());
        }
    }

    /// Merges this record with one of the same unit that was created elsewhere, before it was clear
    /// that both are the same unit.
    #[must_use]
    pub fn joined(&self, stray: &Self) -> Self {
        let mut joined = self.clone();
        let new = stray.questions.iter().filter(|it| self.question(&it.asn_number).is_none());
        joined.questions.extend(new.cloned());
        let new = stray.story.iter().filter(|step| !self.story.contains(step));
        joined.story.extend(new.cloned());
        joined.story.sort_by_key(|step| step.at);
        joined
    }

    /// Whether an operator must decide about the unit before it can be used.
    pub fn is_in_doubt(&self) -> bool {
        self.receipt.is_none() && self.questions.iter().any(|question| question.answer.is_none())
    }
}
