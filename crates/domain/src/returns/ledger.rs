//! Which units of an order are spent: those that a return or a refund has used, and their value.
//!
//! A unit is spent once. Putting it on a return freezes its value at that moment, and a frozen
//! value does not change when the merchant publishes the order again. What is not frozen is
//! distributed over the remaining units (see `remaining`), so that all units together are worth
//! what the order says, however the returns were grouped and whichever were canceled in between.
//!
//! The merchant's refunds are facts: a refund for which no unit is left is not dropped but kept as
//! a [`Conflict`] for a person to resolve. Every operation returns a new ledger and leaves the old
//! one unchanged. The store replaces a ledger only at the version that was read, so if two returns
//! want the same unit, one is refused.

pub mod agreement;
mod entries;
#[cfg(test)]
mod properties;
mod remaining;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::entries::{
    Conflict, LedgerUnit, LineUnits, MerchantRefund, ShippingRefund, SpentBy, SpentUnit, UnitState,
};
use super::money::{self, LineTotals};
use crate::orders::order::{Order, OrderLine};

/// What is spent of one order.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ledger {
    /// The spent units by the identifier of their line, in the order of their numbers.
    #[serde(default)]
    lines: BTreeMap<String, Vec<SpentUnit>>,
    /// Every return of the order, in the order of their creation, including canceled ones.
    #[serde(default)]
    rmas: Vec<String>,
    /// Refunds for which there was no unit left.
    #[serde(default)]
    conflicts: Vec<Conflict>,
    /// The refund of the shipping charge, which happens at most once.
    shipping: Option<ShippingRefund>,
    /// By the identifier of the line: how many of its units are canceled once the merchant has
    /// canceled those that shoppers withdrew from before they were shipped.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    to_cancel: BTreeMap<String, i64>,
}

/// Why units cannot be spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerRefusal {
    NoSuchLine {
        line: String,
    },
    /// Fewer units are open than were requested.
    NotEnoughOpen {
        line: String,
        open: usize,
        requested: i64,
    },
    /// Shipping was already refunded: with this return, or without one.
    ShippingSpent {
        rma_identifier: Option<String>,
    },
}

impl fmt::Display for LedgerRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchLine { line } => write!(formatter, "the order has no line {line}"),
            Self::NotEnoughOpen { line, open, requested } => write!(
                formatter,
                "{requested} units of line {line} were requested, but only {open} can still be \
                 returned"
            ),
            Self::ShippingSpent { rma_identifier: Some(rma) } => {
                write!(formatter, "shipping was already refunded in return {rma}")
            }
            Self::ShippingSpent { rma_identifier: None } => {
                formatter.write_str("shipping was already refunded")
            }
        }
    }
}

impl std::error::Error for LedgerRefusal {}

/// What a merchant's refund did to a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedRefund {
    pub ledger: Ledger,
    /// The units that it paid for.
    pub units: Vec<SpentUnit>,
    /// The parts for which there was no unit. They are in the ledger, too.
    pub conflicts: Vec<Conflict>,
}

impl Ledger {
    /// The identifiers of the order's returns, in the order of their creation.
    pub fn rmas(&self) -> &[String] {
        &self.rmas
    }

    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    pub fn shipping(&self) -> Option<&ShippingRefund> {
        self.shipping.as_ref()
    }

    /// Whether money was promised or paid for the order: units are spent, or shipping is refunded.
    pub fn has_money(&self) -> bool {
        self.lines.values().any(|spent| !spent.is_empty())
            || self.shipping.is_some()
            || !self.conflicts.is_empty()
    }

    /// The spent units of a line, in the order of their numbers.
    pub fn spent(&self, line: &str) -> &[SpentUnit] {
        self.lines.get(line).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a refund of the merchant was already entered, so that it is not entered twice.
    pub fn knows_refund(&self, refund: &str) -> bool {
        let spent = self.lines.values().flatten();
        spent.into_iter().any(|spent| spent.by.refund() == Some(refund))
            || self.conflicts.iter().any(|conflict| conflict.refund_identifier == refund)
    }

    /// Every shipped unit of the order, line by line: spent, or with what it is worth now.
    pub fn units(&self, order: &Order) -> Vec<LineUnits> {
        let totals = self.line_totals(order);
        let lines = order.items.iter().zip(&totals);
        lines.map(|(line, totals)| self.line_units(line, totals)).collect()
    }

    /// Puts the lowest open units of a line on a return.
    pub fn spend(
        &self,
        order: &Order,
        line: &str,
        quantity: i64,
        rma: &str,
    ) -> Result<(Self, Vec<SpentUnit>), LedgerRefusal> {
        let Some(units) = self.units_of(order, line) else {
            return Err(LedgerRefusal::NoSuchLine { line: line.to_owned() });
        };
        let mut ledger = self.clone();
        let spent = ledger.spend_units(&units, quantity, rma)?;
        Ok((ledger, spent))
    }

    /// Puts the lowest open units of a line on a return. `units` are those of
    /// [`line_units`](Self::line_units) now. If it is refused, nothing has changed.
    pub(crate) fn spend_units(
        &mut self,
        units: &LineUnits,
        quantity: i64,
        rma: &str,
    ) -> Result<Vec<SpentUnit>, LedgerRefusal> {
        let by = SpentBy::Return { rma_identifier: rma.to_owned(), refund_identifier: None };
        let spent: Vec<SpentUnit> =
            units.open().take(money::units(quantity)).map(freeze(&by)).collect();
        if spent.len() < money::units(quantity) {
            let (line, open) = (units.line_identifier.clone(), spent.len());
            return Err(LedgerRefusal::NotEnoughOpen { line, open, requested: quantity });
        }
        self.enter(&units.line_identifier, &spent);
        if !self.rmas.iter().any(|known| known == rma) {
            self.rmas.push(rma.to_owned());
        }
        Ok(spent)
    }

    /// Opens the units that a canceled return has spent. Units that the merchant refunded remain
    /// spent, and so does shipping if there are any such units.
    #[must_use]
    pub fn release(&self, rma: &str) -> Self {
        let mut ledger = self.clone();
        let open = |by: &SpentBy| by.rma() == Some(rma) && by.refund().is_none();
        for spent in ledger.lines.values_mut() {
            spent.retain(|unit| !open(&unit.by));
        }
        ledger.lines.retain(|_, spent| !spent.is_empty());
        let keeps = ledger.lines.values().flatten().any(|unit| unit.by.rma() == Some(rma));
        ledger.shipping =
            ledger.shipping.filter(|it| keeps || it.rma_identifier.as_deref() != Some(rma));
        ledger
    }

    /// Enters a refund that belongs to a return. It can pay for the return's units that are
    /// `payable`: those for which the shopper gets money, not another product. It pays for unpaid
    /// units in the order of their numbers.
    #[must_use]
    pub fn refund_within(
        mut self,
        rma: &str,
        payable: &[u32],
        refund: &MerchantRefund<'_>,
    ) -> AppliedRefund {
        let mut units = Vec::new();
        let spent = self.lines.get_mut(refund.line).into_iter().flatten();
        let unpaid = spent.filter(|unit| {
            unit.by.rma() == Some(rma) && unit.by.refund().is_none() && payable.contains(&unit.unit)
        });
        for unit in unpaid.take(money::units(refund.quantity)) {
            unit.by = SpentBy::Return {
                rma_identifier: rma.to_owned(),
                refund_identifier: Some(refund.identifier.to_owned()),
            };
            units.push(unit.clone());
        }
        let conflicts = Vec::from_iter(self.enter_conflict(units.len(), refund));
        AppliedRefund { ledger: self, units, conflicts }
    }

    /// Enters refunds that belong to no return, each of another line. They spend units that no
    /// return has. Those that the order already reports as refunded come first, because these are
    /// the refunds that it meant.
    #[must_use]
    pub fn refund_outside(
        mut self,
        order: &Order,
        refunds: &[MerchantRefund<'_>],
    ) -> AppliedRefund {
        // What is spent of a line does not change what the others are worth.
        let totals = self.line_totals(order);
        let lines = order.items.iter().zip(&totals);
        let lines: HashMap<&str, _> =
            lines.map(|(line, totals)| (line.identifier.as_str(), (line, totals))).collect();
        let (mut all, mut conflicts) = (Vec::new(), Vec::new());
        for refund in refunds {
            let by = SpentBy::Refund { refund_identifier: refund.identifier.to_owned() };
            let line = lines.get(refund.line).map(|(line, totals)| self.line_units(line, totals));
            let unspent = line.iter().flat_map(LineUnits::unspent);
            let units: Vec<SpentUnit> =
                unspent.take(money::units(refund.quantity)).map(freeze(&by)).collect();
            self.enter(refund.line, &units);
            conflicts.extend(self.enter_conflict(units.len(), refund));
            all.extend(units);
        }
        AppliedRefund { ledger: self, units: all, conflicts }
    }

    /// Removes what was entered of a refund outside of returns and within `rma`, so that it can be
    /// entered differently. What it paid for in other returns was announced to the merchant, and
    /// remains.
    #[must_use]
    pub fn forget_refund(&self, refund: &str, rma: &str) -> Self {
        let mut ledger = self.clone();
        for spent in ledger.lines.values_mut() {
            spent.retain(|unit| unit.by.rma().is_some() || unit.by.refund() != Some(refund));
            for unit in spent.iter_mut().filter(|unit| unit.by.rma() == Some(rma)) {
                unit.by.forget_refund(refund);
            }
        }
        ledger.lines.retain(|_, spent| !spent.is_empty());
        ledger.conflicts.retain(|conflict| conflict.refund_identifier != refund);
        ledger
    }

    /// How many units of a line a refund paid for.
    pub fn paid_by(&self, refund: &str, line: &str) -> i64 {
        let paid = self.spent(line).iter().filter(|unit| unit.by.refund() == Some(refund));
        i64::try_from(paid.count()).unwrap_or(i64::MAX)
    }

    /// Refunds the shipping charge with a return, once for an order. Returns the amount.
    pub fn spend_shipping(&self, order: &Order, rma: &str) -> Result<(Self, i64), LedgerRefusal> {
        let amount_cents = shipping_cents(order);
        Ok((self.spend_shipping_of(amount_cents, Some(rma))?, amount_cents))
    }

    /// Refunds this part of the shipping charge, once for an order: with a return, or without one
    /// if nothing was shipped.
    pub(crate) fn spend_shipping_of(
        &self,
        amount_cents: i64,
        rma: Option<&str>,
    ) -> Result<Self, LedgerRefusal> {
        if let Some(shipping) = &self.shipping {
            let rma_identifier = shipping.rma_identifier.clone();
            return Err(LedgerRefusal::ShippingSpent { rma_identifier });
        }
        let shipping = ShippingRefund { rma_identifier: rma.map(str::to_owned), amount_cents };
        Ok(Self { shipping: Some(shipping), ..self.clone() })
    }

    /// How many units of a line the merchant was asked to cancel and has not canceled yet.
    pub(crate) fn awaiting_cancellation(&self, line: &OrderLine) -> i64 {
        let expected = self.to_cancel.get(&line.identifier).copied().unwrap_or_default();
        expected.saturating_sub(line.quantity_canceled.max(0)).max(0)
    }

    /// Enters units of a line that were not shipped and that the merchant is asked to cancel.
    pub(crate) fn request_cancellation(&mut self, line: &OrderLine, quantity: i64) {
        let expected = self.to_cancel.entry(line.identifier.clone()).or_default();
        *expected = (*expected).max(line.quantity_canceled.max(0)).saturating_add(quantity);
    }

    fn units_of(&self, order: &Order, line: &str) -> Option<LineUnits> {
        let totals = self.line_totals(order);
        let mut lines = order.items.iter().zip(&totals);
        let (line, totals) = lines.find(|(known, _)| known.identifier == line)?;
        Some(self.line_units(line, totals))
    }

    /// Every shipped unit of a line. `totals` are those of the line in
    /// [`line_totals`](Self::line_totals), now or before units of the line were spent.
    pub(crate) fn line_units(&self, line: &OrderLine, totals: &LineTotals) -> LineUnits {
        let spent = self.spent(&line.identifier);
        let left = money::units(line.quantity_shipped).saturating_sub(spent.len());
        let paid = spent.iter().filter(|unit| unit.by.refund().is_some()).count();
        let reported_refunded = money::units(line.quantity_refunded.unwrap_or_default());
        let open = left.saturating_sub(reported_refunded.saturating_sub(paid));

        let is_spent = |number: &u32| spent.binary_search_by_key(number, |unit| unit.unit).is_ok();
        let numbers = (0..=u32::MAX).filter(|number| !is_spent(number));
        let amounts = totals.subtract(spent.iter().map(|unit| unit.amounts)).distribute(left);
        let unspent = numbers.zip(amounts).enumerate().map(|(position, (unit, amounts))| {
            let state = if position < open { UnitState::Open } else { UnitState::RefundedOutside };
            LedgerUnit { unit, amounts, state }
        });
        let spent = spent.iter().map(|spent| {
            let state = UnitState::Spent(spent.by.clone());
            LedgerUnit { unit: spent.unit, amounts: spent.amounts, state }
        });
        let mut units: Vec<LedgerUnit> = unspent.chain(spent).collect();
        units.sort_by_key(|unit| unit.unit);
        LineUnits { line_identifier: line.identifier.clone(), units }
    }

    fn enter(&mut self, line: &str, units: &[SpentUnit]) {
        if units.is_empty() {
            return;
        }
        let spent = self.lines.entry(line.to_owned()).or_default();
        spent.extend_from_slice(units);
        spent.sort_by_key(|unit| unit.unit);
    }

    /// Completes a refund that paid for `units`: what it names beyond them is a conflict.
    /// Enters the units of a refund beyond those that it `paid` for.
    fn enter_conflict(&mut self, paid: usize, refund: &MerchantRefund<'_>) -> Option<Conflict> {
        let quantity = refund.quantity.saturating_sub(i64::try_from(paid).unwrap_or(i64::MAX));
        let conflict = (quantity > 0).then(|| Conflict {
            refund_identifier: refund.identifier.to_owned(),
            line_identifier: refund.line.to_owned(),
            quantity,
            detected_at: refund.now,
        });
        self.conflicts.extend(conflict.clone());
        conflict
    }
}

/// What the shopper paid for shipping, including tax.
pub fn shipping_cents(order: &Order) -> i64 {
    let tax_cents = order.shipping_tax_amount_cents.max(0);
    order.shipping_amount_cents.max(0).saturating_add(tax_cents)
}

fn freeze(by: &SpentBy) -> impl Fn(&LedgerUnit) -> SpentUnit {
    |unit| SpentUnit { unit: unit.unit, amounts: unit.amounts, by: by.clone() }
}
