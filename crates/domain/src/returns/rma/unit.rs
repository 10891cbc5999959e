//! One piece of goods on a return: what it is, and what became of it so far.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ReceivingStatus, TrackingStatus};
use crate::returns::receipt::Condition;
use crate::returns::request::Fallback;
use crate::returns::{Resolution, UnitAmounts};

/// What a unit is, where it comes from, and what the shopper wants for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RmaGoods {
    /// The order that the unit was bought with.
    #[schema(example = "ORD-100472")]
    pub order_identifier: String,
    /// If that order was itself an exchange: the order that it was exchanged for.
    #[schema(example = "ORD-100101")]
    pub original_order_identifier: Option<String>,
    /// The line of the order.
    #[schema(example = "ORD-100472-1")]
    pub order_line_item_identifier: String,
    /// Which unit of the line it is, counted from 1.
    #[schema(example = 1, minimum = 1)]
    pub unit_number: i64,
    #[schema(example = "TEE-NAVY-M")]
    pub sku: Option<String>,
    #[schema(example = "012345678905")]
    pub upc: Option<String>,
    #[schema(example = "Organic cotton tee, navy, M")]
    pub title: String,
    /// Why it comes back, in the shopper's choice of words.
    #[schema(example = "too_small")]
    pub return_reason: String,
    /// What the shopper gets for it. An exchange or gift card whose order cannot be placed becomes
    /// a refund.
    pub resolution: Resolution,
    /// The variant that the shopper wants instead.
    #[schema(example = "TEE-NAVY-L")]
    pub exchange_sku: Option<String>,
    /// What one unit of that variant costs, where it is known.
    #[schema(example = 4500, minimum = 0)]
    pub exchange_price_cents: Option<i64>,
    /// What the shopper wants if the variant is gone.
    pub fallback: Option<Fallback>,
    /// What the unit is worth. Frozen when the return begins.
    pub amounts: UnitAmounts,
}

/// A unit on a return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RmaUnit {
    #[serde(flatten)]
    pub goods: RmaGoods,
    /// The number that the carrier tracks the parcel by. The first label stands.
    #[schema(example = "9400111899223197428490")]
    pub tracking_number: Option<String>,
    /// Where the parcel is. Nothing until there is a label or a scan.
    pub tracking: Option<TrackingStatus>,
    /// Whether the warehouse has the unit. Nothing where it is not received by us.
    pub receiving: Option<ReceivingStatus>,
    /// How it was received. There exactly when it was.
    pub receipt: Option<UnitReceipt>,
    /// The refund that paid for it.
    pub refund: Option<RefundMade>,
    /// The order that replaces it: the exchange, or the gift card.
    pub exchange: Option<RmaExchangeOrder>,
}

/// That a unit arrived at the warehouse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitReceipt {
    /// What tells the receipt from others, such as the license plate of the unit.
    #[schema(example = "LP-0093321")]
    pub receipt_identifier: String,
    pub condition: Condition,
    #[schema(value_type = String, format = DateTime)]
    pub received_at: Timestamp,
}

/// That a unit was paid back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefundMade {
    /// The merchant's identifier of the refund.
    #[schema(example = "RF-2201")]
    pub refund_identifier: String,
    /// When we learned of it.
    #[schema(value_type = String, format = DateTime)]
    pub refunded_at: Timestamp,
}

/// That an order was placed in exchange for a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RmaExchangeOrder {
    /// The merchant's identifier of the order.
    #[schema(example = "EX-100472")]
    pub exchange_order_identifier: String,
    #[schema(value_type = String, format = DateTime)]
    pub placed_at: Timestamp,
    /// When we learned that the order was shipped.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub fulfilled_at: Option<Timestamp>,
}

impl RmaUnit {
    pub(super) fn new(goods: RmaGoods, receiving: Option<ReceivingStatus>) -> Self {
        Self {
            goods,
            tracking_number: None,
            tracking: None,
            receiving,
            receipt: None,
            refund: None,
            exchange: None,
        }
    }

    /// The code by which others know the unit: its SKU, or the UPC of what is sold without one.
    pub fn code(&self) -> &str {
        let code = self.goods.sku.as_deref().or(self.goods.upc.as_deref());
        code.unwrap_or_default()
    }

    /// Whether nothing is owed for the unit any more.
    pub fn is_settled(&self) -> bool {
        match self.goods.resolution {
            Resolution::Refund => self.refund.is_some(),
            Resolution::Exchange => {
                self.exchange.as_ref().is_some_and(|order| order.fulfilled_at.is_some())
            }
            Resolution::GiftCard => self.exchange.is_some(),
        }
    }

    /// Whether the unit is to be paid back, and was not.
    pub fn awaits_refund(&self) -> bool {
        self.goods.resolution == Resolution::Refund && self.refund.is_none()
    }

    /// Whether the unit is to be replaced, and no order was placed for it.
    pub fn awaits_order(&self) -> bool {
        self.is_replaced() && self.exchange.is_none()
    }

    /// Whether the shopper gets something else than money for the unit.
    pub fn is_replaced(&self) -> bool {
        match self.goods.resolution {
            Resolution::Exchange | Resolution::GiftCard => true,
            Resolution::Refund => false,
        }
    }
}
