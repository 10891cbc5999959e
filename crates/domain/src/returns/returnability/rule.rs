//! The rules that decide whether a unit can be returned, and what a rule says about a unit.

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a rule says about a unit.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Answer)]
pub struct RuleAnswer {
    pub rule: ReturnRule,
    pub verdict: RuleVerdict,
    /// What the decision is based on, in words and with the value.
    #[schema(example = "shipped on 2026-01-02; the 30-day window ends on 2026-02-01")]
    pub fact: String,
    /// When the answer changes by itself. Absent if it does not.
    pub changes_at: Option<Timestamp>,
    /// When the return window ended. Absent while it is open.
    pub ended_at: Option<Timestamp>,
}

/// How a rule decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Verdict)]
pub enum RuleVerdict {
    Allows,
    Refuses,
    /// A person must decide: the shopper is sent to customer service.
    Asks,
}

/// The rules, by names that never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Rule)]
pub enum ReturnRule {
    /// A canceled order has nothing to return.
    OrderStatus,
    /// Only shipped units can be returned.
    Shipped,
    /// The return window.
    Window,
    /// A tag marks it as final sale.
    FinalSale,
    /// A tag or its SKU marks it as a gift card.
    GiftCard,
    /// A tag says that it was picked up in a store.
    PickUpInStore,
    /// A tag says that another company sold it.
    ThirdParty,
    /// A tag asks for customer service.
    CustomerService,
    /// No tag prevents a return.
    Tags,
    /// The country that it would be returned from.
    Country,
    /// Whether there is a return method for it.
    Method,
    /// Whether it is already in a return.
    AlreadyReturned,
    /// Whether it is already refunded.
    AlreadyRefunded,
}

impl ReturnRule {
    pub const ALL: [Self; 13] = [
        Self::OrderStatus,
        Self::Shipped,
        Self::Window,
        Self::FinalSale,
        Self::GiftCard,
        Self::PickUpInStore,
        Self::ThirdParty,
        Self::CustomerService,
        Self::Tags,
        Self::Country,
        Self::Method,
        Self::AlreadyReturned,
        Self::AlreadyRefunded,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::OrderStatus => "order_status",
            Self::Shipped => "shipped",
            Self::Window => "window",
            Self::FinalSale => "final_sale",
            Self::GiftCard => "gift_card",
            Self::PickUpInStore => "pick_up_in_store",
            Self::ThirdParty => "third_party",
            Self::CustomerService => "customer_service",
            Self::Tags => "tags",
            Self::Country => "country",
            Self::Method => "method",
            Self::AlreadyReturned => "already_returned",
            Self::AlreadyRefunded => "already_refunded",
        }
    }
}
