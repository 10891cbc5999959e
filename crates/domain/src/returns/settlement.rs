//! What a merchant's refund does: which return it closes, which units it pays for, and what a
//! person should check.
//!
//! A refund that names its return is assigned to it. A refund that names none is assigned to the
//! only open return of the order that awaits all of its units. If no return awaits any of them, it
//! belongs to no return and spends open units. Otherwise it is unclear: it is listed for an
//! operator and closes nothing. A refund that names its return but no units is money for the return
//! as a whole, and is recorded on it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;

use super::identifier::RmaId;
use super::ledger::{AppliedRefund, Conflict, Ledger, MerchantRefund};
use super::rma::{LineQuantity, Rma, RmaDecision, RmaEvent, RmaRefusal, RmaStatus, apply};
use crate::money::comparison::find_difference;
use crate::orders::order::{Order, Refund};

/// A refund, and what is needed to judge it.
#[derive(Clone, Copy, Debug)]
pub struct RefundReport<'a> {
    /// The order that is refunded.
    pub order: &'a Order,
    pub refund: &'a Refund,
    pub now: Timestamp,
}

/// What follows from a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub ledger: Ledger,
    /// The return that changed. Its merchant must be notified.
    pub changed: Option<PaidReturn>,
    pub problem: Option<SettlementProblem>,
}

/// A return that a refund changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidReturn {
    pub event: RmaEvent,
    pub rma: Rma,
}

/// Why a person should check a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettlementProblem {
    /// It is not clear which return it pays for, and why.
    Unmatched(String),
    /// It pays for units that were already spent, and which.
    Conflict(String),
}

impl SettlementProblem {
    pub const fn state(&self) -> &'static str {
        match self {
            Self::Unmatched(_) => "unmatched",
            Self::Conflict(_) => "conflict",
        }
    }

    pub fn message(&self) -> &str {
        match self {
            Self::Unmatched(message) | Self::Conflict(message) => message,
        }
    }
}

/// Enters a refund. `returns` are the order's returns, in any state.
pub fn settle(report: RefundReport<'_>, ledger: &Ledger, returns: &[Rma]) -> Settlement {
    let RefundReport { order, refund, .. } = report;
    if refund.is_ignored() || ledger.knows_refund(&refund.identifier) {
        return Settlement { ledger: ledger.clone(), changed: None, problem: None };
    }
    match choose_target(order, returns, refund) {
        RefundTarget::Return(rma) => settle_with(report, ledger, rma, returns),
        RefundTarget::Outside => settle_outside(report, ledger.clone(), &quantities_of(refund)),
        // The money was paid, so the units must not be refunded again.
        RefundTarget::Unknown(why) => {
            let Settlement { ledger, .. } =
                settle_outside(report, ledger.clone(), &quantities_of(refund));
            Settlement { ledger, changed: None, problem: Some(SettlementProblem::Unmatched(why)) }
        }
        RefundTarget::Unclear(why) => Settlement {
            ledger: ledger.clone(),
            changed: None,
            problem: Some(SettlementProblem::Unmatched(why)),
        },
    }
}

/// Enters a refund that is known to pay for `rma`, because it names the return or an operator chose
/// it. What was entered of it before is removed, except for what it paid for in other returns: it
/// cannot pay for those units again, nor with the same money. `returns` are the order's returns.
pub fn settle_with(
    report: RefundReport<'_>,
    ledger: &Ledger,
    rma: &Rma,
    returns: &[Rma],
) -> Settlement {
    let RefundReport { order, refund, now, .. } = report;
    if !pays_for_units(refund) {
        return settle_extra(report, ledger, rma);
    }
    let ledger = ledger.forget_refund(&refund.identifier, rma.rma_identifier.as_str());
    let unpaid = unpaid_quantities(&ledger, refund);
    let left_cents = unrecorded_cents(refund, returns);
    let amount_cents = paid_for_return(report, rma, &unpaid, left_cents);
    let event = refund_event(report, &unpaid, amount_cents);
    let (event, decision) = match apply_payment(rma, event, now) {
        Ok(applied) => applied,
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
    for (line, quantity) in unpaid {
        let placed = quantity - rest.get(line).copied().unwrap_or_default();
        let units = paid_units(&decision.rma, order, line, &refund.identifier);
        let part = MerchantRefund { identifier: &refund.identifier, line, quantity: placed, now };
        within = within.refund_within(rma.rma_identifier.as_str(), &units, &part).ledger;
    }
    let Settlement { ledger, problem, .. } = settle_outside(report, within, &rest);
    // They were paid for, so they are spent, but someone should know.
    let problem = problem.or_else(|| {
        let lines: Vec<_> = rest.iter().filter(|(_, quantity)| **quantity > 0).collect();
        let units = lines.iter().map(|(line, quantity)| format!("{quantity} of {line}"));
        let units = units.collect::<Vec<_>>().join(", ");
        let id = &rma.rma_identifier;
        let message = format!("pays for units for which {id} expects no refund: {units}");
        (!lines.is_empty()).then_some(SettlementProblem::Conflict(message))
    });
    let changed = decision.changed.then_some(PaidReturn { event, rma: decision.rma });
    Settlement { ledger, changed, problem }
}

/// What no return has recorded of the money of a refund yet.
fn unrecorded_cents(refund: &Refund, returns: &[Rma]) -> i64 {
    let recorded = returns.iter().flat_map(|rma| &rma.refunds);
    let recorded = recorded.filter(|it| it.refund_identifier == refund.identifier);
    let recorded = recorded.map(|it| it.amount_cents).fold(0, i64::saturating_add);
    refund.total_refund_amount_cents.saturating_sub(recorded).max(0)
}

/// How much of the money that is left of a refund is for units of this return: all of it, unless
/// the refund also pays for further units elsewhere. Then it is what the units here were promised.
fn paid_for_return(
    report: RefundReport<'_>,
    rma: &Rma,
    unpaid: &BTreeMap<&str, i64>,
    left_cents: i64,
) -> i64 {
    let RefundReport { order, now, .. } = report;
    let all_here =
        unpaid.iter().all(|(line, quantity)| count_awaited(rma, order, line) >= *quantity);
    if all_here {
        return left_cents;
    }
    let Ok(tried) = apply(rma, &refund_event(report, unpaid, 0), now) else { return 0 };
    let units = rma.units.iter().zip(&tried.rma.units);
    let new = units.filter(|(before, after)| before.refund.is_none() && after.refund.is_some());
    let promised = new.map(|(_, unit)| unit.goods.amounts.refund_cents());
    promised.fold(0, i64::saturating_add).min(left_cents)
}

/// Applies a refund. A difference to the promise that the merchant tolerates is accepted with it.
fn apply_payment(
    rma: &Rma,
    mut event: RmaEvent,
    now: Timestamp,
) -> Result<(RmaEvent, RmaDecision), RmaRefusal> {
    let decision = apply(rma, &event, now)?;
    if let RmaEvent::Refunded { refund_identifier, accepted_cents, .. }
    | RmaEvent::RefundedExtra { refund_identifier, accepted_cents, .. } = &mut event
        && rma.refund_tolerance_cents > 0
        && decision.changed
        && let Some(difference) = find_difference(&decision.rma, refund_identifier)
        && difference.missing_cents().abs() <= rma.refund_tolerance_cents
    {
        *accepted_cents = difference.missing_cents();
        let decision = apply(rma, &event, now)?;
        return Ok((event, decision));
    }
    Ok((event, decision))
}

/// Whether a refund names any units.
fn pays_for_units(refund: &Refund) -> bool {
    refund.refund_line_items.iter().any(|line| line.quantity > 0)
}

/// Records a refund that pays for no units on its return.
fn settle_extra(report: RefundReport<'_>, ledger: &Ledger, rma: &Rma) -> Settlement {
    let event = RmaEvent::RefundedExtra {
        refund_identifier: report.refund.identifier.clone(),
        amount_cents: report.refund.total_refund_amount_cents,
        accepted_cents: 0,
    };
    let (changed, problem) = match apply_payment(rma, event, report.now) {
        Ok((event, decision)) => {
            (decision.changed.then_some(PaidReturn { event, rma: decision.rma }), None)
        }
        Err(refusal) => (None, Some(SettlementProblem::Unmatched(refusal.to_string()))),
    };
    Settlement { ledger: ledger.clone(), changed, problem }
}

/// A return that an operator could assign a refund to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnCandidate<'a> {
    pub rma: &'a Rma,
    /// How many units of the refund the return awaits.
    pub pays_for: i64,
    /// How many units of the refund the return does not await.
    pub left_over: i64,
    /// How many more units of the same lines the return would still await.
    pub short_of: i64,
}

/// The returns of the order that a refund could pay for, best match first: an exact match, then one
/// that uses the whole refund, then one that uses most of it. Each of them can be chosen.
pub fn find_candidates<'a>(
    report: RefundReport<'_>,
    ledger: &Ledger,
    returns: &'a [Rma],
) -> Vec<ReturnCandidate<'a>> {
    let RefundReport { order, refund, .. } = report;
    let can_be_settled = |rma: &&Rma| settle_with(report, ledger, rma, returns).changed.is_some();
    let mut candidates: Vec<ReturnCandidate<'_>> = returns
        .iter()
        .filter(can_be_settled)
        .map(|rma| {
            let mut candidate = ReturnCandidate { rma, pays_for: 0, left_over: 0, short_of: 0 };
            let ledger = ledger.forget_refund(&refund.identifier, rma.rma_identifier.as_str());
            for (line, quantity) in unpaid_quantities(&ledger, refund) {
                let awaited = count_awaited(rma, order, line);
                candidate.pays_for += awaited.min(quantity);
                candidate.left_over += (quantity - awaited).max(0);
                candidate.short_of += (awaited - quantity).max(0);
            }
            candidate
        })
        .collect();
    candidates.sort_by_key(|it| (it.left_over, it.short_of, it.rma.created_at));
    candidates
}

/// What a refund pays for.
enum RefundTarget<'a> {
    Return(&'a Rma),
    /// No return awaits any of its units.
    Outside,
    /// It names a return that does not belong to the order.
    Unknown(String),
    /// Several returns could be meant, or none matches exactly.
    Unclear(String),
}

fn choose_target<'a>(order: &Order, returns: &'a [Rma], refund: &Refund) -> RefundTarget<'a> {
    if let Some(named) = &refund.rma_identifier {
        let id = RmaId::parse(named);
        let rma = returns.iter().find(|rma| Some(&rma.rma_identifier) == id.as_ref());
        return rma.map_or_else(
            || {
                RefundTarget::Unknown(format!(
                    "refers to return {named}, which does not belong to this order"
                ))
            },
            RefundTarget::Return,
        );
    }
    if !pays_for_units(refund) {
        return RefundTarget::Outside;
    }
    let quantities = quantities_of(refund);
    let open = returns.iter().filter(|rma| rma.status != RmaStatus::Canceled);
    let near: Vec<&Rma> = open
        .filter(|rma| quantities.keys().any(|line| count_awaited(rma, order, line) > 0))
        .collect();
    let fits = |rma: &Rma| {
        quantities.iter().all(|(line, quantity)| count_awaited(rma, order, line) >= *quantity)
    };
    let fitting: Vec<&Rma> = near.iter().copied().filter(|rma| fits(rma)).collect();
    match (near.as_slice(), fitting.as_slice()) {
        ([], _) => RefundTarget::Outside,
        (_, [rma]) => RefundTarget::Return(rma),
        ([only], []) => RefundTarget::Unclear(format!(
            "does not name a return, and pays for more units than are open on {}",
            only.rma_identifier
        )),
        (near, []) => RefundTarget::Unclear(format!(
            "does not name a return, and pays for more units than are open on each of {}",
            list_identifiers(near)
        )),
        (_, several) => RefundTarget::Unclear(format!(
            "does not name a return, and could pay for any of {}",
            list_identifiers(several)
        )),
    }
}

fn list_identifiers(returns: &[&Rma]) -> String {
    let identifiers: Vec<&str> = returns.iter().map(|rma| rma.rma_identifier.as_str()).collect();
    identifiers.join(", ")
}

/// How many units of a line await their refund.
fn count_awaited(rma: &Rma, order: &Order, line: &str) -> i64 {
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

/// The refund of these units, from the point of view of the return.
fn refund_event(
    report: RefundReport<'_>,
    quantities: &BTreeMap<&str, i64>,
    amount_cents: i64,
) -> RmaEvent {
    let lines = quantities.iter().map(|(line, quantity)| LineQuantity {
        order_line_item_identifier: (*line).to_owned(),
        quantity: *quantity,
    });
    RmaEvent::Refunded {
        refund_identifier: report.refund.identifier.clone(),
        order_identifier: report.order.identifier.clone(),
        lines: lines.collect(),
        amount_cents,
        accepted_cents: 0,
    }
}

/// What a refund pays for, by line.
fn quantities_of(refund: &Refund) -> BTreeMap<&str, i64> {
    let mut quantities = BTreeMap::new();
    for line in &refund.refund_line_items {
        *quantities.entry(line.order_item_identifier.as_str()).or_default() += line.quantity;
    }
    quantities
}

/// What a refund pays for, by line, less what it already paid for.
fn unpaid_quantities<'a>(ledger: &Ledger, refund: &'a Refund) -> BTreeMap<&'a str, i64> {
    let mut unpaid = quantities_of(refund);
    for (line, quantity) in &mut unpaid {
        *quantity -= ledger.paid_by(&refund.identifier, line);
    }
    unpaid.retain(|_, quantity| *quantity > 0);
    unpaid
}

/// Enters units that belong to no return. Those for which no unit is open are a conflict.
fn settle_outside(
    report: RefundReport<'_>,
    ledger: Ledger,
    quantities: &BTreeMap<&str, i64>,
) -> Settlement {
    let RefundReport { order, refund, now, .. } = report;
    let identifier = refund.identifier.as_str();
    let parts = quantities.iter();
    let parts: Vec<MerchantRefund<'_>> = parts
        .map(|(line, quantity)| MerchantRefund { identifier, line, quantity: *quantity, now })
        .collect();
    let AppliedRefund { ledger, conflicts, .. } = ledger.refund_outside(order, &parts);
    let lines: HashSet<&str> = order.items.iter().map(|item| item.identifier.as_str()).collect();
    let conflicts = conflicts.iter().map(|Conflict { line_identifier: line, quantity, .. }| {
        let is_known = lines.contains(line.as_str());
        let gone = if is_known { "" } else { " (no longer a line of the order)" };
        format!("{quantity} of {line}{gone}")
    });
    let conflicts = conflicts.collect::<Vec<_>>().join(", ");
    let message = format!("pays for units that were already spent: {conflicts}");
    let problem = (!conflicts.is_empty()).then_some(SettlementProblem::Conflict(message));
    Settlement { ledger, changed: None, problem }
}
