//! Whether a ledger agrees with what changes it: the journals of returns, and recorded refunds.

use std::collections::{BTreeMap, BTreeSet};

use super::Ledger;
use crate::returns::rma::{Rma, RmaStatus};

/// A unit that a return has: its line, its number, the return, and the refund that paid for it.
type ReturnedUnit<'a> = (&'a str, u32, &'a str, Option<&'a str>);

/// What of the ledger of an order differs from the order's returns and recorded refunds, in words.
/// `returns` are those that the ledger names.
pub fn find_disagreements(
    ledger: &Ledger,
    order_identifier: &str,
    returns: &BTreeMap<String, Rma>,
    refunds: &BTreeSet<String>,
) -> Vec<String> {
    let mut found = Vec::new();
    for rma in ledger.rmas.iter().filter(|rma| !returns.contains_key(*rma)) {
        found.push(format!("names return {rma}, which does not exist"));
    }
    let (spent, returned) = (spent_by_returns(ledger), units_of(returns, order_identifier));
    for (line, number, rma, _) in spent.difference(&returned) {
        found.push(format!("has unit {number} of line {line} on {rma}, which does not say so"));
    }
    for (line, number, rma, _) in returned.difference(&spent) {
        found.push(format!("does not have unit {number} of line {line} as {rma} says"));
    }
    let paid = ledger.lines.values().flatten().filter_map(|unit| unit.by.refund());
    let paid: BTreeSet<&str> = paid.filter(|refund| !refunds.contains(*refund)).collect();
    found.extend(paid.iter().map(|it| format!("has units paid by {it}, which is not recorded")));
    found
}

fn spent_by_returns(ledger: &Ledger) -> BTreeSet<ReturnedUnit<'_>> {
    let units =
        ledger.lines.iter().flat_map(|(line, units)| units.iter().map(move |it| (line, it)));
    let on_return = units.filter_map(|(line, unit)| {
        Some((line.as_str(), unit.unit, unit.by.rma()?, unit.by.refund()))
    });
    on_return.collect()
}

fn units_of<'a>(returns: &'a BTreeMap<String, Rma>, order: &str) -> BTreeSet<ReturnedUnit<'a>> {
    let open = returns.values().filter(|rma| rma.status != RmaStatus::Canceled);
    let units = open.flat_map(|rma| rma.units.iter().map(move |unit| (rma, unit)));
    let own = units.filter(|(_, unit)| unit.goods.order_identifier == order);
    let named = own.map(|(rma, unit)| {
        let number = u32::try_from(unit.goods.unit_number.saturating_sub(1)).unwrap_or(u32::MAX);
        let refund = unit.refund.as_ref().map(|made| made.refund_identifier.as_str());
        let line = unit.goods.order_line_item_identifier.as_str();
        (line, number, rma.rma_identifier.as_str(), refund)
    });
    named.collect()
}
