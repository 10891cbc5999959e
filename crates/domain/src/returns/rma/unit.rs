//! One unit of a return: what it is, and what has happened to it so far.

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::receiving::ReceivingStatus;
use super::tracking::TrackingStatus;
use crate::orders::order::{Order, OrderLine};
use crate::returns::condition::Condition;
use crate::returns::request::Fallback;
use crate::returns::{Resolution, UnitAmounts};

/// What a unit is, where it comes from, and what the shopper gets for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RmaGoods {
    /// The order that the unit was bought with.
    #[schema(example = "ORD-100472")]
    pub order_identifier: String,
    /// If that order was itself an exchange order: the order whose units were exchanged.
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
    /// Why it is returned: the reason that the shopper chose.
    #[schema(example = "too_small")]
    pub return_reason: String,
    /// What the shopper gets for it. An exchange or gift card becomes a refund if its order cannot
    /// be placed.
    pub resolution: Resolution,
    /// The variant that the shopper gets instead.
    #[schema(example = "TEE-NAVY-L")]
    pub exchange_sku: Option<String>,
    /// What one unit of that variant costs, if it is known.
    #[schema(example = 4500, minimum = 0)]
    pub exchange_price_cents: Option<i64>,
    /// What the shopper gets if the variant is out of stock.
    pub fallback: Option<Fallback>,
    /// The other variant that the shopper gets then, if that is the fallback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "TEE-NAVY-S")]
    pub fallback_sku: Option<String>,
    /// What the unit is worth. Frozen when the return starts.
    pub amounts: UnitAmounts,
    /// The weight of the unit in thousandths of the merchant's unit of weight, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub weight_thousandths: Option<i64>,
    /// The merchant's name for the variant that the shopper gets instead, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    pub exchange_title: Option<String>,
}

impl RmaGoods {
    /// A spent unit that is refunded, for no reason yet.
    pub(crate) fn of_unit(
        order: &Order,
        line: &OrderLine,
        unit: u32,
        amounts: UnitAmounts,
    ) -> Self {
        Self {
            order_identifier: order.identifier.clone(),
            original_order_identifier: None,
            order_line_item_identifier: line.identifier.clone(),
            unit_number: i64::from(unit) + 1,
            sku: line.sku.clone(),
            upc: line.upc.clone(),
            title: line.title.clone(),
            return_reason: String::new(),
            resolution: Resolution::Refund,
            exchange_sku: None,
            exchange_price_cents: None,
            fallback: None,
            fallback_sku: None,
            amounts,
            weight_thousandths: line.weight.and_then(in_thousandths),
            exchange_title: None,
        }
    }
}

/// A weight as an integer, if it is one that goods can have.
fn in_thousandths(weight: f64) -> Option<i64> {
    let thousandths = (weight * 1_000.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::as_conversions, reason = "checked range")]
    (0.0..1e12).contains(&thousandths).then_some(thousandths as i64)
}

/// A unit on a return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RmaUnit {
    #[serde(flatten)]
    pub goods: RmaGoods,
    /// The carrier's tracking number. The first label is kept.
    #[schema(example = "9400111899223197428490")]
    pub tracking_number: Option<String>,
    /// Where the parcel is. Absent until there is a label or a scan.
    pub tracking: Option<TrackingStatus>,
    /// Whether the warehouse has the unit. Absent if we do not receive it.
    pub receiving: Option<ReceivingStatus>,
    /// How it arrived. Present exactly if it was received or rejected.
    pub receipt: Option<UnitReceipt>,
    /// The refund that paid for it.
    pub refund: Option<RefundMade>,
    /// The order that replaces it with another variant or a gift card.
    pub exchange: Option<RmaExchangeOrder>,
}

/// The arrival of a unit at the warehouse.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitReceipt {
    /// What distinguishes the receipt from others, such as the license plate of the unit.
    #[schema(example = "LP-0093321")]
    pub receipt_identifier: String,
    pub condition: Condition,
    /// Why the warehouse rejected the unit, which is then `NOT_RECEIVED`.
    #[schema(example = "stained")]
    pub reject_reason: Option<String>,
    /// The channel that the unit was assigned to.
    #[schema(example = "RTS")]
    pub channel: Option<String>,
    pub received_at: Timestamp,
}

/// Something in a parcel that does not belong to the return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WrongItem {
    /// The license plate that the warehouse gave it.
    #[schema(example = "LP-0093329")]
    pub receipt_identifier: String,
    /// The code on it.
    #[schema(example = "MUG-CLAY")]
    pub code: String,
    /// Why the warehouse rejected it.
    #[schema(example = "wrong item")]
    pub reject_reason: String,
}

/// The refund of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefundMade {
    /// The merchant's identifier of the refund.
    #[schema(example = "RF-2201")]
    pub refund_identifier: String,
    /// When we learned of it.
    pub refunded_at: Timestamp,
}

/// Money that the merchant reported as paid for a return. It may name units, or none, such as for
/// shipping or goodwill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportedRefund {
    /// The merchant's identifier of the refund.
    #[schema(example = "RF-2202")]
    pub refund_identifier: String,
    /// What was paid for the return, in minor units of the currency.
    #[schema(example = 595, minimum = 0)]
    pub amount_cents: i64,
    /// How much more was promised than paid, where that was accepted. Negative if more was paid.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(required = false, example = 0)]
    pub accepted_cents: i64,
    /// When we learned of it.
    pub refunded_at: Timestamp,
}

/// The order that was placed in exchange for a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RmaExchangeOrder {
    /// The merchant's identifier of the order.
    #[schema(example = "EX-100472")]
    pub exchange_order_identifier: String,
    pub placed_at: Timestamp,
    /// When we learned that the order was shipped.
    pub fulfilled_at: Option<Timestamp>,
}

/// Usual amounts are not written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) const fn is_zero(amount_cents: &i64) -> bool {
    *amount_cents == 0
}

impl RmaGoods {
    /// What a dearer variant costs more than the returned unit. The merchant absorbs it.
    pub fn absorbed_cents(&self) -> i64 {
        match (self.resolution, self.exchange_price_cents) {
            (Resolution::Exchange, Some(price)) => {
                price.saturating_sub(self.amounts.price_cents).max(0)
            }
            (Resolution::Exchange | Resolution::Refund | Resolution::GiftCard, _) => 0,
        }
    }

    /// The part of the unit's refund that pays for what replaces it. The shopper gets the rest.
    pub fn replaced_cents(&self) -> i64 {
        match self.resolution {
            Resolution::Refund => 0,
            Resolution::Exchange => {
                self.amounts.exchanged_for(self.exchange_price_cents).refund_cents()
            }
            Resolution::GiftCard => self.amounts.refund_cents(),
        }
    }
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

    /// The code of the article: its SKU, or its UPC if it has no SKU.
    pub fn code(&self) -> &str {
        let code = self.goods.sku.as_deref().or(self.goods.upc.as_deref());
        code.unwrap_or_default()
    }

    /// Whether the shopper has what is due for the unit.
    pub fn is_settled(&self) -> bool {
        match self.goods.resolution {
            Resolution::Refund => self.refund.is_some(),
            Resolution::Exchange => {
                self.exchange.as_ref().is_some_and(|order| order.fulfilled_at.is_some())
            }
            Resolution::GiftCard => self.exchange.is_some(),
        }
    }

    /// Whether the promise for the unit ended, because it never arrived or was rejected. What
    /// replaces a unit was promised whether it arrives or not.
    pub fn is_lapsed(&self) -> bool {
        self.goods.resolution == Resolution::Refund
            && self.receiving == Some(ReceivingStatus::NotReceived)
    }

    /// Whether receiving was closed without the unit.
    pub fn is_given_up(&self) -> bool {
        self.receiving == Some(ReceivingStatus::NotReceived) && self.receipt.is_none()
    }

    /// Whether the warehouse rejected the unit.
    pub fn is_rejected(&self) -> bool {
        self.receipt.as_ref().is_some_and(|receipt| receipt.reject_reason.is_some())
    }

    /// Whether the unit is to be refunded, and is not yet.
    pub fn awaits_refund(&self) -> bool {
        self.goods.resolution == Resolution::Refund && self.refund.is_none()
    }

    /// Whether the unit is to be replaced, and its order is not placed yet.
    pub fn awaits_order(&self) -> bool {
        self.is_replaced() && self.exchange.is_none()
    }

    /// Whether the shopper gets something other than money for the unit.
    pub fn is_replaced(&self) -> bool {
        match self.goods.resolution {
            Resolution::Exchange | Resolution::GiftCard => true,
            Resolution::Refund => false,
        }
    }
}
