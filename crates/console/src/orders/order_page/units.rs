//! Which units can come back now, and why not.

use app::orders::order_view::OrderView;
use domain::{
    orders::order::OrderLine,
    returns::returnability::{RuleVerdict, UnitReturnability},
};

use crate::core::lists::Badge;

/// Units of a line about which the same is said.
pub(super) struct UnitsShown {
    pub(super) title: String,
    pub(super) line: String,
    /// How many, of how many.
    pub(super) units: String,
    pub(super) state: Badge,
    pub(super) why: Vec<String>,
    pub(super) worth: String,
}

/// The units of each line, those about which the same is said together.
pub(super) fn units(view: &OrderView, amount: &impl Fn(i64) -> String) -> Vec<UnitsShown> {
    let mut shown = Vec::new();
    for (line, judged) in view.order.items.iter().zip(&view.returnability.lines) {
        let mut groups: Vec<(UnitsShown, usize)> = Vec::new();
        for unit in &judged.units {
            let next = unit_shown(line, unit, amount);
            let same = |it: &UnitsShown| (&it.why, &it.worth) == (&next.why, &next.worth);
            match groups.iter_mut().find(|(known, _)| same(known)) {
                Some((_, count)) => *count += 1,
                None => groups.push((next, 1)),
            }
        }
        shown.extend(groups.into_iter().map(|(mut group, count)| {
            group.units = format!("{count} of {}", judged.units.len());
            group
        }));
    }
    shown
}

/// What is said of a unit that can come back is until when; of one that cannot, everything against it.
fn unit_shown(
    line: &OrderLine,
    unit: &UnitReturnability,
    amount: &impl Fn(i64) -> String,
) -> UnitsShown {
    let asks = unit.objections().any(|answer| answer.verdict == RuleVerdict::Asks);
    let state = match (unit.returnable, asks) {
        (true, _) => Badge { class: "good", words: "Yes" },
        (false, true) => Badge { class: "warn", words: "A person must look" },
        (false, false) => Badge { class: "bad", words: "No" },
    };
    let said = unit.rules.iter().filter(|answer| {
        answer.verdict != RuleVerdict::Allows || unit.returnable && answer.changes_at.is_some()
    });
    let why = said.map(|it| format!("{}: {}", it.rule.name().replace('_', " "), it.fact));
    UnitsShown {
        title: line.title.clone(),
        line: line.identifier.clone(),
        units: String::new(),
        state,
        why: why.collect(),
        worth: unit.refund.map(|it| amount(it.refund_cents)).unwrap_or_default(),
    }
}
