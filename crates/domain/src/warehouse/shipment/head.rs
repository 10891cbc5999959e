//! A shipment without its units, for lists.

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::parts::{ReceivingPlace, SendingPlace};
use super::{Shipment, ShipmentStatus, ShipmentType};
use crate::warehouse::asn_number::AsnNumber;

/// A shipment without its units.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipmentHead {
    #[serde(rename = "type")]
    pub kind: ShipmentType,
    pub asn_number: AsnNumber,
    pub from: SendingPlace,
    pub to: ReceivingPlace,
    /// The channel that the goods are fulfilled for.
    #[schema(example = "RTV")]
    pub channel: String,
    /// Number of the order or return authorization, or another reference.
    #[schema(example = "RA-5520")]
    pub shipment_identifier: String,
    /// Tracking or PRO numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["PRO-441907"]))]
    pub tracking_numbers: Vec<String>,
    #[schema(example = "Estes")]
    pub carrier: Option<String>,
    /// When the goods left, or will leave.
    #[schema(example = "2026-03-10T17:00:00Z")]
    pub ship_date: Timestamp,
    pub status: ShipmentStatus,
    /// The bill of lading of a freight shipment.
    #[schema(example = "BOL-10023")]
    pub bol_number: Option<String>,
    /// How many boxes and pallets it has.
    #[serde(default)]
    #[schema(example = 1, minimum = 1)]
    pub carton_count: i64,
    /// How many units it has.
    #[serde(default)]
    #[schema(example = 2, minimum = 1)]
    pub unit_count: i64,
    #[schema(example = "2026-03-10T15:00:00Z")]
    pub created_at: Timestamp,
    /// When the shipment last changed.
    #[schema(example = "2026-03-10T17:05:00Z")]
    pub updated_at: Timestamp,
}

impl ShipmentHead {
    pub fn of(shipment: &Shipment) -> Self {
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        Self {
            kind: shipment.kind,
            asn_number: shipment.asn_number.clone(),
            from: shipment.from.clone(),
            to: shipment.to.clone(),
            channel: shipment.channel.clone(),
            shipment_identifier: shipment.shipment_identifier.clone(),
            tracking_numbers: shipment.tracking_numbers.clone(),
            carrier: shipment.carrier.clone(),
            ship_date: shipment.ship_date,
            status: shipment.status,
            bol_number: shipment.bol_number.clone(),
            carton_count: count(shipment.cartons.len()),
            unit_count: count(shipment.units().count()),
            created_at: shipment.created_at,
            updated_at: shipment.updated_at,
        }
    }
}
