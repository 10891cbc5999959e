//! What the warehouse reports about units that arrived: the body of a request with receipts.
//!
//! Each receipt is for one unit, against a return or against an ASN. Only the shape is checked
//! here; the return or the ASN decides whether the unit was expected.

#[cfg(test)]
mod tests;

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use super::condition::Condition;
use super::identifier::{RmaId, read_rma_identifier};
use super::rma::event::RmaEvent;
use crate::faults::Faults;
use crate::json::Json;
use crate::reader::fields::Fields;
use crate::reader::read;
use crate::warehouse::asin::read_asin;

/// A request has at most this many receipts.
pub const RECEIPTS_MAX: usize = 1_000;

/// The receipts of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Receipts {
    /// In the order in which the units were received.
    #[schema(max_items = 1000)]
    pub receipts: Vec<Receipt>,
}

/// One unit that arrived at the warehouse. It is received against either a return or an ASN.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// The return that the unit belongs to. Required unless there is an `asn_number`; both together
    /// are refused.
    pub rma_identifier: Option<RmaId>,
    /// The ASN that announced the unit.
    #[schema(example = "ASN-20260301-7", max_length = 255)]
    pub asn_number: Option<String>,
    /// The program of the ASN. Required only if the merchant has several ASNs with this number and
    /// the unit does not identify one of them.
    #[schema(example = "returns-west", max_length = 255)]
    pub program_identifier: Option<String>,
    /// The line of the ASN, or of the order that is returned. For a return, it or the `sku` is
    /// required.
    #[schema(example = "ORD-100472-1", max_length = 255)]
    pub line_identifier: Option<String>,
    /// The license plate of the unit. Two receipts with the same one are the same receipt.
    #[schema(example = "LP-0093321", max_length = 255)]
    pub unit_identifier: Option<String>,
    #[schema(example = "TEE-NAVY-M", max_length = 255)]
    pub sku: Option<String>,
    /// The universal product code.
    #[schema(example = "012345678905", max_length = 255)]
    pub upc: Option<String>,
    pub condition: Condition,
    /// The channel that the unit is assigned to. Absent: the disposition rules of the merchant
    /// decide.
    #[schema(example = "RTS", max_length = 255)]
    pub channel: Option<String>,
    /// Who received the unit. Required for an ASN.
    #[schema(example = "mkowalski", max_length = 255)]
    pub user_login: Option<String>,
    /// Where the unit was put.
    #[schema(example = "A-14-03", max_length = 255)]
    pub location_identifier: Option<String>,
    /// The warehouse that received the unit, if it is not the one that the ASN names. Text, or an
    /// integer, which is kept as text.
    #[schema(example = "32", max_length = 255)]
    pub warehouse_identifier: Option<String>,
    /// The serial number, if the unit has one.
    #[schema(max_length = 255)]
    pub serial_number: Option<String>,
    /// The batch or lot that the unit belongs to, if its symbol says so.
    #[schema(max_length = 255)]
    pub batch_number: Option<String>,
    /// Why the unit was returned, if a document in the parcel says so.
    #[schema(example = "too_small")]
    pub return_reason: Option<String>,
    /// Why the unit was rejected, if it was. A returned unit is then `NOT_RECEIVED`.
    pub reject_reason: Option<String>,
    /// The number on the parcel, as it was scanned.
    #[schema(example = "9400111899223197428490", max_length = 255)]
    pub tracking_number: Option<String>,
    /// The carton that the unit came in.
    #[schema(max_length = 255)]
    pub carton_identifier: Option<String>,
    /// A product identifier of ten letters and digits.
    #[schema(example = "B07XYZ1234", min_length = 10, max_length = 10)]
    pub asin: Option<String>,
    /// The merchant's own identifier of the unit.
    #[schema(max_length = 255)]
    pub client_unit_identifier: Option<String>,
}

impl Receipt {
    /// This receipt from the point of view of the return that it names. `receipt_identifier`
    /// distinguishes it from other receipts if the unit has no license plate.
    pub fn rma_event(&self, receipt_identifier: &str) -> RmaEvent {
        let plate = self.unit_identifier.as_deref().unwrap_or(receipt_identifier);
        RmaEvent::Received {
            receipt_identifier: plate.to_owned(),
            line: self.line_identifier.clone(),
            sku: self.sku.clone(),
            condition: self.condition,
            reject_reason: self.reject_reason.clone(),
            channel: self.channel.clone(),
            assigned: false,
        }
    }
}

/// Reads the receipts of a request, or returns everything wrong with them.
pub fn read_receipts(document: &Json<'_>) -> Result<Vec<Receipt>, Faults> {
    let (receipts, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            at.objects_up_to(RECEIPTS_MAX, "receipts", read_receipt)
        })
    })?;
    Ok(receipts)
}

fn read_receipt(at: &Fields<'_>) -> Receipt {
    at.refuse_unknown();
    let rma_identifier = at.optional("rma_identifier", read_rma_identifier);
    let asn_number = at.optional_identifier("asn_number");
    let program_identifier = at.optional_identifier("program_identifier");
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
            (Some(_), Some(_)) => {
                at.note("asn_number", "must not be sent together with rma_identifier");
            }
            (Some(_), None) | (None, Some(_)) => (),
        }
    }
    let channel = at.optional_identifier("channel");
    // The message about a unit of an ASN needs it; the message about a return does not.
    let user_login = match asn_number {
        Some(_) => Some(at.identifier("user_login")),
        None => at.optional_identifier("user_login"),
    };
    let unnamed = line_identifier.is_none() && sku.is_none();
    if rma_identifier.is_some() && unnamed && at.sound(&["line_identifier", "sku"]) {
        at.note_neither_of(["line_identifier", "sku"]);
    }
    Receipt {
        rma_identifier,
        asn_number,
        program_identifier,
        line_identifier,
        unit_identifier,
        sku,
        upc,
        condition: condition.unwrap_or(Condition::N),
        channel,
        user_login,
        location_identifier: at.optional_identifier("location_identifier"),
        warehouse_identifier: at.optional_identifier_or_number("warehouse_identifier"),
        serial_number: at.optional_identifier("serial_number"),
        batch_number: at.optional_identifier("batch_number"),
        return_reason: read_reason(at, "return_reason"),
        reject_reason: read_reason(at, "reject_reason"),
        tracking_number: at.optional_identifier("tracking_number"),
        carton_identifier: at.optional_identifier("carton_identifier"),
        asin: read_asin(at),
        client_unit_identifier: at.optional_identifier("client_unit_identifier"),
    }
}

/// A reason, if there is one. Some senders write empty text instead, and a unit without a reason is
/// not rejected.
fn read_reason(at: &Fields<'_>, key: &'static str) -> Option<String> {
    at.optional_text(key).filter(|reason| !reason.trim().is_empty())
}
