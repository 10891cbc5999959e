//! Which units of an order can be returned, and why or why not.
//!
//! Every unit is put before a list of small rules. Each that has something to say about it
//! answers with a verdict, the fact it read, and the time at which its answer will change by
//! itself, if it will. A unit can be returned when no rule refuses and none asks for a person.
//! So a refusal always has its reason beside it: the portal prints it, and a merchant who doubts it
//! sees which field of the order, the ledger or the policy to look at.

#[cfg(test)]
mod properties;
mod rules;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::rules::{Case, Goods};
use super::ledger::{Ledger, LedgerUnit};
use super::money;
use super::policy::{MethodOffer, Policy, Reason, ReasonFee};
use super::quote;
use super::{ReturnMethod, UnitAmounts};
use crate::orders::order::Order;

/// What of an order can be returned at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Returnability {
    /// The order.
    #[schema(example = "ORD-100472")]
    pub order_identifier: String,
    /// ISO 4217 code of every amount here.
    #[schema(example = "USD")]
    pub currency: String,
    /// The moment for which all of this holds.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The reasons that a shopper can give.
    pub reasons: Vec<Reason>,
    /// The lines of the order.
    pub lines: Vec<LineReturnability>,
}

/// The units of one order line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineReturnability {
    /// The `identifier` of the order line.
    #[schema(example = "ORD-100472-1")]
    pub line_identifier: String,
    /// Every unit that was ordered, one by one.
    pub units: Vec<UnitReturnability>,
}

/// One unit: whether it can be returned, for how much and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitReturnability {
    /// Which unit of its line, counted from 0.
    #[schema(example = 0)]
    pub unit: u32,
    /// Whether every rule allows it.
    pub returnable: bool,
    /// What every rule that spoke said.
    pub rules: Vec<RuleAnswer>,
    /// What is paid back for the unit, before fees. Absent while it is not shipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund: Option<UnitRefund>,
    /// How the unit can come back. Empty when it cannot be returned.
    pub methods: Vec<OfferedMethod>,
    /// Whether it can be exchanged for another variant, given a reason that offers it.
    pub exchange: bool,
    /// Whether a gift card can take the place of the money.
    pub gift_card: bool,
}

/// What is paid back for a unit, and its parts: price less discount, plus tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitRefund {
    #[schema(example = 4610, minimum = 0)]
    pub refund_cents: i64,
    #[serde(flatten)]
    pub amounts: UnitAmounts,
}

/// A method on offer for a unit, and its fee if the unit comes back alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferedMethod {
    pub method: ReturnMethod,
    /// Taken from the refund: never more than it.
    #[schema(example = 595, minimum = 0)]
    pub fee_cents: i64,
    /// The reasons for which the fee is another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub fees_by_reason: Vec<ReasonFee>,
    /// The codes of the reasons for which the method is offered. Empty: for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub reasons: Vec<String>,
}

/// What a rule said about a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Answer)]
pub struct RuleAnswer {
    pub rule: ReturnRule,
    pub verdict: RuleVerdict,
    /// What the rule read, in words and with the value.
    #[schema(example = "shipped on 2026-01-02, 30 days end on 2026-02-01")]
    pub fact: String,
    /// When the answer changes by itself. Absent when it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub changes_at: Option<Timestamp>,
    /// When the time to return the unit ended. Absent while it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
}

/// How a rule decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Verdict)]
pub enum RuleVerdict {
    Allows,
    Refuses,
    /// A person must look: the shopper is sent to customer service.
    Asks,
}

/// The rules, by the names that they will keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Rule)]
pub enum ReturnRule {
    /// A cancelled order has nothing to return.
    OrderStatus,
    /// Only what was shipped can come back.
    Shipped,
    /// The time to return the unit.
    Window,
    /// A tag says that it was sold for good.
    FinalSale,
    /// A tag says that it is a gift card.
    GiftCard,
    /// A tag says that it was picked up in a store.
    PickUpInStore,
    /// A tag says that another company sold it.
    ThirdParty,
    /// A tag asks for customer service.
    CustomerService,
    /// No tag stands against it.
    Tags,
    /// The country that it would come from.
    Country,
    /// Whether there is a way for it to come back.
    Method,
    /// Whether it is in a return already.
    AlreadyReturned,
    /// Whether it is paid back already.
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

impl UnitReturnability {
    /// What stands against a return of the unit.
    pub fn objections(&self) -> impl Iterator<Item = &RuleAnswer> {
        self.rules.iter().filter(|answer| answer.verdict != RuleVerdict::Allows)
    }
}

/// What of `order` can be returned now.
pub fn returnability(
    order: &Order,
    ledger: &Ledger,
    policy: &Policy,
    now: Timestamp,
) -> Returnability {
    let lines = ledger.units(order).into_iter().zip(&order.items).map(|(units, line)| {
        let case = Case { order, line, policy, now };
        LineReturnability {
            line_identifier: units.line_identifier,
            units: judge(&case, &units.units),
        }
    });
    Returnability {
        order_identifier: order.identifier.clone(),
        currency: order.currency.clone(),
        at: now,
        reasons: policy.reasons.clone(),
        lines: lines.collect(),
    }
}

/// The shipped units of a line, and those that are not.
fn judge(case: &Case<'_>, shipped: &[LedgerUnit]) -> Vec<UnitReturnability> {
    let goods = Goods::of(case);
    let unshipped = money::units(case.line.quantity).saturating_sub(shipped.len());
    let is_shipped = |number: &u32| shipped.binary_search_by_key(number, |unit| unit.unit).is_ok();
    let numbers = (0..=u32::MAX).filter(|number| !is_shipped(number)).take(unshipped);
    let unshipped = numbers.map(|unit| UnitReturnability {
        unit,
        returnable: false,
        rules: goods.answers_unshipped(),
        refund: None,
        methods: Vec::new(),
        exchange: false,
        gift_card: false,
    });
    let shipped = shipped.iter().map(|unit| judge_shipped(case, &goods, unit));
    let mut units: Vec<UnitReturnability> = shipped.chain(unshipped).collect();
    units.sort_by_key(|unit| unit.unit);
    units
}

fn judge_shipped(case: &Case<'_>, goods: &Goods, unit: &LedgerUnit) -> UnitReturnability {
    let rules = goods.answers_shipped(case, unit);
    let returnable = rules.iter().all(|answer| answer.verdict == RuleVerdict::Allows);
    let policy = case.policy;
    let offers_exchange = policy.exchanges
        && quote::has_variants(case.line)
        && policy.reasons.iter().any(|reason| reason.offers_exchange);
    let amounts = unit.amounts;
    let methods = if returnable { offered_methods(case, amounts) } else { Vec::new() };
    UnitReturnability {
        unit: unit.unit,
        returnable,
        rules,
        refund: Some(UnitRefund { refund_cents: amounts.refund_cents(), amounts }),
        methods,
        exchange: returnable && offers_exchange,
        gift_card: returnable && policy.gift_card.is_some(),
    }
}

fn offered_methods(case: &Case<'_>, amounts: UnitAmounts) -> Vec<OfferedMethod> {
    let accepted = case.policy.methods.iter().filter(|offer| {
        quote::goods_accepted(offer, case.country(), &[(case.line, amounts)]).is_ok()
    });
    accepted.map(|offer| offered_method(case.policy, offer, amounts)).collect()
}

fn offered_method(policy: &Policy, offer: &MethodOffer, amounts: UnitAmounts) -> OfferedMethod {
    let most = amounts.refund_cents();
    let fee_cents = offer.fee_cents.max(0).min(most);
    let reasons = policy.reasons.iter().map(|reason| &reason.code);
    let accepted = reasons.filter(|code| offer.reasons.is_empty() || offer.reasons.contains(code));
    let fees = accepted.map(|code| ReasonFee {
        reason: code.clone(),
        fee_cents: quote::fee(policy, offer, std::iter::once(code.as_str())).min(most),
    });
    OfferedMethod {
        method: offer.method,
        fee_cents,
        fees_by_reason: fees.filter(|fee| fee.fee_cents != fee_cents).collect(),
        reasons: offer.reasons.clone(),
    }
}
