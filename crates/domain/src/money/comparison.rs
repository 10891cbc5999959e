//! Refunds that are not what was promised, to the cent.
//!
//! A refund should pay what its units were promised. The shipping charge is added to one of the
//! refunds of a return, and the fee is deducted from one; which one is the merchant's choice. When
//! the last unit is refunded, both must be settled. A refund that names no units pays what is left:
//! shipping, the difference to a cheaper variant, or what an earlier refund was short of.
//!
//! Differences follow from the return alone, so the same return always has the same ones: a
//! difference appears with the event that causes it, and disappears with the event that settles it.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

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
    let paid_units = PaidUnits::by_refund(rma);
    let units_of = |refund: &ReportedRefund| paid_units.get(refund.refund_identifier.as_str());
    let awaits = |unit: &RmaUnit| unit.awaits_refund() && !unit.is_lapsed();
    // The refund that paid for the last units, if no unit awaits its refund.
    let last = if rma.units.iter().any(awaits) {
        None
    } else {
        rma.refunds.iter().rposition(|refund| units_of(refund).is_some())
    };
    let mut open = OpenAmounts::of(rma);
    let mut differences = Vec::new();
    for (position, refund) in rma.refunds.iter().enumerate() {
        let found = match units_of(refund) {
            None => open.pay_without_units(refund, &mut differences),
            Some(paid) => open.pay_for_units(refund, paid, last == Some(position)),
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

/// What the units that a refund names were promised.
#[derive(Default)]
struct PaidUnits {
    due_cents: i64,
    /// Of units that never arrived or were rejected: nothing is due for them.
    lapsed_cents: i64,
    after_reject: bool,
}

impl PaidUnits {
    fn by_refund(rma: &Rma) -> HashMap<&str, Self> {
        let mut all: HashMap<&str, Self> = HashMap::new();
        for unit in &rma.units {
            let Some(made) = &unit.refund else { continue };
            let paid = all.entry(made.refund_identifier.as_str()).or_default();
            let worth = unit.goods.amounts.refund_cents();
            if unit.is_lapsed() {
                paid.lapsed_cents = paid.lapsed_cents.saturating_add(worth);
                let receipt = unit.receipt.as_ref().filter(|_| unit.is_rejected());
                paid.after_reject |= receipt.is_some_and(|it| it.received_at <= made.refunded_at);
            } else {
                paid.due_cents = paid.due_cents.saturating_add(worth);
            }
        }
        all
    }

    const fn lapsed_kind(&self) -> DifferenceKind {
        if self.after_reject {
            DifferenceKind::PaidAfterReject
        } else {
            DifferenceKind::PaidNotReceived
        }
    }
}

/// What is promised besides the refunds of units, in cents, as far as no refund has settled it yet.
#[derive(Clone, Copy)]
struct OpenAmounts {
    shipping: i64,
    /// Deducted from a refund.
    fee: i64,
    /// The difference to cheaper variants.
    exchange: i64,
}

/// A possible refund.
struct PossibleRefund {
    amount_cents: i64,
    /// Whether it pays for units for which nothing is due.
    pays_lapsed: bool,
    /// What is still open after it.
    leaves: OpenAmounts,
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
            shipping: open(quote.shipping_refund_cents),
            fee: open(quote.fee_from_refund_cents),
            exchange: open(exchange_difference(rma)),
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
        let mut exact = possible.iter().filter(|it| it.amount_cents == paid_cents);
        // A later refund without units can pay anything that is still open, but not deduct the fee.
        let exact = exact.clone().find(|it| last && it.leaves.fee == 0).or_else(|| exact.next());
        // After units lapsed, what was paid is far from everything: all that is due counts. No
        // later refund deducts the fee. Of two that are as near, the last refund should be the one
        // that leaves nothing open.
        let distance = |it: &&PossibleRefund| {
            let complete = last && it.leaves.shipping == 0 && it.leaves.fee == 0;
            let surely = paid.lapsed_cents > 0 && complete && !it.pays_lapsed;
            let forgets_fee = last && it.leaves.fee > 0;
            (!surely, forgets_fee, it.amount_cents.abs_diff(paid_cents), !complete)
        };
        let chosen = exact.or_else(|| possible.iter().min_by_key(distance))?;
        *self = chosen.leaves;
        if !chosen.pays_lapsed && chosen.amount_cents == paid_cents {
            return None;
        }
        let lapsed_cents = if chosen.pays_lapsed { paid.lapsed_cents } else { 0 };
        let promised_cents = chosen.amount_cents.saturating_sub(lapsed_cents);
        let kind = match promised_cents.saturating_sub(paid_cents) {
            1.. => DifferenceKind::ShortPaid,
            _ if paid.lapsed_cents > 0 => paid.lapsed_kind(),
            _ => DifferenceKind::OverPaid,
        };
        let refund_identifier = refund.refund_identifier.clone();
        Some(Difference { refund_identifier, kind, promised_cents, paid_cents })
    }

    /// What a refund of these units may amount to. Those that settle more come first, and money for
    /// units for which none is due is the last thing to assume.
    fn list_possible(&self, paid: &PaidUnits) -> Vec<PossibleRefund> {
        let settled = |amount: i64| if amount == 0 { vec![0] } else { vec![amount, 0] };
        let lapsed = if paid.lapsed_cents == 0 { vec![0] } else { vec![0, paid.lapsed_cents] };
        let mut possible = Vec::new();
        for lapsed in lapsed {
            for shipping in settled(self.shipping) {
                for fee in settled(self.fee) {
                    for exchange in settled(self.exchange) {
                        let extra = lapsed.saturating_add(shipping).saturating_add(exchange);
                        possible.push(PossibleRefund {
                            amount_cents: paid.due_cents.saturating_add(extra).saturating_sub(fee),
                            pays_lapsed: lapsed > 0,
                            leaves: Self {
                                shipping: self.shipping - shipping,
                                fee: self.fee - fee,
                                exchange: self.exchange - exchange,
                            },
                        });
                    }
                }
            }
        }
        possible.retain(|it| it.amount_cents >= 0);
        possible
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
        let amounts = [self.shipping, self.exchange, short_cents];
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
        self.shipping -= pay(0, self.shipping);
        self.exchange -= pay(1, self.exchange);
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
        let missing = self.shipping.saturating_sub(self.fee);
        let kind = match missing {
            0 => return None,
            _ if self.fee == 0 => DifferenceKind::ShippingNotPaid,
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
