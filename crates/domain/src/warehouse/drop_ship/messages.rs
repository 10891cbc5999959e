//! The messages about drop-ship orders: a shipment is confirmed, an order is cancelled, units of
//! an order are cancelled.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use super::action::{DropShipNotice, DropShipment};
use super::{DropShipAddress, DropShipItem, DropShipOrder, DropShipStatus, ShippingMethod};
use crate::returns::receipt::Condition;

/// A message about a drop-ship order.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum DropShipMessage<'a> {
    /// Units were shipped.
    Confirmation { shipment: ConfirmationShipment<'a> },
    /// Nothing of the order is shipped: it was rejected or cancelled.
    Cancellation { order: Box<CancellationOrder<'a>> },
    /// Units were cancelled, and others are open or were shipped.
    PartialCancellation { order: PartialCancellationOrder<'a> },
}

/// A shipment of units of a drop-ship order.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ConfirmationShipment<'a> {
    #[schema(example = 51101)]
    pub id: i64,
    /// The merchant's identifier of the order.
    #[schema(example = "DS-20417")]
    pub client_identifier: &'a str,
    /// Where the order was sold.
    #[schema(required, example = "marketplace")]
    pub channel: Option<&'a str>,
    #[schema(example = "UPS")]
    pub carrier: &'a str,
    /// The carrier's service.
    #[schema(example = "UPS 2nd Day Air")]
    pub shipping_method: &'a str,
    #[schema(required, example = "1Z999AA10123456784")]
    pub tracking_number: Option<&'a str>,
    #[schema(required, example = 1.5)]
    pub billed_weight: Option<f64>,
    #[schema(required, example = 595)]
    pub shipping_cost_cents: Option<i64>,
    /// As in the order.
    #[schema(required, example = "PS-20417")]
    pub packing_slip_identifier: Option<&'a str>,
    /// The units that were shipped.
    pub shipment_items: Vec<ConfirmationItem<'a>>,
    #[schema(example = "2026-03-05T12:00:00Z")]
    pub created_at: Timestamp,
    #[schema(example = "2026-03-05T12:00:00Z")]
    pub updated_at: Timestamp,
}

/// Units of a line within a shipment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ConfirmationItem<'a> {
    #[schema(example = 51102)]
    pub id: i64,
    /// The merchant's identifier of the line.
    #[schema(example = "DS-20417-1")]
    pub client_identifier: &'a str,
    /// Units in this shipment.
    #[schema(example = 1)]
    pub quantity: i64,
    #[schema(example = "2026-03-05T12:00:00Z")]
    pub created_at: Timestamp,
    #[schema(example = "2026-03-05T12:00:00Z")]
    pub updated_at: Timestamp,
}

/// A drop-ship order of which nothing was shipped, and nothing will be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CancellationOrder<'a> {
    #[schema(example = 51001)]
    pub id: i64,
    /// The merchant's identifier of the order.
    #[schema(example = "DS-20417")]
    pub client_identifier: &'a str,
    pub billing_address: CancellationAddress<'a>,
    pub shipping_address: CancellationAddress<'a>,
    #[schema(required, example = "Harbor & Pine")]
    pub brand: Option<&'a str>,
    pub shipping_method: ShippingMethod,
    pub status: DropShipStatus,
    #[schema(example = 11400)]
    pub price_cents: i64,
    #[schema(example = 912)]
    pub tax_cents: i64,
    /// As in the order.
    #[schema(example = 150)]
    pub processing_fee_cents: i64,
    #[schema(example = 595)]
    pub shipping_cost_cents: i64,
    #[schema(example = 48)]
    pub shipping_tax_cents: i64,
    #[schema(required, example = "Leave at the side door")]
    pub comments: Option<&'a str>,
    #[schema(required, value_type = Option<String>, format = Date, example = "2026-03-09")]
    pub expected_delivery_date: Option<Date>,
    /// Whether the recipient must sign for the parcel.
    pub signature_required: bool,
    /// As in the order.
    #[schema(required, example = "PS-20417")]
    pub packing_slip_identifier: Option<&'a str>,
    /// Why the order was rejected, or the last of it cancelled.
    #[schema(required, example = "inventory not found")]
    pub reject_reason: Option<&'a str>,
    /// All lines of the order.
    pub order_items: Vec<CancellationItem<'a>>,
    #[schema(example = "2026-03-04T08:00:00Z")]
    pub created_at: Timestamp,
    #[schema(example = "2026-03-05T12:00:00Z")]
    pub updated_at: Timestamp,
}

/// An address of a cancelled order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CancellationAddress<'a> {
    #[schema(example = 51002)]
    pub id: i64,
    #[schema(example = "Dana Whitfield")]
    pub name: &'a str,
    #[schema(required)]
    pub company: Option<&'a str>,
    #[schema(required, example = "+1 503 555 0117")]
    pub telephone_number: Option<&'a str>,
    #[schema(example = "418 Juniper Street")]
    pub street: &'a str,
    #[schema(required)]
    pub street2: Option<&'a str>,
    #[schema(example = "Portland")]
    pub city: &'a str,
    #[schema(example = "OR")]
    pub state: &'a str,
    #[schema(example = "97205")]
    pub zip_code: &'a str,
    #[schema(example = "US")]
    pub country: &'a str,
    #[schema(example = "2026-03-04T08:00:00Z")]
    pub created_at: Timestamp,
    #[schema(example = "2026-03-04T08:00:00Z")]
    pub updated_at: Timestamp,
}

/// A line of a cancelled order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CancellationItem<'a> {
    #[schema(example = 51004)]
    pub id: i64,
    /// The merchant's identifier of the line.
    #[schema(example = "DS-20417-1")]
    pub client_identifier: &'a str,
    #[schema(example = "TEE-NAVY-M")]
    pub sku: &'a str,
    #[schema(required, example = "Harbor & Pine")]
    pub brand: Option<&'a str>,
    #[schema(required)]
    pub condition: Option<Condition>,
    /// Units ordered.
    #[schema(example = 2)]
    pub quantity: i64,
    #[schema(example = 9000)]
    pub price_cents: i64,
    #[schema(example = 720)]
    pub tax_cents: i64,
    #[schema(example = 0)]
    pub shipping_cost_cents: i64,
    #[schema(example = 0)]
    pub shipping_tax_cents: i64,
    pub status: DropShipStatus,
    #[schema(required, example = "Gift wrap")]
    pub comments: Option<&'a str>,
}

/// A drop-ship order of which some units were cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PartialCancellationOrder<'a> {
    #[schema(example = 51001)]
    pub id: i64,
    /// The merchant's identifier of the order.
    #[schema(example = "DS-20417")]
    pub client_identifier: &'a str,
    pub status: DropShipStatus,
    /// All lines of the order.
    pub order_items: Vec<PartialCancellationItem<'a>>,
}

/// A line of an order of which some units were cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PartialCancellationItem<'a> {
    #[schema(example = 51004)]
    pub id: i64,
    /// The merchant's identifier of the line.
    #[schema(example = "DS-20417-1")]
    pub client_identifier: &'a str,
    pub status: DropShipStatus,
    /// Units ordered.
    #[schema(example = 2)]
    pub quantity: i64,
    /// Units cancelled so far.
    #[schema(example = 1)]
    pub cancelled_quantity: i64,
}

/// The message that is owed about `order`. Nothing only where the order has no such shipment.
pub fn message(order: &DropShipOrder, owed: DropShipNotice) -> Option<DropShipMessage<'_>> {
    Some(match owed {
        DropShipNotice::Confirmation { shipment_id } => {
            let shipment = order.shipments.iter().find(|shipment| shipment.id == shipment_id)?;
            DropShipMessage::Confirmation { shipment: confirmation(order, shipment) }
        }
        DropShipNotice::Cancellation => {
            DropShipMessage::Cancellation { order: Box::new(cancellation(order)) }
        }
        DropShipNotice::PartialCancellation => {
            DropShipMessage::PartialCancellation { order: partial_cancellation(order) }
        }
    })
}

fn confirmation<'a>(
    order: &'a DropShipOrder,
    shipment: &'a DropShipment,
) -> ConfirmationShipment<'a> {
    let items = shipment.items.iter().map(|item| ConfirmationItem {
        id: item.id,
        client_identifier: &item.client_identifier,
        quantity: item.quantity,
        created_at: shipment.created_at,
        updated_at: shipment.created_at,
    });
    ConfirmationShipment {
        id: shipment.id,
        client_identifier: &order.client_identifier,
        channel: order.channel.as_deref(),
        carrier: &shipment.carrier,
        shipping_method: &shipment.shipping_method,
        tracking_number: shipment.tracking_number.as_deref(),
        billed_weight: shipment.billed_weight,
        shipping_cost_cents: shipment.shipping_cost_cents,
        packing_slip_identifier: order.packing_slip_identifier.as_deref(),
        shipment_items: items.collect(),
        created_at: shipment.created_at,
        updated_at: shipment.created_at,
    }
}

fn cancellation(order: &DropShipOrder) -> CancellationOrder<'_> {
    CancellationOrder {
        id: order.id,
        client_identifier: &order.client_identifier,
        billing_address: address(&order.billing_address, order.created_at),
        shipping_address: address(&order.shipping_address, order.created_at),
        brand: order.brand.as_deref(),
        shipping_method: order.shipping_method,
        status: order.status,
        price_cents: order.price_cents,
        tax_cents: order.tax_cents,
        processing_fee_cents: order.processing_fee_cents,
        shipping_cost_cents: order.shipping_cost_cents,
        shipping_tax_cents: order.shipping_tax_cents,
        comments: order.comments.as_deref(),
        expected_delivery_date: order.expected_delivery_date,
        signature_required: order.signature_required,
        packing_slip_identifier: order.packing_slip_identifier.as_deref(),
        reject_reason: order.reject_reason.as_deref(),
        order_items: order.order_items.iter().map(cancelled_item).collect(),
        created_at: order.created_at,
        updated_at: order.updated_at,
    }
}

/// Addresses do not change, so they are as old as their order.
fn address(address: &DropShipAddress, created_at: Timestamp) -> CancellationAddress<'_> {
    CancellationAddress {
        id: address.id,
        name: &address.name,
        company: address.company.as_deref(),
        telephone_number: address.telephone_number.as_deref(),
        street: &address.street,
        street2: address.street2.as_deref(),
        city: &address.city,
        state: &address.state,
        zip_code: &address.zip_code,
        country: &address.country,
        created_at,
        updated_at: created_at,
    }
}

fn cancelled_item(item: &DropShipItem) -> CancellationItem<'_> {
    CancellationItem {
        id: item.id,
        client_identifier: &item.client_identifier,
        sku: &item.sku,
        brand: item.brand.as_deref(),
        condition: item.condition,
        quantity: item.quantity,
        price_cents: item.price_cents,
        tax_cents: item.tax_cents,
        shipping_cost_cents: item.shipping_cost_cents,
        shipping_tax_cents: item.shipping_tax_cents,
        status: item.status,
        comments: item.comments.as_deref(),
    }
}

fn partial_cancellation(order: &DropShipOrder) -> PartialCancellationOrder<'_> {
    let items = order.order_items.iter().map(|item| PartialCancellationItem {
        id: item.id,
        client_identifier: &item.client_identifier,
        status: item.status,
        quantity: item.quantity,
        cancelled_quantity: item.quantity_cancelled,
    });
    PartialCancellationOrder {
        id: order.id,
        client_identifier: &order.client_identifier,
        status: order.status,
        order_items: items.collect(),
    }
}
