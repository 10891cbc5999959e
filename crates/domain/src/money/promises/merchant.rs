//! A merchant that pays what is due, in random groups, but for one mistake.

use super::{Mistake, Story};
use crate::money::comparison::{DifferenceKind, exchange_difference};
use crate::random::SeededRandom;
use crate::returns::quote::Quote;
use crate::returns::rma::Rma;

/// Units that await their refund, in groups that are paid together, and units that were rejected.
struct PaymentPlan {
    groups: Vec<Vec<usize>>,
    rejected: Vec<usize>,
}

fn worth(rma: &Rma, unit: usize) -> i64 {
    rma.units[unit].goods.amounts.refund_cents()
}

fn plan_payments(rma: &Rma, random: &mut SeededRandom, fee: i64) -> PaymentPlan {
    let mut plan = PaymentPlan { groups: Vec::new(), rejected: Vec::new() };
    // The fee may be more than one unit is worth, so then all units are paid for together.
    let most = if fee > 0 { 1 } else { 3 };
    for (position, unit) in rma.units.iter().enumerate().filter(|(_, it)| it.awaits_refund()) {
        if unit.is_lapsed() {
            if unit.is_rejected() && worth(rma, position) > 0 {
                plan.rejected.push(position);
            }
            continue;
        }
        let group = random.index(most.min(plan.groups.len() + 1));
        match plan.groups.get_mut(group) {
            Some(group) => group.push(position),
            None => plan.groups.push(vec![position]),
        }
    }
    plan
}

/// Whether no two sums of these components are so close that a cent more or less than the one could
/// be meant as the other.
fn are_distinct(components: [i64; 3]) -> bool {
    let sum = |chosen: usize| -> i64 {
        let parts = components.iter().enumerate().filter(|(part, _)| chosen & (1 << part) != 0);
        parts.map(|(_, cents)| *cents).sum()
    };
    let sums: Vec<i64> = (0..8).map(sum).collect();
    let distinct = |one: &i64, other: &i64| one == other || one.abs_diff(*other) > 2;
    sums.iter().all(|one| sums.iter().all(|other| distinct(one, other)))
}

/// Refunds that pay what is due, in random groups, but for one mistake. Returns the difference
/// that should be found.
pub(super) fn pay(
    story: &mut Story,
    random: &mut SeededRandom,
    mistake: Mistake,
) -> Option<DifferenceKind> {
    let due = Quote::due(&story.rma);
    let (fee, shipping) = (due.fee_from_refund_cents, due.shipping_refund_cents);
    let difference = exchange_difference(&story.rma);
    let PaymentPlan { groups, rejected } = plan_payments(&story.rma, random, fee);
    if groups.is_empty() {
        return None;
    }
    let with_shipping = random.index(groups.len());
    let shipping_alone = random.one_in(3);
    let skip_shipping = mistake == Mistake::NoShipping && shipping > 0 && difference == 0;
    let wrong = random.index(groups.len());
    let clear = are_distinct([difference, -fee, shipping]);
    let mut expected = skip_shipping.then_some(DifferenceKind::ShippingNotPaid);
    let only = groups.len() == 1;
    for (position, mut units) in groups.into_iter().enumerate() {
        let mut amount: i64 = units.iter().map(|unit| worth(&story.rma, *unit)).sum();
        if position == 0 {
            amount += difference - fee;
        }
        if position == with_shipping && !shipping_alone && !skip_shipping {
            amount += shipping;
        }
        let spoiled = (position == wrong && !skip_shipping).then_some(mistake);
        if spoiled == Some(Mistake::CentShort) && amount > 0 && clear {
            amount -= 1;
            expected = Some(DifferenceKind::ShortPaid);
        } else if spoiled == Some(Mistake::CentOver) && clear {
            amount += 1;
            expected = Some(DifferenceKind::OverPaid);
        } else if let (Some(Mistake::PaysRejected), [unit, ..], true) =
            (spoiled, rejected.as_slice(), only && fee == 0)
        {
            amount += worth(&story.rma, *unit);
            units.push(*unit);
            expected = Some(DifferenceKind::PaidAfterReject);
        }
        if amount < 0 {
            return None;
        }
        story.refund(&units, amount);
    }
    if shipping_alone && !skip_shipping && shipping > 0 {
        story.refund(&[], shipping);
    }
    expected
}
