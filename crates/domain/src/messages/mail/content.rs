//! The facts of a mail: what it says besides its fixed texts.

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::returns::ReturnMethod;

/// A mail lists at most this many items, and says how many more there are.
pub const ITEMS_SHOWN_MAX: usize = 50;

/// The facts of a mail. What does not apply to a mail is absent.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct MailContent {
    /// The order. For the return of a gift it is the return, because who got a gift need not know
    /// the order.
    #[schema(example = "ORD-100472")]
    pub order_number: Option<String>,
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub return_number: Option<String>,
    /// How the goods are returned.
    pub method: Option<ReturnMethod>,
    /// The goods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub items: Vec<MailItem>,
    /// How many further items there are.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(required = false, example = 0)]
    pub more_items: usize,
    /// The amounts that lead to the amount that the mail is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub amounts: Vec<MailAmount>,
    /// The amount that the mail is about, in minor units of the currency.
    #[schema(example = 4015)]
    pub amount_cents: Option<i64>,
    /// ISO 4217 code of all amounts.
    #[schema(example = "USD")]
    pub currency: Option<String>,
    /// How an amount was paid, or will be.
    pub paid_as: Option<MailPayment>,
    /// What the shopper chose and does not get, if it was only gift cards.
    pub instead_of: Option<MailPayment>,
    /// The time that the mail is about, such as the end of a label.
    pub date: Option<Timestamp>,
    #[schema(example = "9400111899223197428490")]
    pub tracking_number: Option<String>,
    /// A code that proves who the shopper is.
    #[schema(example = "274905")]
    pub code: Option<String>,
    /// A text that is part of the mail word for word, such as a statement of withdrawal.
    pub document: Option<String>,
    /// Where the shopper goes next.
    pub link: Option<MailLink>,
}

/// A kind of goods in a mail.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MailItem {
    #[schema(example = "Organic cotton tee, navy, M")]
    pub title: String,
    #[schema(example = 1, minimum = 1)]
    pub quantity: i64,
    /// What became of them.
    pub state: Option<MailItemState>,
}

/// What became of goods.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MailItemState {
    Received,
    NotReceived,
    /// The warehouse rejected them, for this reason.
    Rejected(String),
    /// They are replaced with this variant.
    Exchanged(String),
}

/// An amount with its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MailAmount {
    pub kind: MailAmountKind,
    /// In minor units of the currency.
    #[schema(example = 4610)]
    pub amount_cents: i64,
}

/// What an amount is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MailAmountKind {
    Refund,
    GiftCard,
    Shipping,
    Fee,
    Bonus,
    Total,
}

/// How an amount was paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MailPayment {
    OriginalPayment,
    GiftCard,
}

/// A link, and what it opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MailLink {
    pub opens: MailLinkTarget,
    #[schema(example = "https://returns.example.com/portal/acme/returns/RMA-7K3Q-9XWD-2M4T")]
    pub url: String,
}

/// What a link opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MailLinkTarget {
    Label,
    Return,
    /// The acknowledgement of a withdrawal.
    Withdrawal,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}
