//! The events of a unit, and their results.

use std::fmt;

use super::{Announcement, ReceivingAnswer, ReceivingQuestion, UnitRecord, WarehouseUnitReceipt};
use crate::returns::receipt::Condition;
use crate::returns::rma::CorrectedReceipt;
use crate::warehouse::asn_number::AsnNumber;

/// Something that happened to a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnitEvent {
    /// The merchant announced it.
    Announced(Box<Announcement>),
    /// It was scanned and did not match.
    Questioned(Box<ReceivingQuestion>),
    /// An operator answered the question from the scan for this ASN.
    Answered { asn_number: String, answer: ReceivingAnswer },
    /// The warehouse received it.
    Received(Box<WarehouseUnitReceipt>),
    /// The warehouse corrected its receipt. Without a new one, it was not received after all.
    Corrected { corrected: Option<CorrectedReceipt>, by: ChangedBy },
    /// The warehouse graded it again.
    Graded { condition: Condition, by: ChangedBy },
    /// It was moved, or assigned to another channel.
    Moved { location_identifier: Option<String>, channel: Option<String>, by: ChangedBy },
    /// It was reserved for a shipment.
    Packed { asn_number: AsnNumber },
    /// The shipment was canceled.
    Unpacked { asn_number: AsnNumber },
    /// The shipment left.
    Shipped { asn_number: AsnNumber },
}

/// Who changed a unit, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedBy {
    pub reason: Option<String>,
    pub user_login: Option<String>,
}

/// The result of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitDecision {
    /// The unit after the event.
    pub unit: UnitRecord,
    /// Whether the event changed anything.
    pub changed: bool,
}

/// Why an event is refused. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnitRefusal {
    /// Another ASN announced it.
    AnnouncedElsewhere(AsnNumber),
    /// It was received against another ASN.
    ReceivedElsewhere(String),
    /// An operator decided that it was received.
    Decided,
    /// An operator rejected it.
    Rejected,
    /// It is not in the warehouse.
    NotHere,
    /// It is reserved for or was shipped with another shipment.
    Leaves(AsnNumber),
    /// It was shipped with this shipment.
    HasLeft(AsnNumber),
    /// An operator must decide about it first.
    InDoubt,
    /// There is no question from a scan for this ASN.
    NoQuestion(String),
    /// An operator made another decision.
    AnsweredOtherwise,
}

impl fmt::Display for UnitRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::AnnouncedElsewhere(asn) => {
                return write!(formatter, "the unit was announced by the ASN {asn}");
            }
            Self::ReceivedElsewhere(asn) => {
                return write!(formatter, "the unit was received against the ASN {asn}");
            }
            Self::Decided => "an operator decided that the unit was received",
            Self::Rejected => "the unit was rejected",
            Self::NotHere => "the unit is not in the warehouse",
            Self::Leaves(asn) => {
                return write!(formatter, "the unit leaves with the shipment {asn}");
            }
            Self::HasLeft(asn) => {
                return write!(formatter, "the unit has left with the shipment {asn}");
            }
            Self::InDoubt => "an operator has to decide first what the unit is",
            Self::NoQuestion(asn) => {
                return write!(formatter, "nothing was asked about the unit for the ASN {asn}");
            }
            Self::AnsweredOtherwise => "an operator decided otherwise about the unit",
        };
        formatter.write_str(words)
    }
}

impl std::error::Error for UnitRefusal {}
