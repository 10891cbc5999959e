//! What is recorded of a withdrawal. It is written once, as text, and never changes: its hash is in
//! the acknowledgement that the shopper gets, and the message to the merchant has the same text.

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::identifier::WithdrawalId;
use super::period::WithdrawalPeriod;
use super::terms::WithdrawalException;
use crate::merchants::language::Language;
use crate::returns::identifier::RmaId;

/// What a shopper declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithdrawalStatement {
    pub name: String,
    /// Where the acknowledgement is sent.
    pub email: String,
    /// The language of the text.
    pub language: Language,
    /// The statement as the shopper read and confirmed it.
    pub text: String,
    pub items: Vec<StatedItem>,
}

/// Units of a line that the shopper does not want.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedItem {
    pub order_line_item_identifier: String,
    pub quantity: i64,
    /// Whether the shopper declares that the seal is not broken.
    pub is_sealed: bool,
}

/// A shopper's statement of withdrawal, and what follows from it. It never changes.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WithdrawalRecord {
    /// Unique among all withdrawals.
    pub withdrawal_identifier: WithdrawalId,
    /// The merchant of the contract.
    #[schema(example = "acme")]
    pub merchant: String,
    /// When the statement was received.
    #[schema(example = "2026-06-29T18:04:11.250112Z")]
    pub received_at: Timestamp,
    /// The order that the statement is about.
    #[schema(example = "ORD-100472")]
    pub order_identifier: String,
    /// The name that the shopper entered.
    #[schema(example = "Dana Whitfield")]
    pub name: String,
    /// Where the acknowledgement is sent: not necessarily the address of the order.
    #[schema(example = "dana.whitfield@example.com")]
    pub email: String,
    /// The language of `text`.
    pub language: Language,
    /// The statement as the shopper confirmed it.
    #[schema(example = "I hereby withdraw from the contract for the following goods.")]
    pub text: String,
    /// Whether it is about everything in the order that was not canceled.
    pub whole_order: bool,
    /// What follows from it.
    pub outcome: WithdrawalOutcome,
    /// When the shopper could withdraw.
    pub period: WithdrawalPeriod,
    /// The goods that it is about. A line has several elements if its units have different results.
    pub items: Vec<WithdrawnItem>,
    /// The return that it started, if it did.
    pub rma_identifier: Option<RmaId>,
    /// What is refunded for shipping, in minor units of the order's currency: with the return, or
    /// with the canceled goods if none started.
    #[schema(example = 643, minimum = 0)]
    pub shipping_refund_cents: i64,
    /// Until when the merchant must refund what was paid, unless it awaits the goods or a proof
    /// that they were sent. Absent if nothing follows from the statement.
    #[schema(example = "2026-07-13T22:00:00Z")]
    pub refund_due_at: Option<Timestamp>,
}

/// What follows from a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawalOutcome {
    /// It is effective for all of the goods.
    Accepted,
    /// It is effective for some of the goods.
    PartlyAccepted,
    /// It came after the period.
    Late,
    /// There is no right of withdrawal for the goods.
    Excepted,
    /// The goods are already being returned or canceled, or were refunded.
    Settled,
}

impl WithdrawalOutcome {
    pub const ALL: [Self; 5] =
        [Self::Accepted, Self::PartlyAccepted, Self::Late, Self::Excepted, Self::Settled];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::PartlyAccepted => "partly_accepted",
            Self::Late => "late",
            Self::Excepted => "excepted",
            Self::Settled => "settled",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }

    /// What follows from the results of all items.
    pub fn of(items: &[WithdrawnItem]) -> Self {
        let has = |wanted: WithdrawnResult| items.iter().any(|item| item.result == wanted);
        let accepted = has(WithdrawnResult::Return) || has(WithdrawnResult::Cancel);
        let [late, excepted, settled] =
            [WithdrawnResult::Late, WithdrawnResult::Excepted, WithdrawnResult::Settled].map(has);
        match accepted {
            true if late || excepted || settled => Self::PartlyAccepted,
            true => Self::Accepted,
            false if late => Self::Late,
            false if excepted => Self::Excepted,
            false => Self::Settled,
        }
    }
}

/// Units of one order line that have the same result.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WithdrawnItem {
    /// The `identifier` of the order line.
    #[schema(example = "ORD-100472-1")]
    pub order_line_item_identifier: String,
    /// The name of the product.
    #[schema(example = "Organic cotton tee, navy")]
    pub title: String,
    /// How many units.
    #[schema(example = 2, minimum = 1)]
    pub quantity: i64,
    /// What becomes of them.
    pub result: WithdrawnResult,
    /// Why there is no right of withdrawal. Only if the result is `excepted`.
    pub exception: Option<WithdrawalException>,
    /// Where the law has the exception.
    #[schema(example = "Directive 2011/83/EU, Article 16(c)")]
    pub legal_basis: Option<String>,
}

/// What becomes of units that a shopper withdraws from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawnResult {
    /// They come back with the return.
    Return,
    /// They were not shipped. The merchant must cancel them and refund what was paid for them.
    Cancel,
    /// The period was over.
    Late,
    /// There is no right of withdrawal for them.
    Excepted,
    /// They are already being returned or canceled, or were refunded.
    Settled,
}
