//! Drop-ship orders: a merchant's orders that the warehouse ships straight to the shopper.
//!
//! An order is accepted when it is taken in. Its units are then shipped, in one shipment or
//! several, or cancelled, or the order is rejected; see [`apply()`]. Of every item, the units that
//! were shipped, that were cancelled and that are open are together what was ordered, always. The
//! merchant hears of each of these by a [`message()`]. An order is stored as the JSON of
//! [`DropShipOrder`]; the comments on the fields are the API reference.

mod action;
mod apply;
mod messages;
mod read;
mod task;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use jiff::civil::Date;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::action::{
    CancellationOutcome, DropShipAction, DropShipCancelRequest, DropShipCancellation,
    DropShipDecision, DropShipItemQuantity, DropShipNotice, DropShipRefusal, DropShipShipRequest,
    DropShipment, DropShipmentItem, read_cancellation, read_shipping,
};
pub use self::apply::{IdentifiedAction, apply};
pub use self::messages::{
    CancellationAddress, CancellationItem, CancellationOrder, ConfirmationItem,
    ConfirmationShipment, DropShipMessage, PartialCancellationItem, PartialCancellationOrder,
    message,
};
pub use self::read::{DropShipReadContext, read_drop_ship_order};
pub use self::task::{DropShipTask, DropShipTaskItem, DropShipTaskShipment};
use crate::returns::receipt::Condition;

/// An order has at most this many lines.
pub const ITEMS_MAX: usize = 125;

/// The body of a request with a drop-ship order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DropShipEnvelope {
    pub order: DropShipOrder,
}

/// An order that the warehouse ships for a merchant, as it stands now.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DropShipOrder {
    #[schema(read_only, example = 51001)]
    pub id: i64,
    /// The merchant's identifier of the order, unique among its drop-ship orders.
    #[schema(example = "DS-20417", min_length = 1, max_length = 255)]
    pub client_identifier: String,
    #[schema(example = "Harbor & Pine", max_length = 255)]
    pub brand: Option<String>,
    /// The channel that the order was sold through.
    #[schema(example = "marketplace", max_length = 255)]
    pub channel: Option<String>,
    pub shipping_method: ShippingMethod,
    #[schema(read_only, required = false)]
    pub status: DropShipStatus,
    #[schema(example = 11400, minimum = 0)]
    pub price_cents: i64,
    #[schema(example = 912, minimum = 0)]
    pub tax_cents: i64,
    /// 0 when it is absent.
    #[schema(required = false, example = 150, minimum = 0)]
    pub processing_fee_cents: i64,
    #[schema(example = 595, minimum = 0)]
    pub shipping_cost_cents: i64,
    #[schema(example = 48, minimum = 0)]
    pub shipping_tax_cents: i64,
    /// Free text for the warehouse.
    #[schema(example = "Leave at the side door")]
    pub comments: Option<String>,
    #[schema(value_type = Option<String>, format = Date, example = "2026-03-09")]
    pub expected_delivery_date: Option<Date>,
    /// Whether the parcel must be signed for. False when it is absent.
    #[schema(value_type = Option<bool>)]
    pub signature_required: bool,
    /// What is printed on the paper in the parcel.
    #[schema(example = "PS-20417", max_length = 255)]
    pub packing_slip_identifier: Option<String>,
    pub billing_address: DropShipAddress,
    pub shipping_address: DropShipAddress,
    /// The lines: at least one.
    #[schema(min_items = 1, max_items = 125)]
    pub order_items: Vec<DropShipItem>,
    /// Why the order was rejected, or the last of it cancelled.
    #[schema(read_only, example = "inventory not found")]
    pub reject_reason: Option<String>,
    /// What left so far.
    #[schema(read_only, required = false)]
    pub shipments: Vec<DropShipment>,
    /// What will not be shipped, and why.
    #[schema(read_only, required = false)]
    pub cancellations: Vec<DropShipCancellation>,
    #[schema(read_only, example = "2026-03-04T08:00:00Z")]
    pub created_at: Timestamp,
    #[schema(read_only, example = "2026-03-05T12:00:00Z")]
    pub updated_at: Timestamp,
    /// How many messages about the order are owed or were sent: the sequence of the last one.
    #[schema(read_only, example = 0, minimum = 0)]
    pub messages_sent: i64,
}

/// A line of a drop-ship order.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DropShipItem {
    #[schema(read_only, example = 51004)]
    pub id: i64,
    /// The merchant's identifier of the line, unique within the order.
    #[schema(example = "DS-20417-1", min_length = 1, max_length = 255)]
    pub client_identifier: String,
    #[schema(example = "TEE-NAVY-M", min_length = 1, max_length = 255)]
    pub sku: String,
    #[schema(example = "Harbor & Pine", max_length = 255)]
    pub brand: Option<String>,
    /// The state that the units are to be in.
    pub condition: Option<Condition>,
    /// Units ordered.
    #[schema(example = 2, minimum = 1, maximum = 1000)]
    pub quantity: i64,
    /// Units that left.
    #[schema(read_only, example = 0, minimum = 0)]
    pub quantity_shipped: i64,
    /// Units that will not be shipped.
    #[schema(read_only, example = 0, minimum = 0)]
    pub quantity_cancelled: i64,
    #[schema(example = 9000, minimum = 0)]
    pub price_cents: i64,
    #[schema(example = 720, minimum = 0)]
    pub tax_cents: i64,
    /// 0 when it is absent.
    #[schema(required = false, example = 0, minimum = 0)]
    pub shipping_cost_cents: i64,
    /// 0 when it is absent.
    #[schema(required = false, example = 0, minimum = 0)]
    pub shipping_tax_cents: i64,
    #[schema(read_only, required = false)]
    pub status: DropShipStatus,
    #[schema(example = "Gift wrap")]
    pub comments: Option<String>,
}

/// Who gets a parcel, or pays for it. A part that the country does not have is sent as empty text.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DropShipAddress {
    #[schema(read_only, example = 51002)]
    pub id: i64,
    #[schema(example = "Dana Whitfield")]
    pub name: String,
    pub company: Option<String>,
    #[schema(example = "+1 503 555 0117")]
    pub telephone_number: Option<String>,
    /// Street and number.
    #[schema(example = "418 Juniper Street")]
    pub street: String,
    pub street2: Option<String>,
    #[schema(example = "Portland")]
    pub city: String,
    #[schema(example = "OR")]
    pub state: String,
    #[schema(example = "97205")]
    pub zip_code: String,
    #[schema(example = "US")]
    pub country: String,
}

/// How fast a parcel travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ShippingMethod {
    Standard,
    Express,
    Overnight,
    Freight,
    #[serde(rename = "PICK-UP")]
    PickUp,
}

/// How far an order or a line has come. What has nothing open any more and was shipped in part is
/// shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropShipStatus {
    /// Nothing was shipped yet.
    Accepted,
    /// Nothing was shipped, and the warehouse refused the last open units.
    Rejected,
    /// Some units were shipped, and some are open.
    PartiallyShipped,
    /// Nothing is open, and at least one unit was shipped.
    Shipped,
    /// Nothing was shipped, and the last open units were cancelled.
    Cancelled,
}

impl ShippingMethod {
    pub const ALL: [Self; 5] =
        [Self::Standard, Self::Express, Self::Overnight, Self::Freight, Self::PickUp];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "STANDARD",
            Self::Express => "EXPRESS",
            Self::Overnight => "OVERNIGHT",
            Self::Freight => "FREIGHT",
            Self::PickUp => "PICK-UP",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

impl DropShipStatus {
    pub const ALL: [Self; 5] =
        [Self::Accepted, Self::Rejected, Self::PartiallyShipped, Self::Shipped, Self::Cancelled];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::PartiallyShipped => "partially_shipped",
            Self::Shipped => "shipped",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl DropShipItem {
    /// Units that are neither shipped nor cancelled.
    pub const fn quantity_open(&self) -> i64 {
        self.quantity.saturating_sub(self.quantity_shipped).saturating_sub(self.quantity_cancelled)
    }
}

impl DropShipOrder {
    /// Whether nothing of the order is open any more.
    pub fn is_closed(&self) -> bool {
        self.order_items.iter().all(|item| item.quantity_open() == 0)
    }

    /// Whether anything of the order was shipped.
    pub fn has_shipped(&self) -> bool {
        self.order_items.iter().any(|item| item.quantity_shipped > 0)
    }
}
