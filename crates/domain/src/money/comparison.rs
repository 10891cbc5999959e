//! Refunds that are not what was promised, to the cent.
//!
//! A refund should pay what its units were promised. The shipping charge is added to one of the
//! refunds of a return, and the fee is deducted from one; which one is the merchant's choice. When
//! the last unit is refunded, both must be settled. A refund that names no units pays what is left:
//! shipping, the difference to a cheaper variant, or what an earlier refund was short of.
//!
//! Differences follow from the return alone, so the same return always has the same ones: a
//! difference appears with the event that causes it, and disappears with the event that mends it.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::returns::quote::Quote;
use crate::returns::rma::{ReportedRefund, Rma, RmaUnit};

/// How a refund differs from the promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// Less was paid.
    ShortPaid,
    /// More was paid.
    OverPaid,
    /// Money was paid for a unit that never arrived, or that was rejected after it was paid for.
    PaidNotReceived,
    /// Money was paid for a unit that the warehouse had rejected.
    PaidAfterReject,
    /// The units were paid for, but not the shipping charge that was promised with them.
    ShippingNotPaid,
}

impl DifferenceKind {
    pub const ALL: [Self; 5] = [
        Self::ShortPaid,
        Self::OverPaid,
        Self::PaidNotReceived,
        Self::PaidAfterReject,
        Self::ShippingNotPaid,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::ShortPaid => "short_paid",
            Self::OverPaid => "over_paid",
            Self::PaidNotReceived => "paid_not_received",
            Self::PaidAfterReject => "paid_after_reject",
            Self::ShippingNotPaid => "shipping_not_paid",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What is wrong, as part of a sentence about the refund.
    pub const fn message(self) -> &'static str {
        match self {
            Self::ShortPaid => "pays less than was promised",
            Self::OverPaid => "pays more than was promised",
            Self::PaidNotReceived => "pays for units that were not received",
            Self::PaidAfterReject => "pays for units that the warehouse rejected",
            Self::ShippingNotPaid => "does not pay the shipping charge that was promised",
        }
    }
}

/// A refund that differs from the promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub refund_identifier: String,
    pub kind: DifferenceKind,
    /// What the refund should have been.
    pub promised_cents: i64,
    /// What it was, with what was accepted before.
    pub paid_cents: i64,
}

impl Difference {
    /// How much more was promised than paid. Negative if more was paid.
    pub const fn missing_cents(&self) -> i64 {
        self.promised_cents.saturating_sub(self.paid_cents)
    }
}

/// The difference of one refund.
pub fn find_difference(rma: &Rma, refund_identifier: &str) -> Option<Difference> {
    let all = find_differences(rma);
    all.into_iter().find(|it| it.refund_identifier == refund_identifier)
}

/// All differences of a return, at most one for each refund.
pub fn find_differences(rma: &Rma) -> Vec<Difference> {
    let mut open = OpenAmounts::of(rma);
    let last = find_last(rma);
    let mut differences = Vec::new();
    for (position, refund) in rma.refunds.iter().enumerate() {
        let paid = PaidUnits::of(rma, refund);
        let found = if paid.is_empty() {
            open.pay_without_units(refund, &mut differences)
        } else {
            open.pay_for_units(refund, &paid, last == Some(position))
        };
        differences.extend(found);
    }
    if let Some(refund) = last.and_then(|position| rma.refunds.get(position)) {
        let known = differences.iter().any(|it| it.refund_identifier == refund.refund_identifier);
        if !known {
            differences.extend(open.find_unsettled(refund));
        }
    }
    differences
}

/// The position of the refund that paid for the last units, if no unit awaits its refund.
fn find_last(rma: &Rma) -> Option<usize> {
    let awaits = |unit: &RmaUnit| unit.awaits_refund() && !unit.is_lapsed();
    if rma.units.iter().any(awaits) {
        return None;
    }
    rma.refunds.iter().rposition(|refund| !PaidUnits::of(rma, refund).is_empty())
}

/// What the units that a refund names were promised.
struct PaidUnits {
    units: usize,
    due_cents: i64,
    /// Of units that never arrived or were rejected: nothing is due for them.
    lapsed_cents: i64,
    after_reject: bool,
}

impl PaidUnits {
    fn of(rma: &Rma, refund: &ReportedRefund) -> Self {
        let mut paid = Self { units: 0, due_cents: 0, lapsed_cents: 0, after_reject: false };
        for unit in &rma.units {
            let Some(made) = &unit.refund else { continue };
            if made.refund_identifier != refund.refund_identifier {
                continue;
            }
            paid.units += 1;
            let worth = unit.goods.amounts.refund_cents();
            if unit.is_lapsed() {
                paid.lapsed_cents = paid.lapsed_cents.saturating_add(worth);
                let receipt = unit.receipt.as_ref().filter(|_| unit.is_rejected());
                paid.after_reject |= receipt.is_some_and(|it| it.received_at <= made.refunded_at);
            } else {
                paid.due_cents = paid.due_cents.saturating_add(worth);
            }
        }
        paid
    }

    const fn is_empty(&self) -> bool {
        self.units == 0
    }

    const fn lapsed_kind(&self) -> DifferenceKind {
        if self.after_reject {
            DifferenceKind::PaidAfterReject
        } else {
            DifferenceKind::PaidNotReceived
        }
    }
}

/// What is promised besides the refunds of units, as far as no refund has settled it yet.
struct OpenAmounts {
    shipping_cents: i64,
    /// Deducted from a refund.
    fee_cents: i64,
    /// The difference to cheaper variants.
    exchange_cents: i64,
}

/// A possible refund: what it settles besides its units, and its amount.
struct PossibleRefund {
    shipping: bool,
    fee: bool,
    exchange: bool,
    lapsed: bool,
    amount_cents: i64,
}

impl OpenAmounts {
    fn of(rma: &Rma) -> Self {
        let quote = Quote::due(rma);
        // Refunds from before amounts were recorded are taken to have settled all of this.
        let recorded = |id: &str| rma.refunds.iter().any(|it| it.refund_identifier == id);
        let made = rma.units.iter().filter_map(|unit| unit.refund.as_ref());
        let unrecorded = made.into_iter().any(|made| !recorded(&made.refund_identifier));
        let open = |amount: i64| if unrecorded { 0 } else { amount };
        Self {
            shipping_cents: open(quote.shipping_refund_cents),
            fee_cents: open(quote.fee_from_refund_cents),
            exchange_cents: open(exchange_difference(rma)),
        }
    }

    fn pay_for_units(
        &mut self,
        refund: &ReportedRefund,
        paid: &PaidUnits,
        last: bool,
    ) -> Option<Difference> {
        let paid_cents = refund.amount_cents.saturating_add(refund.accepted_cents);
        let possible = self.list_possible(paid);
        let exact = possible.iter().find(|it| it.amount_cents == paid_cents);
        let is_complete = |it: &PossibleRefund| {
            let shipping = it.shipping || self.shipping_cents == 0;
            let fee = it.fee || self.fee_cents == 0;
            last && shipping && fee
        };
        // After units lapsed, what was paid is far from everything: all that is due counts. Of two
        // that are as near, the last refund should be the one that leaves nothing open.
        let distance = |it: &&PossibleRefund| {
            let surely = paid.lapsed_cents > 0 && is_complete(it) && !it.lapsed;
            (!surely, it.amount_cents.abs_diff(paid_cents), !is_complete(it))
        };
        let nearest = || possible.iter().min_by_key(distance);
        let chosen = exact.or_else(nearest)?;
        self.settle(chosen);
        if !chosen.lapsed && chosen.amount_cents == paid_cents {
            return None;
        }
        let lapsed_cents = if chosen.lapsed { paid.lapsed_cents } else { 0 };
        let promised_cents = chosen.amount_cents.saturating_sub(lapsed_cents);
        let kind = match promised_cents.saturating_sub(paid_cents) {
            1.. => DifferenceKind::ShortPaid,
            _ if paid.lapsed_cents > 0 => paid.lapsed_kind(),
            _ => DifferenceKind::OverPaid,
        };
        let refund_identifier = refund.refund_identifier.clone();
        Some(Difference { refund_identifier, kind, promised_cents, paid_cents })
    }

    /// What a refund of these units may amount to. Those that settle more come first.
    fn list_possible(&self, paid: &PaidUnits) -> Vec<PossibleRefund> {
        let choices = |amount: i64| if amount == 0 { [false].as_slice() } else { &[true, false] };
        // Money for units for which none is due is the last thing to assume.
        let lapsed = if paid.lapsed_cents == 0 { [false].as_slice() } else { &[false, true] };
        let mut possible = Vec::new();
        for &lapsed in lapsed {
            for &shipping in choices(self.shipping_cents) {
                for &fee in choices(self.fee_cents) {
                    for &exchange in choices(self.exchange_cents) {
                        let part = |taken: bool, amount: i64| if taken { amount } else { 0 };
                        let amount_cents = paid
                            .due_cents
                            .saturating_add(part(lapsed, paid.lapsed_cents))
                            .saturating_add(part(shipping, self.shipping_cents))
                            .saturating_add(part(exchange, self.exchange_cents))
                            .saturating_sub(part(fee, self.fee_cents));
                        let refund =
                            PossibleRefund { shipping, fee, exchange, lapsed, amount_cents };
                        possible.push(refund);
                    }
                }
            }
        }
        possible.retain(|it| it.amount_cents >= 0);
        possible
    }

    fn settle(&mut self, chosen: &PossibleRefund) {
        for (settled, amount) in [
            (chosen.shipping, &mut self.shipping_cents),
            (chosen.fee, &mut self.fee_cents),
            (chosen.exchange, &mut self.exchange_cents),
        ] {
            if settled {
                *amount = 0;
            }
        }
    }

    /// Money without units pays what is open: the shipping charge, the difference to cheaper
    /// variants, and what earlier refunds were short of.
    fn pay_without_units(
        &mut self,
        refund: &ReportedRefund,
        differences: &mut Vec<Difference>,
    ) -> Option<Difference> {
        let paid_cents = refund.amount_cents.saturating_add(refund.accepted_cents);
        let short = differences.iter_mut().filter(|it| it.kind == DifferenceKind::ShortPaid);
        let mut short: Vec<&mut Difference> = short.collect();
        let short_cents: i64 = short.iter().map(|it| it.missing_cents()).sum();
        let amounts = [self.shipping_cents, self.exchange_cents, short_cents];
        let open_cents: i64 = amounts.iter().sum();
        // An amount that is paid exactly is meant, whatever else is open.
        let exact = amounts.iter().position(|it| *it == paid_cents && paid_cents > 0);
        let mut left = paid_cents;
        let mut pay = |position: usize, open: i64| {
            let meant = exact.is_none_or(|it| it == position);
            let taken = if meant { left.clamp(0, open) } else { 0 };
            left -= taken;
            taken
        };
        self.shipping_cents -= pay(0, self.shipping_cents);
        self.exchange_cents -= pay(1, self.exchange_cents);
        for difference in &mut short {
            difference.paid_cents += pay(2, difference.missing_cents());
        }
        differences.retain(|it| it.missing_cents() != 0);
        (left > 0).then(|| Difference {
            refund_identifier: refund.refund_identifier.clone(),
            kind: DifferenceKind::OverPaid,
            promised_cents: open_cents,
            paid_cents,
        })
    }

    /// What is not settled after all units are refunded, as a difference of the last refund.
    fn find_unsettled(&self, refund: &ReportedRefund) -> Option<Difference> {
        let paid_cents = refund.amount_cents.saturating_add(refund.accepted_cents);
        let missing = self.shipping_cents.saturating_sub(self.fee_cents);
        let kind = match missing {
            0 => return None,
            _ if self.fee_cents == 0 => DifferenceKind::ShippingNotPaid,
            1.. => DifferenceKind::ShortPaid,
            _ => DifferenceKind::OverPaid,
        };
        Some(Difference {
            refund_identifier: refund.refund_identifier.clone(),
            kind,
            promised_cents: paid_cents.saturating_add(missing),
            paid_cents,
        })
    }
}

/// What exchanged units were worth more than the variants that replace them.
pub(super) fn exchange_difference(rma: &Rma) -> i64 {
    let rest =
        rma.units.iter().filter(|unit| unit.is_replaced()).map(|unit| {
            unit.goods.amounts.refund_cents().saturating_sub(unit.goods.replaced_cents())
        });
    rest.fold(0, i64::saturating_add)
}
