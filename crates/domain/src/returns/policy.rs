//! A merchant's return policy, as data: what can be returned, until when, how, and for which fee.
//!
//! The comments on the fields are the API reference. [`Policy::read`] reads a document and returns
//! all of its faults at once. A field that is left out has its value from [`Policy::default`]. An
//! unknown field is a fault, because a misspelled rule that silently does nothing costs the
//! merchant money. [`returnability`](super::returnability) decides what the rules mean for a unit,
//! and [`quote`](super::quote) calculates what they cost.

mod defaults;
mod read;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ReturnMethod;
use crate::merchants::language::Language;
use crate::orders::tags::is_same_tag;
use crate::withdrawal::terms::WithdrawalTerms;

/// How a merchant accepts returns. A field that is left out has its default value.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the settings")]
pub struct Policy {
    /// How many days a unit can be returned, counted from the day on which its line was shipped or,
    /// if that is not known, the order was placed. The last day is a whole day, in UTC. A line's
    /// `return_policy_end_date` overrides this.
    #[schema(example = 30, minimum = 0, maximum = 3650)]
    pub window_days: u32,
    /// What tags on a line, or on its whole order, mean. At most 100.
    #[schema(max_items = 100)]
    pub tags: Vec<TagRule>,
    /// The countries from which returns are accepted, as in the shipping address. Empty: all.
    #[schema(example = json!(["US", "CA"]), max_items = 250)]
    pub countries: Vec<String>,
    /// The reasons that a shopper can choose: 1 to 50.
    #[schema(min_items = 1, max_items = 50)]
    pub reasons: Vec<Reason>,
    /// How goods can be returned, each method once. At least one.
    #[schema(min_items = 1, max_items = 4)]
    pub methods: Vec<MethodOffer>,
    /// Whether a unit can be exchanged for another variant.
    pub exchanges: bool,
    /// Whether that can be a variant that costs less. The shopper is refunded the difference.
    pub cheaper_exchanges: bool,
    /// Whether that can be a variant that costs more. The merchant absorbs the difference: shoppers
    /// are never charged.
    pub dearer_exchanges: bool,
    /// Whether a person who got the goods as a gift can return them, for a gift card.
    pub gift_returns: bool,
    /// Gift cards instead of money. Left out: they are not offered.
    pub gift_card: Option<GiftCardOffer>,
    pub refund_at: RefundAt,
    pub shipping_refunded: ShippingRefunded,
    /// The right of withdrawal of consumers in the EU.
    pub withdrawal: WithdrawalTerms,
}

/// What a tag does to the units that have it. Tags are matched in any case, and words may be
/// separated by a hyphen, an underscore, or a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TagRule {
    #[schema(example = "final_sale", min_length = 1, max_length = 255)]
    pub tag: String,
    #[serde(flatten)]
    pub effect: TagEffect,
}

/// What a tag can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum TagEffect {
    /// Cannot be returned: final sale.
    FinalSale,
    /// Cannot be returned: a gift card.
    GiftCard,
    /// Cannot be returned here: it was picked up in a store, and is returned there.
    PickUpInStore,
    /// Cannot be returned here: another company sold it.
    ThirdParty,
    /// Customer service must decide.
    CustomerService,
    /// Can be returned for so many days, instead of `window_days`. With several such tags, the
    /// smallest number counts.
    Window {
        #[schema(example = 14, minimum = 0, maximum = 3650)]
        days: u32,
    },
}

/// Why a shopper returns something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reason {
    /// The `return_reason` in messages: lowercase letters, digits, and underscores.
    #[schema(example = "too_small", min_length = 1, max_length = 64)]
    pub code: String,
    /// What the shopper reads.
    #[schema(example = "Too small", min_length = 1, max_length = 200)]
    pub label: String,
    /// What the shopper reads in other languages, by their codes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(
        value_type = std::collections::HashMap<String, String>, required = false,
        example = json!({ "de": "Zu klein" })
    )]
    pub labels: BTreeMap<Language, String>,
    /// Whether an exchange is offered for this reason.
    #[serde(default)]
    pub offers_exchange: bool,
    /// Whether the merchant is at fault. Then no fee is charged.
    #[serde(default)]
    pub merchant_fault: bool,
}

/// A return method, and when it is offered: if all conditions here are met.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MethodOffer {
    pub method: ReturnMethod,
    /// What a return costs the shopper, once for all of its units. It is deducted from the refund,
    /// never exceeds it, and is waived if the merchant is at fault for every unit.
    #[serde(default)]
    #[schema(example = 595, minimum = 0)]
    pub fee_cents: i64,
    /// Different fees for some reasons. If units have different reasons, the lowest fee counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 50)]
    pub fees_by_reason: Vec<ReasonFee>,
    /// The countries where it is offered, as in the shipping address. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 250)]
    pub countries: Vec<String>,
    /// The reasons for which it is offered. Empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 50)]
    pub reasons: Vec<String>,
    /// The most that a unit may weigh, in the merchant's unit of weight. A unit of unknown weight
    /// counts as too heavy.
    #[schema(example = 5.0, minimum = 0)]
    pub unit_weight_max: Option<f64>,
    /// The most that all units of a return may be worth together.
    #[schema(example = 1500, minimum = 0)]
    pub amount_max_cents: Option<i64>,
}

/// The fee for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReasonFee {
    /// The `code` of the reason.
    #[schema(example = "changed_mind")]
    pub reason: String,
    /// What a return for this reason costs the shopper.
    #[schema(example = 995, minimum = 0)]
    pub fee_cents: i64,
}

/// Gift cards instead of money.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GiftCardOffer {
    /// The SKU of gift cards in exchange orders, as agreed with the merchant.
    #[schema(example = "GIFT-CARD", min_length = 1, max_length = 255)]
    pub sku: String,
    /// Bonus credit, in thousandths of the amount, rounded down to the cent.
    #[serde(default)]
    #[schema(example = 100, minimum = 0, maximum = 1000)]
    pub bonus_per_mille: u32,
    /// The most bonus credit of one return.
    #[schema(example = 2000, minimum = 0)]
    pub bonus_max_cents: Option<i64>,
}

/// When the merchant refunds the money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefundAt {
    /// When the carrier has the goods.
    CarrierScan,
    /// When the warehouse has received them.
    Receipt,
}

impl RefundAt {
    pub const ALL: [Self; 2] = [Self::CarrierScan, Self::Receipt];

    pub const fn name(self) -> &'static str {
        match self {
            Self::CarrierScan => "carrier_scan",
            Self::Receipt => "receipt",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|moment| moment.name() == name)
    }
}

/// Whether the shipping charge is refunded, at most once for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShippingRefunded {
    Never,
    /// With the return of the last units of the order.
    WhenEverythingReturns,
    /// With a return for which the merchant is at fault for every unit.
    MerchantFault,
}

impl ShippingRefunded {
    pub const ALL: [Self; 3] = [Self::Never, Self::WhenEverythingReturns, Self::MerchantFault];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::WhenEverythingReturns => "when_everything_returns",
            Self::MerchantFault => "merchant_fault",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|when| when.name() == name)
    }
}

impl Reason {
    /// What the shopper reads in a language.
    pub fn label_in(&self, language: Language) -> &str {
        self.labels.get(&language).unwrap_or(&self.label)
    }
}

impl Policy {
    /// Whether a unit at one price can be exchanged for a variant at another. A price that is not
    /// known counts as the same.
    pub fn offers_price(&self, returned_cents: i64, new_cents: Option<i64>) -> bool {
        match new_cents.map_or(Ordering::Equal, |new| new.cmp(&returned_cents)) {
            Ordering::Less => self.cheaper_exchanges,
            Ordering::Equal => true,
            Ordering::Greater => self.dearer_exchanges,
        }
    }

    /// The reason with this code.
    pub fn reason(&self, code: &str) -> Option<&Reason> {
        self.reasons.iter().find(|reason| reason.code == code)
    }

    /// The offer of this method, if the merchant offers it.
    pub fn method(&self, method: ReturnMethod) -> Option<&MethodOffer> {
        self.methods.iter().find(|offer| offer.method == method)
    }

    /// The rules for those of the `tags` that the policy has, with each tag as it was spelled.
    pub fn rules_for<'a>(
        &'a self,
        tags: &'a [String],
    ) -> impl Iterator<Item = (&'a str, TagEffect)> {
        tags.iter().filter_map(|tag| {
            let rule = self.tags.iter().find(|rule| is_same_tag(&rule.tag, tag))?;
            Some((tag.as_str(), rule.effect))
        })
    }
}

/// Whether `country` is in a list of countries. An empty list means all countries.
pub fn includes_country(countries: &[String], country: &str) -> bool {
    let country = country.trim();
    countries.is_empty() || countries.iter().any(|listed| listed.eq_ignore_ascii_case(country))
}
