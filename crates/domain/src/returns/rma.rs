//! A return, from the shopper's confirmation until nothing is owed any more.
//!
//! A return (RMA) is a list of units, each of them one piece of goods, because each can travel,
//! be received and be settled on its own. Three small machines move each unit: where its parcel
//! is ([`tracking`]), whether the warehouse has it ([`receiving`]), and whether it is refunded
//! or replaced. The [`status`] of the whole follows from the units.
//!
//! What happens to a return comes as an [`RmaEvent`] from outside and is applied by [`apply()`], which
//! says what the return is now and whether its merchant must be told. A return is stored as the
//! JSON of [`Rma`].

mod apply;
pub mod event;
pub mod receiving;
pub mod status;
#[cfg(test)]
mod tests;
pub mod tracking;
mod unit;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::apply::apply;
pub use self::event::{CarrierScan, LineQuantity, RmaDecision, RmaEvent, RmaRefusal};
pub use self::receiving::ReceivingStatus;
pub use self::status::RmaStatus;
pub use self::tracking::TrackingStatus;
pub use self::unit::{RefundMade, RmaExchangeOrder, RmaGoods, RmaUnit, UnitReceipt};
use super::ReturnMethod;
use super::identifier::RmaId;

/// A return as it stands now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rma {
    pub rma_identifier: RmaId,
    pub status: RmaStatus,
    /// When the shopper confirmed the return.
    #[schema(value_type = String, format = DateTime, example = "2026-02-20T10:15:00Z")]
    pub created_at: Timestamp,
    /// When the return last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-02-23T07:41:12Z")]
    pub updated_at: Timestamp,
    pub return_method: ReturnMethod,
    /// What the way back costs, in minor units of the currency.
    #[schema(example = 0, minimum = 0)]
    pub return_shipping_cost_cents: i64,
    /// What the merchant keeps of the refund for handling the return.
    #[schema(example = 0, minimum = 0)]
    pub fee_cents: i64,
    /// What the shopper gets on top for taking a gift card or an exchange. It is no refund.
    #[schema(example = 0, minimum = 0)]
    pub bonus_credit_amount_cents: i64,
    /// The address of whoever got the goods as a gift. Then, and only then, the money goes on a
    /// gift card.
    #[schema(example = "robin.ames@example.com")]
    pub giftee_email: Option<String>,
    /// The shopper's address. A gift may be returned without one.
    #[schema(example = "dana.whitfield@example.com")]
    pub email: Option<String>,
    /// The brand or shop front that sold the goods.
    #[schema(example = "Harbor & Pine")]
    pub concept: Option<String>,
    /// ISO 4217 code of all amounts.
    #[schema(example = "USD")]
    pub currency: String,
    /// The version of the merchant's policy that the return was judged by.
    #[schema(example = 3)]
    pub policy_version: i64,
    /// Whether the goods are received by our warehouse.
    pub managed_receiving: bool,
    /// Whether receiving was closed: no unit is awaited any more.
    pub receiving_complete: bool,
    /// How many messages about the return are owed or were sent: the sequence of the last one.
    #[schema(example = 4, minimum = 1)]
    pub messages_sent: i64,
    /// The pieces that come back: at least one.
    pub units: Vec<RmaUnit>,
}

/// What is known of a return when it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRma {
    pub rma_identifier: RmaId,
    pub return_method: ReturnMethod,
    pub return_shipping_cost_cents: i64,
    pub fee_cents: i64,
    pub bonus_credit_amount_cents: i64,
    pub giftee_email: Option<String>,
    pub email: Option<String>,
    pub concept: Option<String>,
    pub currency: String,
    pub policy_version: i64,
    pub managed_receiving: bool,
    pub goods: Vec<RmaGoods>,
}

impl Rma {
    /// Begins a return. Its first message is owed at once.
    ///
    /// Nothing travels yet. Goods are awaited when we receive them for the merchant, unless the
    /// shopper keeps them.
    pub fn open(opening: NewRma, now: Timestamp) -> Self {
        let awaited = opening.managed_receiving && is_travelling(opening.return_method);
        let receiving = awaited.then_some(ReceivingStatus::Pending);
        let mut rma = Self {
            rma_identifier: opening.rma_identifier,
            status: RmaStatus::Created,
            created_at: now,
            updated_at: now,
            return_method: opening.return_method,
            return_shipping_cost_cents: opening.return_shipping_cost_cents,
            fee_cents: opening.fee_cents,
            bonus_credit_amount_cents: opening.bonus_credit_amount_cents,
            giftee_email: opening.giftee_email,
            email: opening.email,
            concept: opening.concept,
            currency: opening.currency,
            policy_version: opening.policy_version,
            managed_receiving: opening.managed_receiving,
            receiving_complete: false,
            messages_sent: 1,
            units: opening.goods.into_iter().map(|goods| RmaUnit::new(goods, receiving)).collect(),
        };
        rma.status = RmaStatus::of(&rma);
        rma
    }

    /// Whether the money goes on a gift card, because the goods were a gift.
    pub fn gift_refund_only(&self) -> bool {
        self.giftee_email.is_some()
    }
}

/// Whether goods come back at all.
const fn is_travelling(method: ReturnMethod) -> bool {
    match method {
        ReturnMethod::MailBack | ReturnMethod::ExpressReturns | ReturnMethod::HomePickup => true,
        ReturnMethod::CustomerKeep => false,
    }
}
