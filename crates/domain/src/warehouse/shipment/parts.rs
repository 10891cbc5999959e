//! The parts of a shipment: places, cartons and units.

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{PlaceType, ShipmentType};
use crate::returns::{identifier::RmaId, receipt::Condition};
use crate::warehouse::GoodsReference;
use crate::warehouse::settings::ReceivingAddress;
use crate::warehouse::unit::UnitRecord;

/// Where the goods leave. The external identifier of a warehouse that is configured need not be
/// sent.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SendingPlace {
    /// Our own identifier of the place. Text, or an integer, which is stored as text.
    #[schema(example = "31", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// The merchant's identifier of the place. If present, messages have it instead of ours.
    #[schema(example = "WH-EAST", max_length = 255)]
    pub external_identifier: Option<String>,
    #[serde(rename = "type")]
    pub kind: PlaceType,
}

/// Where the goods go. Messages have the identifier for the type of the shipment: for a stock
/// transfer the `stock_transfer_identifier`, for freight the `external_identifier`, for a vendor
/// the `vendor_id`. If that is absent, they have the `identifier`. If the `identifier` is that of a
/// warehouse that is configured, its other identifiers and its address need not be sent.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceivingPlace {
    #[schema(example = "88", max_length = 255)]
    pub identifier: Option<String>,
    /// The identifier of the place in stock transfers.
    #[schema(max_length = 255)]
    pub stock_transfer_identifier: Option<String>,
    /// The merchant's identifier of the place.
    #[schema(max_length = 255)]
    pub external_identifier: Option<String>,
    /// Our identifier of the vendor: a number.
    #[schema(example = "88", max_length = 255)]
    pub vendor_id: Option<String>,
    #[serde(rename = "type")]
    pub kind: PlaceType,
    #[schema(required = false)]
    pub address: ReceivingAddress,
}

impl ReceivingPlace {
    /// The identifier of the place in messages about shipments of this type.
    pub fn identifier_for(&self, kind: ShipmentType) -> Option<&str> {
        let own = match kind {
            ShipmentType::StockTransfer => &self.stock_transfer_identifier,
            ShipmentType::Freight => &self.external_identifier,
            ShipmentType::Vendor => &self.vendor_id,
        };
        own.as_deref().or(self.identifier.as_deref())
    }
}

/// A box or pallet.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutboundCarton {
    /// What can be scanned on the outside.
    #[schema(example = "PLT-9", max_length = 255)]
    pub identifier: Option<String>,
    /// What the goods belong to.
    pub reference: Option<GoodsReference>,
    /// The last sorting template that was assigned to the carton.
    #[schema(example = "rtv-apparel", max_length = 255)]
    pub sorting_template_name: Option<String>,
    /// The units inside: at least one.
    #[schema(min_items = 1, max_items = 100_000)]
    pub details: Vec<OutboundDetail>,
}

/// A unit that leaves.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutboundDetail {
    /// The line, unique within the shipment.
    #[schema(example = "1", min_length = 1, max_length = 255)]
    pub line_identifier: String,
    /// The program that the unit was received into.
    #[schema(example = "returns-west", min_length = 1, max_length = 255)]
    pub program_identifier: String,
    /// The license plate of the unit. A unit leaves once.
    #[schema(example = "LP-0093321", min_length = 1, max_length = 255)]
    pub unit_identifier: String,
    /// The merchant's own identifier of the unit.
    #[schema(example = "HP-55012", max_length = 255)]
    pub client_unit_identifier: Option<String>,
    /// The ASN that the unit was received against.
    #[schema(example = "ASN-20260301-7", max_length = 255)]
    pub inbound_received_asn: Option<String>,
    #[schema(example = "TEE-NAVY-M", min_length = 1, max_length = 255)]
    pub sku: String,
    #[schema(example = "012345678905", max_length = 255)]
    pub upc: Option<String>,
    /// Who supplied the unit.
    #[schema(example = "V-88", max_length = 255)]
    pub vendor_identifier: Option<String>,
    #[schema(example = "SN-20114", max_length = 255)]
    pub serial_number: Option<String>,
    /// The condition of the unit when it leaves. For a unit that was received, messages have its
    /// recorded condition instead.
    pub condition: Condition,
    /// What may be done with the unit, as it was announced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 100)]
    pub eligibility_flags: Vec<String>,
    /// Who owns the unit.
    #[schema(example = "Harbor & Pine Trading", max_length = 255)]
    pub merchant: Option<String>,
}

impl OutboundDetail {
    /// Fills in absent fields that are known since the unit was announced and received, and its
    /// current condition.
    pub fn complete(&mut self, unit: &UnitRecord) {
        fn fill(absent: &mut Option<String>, known: Option<&String>) {
            if absent.is_none() {
                *absent = known.cloned();
            }
        }
        let receipt = unit.receipt.as_ref();
        let scanned = receipt.map(|receipt| &receipt.scanned);
        self.condition = unit.condition.unwrap_or(self.condition);
        // What was received for a return has the identifier of the return instead.
        let asn = receipt.map(|receipt| &receipt.asn_number);
        fill(&mut self.inbound_received_asn, asn.filter(|it| RmaId::parse_exact(it).is_none()));
        if let Some(scanned) = scanned {
            fill(&mut self.client_unit_identifier, scanned.client_unit_identifier.as_ref());
            fill(&mut self.serial_number, scanned.serial_number.as_ref());
            fill(&mut self.upc, scanned.upc.as_ref());
        }
        if let Some(announced) = &unit.announcement {
            fill(&mut self.client_unit_identifier, announced.client_unit_identifier.as_ref());
            fill(&mut self.serial_number, announced.serial_number.as_ref());
            fill(&mut self.upc, announced.upc.as_ref());
            fill(&mut self.vendor_identifier, announced.vendor_identifier.as_ref());
            fill(&mut self.merchant, announced.merchant.as_ref());
            if self.eligibility_flags.is_empty() {
                self.eligibility_flags.clone_from(&announced.eligibility_flags);
            }
        }
    }
}
