//! Variants that a shopper wants in exchange, and whether enough of them are in stock.

use std::collections::HashMap;

use super::orders::OrderContext;
use crate::orders::order::OrderLine;
use crate::returns::Resolution;
use crate::returns::request::ReturnItem;

/// How many units of each variant the shopper wants in exchange, by SKU: several items can be
/// exchanged for the same one.
pub(super) struct WantedVariants<'a>(HashMap<&'a str, i64>);

impl<'a> WantedVariants<'a> {
    pub(super) fn of(items: &'a [ReturnItem]) -> Self {
        let mut wanted = HashMap::new();
        for item in items.iter().filter(|item| item.resolution == Resolution::Exchange) {
            let units: &mut i64 = wanted.entry(Self::sku(item)).or_default();
            *units = units.saturating_add(item.quantity);
        }
        Self(wanted)
    }

    fn sku(item: &ReturnItem) -> &str {
        item.exchange_sku.as_deref().unwrap_or_default()
    }

    /// How many units are in stock, if they are known to be fewer than are wanted. What is known
    /// not to be a variant of the line is not in stock.
    pub(super) fn find_shortage(
        &self,
        known: &OrderContext,
        line: &OrderLine,
        item: &ReturnItem,
    ) -> Option<i64> {
        let variants = known.variants_of(line);
        // An empty list of the merchant's says that there are none.
        let are_known = known.is_listed(line) || !variants.is_empty();
        if item.resolution != Resolution::Exchange || !are_known {
            return None;
        }
        let sku = Self::sku(item);
        let Some(variant) = variants.iter().find(|it| it.sku.as_deref() == Some(sku)) else {
            return Some(0);
        };
        let wanted = self.0.get(sku).copied().unwrap_or(1).max(1);
        variant.quantity_in_stock.filter(|stock| *stock < wanted)
    }
}
