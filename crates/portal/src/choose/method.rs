//! The return methods that the shopper can choose from, and their fees.

use app::returns::shopper::Shopper;
use domain::returns::{ReturnMethod, returnability::OfferedMethod};

use super::offer::ReturnOffer;
use crate::{
    visit::PortalVisit,
    words::{Sentence, TitledText, wording::method_text},
};

/// A return method that at least one unit can use.
pub(super) struct MethodOption {
    pub(super) value: &'static str,
    pub(super) title: &'static str,
    pub(super) hint: &'static str,
    pub(super) fee: String,
    pub(super) checked: bool,
}

/// All methods that any unit can use. Without a choice, the first one is checked.
pub(super) fn list_methods(
    visit: &PortalVisit,
    shopper: &Shopper,
    offer: &ReturnOffer<'_>,
    chosen: &str,
) -> Vec<MethodOption> {
    let words = visit.words();
    let deducted = if shopper.gift { words.gifts.fee } else { words.choose.fee };
    let units = offer.returnability.lines.iter().flat_map(|line| &line.units);
    let offered: Vec<&OfferedMethod> = units.flat_map(|unit| &unit.methods).collect();
    let mut methods: Vec<ReturnMethod> = Vec::new();
    for method in offered.iter().map(|offered| offered.method) {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    let chosen = ReturnMethod::parse(chosen).filter(|method| methods.contains(method));
    let chosen = chosen.or_else(|| methods.first().copied());
    let option = |method: ReturnMethod| {
        let TitledText { title, text } = method_text(method, words);
        let same: Vec<&OfferedMethod> =
            offered.iter().copied().filter(|offered| offered.method == method).collect();
        MethodOption {
            value: method.name(),
            title,
            hint: text,
            fee: fee_text(visit, &offer.order.currency, &same, deducted),
            checked: chosen == Some(method),
        }
    };
    methods.into_iter().map(option).collect()
}

/// Whether several units can be sent in packages.
pub(super) fn can_have_parcels(offer: &ReturnOffer<'_>) -> bool {
    let units = offer.returnability.lines.iter().flat_map(|line| &line.units);
    let packed = units.filter(|unit| unit.methods.iter().any(|it| it.method.has_parcels()));
    packed.take(2).count() > 1
}

/// The fee of a method, for any unit and any reason. `deducted` says from what.
fn fee_text(
    visit: &PortalVisit,
    currency: &str,
    offered: &[&OfferedMethod],
    deducted: Sentence,
) -> String {
    let words = &visit.words().choose;
    let money = |cents| visit.format_money(cents, currency);
    // A unit's fee is capped at its refund, so the highest fee is the real one.
    let usual = offered.iter().map(|offered| offered.fee_cents).max().unwrap_or_default();
    let by_reason = offered.iter().flat_map(|offered| &offered.fees_by_reason);
    let by_reason: Vec<i64> = by_reason.map(|fee| fee.fee_cents).collect();
    let low = by_reason.iter().copied().fold(usual, i64::min);
    let high = by_reason.iter().copied().fold(usual, i64::max);
    match (low, high) {
        (0, 0) => words.free.to_owned(),
        (low, high) if low == high => deducted(&money(high)),
        (low, high) => (words.fee_range)(&money(low), &money(high)),
    }
}
