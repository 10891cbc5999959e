//! The ways for goods to come back, and what each costs.

use domain::returns::{ReturnMethod, returnability::OfferedMethod};

use super::{super::visit::Visit, super::wording, Offer};
use crate::words::TitledText;

/// A way that some unit can come back by.
pub(super) struct Way {
    pub(super) value: &'static str,
    pub(super) title: &'static str,
    pub(super) hint: &'static str,
    pub(super) fee: String,
    pub(super) checked: bool,
}

/// Every way that is open to any unit; without a choice, the first is chosen.
pub(super) fn ways(visit: &Visit, offer: &Offer, chosen: &str) -> Vec<Way> {
    let units = offer.judged.lines.iter().flat_map(|line| &line.units);
    let offered: Vec<&OfferedMethod> = units.flat_map(|unit| &unit.methods).collect();
    let mut methods: Vec<ReturnMethod> = Vec::new();
    for method in offered.iter().map(|offered| offered.method) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let chosen = ReturnMethod::parse(chosen).filter(|method| methods.contains(method));
    let chosen = chosen.or_else(|| methods.first().copied());
    let way = |method: ReturnMethod| {
        let TitledText { title, text: hint } = wording::method(method, visit.words());
        let same = offered.iter().filter(|offered| offered.method == method);
        Way {
            value: method.name(),
            title,
            hint,
            fee: fee(visit, &offer.order.currency, &same.copied().collect::<Vec<_>>()),
            checked: chosen == Some(method),
        }
    };
    methods.into_iter().map(way).collect()
}

/// What a way costs, whichever unit comes back by it and why.
fn fee(visit: &Visit, currency: &str, offered: &[&OfferedMethod]) -> String {
    let words = &visit.words().choose;
    // The fee for a unit is never more than its refund, so the dearest unit tells the fee.
    let usual = offered.iter().map(|offered| offered.fee_cents).max().unwrap_or_default();
    let special = offered.iter().flat_map(|offered| &offered.fees_by_reason);
    let special: Vec<i64> = special.map(|fee| fee.fee_cents).collect();
    let low = special.iter().copied().fold(usual, i64::min);
    let high = special.iter().copied().fold(usual, i64::max);
    match (low, high) {
        (0, 0) => words.free.to_owned(),
        (low, high) if low == high => (words.fee)(&visit.money(high, currency)),
        (low, high) => (words.fee_range)(&visit.money(low, currency), &visit.money(high, currency)),
    }
}
