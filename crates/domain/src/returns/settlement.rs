//! What a merchant's refund does: which return it closes, which units it pays for, and what about it a
//! person should look at.
//!
//! A refund that names its return goes there. One that names none goes to the only open return
//! of the order whose units it could pay for; where no return has any of its units it stands for
//! itself and spends open units. Anything else is unclear: it is listed for an operator and closes nothing.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::identifier::RmaId;
use super::ledger::{Ledger, MerchantRefund};
use super::rma::{LineQuantity, Rma, RmaEvent, RmaStatus, apply};
use crate::orders::order::{Order, Refund};

/// What follows from a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub ledger: Ledger,
    /// The return that changed. Its merchant must be told.
    pub changed: Option<Rma>,
    pub problem: Option<SettlementProblem>,
}

/// Why a person should look at a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettlementProblem {
    /// It is not clear which return it pays for; the reason in words.
    Unmatched(String),
    /// It pays for units that were spent before; which, in words.
    Conflict(String),
}

impl SettlementProblem {
    pub const fn state(&self) -> &'static str {
        match self {
            Self::Unmatched(_) => "unmatched",
            Self::Conflict(_) => "conflict",
        }
    }

    pub fn words(&self) -> &str {
        match self {
            Self::Unmatched(words) | Self::Conflict(words) => words,
        }
    }
}

/// Enters a refund of `order`. `returns` are the order's returns, in any state.
pub fn settle(
    order: &Order,
    ledger: &Ledger,
    returns: &[Rma],
    refund: &Refund,
    now: Timestamp,
) -> Settlement {
    if refund.is_ignored() || ledger.knows_refund(&refund.identifier) {
        return Settlement { ledger: ledger.clone(), changed: None, problem: None };
    }
    match chosen(order, returns, refund) {
        RefundTarget::Return(rma) => settle_with(order, ledger, rma, refund, now),
        RefundTarget::Outside => {
            outside(order, ledger, &quantities(refund), (refund.identifier.as_str(), now))
        }
        // Money went out for units that nobody else may be paid for again.
        RefundTarget::Unknown(why) => {
            let of = (refund.identifier.as_str(), now);
            let Settlement { ledger, .. } = outside(order, ledger, &quantities(refund), of);
            Settlement { ledger, changed: None, problem: Some(SettlementProblem::Unmatched(why)) }
        }
        RefundTarget::Unclear(why) => Settlement {
            ledger: ledger.clone(),
            changed: None,
            problem: Some(SettlementProblem::Unmatched(why)),
        },
    }
}

/// Enters a refund that is known to pay for `rma`: because it says so, or an operator does. What
/// was entered of it before is forgotten, but for what it paid for in other returns: it cannot
/// pay for that much again.
pub fn settle_with(
    order: &Order,
    ledger: &Ledger,
    rma: &Rma,
    refund: &Refund,
    now: Timestamp,
) -> Settlement {
    let ledger = ledger.forget_refund(&refund.identifier, rma.rma_identifier.as_str());
    let owed = unpaid(&ledger, refund);
    let event = refunded(order, refund, &owed);
    let decision = match apply(rma, &event, now) {
        Ok(decision) => decision,
        Err(refusal) => {
            let problem = Some(SettlementProblem::Unmatched(refusal.to_string()));
            return Settlement { ledger, changed: None, problem };
        }
    };
    let mut rest = BTreeMap::new();
    for line in &decision.unplaced {
        *rest.entry(line.order_line_item_identifier.as_str()).or_default() += line.quantity;
    }
    let mut within = ledger;
    for (line, quantity) in owed {
        let placed = quantity - rest.get(line).copied().unwrap_or_default();
        let units = paid_units(&decision.rma, order, line, &refund.identifier);
        let part = MerchantRefund { identifier: &refund.identifier, line, quantity: placed, now };
        within = within.refund_within(rma.rma_identifier.as_str(), &units, &part).ledger;
    }
    let of = (refund.identifier.as_str(), now);
    let Settlement { ledger, problem, .. } = outside(order, &within, &rest, of);
    Settlement { ledger, changed: decision.changed.then_some(decision.rma), problem }
}

/// A return that an operator could say a refund pays for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnCandidate<'a> {
    pub rma: &'a Rma,
    /// How many units of the refund the return awaits money for.
    pub pays_for: i64,
    /// How many units of the refund it has no use for.
    pub left_over: i64,
    /// How many more units of the same lines it would still await money for.
    pub short_of: i64,
}

/// The returns of `order` that a refund could pay for, the likeliest first: what fits to the unit, what
/// uses up the whole refund, what uses most of it. Each of them can be chosen.
pub fn candidates<'a>(
    order: &Order,
    ledger: &Ledger,
    returns: &'a [Rma],
    refund: &Refund,
    now: Timestamp,
) -> Vec<ReturnCandidate<'a>> {
    let can_be = |rma: &&Rma| settle_with(order, ledger, rma, refund, now).changed.is_some();
    let mut found: Vec<ReturnCandidate<'_>> = returns
        .iter()
        .filter(can_be)
        .map(|rma| {
            let mut candidate = ReturnCandidate { rma, pays_for: 0, left_over: 0, short_of: 0 };
            let ledger = ledger.forget_refund(&refund.identifier, rma.rma_identifier.as_str());
            for (line, quantity) in unpaid(&ledger, refund) {
                let awaited = awaited(rma, order, line);
                candidate.pays_for += awaited.min(quantity);
                candidate.left_over += (quantity - awaited).max(0);
                candidate.short_of += (awaited - quantity).max(0);
            }
            candidate
        })
        .collect();
    found.sort_by_key(|it| (it.left_over, it.short_of, it.rma.created_at));
    found
}

enum RefundTarget<'a> {
    Return(&'a Rma),
    /// No return has anything to do with it.
    Outside,
    /// It names a return that is not one of the order.
    Unknown(String),
    /// Several returns could be meant, or none quite fits.
    Unclear(String),
}

fn chosen<'a>(order: &Order, returns: &'a [Rma], refund: &Refund) -> RefundTarget<'a> {
    if let Some(named) = &refund.rma_identifier {
        let id = RmaId::parse(named);
        let found = returns.iter().find(|rma| Some(&rma.rma_identifier) == id.as_ref());
        return found.map_or_else(
            || {
                RefundTarget::Unknown(format!(
                    "it names the return {named}, which this order has not"
                ))
            },
            RefundTarget::Return,
        );
    }
    let wanted = quantities(refund);
    let open = returns.iter().filter(|rma| rma.status != RmaStatus::Canceled);
    let near: Vec<&Rma> =
        open.filter(|rma| wanted.keys().any(|line| awaited(rma, order, line) > 0)).collect();
    let fits =
        |rma: &Rma| wanted.iter().all(|(line, quantity)| awaited(rma, order, line) >= *quantity);
    let fitting: Vec<&Rma> = near.iter().copied().filter(|rma| fits(rma)).collect();
    match (near.as_slice(), fitting.as_slice()) {
        ([], _) => RefundTarget::Outside,
        (_, [rma]) => RefundTarget::Return(rma),
        (near, []) => RefundTarget::Unclear(format!(
            "it names no return, and pays for more than what is open on {}",
            names(near)
        )),
        (_, several) => RefundTarget::Unclear(format!(
            "it names no return, and could pay for any of {}",
            names(several)
        )),
    }
}

fn names(returns: &[&Rma]) -> String {
    let names: Vec<&str> = returns.iter().map(|rma| rma.rma_identifier.as_str()).collect();
    names.join(", ")
}

/// How many units of a line the return still awaits money for.
fn awaited(rma: &Rma, order: &Order, line: &str) -> i64 {
    let units = rma.units.iter().filter(|unit| {
        unit.awaits_refund()
            && unit.goods.order_identifier == order.identifier
            && unit.goods.order_line_item_identifier == line
    });
    i64::try_from(units.count()).unwrap_or(i64::MAX)
}

/// The units of a line that a refund paid for, as the ledger counts them.
fn paid_units(rma: &Rma, order: &Order, line: &str, refund: &str) -> Vec<u32> {
    let paid = rma.units.iter().filter(|unit| {
        unit.goods.order_identifier == order.identifier
            && unit.goods.order_line_item_identifier == line
            && unit.refund.as_ref().is_some_and(|made| made.refund_identifier == refund)
    });
    paid.filter_map(|unit| u32::try_from(unit.goods.unit_number - 1).ok()).collect()
}

/// What it is to a return that a refund pays for these units.
fn refunded(order: &Order, refund: &Refund, quantities: &BTreeMap<&str, i64>) -> RmaEvent {
    let lines = quantities.iter().map(|(line, quantity)| LineQuantity {
        order_line_item_identifier: (*line).to_owned(),
        quantity: *quantity,
    });
    RmaEvent::Refunded {
        refund_identifier: refund.identifier.clone(),
        order_identifier: order.identifier.clone(),
        lines: lines.collect(),
    }
}

/// What a refund pays for, by line.
fn quantities(refund: &Refund) -> BTreeMap<&str, i64> {
    let mut quantities = BTreeMap::new();
    for line in &refund.refund_line_items {
        *quantities.entry(line.order_item_identifier.as_str()).or_default() += line.quantity;
    }
    quantities
}

/// The same, less what it paid for before.
fn unpaid<'a>(ledger: &Ledger, refund: &'a Refund) -> BTreeMap<&'a str, i64> {
    let mut unpaid = quantities(refund);
    for (line, quantity) in &mut unpaid {
        *quantity -= ledger.paid_by(&refund.identifier, line);
    }
    unpaid.retain(|_, quantity| *quantity > 0);
    unpaid
}

/// Enters units that belong to no return. What finds no open unit is a conflict.
fn outside(
    order: &Order,
    ledger: &Ledger,
    quantities: &BTreeMap<&str, i64>,
    (identifier, now): (&str, Timestamp),
) -> Settlement {
    let mut ledger = ledger.clone();
    let mut conflicts = Vec::new();
    for (line, quantity) in quantities {
        let part = MerchantRefund { identifier, line, quantity: *quantity, now };
        let refunded = ledger.refund_outside(order, &part);
        ledger = refunded.ledger;
        conflicts.extend(refunded.conflict.map(|it| format!("{} of {line}", it.quantity)));
    }
    let words = format!("it pays for units that were spent before: {}", conflicts.join(", "));
    let problem = (!conflicts.is_empty()).then_some(SettlementProblem::Conflict(words));
    Settlement { ledger, changed: None, problem }
}
