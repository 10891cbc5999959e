//! Which units of an order can be returned now, and why or why not.

use app::orders::order_view::OrderView;
use domain::{
    orders::order::OrderLine,
    returns::returnability::{RuleVerdict, UnitReturnability},
};

use crate::core::{badge::Badge, format::format_times};

/// Units of a line with the same answer and the same refund.
pub(super) struct UnitGroup {
    pub(super) title: String,
    pub(super) line: String,
    /// How many units of the line: `1 of 2`.
    pub(super) units: String,
    pub(super) returnable: Badge,
    pub(super) reasons: Vec<String>,
    pub(super) refund: String,
}

pub(super) fn group_units(view: &OrderView, amount: &impl Fn(i64) -> String) -> Vec<UnitGroup> {
    let mut all = Vec::new();
    for (line, judged) in view.order.items.iter().zip(&view.returnability.lines) {
        let mut groups: Vec<(UnitGroup, usize)> = Vec::new();
        for unit in &judged.units {
            let next = unit_group(line, unit, amount);
            let same = |it: &UnitGroup| (&it.reasons, &it.refund) == (&next.reasons, &next.refund);
            match groups.iter_mut().find(|(group, _)| same(group)) {
                Some((_, count)) => *count += 1,
                None => groups.push((next, 1)),
            }
        }
        all.extend(groups.into_iter().map(|(mut group, count)| {
            group.units = format!("{count} of {}", judged.units.len());
            group
        }));
    }
    all
}

/// A group of one unit. Its reasons are the deadlines of a unit that can be returned, or else
/// everything that prevents it.
fn unit_group(
    line: &OrderLine,
    unit: &UnitReturnability,
    amount: &impl Fn(i64) -> String,
) -> UnitGroup {
    let asks = unit.objections().any(|answer| answer.verdict == RuleVerdict::Asks);
    let returnable = match (unit.returnable, asks) {
        (true, _) => Badge::good("Yes"),
        (false, true) => Badge::warn("Needs review"),
        (false, false) => Badge::bad("No"),
    };
    let relevant = unit.rules.iter().filter(|answer| {
        answer.verdict != RuleVerdict::Allows || unit.returnable && answer.changes_at.is_some()
    });
    let reasons = relevant
        .map(|it| format!("{}: {}", it.rule.name().replace('_', " "), format_times(&it.fact)));
    UnitGroup {
        title: line.title.clone(),
        line: line.identifier.clone(),
        units: String::new(),
        returnable,
        reasons: reasons.collect(),
        refund: unit.refund.map(|it| amount(it.refund_cents)).unwrap_or_default(),
    }
}
