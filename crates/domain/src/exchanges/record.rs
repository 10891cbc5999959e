//! The record of an exchange order: what was requested, and how the merchant responded.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::ExchangeAnswer;
use crate::reader::IDENTIFIER_MAX;
use crate::returns::identifier::RmaId;

/// What our names of exchange orders begin with.
const OWN_PREFIX: &str = "EXC-";

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
    pub created_at: Timestamp,
    /// When the merchant's response was read, or the order failed.
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
        let named = self.named_by(answer).map(str::to_owned);
        Self {
            state: ExchangeState::Placed,
            decided_at: Some(now),
            exchange_order_identifier: Some(named.unwrap_or_else(|| self.own_name())),
            total_amount_cents: answer.total_amount_cents,
            product_amount_cents: answer.product_amount_cents,
            tax_amount_cents: answer.tax_amount_cents,
            ..self.clone()
        }
    }

    /// How the merchant names the order in its response, if it does.
    pub fn named_by<'a>(&self, answer: &'a ExchangeAnswer) -> Option<&'a str> {
        let named = answer.order_identifier.as_deref();
        named.filter(|identifier| *identifier != self.original_order_id)
    }

    /// Our name of the order, if the merchant gave none. It must fit into an identifier, so the end
    /// of a long one is replaced by a hash of the whole.
    pub fn own_name(&self) -> String {
        let original = &self.original_order_id;
        let name = format!("{OWN_PREFIX}{original}");
        if name.chars().count() <= IDENTIFIER_MAX {
            return name;
        }
        let end = format!("-{:032x}", hash_text(original));
        name.chars().take(IDENTIFIER_MAX - end.len()).chain(end.chars()).collect()
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

/// FNV-1a with 128 bits. Nothing depends on it being hard to invert, only on it never changing.
fn hash_text(text: &str) -> u128 {
    let begin = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    text.bytes().fold(begin, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_name(original_order_id: &str) -> String {
        let record = ExchangeRecord {
            original_order_id: original_order_id.to_owned(),
            rma_identifier: RmaId::from_random([7; 8]),
            transaction_id: "PAY-1".to_owned(),
            state: ExchangeState::Pending,
            credit_cents: 0,
            goods_credit_cents: 0,
            currency: "USD".to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            decided_at: None,
            exchange_order_identifier: None,
            total_amount_cents: None,
            product_amount_cents: None,
            tax_amount_cents: None,
        };
        let placed = record.placed(&ExchangeAnswer::default(), Timestamp::UNIX_EPOCH);
        placed.exchange_order_identifier.unwrap()
    }

    #[test]
    fn our_name_of_an_exchange_order_fits_into_an_identifier_and_is_unique() {
        let long = "é".repeat(IDENTIFIER_MAX - 1);

        assert_eq!(own_name("O-1"), "EXC-O-1");
        assert_eq!(own_name(&long[..251 * 2]).chars().count(), IDENTIFIER_MAX);
        assert_eq!(own_name(&long[..251 * 2]), format!("EXC-{}", &long[..251 * 2]));
        let names = ["1", "2"].map(|end| own_name(&format!("{long}{end}")));
        assert_ne!(names[0], names[1]);
        for name in names {
            assert_eq!(name.chars().count(), IDENTIFIER_MAX);
            assert!(name.starts_with("EXC-é"), "{name}");
        }
    }

    #[test]
    fn the_hash_of_a_name_never_changes() {
        assert_eq!(hash_text("a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
