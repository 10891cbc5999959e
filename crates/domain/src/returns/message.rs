//! The message that notifies a merchant about a return.
//!
//! It is a snapshot: every message contains the whole return, with one item for each unit, and
//! replaces the one before. This is the only place that decides what merchants see of a return. The
//! comments on the fields are the API reference.

pub mod expected;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::condition::Condition;
use super::identifier::RmaId;
use super::rma::{ReceivingStatus, Rma, RmaStatus, RmaUnit, TrackingStatus};
use super::{Resolution, ReturnMethod};
use crate::money::extension::RmaExtensions;

/// A return, as its merchant sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RmaMessage<'a> {
    /// Name it in the refund, so that the refund is assigned to this return.
    pub rma_identifier: &'a RmaId,
    pub status: RmaStatus,
    /// When the shopper confirmed the return.
    #[schema(example = "2026-02-20T10:15:00Z")]
    pub created_at: Timestamp,
    /// When the return last changed.
    #[schema(example = "2026-02-23T07:41:12Z")]
    pub updated_at: Timestamp,
    /// One element for each unit: a line with 4 returned units has 4 elements.
    pub items: Vec<RmaItem<'a>>,
    pub return_method: ReturnMethod,
    /// What the return shipping costs.
    #[schema(example = 0, minimum = 0)]
    pub return_shipping_cost_cents: i64,
    /// Whether the goods were a gift, so that the recipient gets a gift card and the buyer gets
    /// nothing back.
    pub gift_refund_only: bool,
    /// Who gets the gift card. Present only if `gift_refund_only` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "robin.ames@example.com")]
    pub giftee_email: Option<&'a str>,
    /// Bonus credit for taking a gift card or an exchange. It is not a refund.
    #[schema(example = 0, minimum = 0)]
    pub bonus_credit_amount_cents: i64,
    /// Whether the warehouse expects no more units of the return: none is `PENDING`.
    pub receiving_complete: bool,
    /// The brand or storefront that sold the goods.
    #[schema(required, example = "Harbor & Pine")]
    pub concept: Option<&'a str>,
    /// Only with the setting `message_extensions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub extensions: Option<RmaExtensions>,
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
    /// The order that replaces the unit, once it is placed.
    #[schema(required, example = "EX-100472")]
    pub exchange_order_identifier: Option<&'a str>,
    /// If the unit was itself bought with an exchange order: the order whose units were exchanged.
    #[schema(required)]
    pub original_order_identifier: Option<&'a str>,
    /// Why it is returned, as the shopper chose.
    #[schema(example = "too_small")]
    pub return_reason: &'a str,
    /// Whether the unit is replaced, by another variant or a gift card.
    pub is_exchange: bool,
    /// The SKU, or the UPC if there is no SKU.
    #[schema(example = "TEE-NAVY-M")]
    pub sku: &'a str,
    /// The carrier's tracking number. Null until there is a label.
    #[schema(required, example = "9400111899223197428490")]
    pub tracking_number: Option<&'a str>,
    /// Where the parcel is. Null until there is a label or a scan, and if the shopper keeps it.
    #[schema(required)]
    pub package_tracking_status: Option<TrackingStatus>,
    /// Whether the warehouse has the unit. Null without managed receiving.
    #[schema(required)]
    pub receiving_status: Option<ReceivingStatus>,
    pub refund_financials: RefundFinancials,
    pub refund_type: RefundType,
    #[schema(required, example = "012345678905")]
    pub upc: Option<&'a str>,
    /// The condition of the unit, as graded by the warehouse. Null until it arrives.
    #[schema(required)]
    pub warehouse_receipt_condition: Option<Condition>,
}

/// Who is paid what for a unit, in minor units of the order's currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RefundFinancials {
    /// The whole refund for the unit: the sum of the other two.
    #[schema(example = 4610, minimum = 0)]
    pub estimated_refund_amount_cents: i64,
    /// What this service is paid, because it replaced the unit.
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

impl<'a> RmaMessage<'a> {
    /// The message about `rma` in its current state.
    pub fn of(rma: &'a Rma) -> Self {
        Self {
            rma_identifier: &rma.rma_identifier,
            status: rma.status,
            created_at: rma.created_at,
            updated_at: rma.updated_at,
            items: rma.units.iter().map(item_of).collect(),
            return_method: rma.return_method,
            return_shipping_cost_cents: rma.return_shipping_cost_cents,
            gift_refund_only: rma.gift_refund_only(),
            giftee_email: rma.giftee_email.as_deref(),
            bonus_credit_amount_cents: rma.bonus_credit_amount_cents,
            receiving_complete: rma.receiving_complete,
            concept: rma.concept.as_deref(),
            extensions: RmaExtensions::of(rma),
        }
    }
}

fn item_of(unit: &RmaUnit) -> RmaItem<'_> {
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
        refund_financials: financials_of(unit),
        refund_type: refund_type_of(unit),
        upc: goods.upc.as_deref(),
        warehouse_receipt_condition: unit.receipt.as_ref().map(|receipt| receipt.condition),
    }
}

/// The party that gave the shopper something for the unit is paid for it, and the shopper gets the
/// rest.
fn financials_of(unit: &RmaUnit) -> RefundFinancials {
    let estimated = unit.goods.amounts.refund_cents();
    let service = unit.goods.replaced_cents();
    let shopper = estimated.saturating_sub(service);
    RefundFinancials {
        estimated_refund_amount_cents: estimated,
        service_refund_amount_cents: service,
        shopper_refund_amount_cents: shopper,
    }
}

fn refund_type_of(unit: &RmaUnit) -> RefundType {
    let price = unit.goods.amounts.price_cents;
    match unit.goods.resolution {
        Resolution::Refund => RefundType::Refund,
        Resolution::Exchange if unit.goods.exchange_price_cents.is_none_or(|new| new == price) => {
            RefundType::EvenExchange
        }
        Resolution::Exchange | Resolution::GiftCard => RefundType::UnevenExchange,
    }
}
