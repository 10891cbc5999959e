//! The orders of a return, and their lines.

use std::collections::{BTreeMap, HashMap};

use crate::exchanges::variants::{VariantLists, choose_variants};
use crate::orders::order::{Order, OrderLine, Variant};
use crate::returns::ledger::Ledger;
use crate::returns::money::LineTotals;
use crate::returns::request::ReturnItem;

/// An order, and everything that decides whether its units can be returned.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderContext {
    pub order: Order,
    pub ledger: Ledger,
    /// For an exchange order: the order whose units were exchanged.
    pub original_order_identifier: Option<String>,
    /// Whether units of the order were already exchanged, which is possible only once.
    pub exchanged: bool,
    /// The merchant's current variants.
    pub variants: VariantLists,
}

impl OrderContext {
    /// The variants of a line, as far as they are known.
    pub(super) fn variants_of<'a>(&'a self, line: &'a OrderLine) -> &'a [Variant] {
        choose_variants(&self.variants, line)
    }

    /// Whether the merchant's server answered about the variants of a line.
    pub(super) fn is_answered(&self, line: &OrderLine) -> bool {
        self.variants.contains_key(&line.variant_identifier)
    }
}

/// The lines of the orders by the identifiers of order and line. Both a return and its orders can
/// have thousands of lines, so they are not searched for each other.
pub(super) struct LineIndex<'a>(HashMap<(&'a str, &'a str), IndexedLine<'a>>);

#[derive(Clone, Copy)]
pub(super) struct IndexedLine<'a> {
    pub(super) known: &'a OrderContext,
    pub(super) line: &'a OrderLine,
    pub(super) totals: LineTotals,
}

impl<'a> LineIndex<'a> {
    pub(super) fn new(orders: &'a BTreeMap<String, OrderContext>) -> Self {
        let mut index = HashMap::new();
        for known in orders.values() {
            let order = &known.order;
            for (line, totals) in order.items.iter().zip(known.ledger.line_totals(order)) {
                let key = (order.identifier.as_str(), line.identifier.as_str());
                index.entry(key).or_insert(IndexedLine { known, line, totals });
            }
        }
        Self(index)
    }

    pub(super) fn find(&self, item: &ReturnItem) -> Option<IndexedLine<'a>> {
        let key = (item.order_identifier.as_str(), item.order_line_item_identifier.as_str());
        self.0.get(&key).copied()
    }
}
