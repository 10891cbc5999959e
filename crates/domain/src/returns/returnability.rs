//! Which units of an order can be returned, and why or why not.
//!
//! A list of small rules judges every unit. Each rule that applies answers with a verdict, the fact
//! that it is based on, and the time at which the answer changes by itself, if it does. A unit can
//! be returned if no rule refuses and none requires a person to decide. So every refusal has a
//! reason: the portal shows it, and a merchant who disagrees sees which field of the order, the
//! ledger, or the policy decided.

#[cfg(test)]
mod properties;
mod rule;
mod rules;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::rule::{ReturnRule, RuleAnswer, RuleVerdict};
use self::rules::{LineAnswers, LineCase};
use super::ledger::{Ledger, LedgerUnit, LineUnits};
use super::money;
use super::policy::{MethodOffer, Policy, Reason, ReasonFee};
use super::quote::{self, ValuedLine};
use super::{ReturnMethod, UnitAmounts};
use crate::orders::order::{Order, OrderLine};

/// What can be returned from an order at a given moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Returnability {
    /// The order.
    #[schema(example = "ORD-100472")]
    pub order_identifier: String,
    /// ISO 4217 code of every amount here.
    #[schema(example = "USD")]
    pub currency: String,
    /// The moment for which all of this is true.
    pub at: Timestamp,
    /// The reasons that a shopper can choose.
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
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitReturnability {
    /// Which unit of its line, counted from 0.
    #[schema(example = 0)]
    pub unit: u32,
    /// Whether every rule allows it.
    pub returnable: bool,
    /// The answer of every rule that applies.
    pub rules: Vec<RuleAnswer>,
    /// What is refunded for the unit, before fees. Absent until it is shipped.
    pub refund: Option<UnitRefund>,
    /// How the unit can be returned. Empty if it cannot be returned.
    pub methods: Vec<OfferedMethod>,
    /// Whether it can be exchanged for another variant, for a reason that offers an exchange.
    pub exchange: bool,
    /// Whether the shopper can get a gift card instead of money.
    pub gift_card: bool,
}

/// What is refunded for a unit, and its parts: price less discount, plus tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitRefund {
    #[schema(example = 4610, minimum = 0)]
    pub refund_cents: i64,
    #[serde(flatten)]
    pub amounts: UnitAmounts,
}

/// A method that is offered for a unit, and its fee if the unit is returned alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferedMethod {
    pub method: ReturnMethod,
    /// Deducted from the refund, and never more than the refund.
    #[schema(example = 595, minimum = 0)]
    pub fee_cents: i64,
    /// The reasons that have a different fee.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub fees_by_reason: Vec<ReasonFee>,
    /// The codes of the reasons for which the method is offered. Empty: all reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub reasons: Vec<String>,
}

impl Returnability {
    /// The same for an order that has an exchange order: an order has only one, so what is left of
    /// it can be refunded, but not exchanged or paid with a gift card.
    #[must_use]
    pub fn refund_only(mut self) -> Self {
        for unit in self.lines.iter_mut().flat_map(|line| &mut line.units) {
            unit.exchange = false;
            unit.gift_card = false;
        }
        self
    }
}

impl UnitReturnability {
    /// The answers that prevent a return of the unit.
    pub fn objections(&self) -> impl Iterator<Item = &RuleAnswer> {
        self.rules.iter().filter(|answer| answer.verdict != RuleVerdict::Allows)
    }
}

/// What can be returned from `order` now.
pub fn check_returnability(
    order: &Order,
    ledger: &Ledger,
    policy: &Policy,
    now: Timestamp,
) -> Returnability {
    let lines = ledger.units(order).into_iter().zip(&order.items);
    let lines = lines.map(|(units, line)| check_line(order, line, &units, policy, now));
    Returnability {
        order_identifier: order.identifier.clone(),
        currency: order.currency.clone(),
        at: now,
        reasons: policy.reasons.clone(),
        lines: lines.collect(),
    }
}

/// What can be returned from one line of `order` now. `units` are its shipped units.
pub(super) fn check_line(
    order: &Order,
    line: &OrderLine,
    units: &LineUnits,
    policy: &Policy,
    now: Timestamp,
) -> LineReturnability {
    let case = LineCase { order, line, policy, now };
    LineReturnability {
        line_identifier: units.line_identifier.clone(),
        units: judge_line(&case, &units.units),
    }
}

/// All units of a line: those that are shipped, and those that are not.
fn judge_line(case: &LineCase<'_>, shipped: &[LedgerUnit]) -> Vec<UnitReturnability> {
    let answers = LineAnswers::of(case);
    let unshipped = money::units(case.line.quantity).saturating_sub(shipped.len());
    let is_shipped = |number: &u32| shipped.binary_search_by_key(number, |unit| unit.unit).is_ok();
    let numbers = (0..=u32::MAX).filter(|number| !is_shipped(number)).take(unshipped);
    let unshipped = numbers.map(|unit| UnitReturnability {
        unit,
        returnable: false,
        rules: answers.for_unshipped(),
        refund: None,
        methods: Vec::new(),
        exchange: false,
        gift_card: false,
    });
    let shipped = shipped.iter().map(|unit| judge_shipped(case, &answers, unit));
    let mut units: Vec<UnitReturnability> = shipped.chain(unshipped).collect();
    units.sort_by_key(|unit| unit.unit);
    units
}

fn judge_shipped(
    case: &LineCase<'_>,
    answers: &LineAnswers,
    unit: &LedgerUnit,
) -> UnitReturnability {
    let rules = answers.for_shipped(case, unit);
    let returnable = rules.iter().all(|answer| answer.verdict == RuleVerdict::Allows);
    let policy = case.policy;
    let offers_exchange = policy.exchanges
        && quote::has_variants(case.line)
        && policy.reasons.iter().any(|reason| reason.offers_exchange);
    let amounts = unit.amounts;
    let methods = if returnable { list_methods(case, amounts) } else { Vec::new() };
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

fn list_methods(case: &LineCase<'_>, amounts: UnitAmounts) -> Vec<OfferedMethod> {
    let unit = ValuedLine { line: case.line, amounts };
    let offers = case.policy.methods.iter();
    let accepted = offers.filter(|it| quote::check_goods(it, case.country(), &[unit]).is_ok());
    accepted.map(|offer| describe_method(case.policy, offer, amounts)).collect()
}

fn describe_method(policy: &Policy, offer: &MethodOffer, amounts: UnitAmounts) -> OfferedMethod {
    let most = amounts.refund_cents();
    let fee_cents = offer.fee_cents.max(0).min(most);
    let reasons = policy.reasons.iter().map(|reason| &reason.code);
    let accepted = reasons.filter(|code| offer.reasons.is_empty() || offer.reasons.contains(code));
    let fees = accepted.map(|code| ReasonFee {
        reason: code.clone(),
        fee_cents: quote::fee_for(policy, offer, std::iter::once(code.as_str())).min(most),
    });
    OfferedMethod {
        method: offer.method,
        fee_cents,
        fees_by_reason: fees.filter(|fee| fee.fee_cents != fee_cents).collect(),
        reasons: offer.reasons.clone(),
    }
}
