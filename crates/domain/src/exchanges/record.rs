//! The record of an exchange order: what was requested, and how the merchant responded.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::ExchangeAnswer;
use crate::returns::identifier::RmaId;

/// The exchange order for units of one order. There is never a second one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ExchangeOrderRecord)]
pub struct ExchangeRecord {
    /// The order whose units are exchanged: the key under which the exchange order is placed.
    #[schema(example = "ORD-100472")]
    pub original_order_id: String,
    /// The return.
    pub rma_identifier: RmaId,
    /// Identifies the payment: `payment.transaction_id` of the exchange order.
    #[schema(example = "PAY-7K3Q-9XWD-2M4T-1")]
    pub transaction_id: String,
    pub state: ExchangeState,
    /// The value of the returned units, which is what the exchange order may cost.
    #[schema(example = 4610, minimum = 0)]
    pub credit_cents: i64,
    /// The part of it for goods. The rest is on a gift card.
    #[schema(example = 4610, minimum = 0)]
    pub goods_credit_cents: i64,
    /// ISO 4217 code of all amounts.
    #[schema(example = "USD")]
    pub currency: String,
    /// When the shopper confirmed.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When the merchant's response was read, or the order failed.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub decided_at: Option<Timestamp>,
    /// The merchant's identifier of the order, or ours if it sent none. Null until it is placed.
    #[schema(example = "EX-100472")]
    pub exchange_order_identifier: Option<String>,
    /// The total that the merchant reported. Null if it reported none.
    #[schema(example = 4860)]
    pub total_amount_cents: Option<i64>,
    /// The part of the total for goods.
    #[schema(example = 4500)]
    pub product_amount_cents: Option<i64>,
    /// The tax in the total.
    #[schema(example = 360)]
    pub tax_amount_cents: Option<i64>,
}

/// The state of an exchange order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExchangeState {
    /// It is being sent.
    Pending,
    /// The merchant accepted it.
    Placed,
    /// The merchant did not accept it. Its units are refunded instead.
    Failed,
    /// The merchant accepted it and canceled it later. Units that it did not ship are refunded.
    Cancelled,
}

impl ExchangeState {
    pub const ALL: [Self; 4] = [Self::Pending, Self::Placed, Self::Failed, Self::Cancelled];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Placed => "placed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

impl ExchangeRecord {
    /// The merchant accepted the order. If it responds twice, the first response counts. A response
    /// that only repeats the key names no new order.
    #[must_use]
    pub fn placed(&self, answer: &ExchangeAnswer, now: Timestamp) -> Self {
        if self.state == ExchangeState::Placed {
            return self.clone();
        }
        let ours = || format!("EXC-{}", self.original_order_id);
        let named = answer.order_identifier.clone();
        let named = named.filter(|identifier| *identifier != self.original_order_id);
        Self {
            state: ExchangeState::Placed,
            decided_at: Some(now),
            exchange_order_identifier: Some(named.unwrap_or_else(ours)),
            total_amount_cents: answer.total_amount_cents,
            product_amount_cents: answer.product_amount_cents,
            tax_amount_cents: answer.tax_amount_cents,
            ..self.clone()
        }
    }

    /// The merchant canceled an order that it had accepted.
    #[must_use]
    pub fn cancelled(&self) -> Self {
        Self { state: ExchangeState::Cancelled, ..self.clone() }
    }

    /// The order will not be placed.
    #[must_use]
    pub fn failed(&self, now: Timestamp) -> Self {
        Self { state: ExchangeState::Failed, decided_at: Some(now), ..self.clone() }
    }
}
