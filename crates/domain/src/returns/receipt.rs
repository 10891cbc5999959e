//! What the warehouse tells about units that arrived: the body of a request with receipts.
//!
//! Each receipt is of one unit, against a return or against an ASN. Whether it was awaited is
//! for the return or the ASN to say; here only the shape is judged.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::carrier::rma_identifier;
use super::identifier::RmaId;
use super::rma::RmaEvent;
use crate::faults::Faults;
use crate::json::Json;
use crate::reader::fields::Fields;
use crate::reader::read;

/// A request has at most this many receipts.
pub const RECEIPTS_MAX: usize = 1_000;

/// The state that a unit is in, as the warehouse grades it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Condition {
    N,
    R,
    A,
    B,
    C,
    X,
    TT,
}

impl Condition {
    pub const ALL: [Self; 7] = [Self::N, Self::R, Self::A, Self::B, Self::C, Self::X, Self::TT];

    pub const fn name(self) -> &'static str {
        match self {
            Self::N => "N",
            Self::R => "R",
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::X => "X",
            Self::TT => "TT",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|condition| condition.name() == name)
    }

    /// What it means to whoever grades. The contract has the letters only.
    pub const fn words(self) -> &'static str {
        match self {
            Self::N => "New, unopened",
            Self::R => "Refurbished",
            Self::A => "Like new",
            Self::B => "Used, good",
            Self::C => "Used, worn",
            Self::X => "Broken",
            Self::TT => "Needs a test",
        }
    }
}

/// The receipts of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Receipts {
    /// In the order in which the units were received.
    #[schema(max_items = 1000)]
    pub receipts: Vec<Receipt>,
}

/// One unit that arrived at the warehouse. It is received against either a return or an ASN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// The return that the unit belongs to. Required unless there is an `asn_number`, and refused
    /// beside one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rma_identifier: Option<RmaId>,
    /// The ASN that announced the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ASN-20260301-7", max_length = 255)]
    pub asn_number: Option<String>,
    /// The line of the ASN, or of the order that is returned. For a return, it or the `sku` is
    /// required.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ORD-100472-1", max_length = 255)]
    pub line_identifier: Option<String>,
    /// The license plate of the unit. A receipt with the same one is the same receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "LP-0093321", max_length = 255)]
    pub unit_identifier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "TEE-NAVY-M", max_length = 255)]
    pub sku: Option<String>,
    /// The universal product code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "012345678905", max_length = 255)]
    pub upc: Option<String>,
    pub condition: Condition,
    /// The channel that the unit is assigned to. Required for an ASN.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "RTS", max_length = 255)]
    pub channel: Option<String>,
    /// Who received the unit. Required for an ASN.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "mkowalski", max_length = 255)]
    pub user_login: Option<String>,
    /// Where the unit was put.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "A-14-03", max_length = 255)]
    pub location_identifier: Option<String>,
    /// The serial number, if the unit has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub serial_number: Option<String>,
    /// Why the unit came back, if a paper in the parcel says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "too_small")]
    pub return_reason: Option<String>,
    /// Why the unit was rejected, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reject_reason: Option<String>,
    /// The number on the parcel, as it was scanned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "9400111899223197428490", max_length = 255)]
    pub tracking_number: Option<String>,
    /// The carton that the unit came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub carton_identifier: Option<String>,
    /// A product identifier of ten letters and digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "B07XYZ1234", max_length = 255)]
    pub asin: Option<String>,
    /// The merchant's own identifier of the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub client_unit_identifier: Option<String>,
}

impl Receipt {
    /// What this receipt is to the return that it names. `receipt_identifier` tells it from other
    /// receipts where the unit has no license plate.
    pub fn event(&self, receipt_identifier: &str) -> RmaEvent {
        let plate = self.unit_identifier.as_deref().unwrap_or(receipt_identifier);
        RmaEvent::Received {
            receipt_identifier: plate.to_owned(),
            line: self.line_identifier.clone(),
            sku: self.sku.clone(),
            condition: self.condition,
        }
    }
}

/// Reads the receipts of a request, or says everything wrong with them.
pub fn read_receipts(document: &Json<'_>) -> Result<Vec<Receipt>, Faults> {
    let (receipts, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            at.objects_up_to(RECEIPTS_MAX, "receipts", receipt)
        })
    })?;
    Ok(receipts)
}

fn receipt(at: &Fields<'_>) -> Receipt {
    at.refuse_unknown();
    let rma_identifier = at.optional("rma_identifier", rma_identifier);
    let asn_number = at.optional_identifier("asn_number");
    let line_identifier = at.optional_identifier("line_identifier");
    let unit_identifier = at.optional_identifier("unit_identifier");
    let sku = at.optional_identifier("sku");
    let upc = at.optional_identifier("upc");
    let condition = at.required("condition", |value| {
        value.named(Condition::parse, "must be one of N, R, A, B, C, X, TT")
    });
    if at.sound(&["rma_identifier", "asn_number"]) {
        match (&rma_identifier, &asn_number) {
            (None, None) => at.note_neither_of(["rma_identifier", "asn_number"]),
            (Some(_), Some(_)) => at.note("asn_number", "must not be sent beside rma_identifier"),
            (Some(_), None) | (None, Some(_)) => (),
        }
    }
    // The message about a unit of an ASN must name both; a return does without.
    let against_asn = asn_number.is_some();
    let told =
        |key| if against_asn { Some(at.identifier(key)) } else { at.optional_identifier(key) };
    let (channel, user_login) = (told("channel"), told("user_login"));
    let nameless = line_identifier.is_none() && sku.is_none();
    if rma_identifier.is_some() && nameless && at.sound(&["line_identifier", "sku"]) {
        at.note_neither_of(["line_identifier", "sku"]);
    }
    Receipt {
        rma_identifier,
        asn_number,
        line_identifier,
        unit_identifier,
        sku,
        upc,
        condition: condition.unwrap_or(Condition::N),
        channel,
        user_login,
        location_identifier: at.optional_identifier("location_identifier"),
        serial_number: at.optional_identifier("serial_number"),
        return_reason: at.optional_text("return_reason"),
        reject_reason: at.optional_text("reject_reason"),
        tracking_number: at.optional_identifier("tracking_number"),
        carton_identifier: at.optional_identifier("carton_identifier"),
        asin: at.optional_identifier("asin"),
        client_unit_identifier: at.optional_identifier("client_unit_identifier"),
    }
}
