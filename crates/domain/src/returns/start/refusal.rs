//! Why a return cannot start.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::returns::quote::{NotOffered, OfferRule};
use crate::returns::returnability::ReturnRule;

/// Why a return cannot start: one rule, and the part of the request that breaks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Refused)]
pub struct ReturnRefusal {
    /// JSONPath in the request.
    #[schema(example = "$.items[0]")]
    pub field: String,
    /// The rule, by a name that never changes.
    #[schema(value_type = String, example = "window")]
    pub rule: StartRule,
    /// The reason, as a sentence for people.
    #[schema(example = "shipped on 2026-01-02; the 30-day window ends on 2026-02-01")]
    pub message: String,
}

/// A rule that a request for a return can break. Written as its name, whatever kind it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum StartRule {
    /// Whether a unit can be returned.
    Unit(ReturnRule),
    /// Whether the merchant offers what the shopper wants.
    Offer(OfferRule),
    /// The order exists.
    OrderKnown,
    /// The order has the line.
    LineKnown,
    /// All orders belong to the shopper.
    SameShopper,
    /// All orders have the same currency.
    SameCurrency,
    /// Units of an order are exchanged only once.
    OneExchangeOrder,
    /// The variant is in stock.
    VariantAvailable,
    /// The variant has a price that exchanges are offered for.
    VariantPrice,
    /// Gifts can be returned.
    GiftReturns,
}

impl StartRule {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unit(rule) => rule.name(),
            Self::Offer(rule) => rule.name(),
            Self::OrderKnown => "order_known",
            Self::LineKnown => "line_known",
            Self::SameShopper => "same_shopper",
            Self::SameCurrency => "same_currency",
            Self::OneExchangeOrder => "one_exchange_order",
            Self::VariantAvailable => "variant_available",
            Self::VariantPrice => "variant_price",
            Self::GiftReturns => "gift_returns",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|rule| rule.name() == name)
    }

    pub fn all() -> impl Iterator<Item = Self> {
        let units = ReturnRule::ALL.into_iter().map(Self::Unit);
        let offers = OfferRule::ALL.into_iter().map(Self::Offer);
        units.chain(offers).chain([
            Self::OrderKnown,
            Self::LineKnown,
            Self::SameShopper,
            Self::SameCurrency,
            Self::OneExchangeOrder,
            Self::VariantAvailable,
            Self::VariantPrice,
            Self::GiftReturns,
        ])
    }
}

impl From<StartRule> for String {
    fn from(rule: StartRule) -> Self {
        rule.name().to_owned()
    }
}

impl TryFrom<String> for StartRule {
    type Error = String;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::parse(&name).ok_or_else(|| format!("unknown rule {name}"))
    }
}

impl ReturnRefusal {
    pub(super) fn new(field: String, rule: StartRule, message: impl Into<String>) -> Self {
        Self { field, rule, message: message.into() }
    }

    pub(super) fn not_offered(field: String, NotOffered { rule, why }: NotOffered) -> Self {
        Self::new(field, StartRule::Offer(rule), why)
    }

    /// Whether the units could be returned, but are already in another return.
    pub fn is_taken(&self) -> bool {
        self.rule == StartRule::Unit(ReturnRule::AlreadyReturned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_written_as_its_name_and_read_back() {
        for rule in StartRule::all() {
            assert_eq!(StartRule::parse(rule.name()), Some(rule));
            let written = serde_json::to_value(rule).unwrap();
            assert_eq!(written, rule.name());
            assert_eq!(serde_json::from_value::<StartRule>(written).unwrap(), rule);
        }
        assert!(serde_json::from_str::<StartRule>(r#""full_moon""#).is_err());
    }
}
