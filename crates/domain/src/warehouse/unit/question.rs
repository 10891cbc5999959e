//! A scan that matches no line of an ASN: a question to an operator, with likely answers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::faults::Faults;
use crate::json::Json;
use crate::reader::fields::Fields;
use crate::reader::{TEXT_MAX, read};
use crate::returns::identifier::{RmaId, read_rma_identifier};
use crate::returns::receipt::Receipt;
use crate::warehouse::asn_number::{AsnNumber, asn_number};

/// A unit that was scanned and does not match what was announced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceivingQuestion {
    /// The number of the ASN that it was scanned for.
    #[schema(example = "ASN-20260301-7")]
    pub asn_number: String,
    pub kind: ExceptionKind,
    /// When it was scanned.
    #[schema(example = "2026-03-04T10:12:00Z")]
    pub raised_at: Timestamp,
    /// What the warehouse reported.
    pub scanned: Receipt,
    /// The lines that it could match, the most likely first.
    pub candidates: Vec<ReceivingCandidate>,
    /// The operator's decision. Absent while the question is open.
    pub answer: Option<ReceivingAnswer>,
}

/// Why a scanned unit is not received at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExceptionKind {
    /// More units arrived than were announced, or than the return of the carton awaits.
    Overage,
    /// The ASN does not announce this unit, or it is not part of the return of the carton.
    UnknownUnit,
    /// The unit is of another SKU than was announced.
    WrongSku,
    /// There is no open ASN with this number: it does not exist or was canceled.
    UnknownAsn,
    /// The unit was received against another ASN, was rejected, or has left.
    AlreadyReceivedElsewhere,
}

impl ExceptionKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overage => "overage",
            Self::UnknownUnit => "unknown_unit",
            Self::WrongSku => "wrong_sku",
            Self::UnknownAsn => "unknown_asn",
            Self::AlreadyReceivedElsewhere => "already_received_elsewhere",
        }
    }
}

/// A line that a unit could match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceivingCandidate {
    pub asn_number: AsnNumber,
    #[schema(example = "2")]
    pub line_identifier: String,
    #[schema(example = "TEE-NAVY-M")]
    pub sku: String,
    /// How many units of the line are still expected.
    #[schema(example = 1, minimum = 1)]
    pub awaited: i64,
    /// Why it could match, the strongest reason first.
    pub why: Vec<MatchSign>,
}

/// What a scanned unit and a line have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Sign)]
pub enum MatchSign {
    SameUnitIdentifier,
    SameClientUnitIdentifier,
    SameSerialNumber,
    SameLine,
    SameSku,
    SameUpc,
    SameAsin,
    SameTrackingNumber,
    SameCarton,
}

impl MatchSign {
    /// Its weight. Each of the first three weighs more than all following ones together.
    pub const fn weight(self) -> u32 {
        match self {
            Self::SameUnitIdentifier => 400,
            Self::SameClientUnitIdentifier => 200,
            Self::SameSerialNumber => 100,
            Self::SameLine | Self::SameSku => 20,
            Self::SameUpc | Self::SameAsin => 15,
            Self::SameTrackingNumber | Self::SameCarton => 10,
        }
    }
}

/// What an operator decides about a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum ReceivingAnswer {
    /// It is a unit of this line.
    Match {
        asn_number: AsnNumber,
        #[schema(example = "2")]
        line_identifier: String,
    },
    /// It is a unit of this line of a return.
    MatchReturn {
        rma_identifier: RmaId,
        #[schema(example = "ORD-100472-1")]
        line_identifier: String,
    },
    /// It was not announced, but is accepted.
    Surplus,
    /// It is not accepted.
    Reject {
        #[schema(example = "not our article")]
        reason: String,
    },
}

/// The kind of answer, before its fields are read.
#[derive(Clone, Copy)]
enum AnswerKind {
    Match,
    MatchReturn,
    Surplus,
    Reject,
}

/// Reads an operator's decision, or reports all of its faults.
pub fn read_answer(document: &Json<'_>) -> Result<ReceivingAnswer, Faults> {
    let (answer, _) = read(document, false, |root| root.object(answer).flatten())?;
    Ok(answer)
}

/// None only if something is missing, which is reported.
fn answer(at: &Fields<'_>) -> Option<ReceivingAnswer> {
    at.refuse_unknown();
    let choice = at.required("action", |value| {
        let parse = |name: &str| match name {
            "match" => Some(AnswerKind::Match),
            "match_return" => Some(AnswerKind::MatchReturn),
            "surplus" => Some(AnswerKind::Surplus),
            "reject" => Some(AnswerKind::Reject),
            _ => None,
        };
        value.named(parse, "must be one of match, match_return, surplus, reject")
    });
    match choice? {
        AnswerKind::Match => {
            let number = at.required("asn_number", asn_number);
            let line_identifier = at.identifier("line_identifier");
            Some(ReceivingAnswer::Match { asn_number: number?, line_identifier })
        }
        AnswerKind::MatchReturn => {
            let rma_identifier = at.required("rma_identifier", read_rma_identifier);
            let line_identifier = at.identifier("line_identifier");
            let rma_identifier = rma_identifier?;
            Some(ReceivingAnswer::MatchReturn { rma_identifier, line_identifier })
        }
        AnswerKind::Surplus => Some(ReceivingAnswer::Surplus),
        AnswerKind::Reject => {
            let reason = at.required("reason", |value| value.text(1..=TEXT_MAX).map(str::to_owned));
            Some(ReceivingAnswer::Reject { reason: reason? })
        }
    }
}
