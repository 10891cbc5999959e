//! A shipment that leaves the warehouse: to a store or another warehouse (stock transfer), by
//! freight, or back to a vendor.
//!
//! A shipment lists its units, and each unit leaves only once: see [`unit`](super::unit). Merchants
//! get an [`outbound_message`](super::outbound_message). A shipment is stored as the JSON of
//! [`Shipment`]; the comments on the fields are the API reference.

mod change;
mod head;
mod parts;
mod read;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::change::{ShipmentChange, ShipmentDecision, ShipmentRefusal, change, read_change};
pub use self::head::ShipmentHead;
pub use self::parts::{OutboundCarton, OutboundDetail, ReceivingPlace, SendingPlace};
pub use self::read::{ShipmentReadContext, read_shipment};
use super::asn_number::AsnNumber;
use super::unit::UnitEvent;

/// A shipment has at most this many cartons.
pub const CARTONS_MAX: usize = 10_000;

/// A shipment has at most this many units.
pub const UNITS_MAX: usize = 100_000;

/// A message has at most this many units, even if more were requested.
pub const MESSAGE_UNITS_MAX: i64 = 10_000;

/// Goods that leave the warehouse.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Shipment {
    #[serde(rename = "type")]
    pub kind: ShipmentType,
    /// The number of the ASN. Generated if it is absent. If a shipment needs several messages,
    /// their numbers end in `_1`, `_2` and so on.
    #[schema(required = false)]
    pub asn_number: AsnNumber,
    pub from: SendingPlace,
    pub to: ReceivingPlace,
    /// The channel that the goods are fulfilled for.
    #[schema(example = "RTV", min_length = 1, max_length = 255)]
    pub channel: String,
    /// Number of the order or return authorization, or another reference.
    #[schema(example = "RA-5520", min_length = 1, max_length = 255)]
    pub shipment_identifier: String,
    /// Tracking or PRO numbers, in the order in which they were scanned. The message contains the
    /// first. A single number may be sent as `tracking_number` instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["PRO-441907"]))]
    pub tracking_numbers: Vec<String>,
    #[schema(example = "Estes", max_length = 255)]
    pub carrier: Option<String>,
    pub carrier_payment_type: Option<CarrierPaymentType>,
    /// When the goods left, or will leave.
    #[schema(example = "2026-03-10T17:00:00Z")]
    pub ship_date: Timestamp,
    /// `pending` or `shipped` for a new shipment. The default is `pending`.
    #[schema(required = false)]
    pub status: ShipmentStatus,
    /// The bill of lading of a freight shipment.
    #[schema(example = "BOL-10023", max_length = 255)]
    pub bol_number: Option<String>,
    /// The boxes and pallets: at least one.
    #[schema(min_items = 1, max_items = 10_000)]
    pub cartons: Vec<OutboundCarton>,
    /// The most units that a message may have.
    #[schema(required = false, example = 1000, minimum = 1, maximum = 10_000)]
    pub max_details_per_message: i64,
    #[schema(read_only, example = "2026-03-10T15:00:00Z")]
    pub created_at: Timestamp,
    /// When the shipment last changed.
    #[schema(read_only, example = "2026-03-10T17:05:00Z")]
    pub updated_at: Timestamp,
    /// How often the shipment was announced. Each time, all of its messages are sent.
    #[schema(read_only, example = 1, minimum = 1)]
    pub announcements: i64,
}

/// The type of a shipment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShipmentType {
    /// Between places of the merchant. The message has no carrier.
    StockTransfer,
    Freight,
    /// Back to the supplier of the goods.
    Vendor,
}

/// The status of a shipment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShipmentStatus {
    /// Its units are reserved.
    Pending,
    /// It left the warehouse.
    Shipped,
    /// It arrived.
    Delivered,
    /// It will not leave, and its units are released. Only before it is shipped.
    Canceled,
}

/// Who pays the carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CarrierPaymentType {
    /// The sender.
    Prepaid,
    /// The receiver.
    Collect,
}

/// The type of a place that goods come from or go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaceType {
    Warehouse,
    Store,
}

impl ShipmentType {
    pub const ALL: [Self; 3] = [Self::StockTransfer, Self::Freight, Self::Vendor];

    pub const fn name(self) -> &'static str {
        match self {
            Self::StockTransfer => "stock_transfer",
            Self::Freight => "freight",
            Self::Vendor => "vendor",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl ShipmentStatus {
    pub const ALL: [Self; 4] = [Self::Pending, Self::Shipped, Self::Delivered, Self::Canceled];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Shipped => "shipped",
            Self::Delivered => "delivered",
            Self::Canceled => "canceled",
        }
    }

    /// The status with this name. `cancelled` is accepted for `canceled`.
    pub fn parse(name: &str) -> Option<Self> {
        if name == "cancelled" {
            return Some(Self::Canceled);
        }
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl CarrierPaymentType {
    pub const ALL: [Self; 2] = [Self::Prepaid, Self::Collect];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Prepaid => "prepaid",
            Self::Collect => "collect",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|payment| payment.name() == name)
    }
}

impl PlaceType {
    pub const ALL: [Self; 2] = [Self::Warehouse, Self::Store];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Warehouse => "warehouse",
            Self::Store => "store",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Shipment {
    /// All units of the shipment, in order.
    pub fn units(&self) -> impl Iterator<Item = &OutboundDetail> {
        self.cartons.iter().flat_map(|carton| &carton.details)
    }

    /// The event of every unit of the shipment in its current status. Applied again, it changes
    /// nothing.
    pub fn unit_event(&self) -> UnitEvent {
        let asn_number = self.asn_number.clone();
        match self.status {
            ShipmentStatus::Pending => UnitEvent::Packed { asn_number },
            ShipmentStatus::Shipped | ShipmentStatus::Delivered => {
                UnitEvent::Shipped { asn_number }
            }
            ShipmentStatus::Canceled => UnitEvent::Unpacked { asn_number },
        }
    }

    /// The number of its messages.
    pub fn messages(&self) -> usize {
        messages(self.units().count(), self.max_details_per_message)
    }

    /// The number of one of its messages, counted from 1: its own number if there is only one.
    pub fn message_number(&self, message: usize) -> Option<AsnNumber> {
        if self.messages() == 1 {
            Some(self.asn_number.clone())
        } else {
            self.asn_number.part(message)
        }
    }

    /// The number of the message that contains this unit.
    pub fn message_about(&self, unit_identifier: &str) -> Option<AsnNumber> {
        let place = self.units().position(|unit| unit.unit_identifier == unit_identifier)?;
        let most = usize::try_from(self.max_details_per_message).unwrap_or(1).max(1);
        self.message_number((place / most).saturating_add(1))
    }
}

/// How many messages this many units need.
fn messages(units: usize, max_details_per_message: i64) -> usize {
    units.div_ceil(usize::try_from(max_details_per_message).unwrap_or(1).max(1)).max(1)
}
