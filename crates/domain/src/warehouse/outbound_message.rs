//! The Outbound ASN: the message about a shipment, so that the recipient can receive the goods.
//!
//! A large shipment is split into several messages, each with its own number. A carton may be split
//! between them. Every unit is in exactly one message.

#[cfg(test)]
mod tests;

use std::mem;

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::GoodsReference;
use super::asn_number::AsnNumber;
use super::settings::ReceivingAddress;
use super::shipment::{
    CarrierPaymentType, OutboundCarton, OutboundDetail, PlaceType, Shipment, ShipmentStatus,
    ShipmentType,
};
use crate::returns::receipt::Condition;

/// A shipment, or a part of one, as the recipient sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OutboundAsn<'a> {
    pub from: OutboundAsnOrigin<'a>,
    pub to: OutboundAsnDestination<'a>,
    /// Unique. The numbers of a shipment with several messages end in `_1`, `_2`, ...
    pub asn_number: AsnNumber,
    /// The channel that the goods are fulfilled for.
    #[schema(example = "RTV")]
    pub channel: &'a str,
    /// Number of the order or return authorization, or another reference.
    #[schema(example = "RA-5520")]
    pub shipment_identifier: &'a str,
    /// The first tracking or PRO number that was scanned. Null for stock transfers.
    #[schema(required, example = "PRO-441907")]
    pub tracking_number: Option<&'a str>,
    /// Null for stock transfers.
    #[schema(required, example = "Estes")]
    pub carrier: Option<&'a str>,
    /// Null for stock transfers.
    #[schema(required)]
    pub carrier_payment_type: Option<CarrierPaymentType>,
    /// When the goods left, or will leave. It may change later.
    #[schema(example = "2026-03-10T17:00:00Z")]
    pub ship_date: Timestamp,
    pub status: ShipmentStatus,
    /// Always `unit`.
    #[schema(example = "unit")]
    pub details_type: &'static str,
    /// The boxes and pallets.
    pub cartons: Vec<OutboundAsnCarton<'a>>,
    /// The bill of lading of a freight shipment.
    #[schema(required, example = "BOL-10023")]
    pub bol_number: Option<&'a str>,
    /// When the shipment last changed.
    #[schema(example = "2026-03-10T17:05:00Z")]
    pub timestamp: Timestamp,
}

/// Where goods leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OutboundAsnOrigin<'a> {
    /// The external identifier of the warehouse if there is one, else the internal one.
    #[schema(example = "WH-EAST")]
    pub identifier: &'a str,
    #[serde(rename = "type")]
    pub kind: PlaceType,
}

/// Where goods go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OutboundAsnDestination<'a> {
    /// For a stock transfer its identifier of the place, for freight the external identifier of
    /// the warehouse, for a vendor the vendor's number.
    #[schema(example = "88")]
    pub identifier: &'a str,
    #[serde(rename = "type")]
    pub kind: PlaceType,
    pub address: &'a ReceivingAddress,
}

/// A box or pallet, or the part of it in this message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OutboundAsnCarton<'a> {
    /// What can be scanned on the outside.
    #[schema(required, example = "PLT-9")]
    pub identifier: Option<&'a str>,
    /// What the goods belong to.
    #[schema(required)]
    pub reference: Option<&'a GoodsReference>,
    /// The last sorting template that was assigned to the carton.
    #[schema(required, example = "rtv-apparel")]
    pub sorting_template_name: Option<&'a str>,
    /// One element for each unit.
    pub details: Vec<OutboundAsnDetail<'a>>,
}

/// A unit that leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OutboundAsnDetail<'a> {
    /// Unique within the shipment.
    #[schema(example = "1")]
    pub line_identifier: &'a str,
    /// The program that the unit was received into.
    #[schema(example = "returns-west")]
    pub program_identifier: &'a str,
    /// The license plate of the unit.
    #[schema(example = "LP-0093321")]
    pub unit_identifier: &'a str,
    /// The merchant's own identifier of the unit.
    #[schema(required, example = "HP-55012")]
    pub client_unit_identifier: Option<&'a str>,
    /// The ASN that the unit was received against.
    #[schema(required, example = "ASN-20260301-7")]
    pub inbound_received_asn: Option<&'a str>,
    #[schema(example = "TEE-NAVY-M")]
    pub sku: &'a str,
    #[schema(required, example = "012345678905")]
    pub upc: Option<&'a str>,
    /// Always 1.
    #[schema(example = 1, minimum = 1, maximum = 1)]
    pub quantity: i64,
    /// Who supplied the unit.
    #[schema(required, example = "V-88")]
    pub vendor_identifier: Option<&'a str>,
    #[schema(required, example = "SN-20114")]
    pub serial_number: Option<&'a str>,
    pub condition: Condition,
    /// What may be done with the unit. May be empty.
    pub eligibility_flags: &'a [String],
    /// Who owns the unit.
    #[schema(required, example = "Harbor & Pine Trading")]
    pub merchant: Option<&'a str>,
}

/// The messages about the current state of `shipment`, one after the other, so that only one has to
/// be in memory.
pub fn messages(shipment: &Shipment) -> impl Iterator<Item = OutboundAsn<'_>> {
    let parts = split(shipment);
    let single = parts.len() == 1;
    parts.into_iter().zip(1_usize..).filter_map(move |(part, place)| {
        let number = &shipment.asn_number;
        // Every part has a number: the reader checks that the last one is not too long.
        let asn_number = if single { Some(number.clone()) } else { number.part(place) };
        Some(message(shipment, asn_number?, part))
    })
}

/// A carton, and those of its units that are in one message.
type Slice<'a> = (&'a OutboundCarton, &'a [OutboundDetail]);

/// The cartons of each message.
fn split(shipment: &Shipment) -> Vec<Vec<Slice<'_>>> {
    let most = usize::try_from(shipment.max_details_per_message).unwrap_or(1).max(1);
    let mut parts = Vec::new();
    let mut part: Vec<Slice<'_>> = Vec::new();
    let mut room = most;
    for carton in &shipment.cartons {
        let mut rest = carton.details.as_slice();
        while !rest.is_empty() {
            if room == 0 {
                parts.push(mem::take(&mut part));
                room = most;
            }
            let (taken, left) = rest.split_at(room.min(rest.len()));
            room -= taken.len();
            part.push((carton, taken));
            rest = left;
        }
    }
    parts.push(part);
    parts
}

fn message<'a>(
    shipment: &'a Shipment,
    asn_number: AsnNumber,
    cartons: Vec<Slice<'a>>,
) -> OutboundAsn<'a> {
    let from = &shipment.from;
    let carried = match shipment.kind {
        ShipmentType::StockTransfer => None,
        ShipmentType::Freight | ShipmentType::Vendor => Some(shipment),
    };
    OutboundAsn {
        from: OutboundAsnOrigin {
            identifier: from.external_identifier.as_ref().unwrap_or(&from.identifier),
            kind: from.kind,
        },
        to: OutboundAsnDestination {
            identifier: shipment.to.identifier_for(shipment.kind).unwrap_or_default(),
            kind: shipment.to.kind,
            address: &shipment.to.address,
        },
        asn_number,
        channel: &shipment.channel,
        shipment_identifier: &shipment.shipment_identifier,
        tracking_number: carried
            .and_then(|shipment| shipment.tracking_numbers.first())
            .map(String::as_str),
        carrier: carried.and_then(|shipment| shipment.carrier.as_deref()),
        carrier_payment_type: carried.and_then(|shipment| shipment.carrier_payment_type),
        ship_date: shipment.ship_date,
        status: shipment.status,
        details_type: "unit",
        cartons: cartons.into_iter().map(carton).collect(),
        bol_number: shipment.bol_number.as_deref(),
        timestamp: shipment.updated_at,
    }
}

fn carton((carton, details): Slice<'_>) -> OutboundAsnCarton<'_> {
    OutboundAsnCarton {
        identifier: carton.identifier.as_deref(),
        reference: carton.reference.as_ref(),
        sorting_template_name: carton.sorting_template_name.as_deref(),
        details: details.iter().map(detail).collect(),
    }
}

fn detail(unit: &OutboundDetail) -> OutboundAsnDetail<'_> {
    OutboundAsnDetail {
        line_identifier: &unit.line_identifier,
        program_identifier: &unit.program_identifier,
        unit_identifier: &unit.unit_identifier,
        client_unit_identifier: unit.client_unit_identifier.as_deref(),
        inbound_received_asn: unit.inbound_received_asn.as_deref(),
        sku: &unit.sku,
        upc: unit.upc.as_deref(),
        quantity: 1,
        vendor_identifier: unit.vendor_identifier.as_deref(),
        serial_number: unit.serial_number.as_deref(),
        condition: unit.condition,
        eligibility_flags: &unit.eligibility_flags,
        merchant: unit.merchant.as_deref(),
    }
}
