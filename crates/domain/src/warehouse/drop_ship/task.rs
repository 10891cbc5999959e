//! A drop-ship order as those see it who pack and carry it: without amounts.

use jiff::Timestamp;
use jiff::civil::Date;
use omit_none::omit_none;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    DropShipAddress, DropShipCancellation, DropShipItem, DropShipOrder, DropShipStatus,
    DropShipment, DropShipmentItem, ShippingMethod,
};
use crate::returns::receipt::Condition;

/// A drop-ship order without its amounts and without the address of who pays.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DropShipTask<'a> {
    /// The merchant's identifier of the order.
    #[schema(example = "DS-20417")]
    pub client_identifier: &'a str,
    #[schema(example = "Harbor & Pine")]
    pub brand: Option<&'a str>,
    pub shipping_method: ShippingMethod,
    pub status: DropShipStatus,
    /// Free text for the warehouse.
    #[schema(example = "Leave at the side door")]
    pub comments: Option<&'a str>,
    #[schema(value_type = Option<String>, format = Date, example = "2026-03-09")]
    pub expected_delivery_date: Option<Date>,
    /// Whether the parcel must be signed for.
    pub signature_required: bool,
    /// What is printed on the paper in the parcel.
    #[schema(example = "PS-20417")]
    pub packing_slip_identifier: Option<&'a str>,
    pub shipping_address: &'a DropShipAddress,
    /// The lines: at least one.
    pub order_items: Vec<DropShipTaskItem<'a>>,
    /// What left so far.
    pub shipments: Vec<DropShipTaskShipment<'a>>,
    /// What will not be shipped, and why.
    pub cancellations: &'a [DropShipCancellation],
    #[schema(example = "2026-03-04T08:00:00Z")]
    pub created_at: Timestamp,
    #[schema(example = "2026-03-05T12:00:00Z")]
    pub updated_at: Timestamp,
}

/// A line of a drop-ship order without its amounts.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DropShipTaskItem<'a> {
    /// The merchant's identifier of the line.
    #[schema(example = "DS-20417-1")]
    pub client_identifier: &'a str,
    #[schema(example = "TEE-NAVY-M")]
    pub sku: &'a str,
    /// The state that the units are to be in.
    pub condition: Option<Condition>,
    /// Units ordered.
    #[schema(example = 2, minimum = 1)]
    pub quantity: i64,
    /// Units that left.
    #[schema(example = 0, minimum = 0)]
    pub quantity_shipped: i64,
    /// Units that will not be shipped.
    #[schema(example = 0, minimum = 0)]
    pub quantity_cancelled: i64,
    pub status: DropShipStatus,
    #[schema(example = "Gift wrap")]
    pub comments: Option<&'a str>,
}

/// A parcel of a drop-ship order without its cost.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DropShipTaskShipment<'a> {
    #[schema(example = "UPS")]
    pub carrier: &'a str,
    /// The carrier's service.
    #[schema(example = "UPS 2nd Day Air")]
    pub shipping_method: &'a str,
    #[schema(required, example = "1Z999AA10123456784")]
    pub tracking_number: Option<&'a str>,
    /// The units in it.
    pub items: &'a [DropShipmentItem],
    #[schema(example = "2026-03-05T12:00:00Z")]
    pub created_at: Timestamp,
}

impl<'a> DropShipTask<'a> {
    pub fn of(order: &'a DropShipOrder) -> Self {
        Self {
            client_identifier: &order.client_identifier,
            brand: order.brand.as_deref(),
            shipping_method: order.shipping_method,
            status: order.status,
            comments: order.comments.as_deref(),
            expected_delivery_date: order.expected_delivery_date,
            signature_required: order.signature_required,
            packing_slip_identifier: order.packing_slip_identifier.as_deref(),
            shipping_address: &order.shipping_address,
            order_items: order.order_items.iter().map(task_item).collect(),
            shipments: order.shipments.iter().map(task_shipment).collect(),
            cancellations: &order.cancellations,
            created_at: order.created_at,
            updated_at: order.updated_at,
        }
    }
}

fn task_item(item: &DropShipItem) -> DropShipTaskItem<'_> {
    DropShipTaskItem {
        client_identifier: &item.client_identifier,
        sku: &item.sku,
        condition: item.condition,
        quantity: item.quantity,
        quantity_shipped: item.quantity_shipped,
        quantity_cancelled: item.quantity_cancelled,
        status: item.status,
        comments: item.comments.as_deref(),
    }
}

fn task_shipment(shipment: &DropShipment) -> DropShipTaskShipment<'_> {
    DropShipTaskShipment {
        carrier: &shipment.carrier,
        shipping_method: &shipment.shipping_method,
        tracking_number: shipment.tracking_number.as_deref(),
        items: &shipment.items,
        created_at: shipment.created_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_has_no_amounts() {
        let order = crate::samples::drop_ship_order();
        let text = serde_json::to_string(&DropShipTask::of(&order)).unwrap();
        assert!(text.contains(&order.client_identifier));
        assert!(!text.contains("cents") && !text.contains("billing"), "{text}");
    }
}
