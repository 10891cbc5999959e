//! A merchant's return policy, as data: what may come back, until when, how, and at what price.
//!
//! The comments on the fields are the API reference. A document is read by [`Policy::read`], which
//! says everything wrong with it at once; a field that is left out has its value of
//! [`Policy::default`], and a field that nobody knows is a fault, because a misspelt rule that
//! silently does nothing costs the merchant money. What the rules mean for a unit is decided in
//! [`returnability`](super::returnability), what they cost in [`quote`](super::quote).

mod defaults;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ReturnMethod;
use crate::faults::Faults;
use crate::json::Json;
use crate::merchants::language::Language;

/// How a merchant takes goods back. Every field may be left out; it then has its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Policy {
    /// How many days a unit can be returned, counted from the day on which its line was shipped
    /// or, if that is not known, the order was placed. The last day is a whole day, in UTC. A
    /// line's `return_policy_end_date` stands above this.
    #[schema(example = 30, minimum = 0, maximum = 3650)]
    pub window_days: u32,
    /// What tags on a line, or on its whole order, mean. At most 100.
    #[schema(max_items = 100)]
    pub tags: Vec<TagRule>,
    /// The countries from which goods come back, as in the shipping address. Empty: from all.
    #[schema(example = json!(["US", "CA"]), max_items = 250)]
    pub countries: Vec<String>,
    /// What the shopper can give as a reason. From 1 to 50.
    #[schema(min_items = 1, max_items = 50)]
    pub reasons: Vec<Reason>,
    /// How goods can come back, each method once. At least one.
    #[schema(min_items = 1, max_items = 4)]
    pub methods: Vec<MethodOffer>,
    /// Whether a unit can be exchanged for another variant.
    pub exchanges: bool,
    /// Gift cards in place of money. Left out: they are not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gift_card: Option<GiftCardOffer>,
    pub refund_at: RefundAt,
    pub shipping_refunded: ShippingRefunded,
}

/// What a tag does to the units that have it. Capitals do not matter, and neither does whether
/// words are joined by a hyphen, an underscore or a space.
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
    /// Cannot be returned: sold for good.
    FinalSale,
    /// Cannot be returned: a gift card.
    GiftCard,
    /// Cannot be returned here: it was picked up in a store, and goes back there.
    PickUpInStore,
    /// Cannot be returned here: another company sold it.
    ThirdParty,
    /// A person must look at it: customer service.
    CustomerService,
    /// Can be returned for so many days, in place of `window_days`. With several such tags, the
    /// fewest days count.
    Window {
        #[schema(example = 14, minimum = 0, maximum = 3650)]
        days: u32,
    },
}

/// Why a shopper sends something back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reason {
    /// Stands in messages as `return_reason`: lower-case letters, digits and underscores.
    #[schema(example = "too_small", min_length = 1, max_length = 64)]
    pub code: String,
    /// What the shopper reads.
    #[schema(example = "Too small", min_length = 1, max_length = 200)]
    pub label: String,
    /// What the shopper reads instead in other languages, by their codes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(
        value_type = std::collections::HashMap<String, String>, required = false,
        example = json!({ "de": "Zu klein" })
    )]
    pub labels: BTreeMap<Language, String>,
    /// Whether another variant is offered to a shopper with this reason.
    #[serde(default)]
    pub offers_exchange: bool,
    /// Whether the merchant is at fault. No fee is charged then.
    #[serde(default)]
    pub merchant_fault: bool,
}

/// A way for goods to come back, and when it is offered: when everything that is said here holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MethodOffer {
    pub method: ReturnMethod,
    /// What a return costs the shopper, once for all of its units. It is taken from the refund and
    /// never more than that, and is waived when the merchant is at fault for every unit.
    #[serde(default)]
    #[schema(example = 595, minimum = 0)]
    pub fee_cents: i64,
    /// Other fees for some reasons. When units have different reasons, the lowest fee counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 50)]
    pub fees_by_reason: Vec<ReasonFee>,
    /// The countries where it is offered, as in the shipping address. Empty: in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 250)]
    pub countries: Vec<String>,
    /// The reasons for which it is offered. Empty: for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 50)]
    pub reasons: Vec<String>,
    /// The most that a unit may weigh, in the merchant's unit of weight. A unit whose weight is
    /// not known is too heavy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 5.0, minimum = 0)]
    pub unit_weight_max: Option<f64>,
    /// The most that all units of a return may be worth together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// Gift cards in place of money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GiftCardOffer {
    /// What stands for a gift card in exchange orders, as agreed with the merchant.
    #[schema(example = "GIFT-CARD", min_length = 1, max_length = 255)]
    pub sku: String,
    /// Credit on top, in thousandths of the amount, rounded down to the cent.
    #[serde(default)]
    #[schema(example = 100, minimum = 0, maximum = 1000)]
    pub bonus_per_mille: u32,
    /// The most credit on top in one return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 2000, minimum = 0)]
    pub bonus_max_cents: Option<i64>,
}

/// When the merchant pays the money back.
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

/// Whether the shipping charge is paid back, at most once for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShippingRefunded {
    Never,
    /// With the return that brings the last units of the order.
    WhenEverythingReturns,
    /// With a return of which every unit comes back by the merchant's fault.
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
    /// Reads a policy, or says everything wrong with it.
    pub fn read(document: &Json<'_>) -> Result<Self, Faults> {
        read::policy(document)
    }

    /// The reason with this code.
    pub fn reason(&self, code: &str) -> Option<&Reason> {
        self.reasons.iter().find(|reason| reason.code == code)
    }

    /// How this method is offered, if it is.
    pub fn method(&self, method: ReturnMethod) -> Option<&MethodOffer> {
        self.methods.iter().find(|offer| offer.method == method)
    }

    /// The rules for those of the `tags` that the policy knows, with the tag as it was spelt.
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

/// Whether goods from `country` are meant by a list of countries, which means all when empty.
pub fn includes_country(countries: &[String], country: &str) -> bool {
    let country = country.trim();
    countries.is_empty() || countries.iter().any(|listed| listed.eq_ignore_ascii_case(country))
}

/// Whether two tags are spellings of one.
fn is_same_tag(left: &str, right: &str) -> bool {
    spelling(left).eq(spelling(right))
}

fn spelling(tag: &str) -> impl Iterator<Item = char> {
    let joined = |letter| if matches!(letter, '-' | ' ') { '_' } else { letter };
    tag.trim().chars().flat_map(char::to_lowercase).map(joined)
}
