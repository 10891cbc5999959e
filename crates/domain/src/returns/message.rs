//! The message that keeps a merchant current on a return.
//!
//! It is a snapshot: every message holds the whole return, one item for each unit, and the last
//! one stands. This is the one place where a return becomes what merchants see of it; the
//! comments on the fields are the API reference.

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::identifier::RmaId;
use super::receipt::Condition;
use super::rma::{ReceivingStatus, Rma, RmaStatus, RmaUnit, TrackingStatus};
use super::{Resolution, ReturnMethod};

/// A return, as its merchant is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RmaMessage<'a> {
    /// Name it in the refund, so that the refund finds its return.
    pub rma_identifier: &'a RmaId,
    pub status: RmaStatus,
    /// When the shopper confirmed the return.
    #[schema(value_type = String, format = DateTime, example = "2026-02-20T10:15:00Z")]
    pub created_at: Timestamp,
    /// When the return last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-02-23T07:41:12Z")]
    pub updated_at: Timestamp,
    /// One element for each unit: a line of which 4 units come back has 4.
    pub items: Vec<RmaItem<'a>>,
    pub return_method: ReturnMethod,
    /// What the way back costs.
    #[schema(example = 0, minimum = 0)]
    pub return_shipping_cost_cents: i64,
    /// Whether the goods were a gift, so that the money goes on a gift card and not back to
    /// whoever paid.
    pub gift_refund_only: bool,
    /// Who gets the gift card. Present only when `gift_refund_only` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "robin.ames@example.com")]
    pub giftee_email: Option<&'a str>,
    /// What the shopper gets on top for taking a gift card or an exchange. It is no refund.
    #[schema(example = 0, minimum = 0)]
    pub bonus_credit_amount_cents: i64,
    /// Whether the warehouse awaits no more units of the return.
    pub receiving_complete: bool,
    /// The brand or shop front that sold the goods.
    #[schema(required, example = "Harbor & Pine")]
    pub concept: Option<&'a str>,
}

/// One unit of a return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RmaItem<'a> {
    /// The `identifier` of the order line.
    #[schema(example = "ORD-100472-1")]
    pub order_line_item_identifier: &'a str,
    /// The order that the unit was bought with.
    #[schema(example = "ORD-100472")]
    pub order_identifier: &'a str,
    /// The order that replaces the unit, once it was placed.
    #[schema(required, example = "EX-100472")]
    pub exchange_order_identifier: Option<&'a str>,
    /// If the unit was itself bought with an exchange order: the order that it was exchanged for.
    #[schema(required)]
    pub original_order_identifier: Option<&'a str>,
    /// Why it comes back, as the shopper chose.
    #[schema(example = "too_small")]
    pub return_reason: &'a str,
    /// Whether the unit is replaced, by another variant or a gift card.
    pub is_exchange: bool,
    /// The SKU, or the UPC of what is sold without one.
    #[schema(example = "TEE-NAVY-M")]
    pub sku: &'a str,
    /// The number that the carrier tracks the parcel by. Null until there is a label.
    #[schema(required, example = "9400111899223197428490")]
    pub tracking_number: Option<&'a str>,
    /// Where the parcel is. Null until there is a label or a scan, and for what a shopper keeps.
    #[schema(required)]
    pub package_tracking_status: Option<TrackingStatus>,
    /// Whether the warehouse has the unit. Null without managed receiving.
    #[schema(required)]
    pub receiving_status: Option<ReceivingStatus>,
    pub refund_financials: RefundFinancials,
    pub refund_type: RefundType,
    #[schema(required, example = "012345678905")]
    pub upc: Option<&'a str>,
    /// The state that the unit arrived in, as the warehouse grades it. Null until it arrives.
    #[schema(required)]
    pub warehouse_receipt_condition: Option<Condition>,
}

/// Who is paid what for a unit, in minor units of the order's currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RefundFinancials {
    /// All that can be refunded for the unit: the other two together.
    #[schema(example = 4610, minimum = 0)]
    pub estimated_refund_amount_cents: i64,
    /// What the service is paid, because it replaced the unit.
    #[schema(example = 0, minimum = 0)]
    pub service_refund_amount_cents: i64,
    /// What the shopper is paid.
    #[schema(example = 4610, minimum = 0)]
    pub shopper_refund_amount_cents: i64,
}

/// What the shopper gets for a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefundType {
    /// Money.
    Refund,
    /// Another variant at the same price.
    EvenExchange,
    /// A gift card, or another variant at another price.
    UnevenExchange,
}

/// The message about `rma` as it stands now.
pub fn message(rma: &Rma) -> RmaMessage<'_> {
    RmaMessage {
        rma_identifier: &rma.rma_identifier,
        status: rma.status,
        created_at: rma.created_at,
        updated_at: rma.updated_at,
        items: rma.units.iter().map(item).collect(),
        return_method: rma.return_method,
        return_shipping_cost_cents: rma.return_shipping_cost_cents,
        gift_refund_only: rma.gift_refund_only(),
        giftee_email: rma.giftee_email.as_deref(),
        bonus_credit_amount_cents: rma.bonus_credit_amount_cents,
        receiving_complete: rma.receiving_complete,
        concept: rma.concept.as_deref(),
    }
}

fn item(unit: &RmaUnit) -> RmaItem<'_> {
    let goods = &unit.goods;
    let exchange = unit.exchange.as_ref();
    RmaItem {
        order_line_item_identifier: &goods.order_line_item_identifier,
        order_identifier: &goods.order_identifier,
        exchange_order_identifier: exchange.map(|order| order.exchange_order_identifier.as_str()),
        original_order_identifier: goods.original_order_identifier.as_deref(),
        return_reason: &goods.return_reason,
        is_exchange: unit.is_replaced(),
        sku: unit.code(),
        tracking_number: unit.tracking_number.as_deref(),
        package_tracking_status: unit.tracking,
        receiving_status: unit.receiving,
        refund_financials: financials(unit),
        refund_type: refund_type(unit),
        upc: goods.upc.as_deref(),
        warehouse_receipt_condition: unit.receipt.as_ref().map(|receipt| receipt.condition),
    }
}

/// Whoever gave the shopper something for the unit is paid for it.
fn financials(unit: &RmaUnit) -> RefundFinancials {
    let estimated = unit.goods.amounts.refund_cents();
    let (service, shopper) = if unit.is_replaced() { (estimated, 0) } else { (0, estimated) };
    RefundFinancials {
        estimated_refund_amount_cents: estimated,
        service_refund_amount_cents: service,
        shopper_refund_amount_cents: shopper,
    }
}

fn refund_type(unit: &RmaUnit) -> RefundType {
    let price = unit.goods.amounts.price_cents;
    match unit.goods.resolution {
        Resolution::Refund => RefundType::Refund,
        Resolution::Exchange if unit.goods.exchange_price_cents.is_none_or(|new| new == price) => {
            RefundType::EvenExchange
        }
        Resolution::Exchange | Resolution::GiftCard => RefundType::UnevenExchange,
    }
}
