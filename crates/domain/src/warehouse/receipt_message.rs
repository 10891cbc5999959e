//! The Inventory Receipt: the message to a merchant about one unit that was received against an
//! ASN, or rejected.
//!
//! What the warehouse reported takes precedence over what was announced. Unknown values are null.

#[cfg(test)]
mod tests;

use serde::Serialize;
use utoipa::ToSchema;

use super::asn::{
    AsnCarton, AsnDestination, AsnLine, AsnOrigin, AsnStatus, DetailsType, InboundAsn,
};
use super::asn_number::AsnNumber;
use super::unit::UnitRecord;
use super::{GoodsReference, ReferenceType};
use crate::returns::receipt::{Condition, Receipt};
use crate::returns::rma::Rma;

/// The program of what comes with returns and is not announced by an ASN.
const RETURNS_PROGRAM: &str = "returns";
/// The identifier of a warehouse that no one named.
const UNKNOWN: &str = "unknown";

/// A unit that was received against an ASN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InventoryReceipt<'a> {
    /// The program that the unit was received into.
    #[schema(example = "returns-west")]
    pub program_identifier: &'a str,
    /// The ASN that the unit was received against.
    #[schema(example = "ASN-20260301-7")]
    pub asn_number: &'a str,
    /// As in the ASN.
    #[schema(required, example = "SHP-7781")]
    pub shipment_identifier: Option<&'a str>,
    pub from: &'a AsnOrigin,
    pub to: ReceivedAt<'a>,
    /// The carton that the unit came in.
    #[schema(required, example = "CTN-1")]
    pub carton_identifier: Option<&'a str>,
    /// What the unit belongs to.
    #[schema(required)]
    pub reference: Option<&'a GoodsReference>,
    /// The line of the ASN. Null for a unit that no line announced.
    #[schema(required, example = "1")]
    pub line_identifier: Option<&'a str>,
    /// The line within what the unit belongs to.
    #[schema(required, example = "ORD-100472-1")]
    pub reference_line_identifier: Option<&'a str>,
    /// The unit's identifier in the ASN, or else its license plate.
    #[schema(example = "LP-0093321")]
    pub unit_identifier: &'a str,
    /// The SKU, or the UPC if there is no SKU.
    #[schema(required, example = "TEE-NAVY-M")]
    pub sku: Option<&'a str>,
    #[schema(required, example = "012345678905")]
    pub upc: Option<&'a str>,
    #[schema(required, example = "SN-20114")]
    pub serial_number: Option<&'a str>,
    /// The condition in which the unit arrived.
    pub initial_condition: Condition,
    /// The first channel of the unit.
    #[schema(required, example = "RTS")]
    pub initial_channel: Option<&'a str>,
    #[schema(required, example = "too_small")]
    pub return_reason: Option<&'a str>,
    /// Who received the unit.
    #[schema(required, example = "mkowalski")]
    pub user_login: Option<&'a str>,
    /// Who owns the unit.
    #[schema(required, example = "Harbor & Pine Trading")]
    pub merchant: Option<&'a str>,
    /// The brand of the unit.
    #[schema(required, example = "Harbor & Pine")]
    pub concept: Option<&'a str>,
    /// A product identifier of ten letters and digits.
    #[schema(required, example = "B07XYZ1234")]
    pub asin: Option<&'a str>,
    /// The number on the parcel as it was scanned, or else as the ASN has it.
    #[schema(required, example = "9400111899223197428490")]
    pub tracking_number: Option<&'a str>,
    /// Where the unit was put at first.
    #[schema(required, example = "A-14-03")]
    pub location_identifier: Option<&'a str>,
    /// The merchant's own identifier of the unit.
    #[schema(required, example = "HP-55012")]
    pub client_unit_identifier: Option<&'a str>,
    /// Why the unit was rejected, if it was.
    #[schema(required, example = "stained")]
    pub reject_reason: Option<&'a str>,
}

/// The warehouse that received a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReceivedAt<'a> {
    pub identifier: NumberOrText<'a>,
    /// What kind of place it is.
    #[serde(rename = "type")]
    #[schema(example = "warehouse")]
    pub kind: &'a str,
    /// Where the goods were originally sent, if that was another place.
    #[schema(required, example = "12")]
    pub original_identifier: Option<&'a str>,
}

/// An identifier that is written as an integer if it is numeric, and as text otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum NumberOrText<'a> {
    #[schema(example = 31)]
    Number(i64),
    Text(&'a str),
}

impl<'a> NumberOrText<'a> {
    /// A number only if nothing is lost: `007` and `7` are different identifiers.
    fn of(text: &'a str) -> Self {
        match text.parse::<i64>() {
            Ok(number) if number.to_string() == text => Self::Number(number),
            Ok(_) | Err(_) => Self::Text(text),
        }
    }
}

/// The message about a unit that was received against `asn`. None if it was not.
pub fn received<'a>(asn: &'a InboundAsn, unit: &'a UnitRecord) -> Option<InventoryReceipt<'a>> {
    let receipt = unit.receipt.as_ref()?;
    if receipt.asn_number != asn.asn_number.as_str() {
        return None;
    }
    let line = receipt.line_identifier.as_deref().and_then(|line| asn.line(line));
    let reason = receipt.scanned.reject_reason.as_deref();
    Some(message(asn, line, unit, &receipt.scanned, reason))
}

/// The message about a unit that was scanned for `asn` and rejected. None if it was not.
pub fn rejected<'a>(asn: &'a InboundAsn, unit: &'a UnitRecord) -> Option<InventoryReceipt<'a>> {
    let reason = unit.reject_reason.as_deref()?;
    let question = unit.question(asn.asn_number.as_str())?;
    Some(message(asn, None, unit, &question.scanned, Some(reason)))
}

/// The reject reason of a unit that was not received after all.
pub const RECEIVED_BY_MISTAKE: &str = "received by mistake";

/// The message that a unit, which was received as `before` says, was not received after all.
pub fn withdrawn<'a>(asn: &'a InboundAsn, before: &'a UnitRecord) -> Option<InventoryReceipt<'a>> {
    let reject_reason = Some(RECEIVED_BY_MISTAKE);
    Some(InventoryReceipt { reject_reason, ..received(asn, before)? })
}

/// The return of a unit without a line. Whatever is in a parcel of a return came with that return.
fn reference_of_parcel(asn: &InboundAsn) -> Option<&GoodsReference> {
    let mut references = asn.cartons.iter().filter_map(|carton| carton.reference.as_ref());
    references.find(|it| it.identifier == asn.asn_number.as_str())
}

/// A parcel of a return as an ASN, for messages about what does not belong into it. `sent_to` is
/// the warehouse that the return was sent to, if it is known; that of the scan takes precedence.
pub fn parcel_of_return(rma: &Rma, sent_to: Option<&str>, scanned: &Receipt) -> Option<InboundAsn> {
    let identifier = rma.rma_identifier.to_string();
    let reference = GoodsReference {
        kind: ReferenceType::Rma,
        identifier: identifier.clone(),
        alternate_identifier: rma.units.first().map(|it| it.goods.order_identifier.clone()),
    };
    let warehouse = scanned.warehouse_identifier.as_deref().or(sent_to).unwrap_or(UNKNOWN);
    Some(InboundAsn {
        program_identifier: RETURNS_PROGRAM.to_owned(),
        asn_number: AsnNumber::parse(&identifier)?,
        status: AsnStatus::Delivered,
        details_type: DetailsType::Sku,
        asn_type: None,
        message_timestamp: None,
        shipment_identifier: None,
        from: AsnOrigin { identifier, kind: "shopper".to_owned() },
        to: AsnDestination {
            identifier: warehouse.to_owned(),
            kind: "warehouse".to_owned(),
            original_identifier: None,
        },
        tracking_number: rma.units.iter().find_map(|it| it.tracking_number.clone()),
        carrier: None,
        ship_date: None,
        merchant: None,
        concept: rma.concept.clone(),
        cartons: vec![AsnCarton {
            identifier: scanned.carton_identifier.clone(),
            reference: Some(reference),
            details: Vec::new(),
        }],
    })
}

/// The warehouse that the receipt names, or else the one that the ASN names.
fn place_of<'a>(asn: &'a InboundAsn, scanned: &'a Receipt) -> ReceivedAt<'a> {
    let announced = asn.to.identifier.as_str();
    let identifier = scanned.warehouse_identifier.as_deref().unwrap_or(announced);
    let elsewhere = (identifier != announced).then_some(announced);
    ReceivedAt {
        identifier: NumberOrText::of(identifier),
        kind: &asn.to.kind,
        original_identifier: asn.to.original_identifier.as_deref().or(elsewhere),
    }
}

fn message<'a>(
    asn: &'a InboundAsn,
    line: Option<AsnLine<'a>>,
    unit: &'a UnitRecord,
    scanned: &'a Receipt,
    reject_reason: Option<&'a str>,
) -> InventoryReceipt<'a> {
    let detail = line.map(|line| line.detail);
    let carton = line.map(|line| line.carton);
    let announced = detail.and_then(|detail| detail.unit_identifier.as_deref());
    InventoryReceipt {
        program_identifier: &asn.program_identifier,
        asn_number: asn.asn_number.as_str(),
        shipment_identifier: asn.shipment_identifier.as_deref(),
        from: &asn.from,
        to: place_of(asn, scanned),
        carton_identifier: carton
            .and_then(|carton| carton.identifier.as_deref())
            .or(scanned.carton_identifier.as_deref()),
        reference: carton.map_or(reference_of_parcel(asn), |carton| carton.reference.as_ref()),
        line_identifier: detail.map(|detail| detail.line_identifier.as_str()),
        reference_line_identifier: detail
            .and_then(|detail| detail.reference_line_identifier.as_deref()),
        unit_identifier: announced.unwrap_or(&unit.unit_identifier),
        sku: scanned
            .sku
            .as_deref()
            .or(detail.map(|detail| detail.sku.as_str()))
            .or(scanned.upc.as_deref()),
        upc: scanned.upc.as_deref().or(detail.and_then(|detail| detail.upc.as_deref())),
        serial_number: scanned
            .serial_number
            .as_deref()
            .or(detail.and_then(|detail| detail.serial_number.as_deref())),
        initial_condition: scanned.condition,
        initial_channel: scanned.channel.as_deref(),
        return_reason: scanned
            .return_reason
            .as_deref()
            .or(detail.and_then(|detail| detail.return_reason.as_deref())),
        user_login: scanned.user_login.as_deref(),
        merchant: line.map_or(asn.merchant.as_deref(), |line| line.merchant()),
        concept: line.map_or(asn.concept.as_deref(), |line| line.concept()),
        asin: scanned.asin.as_deref().or(detail.and_then(|detail| detail.asin.as_deref())),
        tracking_number: scanned.tracking_number.as_deref().or(asn.tracking_number.as_deref()),
        location_identifier: scanned.location_identifier.as_deref(),
        client_unit_identifier: scanned
            .client_unit_identifier
            .as_deref()
            .or(detail.and_then(|detail| detail.client_unit_identifier.as_deref())),
        reject_reason,
    }
}
