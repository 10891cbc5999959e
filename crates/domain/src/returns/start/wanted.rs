//! Variants that a shopper wants in exchange, whether enough of them are in stock, and what the
//! shopper chose in advance for those that are not.

use std::collections::HashMap;

use super::orders::{IndexedLine, LineIndex};
use crate::returns::Resolution;
use crate::returns::request::{Fallback, ReturnItem};

/// An item as it is returned: with its fallback where the wanted variant is out of stock.
pub(super) struct DecidedItem {
    pub(super) item: ReturnItem,
    /// Whether the item is its fallback.
    pub(super) has_fallen_back: bool,
    /// How many units of its variant are in stock, if they are known to be fewer than are wanted.
    pub(super) shortage: Option<i64>,
}

impl DecidedItem {
    fn keep(item: &ReturnItem, shortage: Option<i64>) -> Self {
        Self { item: item.clone(), has_fallen_back: false, shortage }
    }

    fn fall_back(item: &ReturnItem, fallback: Fallback) -> Self {
        let (resolution, exchange_sku) = match fallback {
            Fallback::Refund => (Resolution::Refund, None),
            Fallback::GiftCard => (Resolution::GiftCard, None),
            Fallback::Variant => (Resolution::Exchange, item.fallback_sku.clone()),
        };
        let (fallback, fallback_sku) = (None, None);
        let item = ReturnItem { resolution, exchange_sku, fallback, fallback_sku, ..item.clone() };
        Self { item, has_fallen_back: true, shortage: None }
    }
}

/// Decides which items get the variant that they want. Several can want the same one: items that
/// have no fallback come first, and the others get theirs in the order of the request, as long as
/// there are enough. A variant that an item falls back to comes after all that were wanted.
pub(super) fn apply_fallbacks(lines: &LineIndex<'_>, items: &[ReturnItem]) -> Vec<DecidedItem> {
    let mut wanted = WantedVariants::default();
    for item in items.iter().filter(|item| item.fallback.is_none()) {
        wanted.add(item);
    }
    // The others are added only where there are enough, so they cause no shortage.
    let shortages: Vec<Option<i64>> =
        items.iter().map(|item| wanted.find_shortage(lines, item)).collect();
    let decide = |(item, shortage): (&ReturnItem, Option<i64>)| {
        let Some(fallback) = item.fallback else { return DecidedItem::keep(item, shortage) };
        wanted.add(item);
        if wanted.find_shortage(lines, item).is_none() {
            return DecidedItem::keep(item, None);
        }
        wanted.remove(item);
        DecidedItem::fall_back(item, fallback)
    };
    let mut decided: Vec<DecidedItem> = items.iter().zip(shortages).map(decide).collect();
    for DecidedItem { item, shortage, .. } in decided.iter_mut().filter(|it| it.has_fallen_back) {
        wanted.add(item);
        *shortage = wanted.find_shortage(lines, item);
    }
    decided
}

/// How many units of each variant the shopper wants in exchange, by SKU.
#[derive(Default)]
struct WantedVariants(HashMap<String, i64>);

impl WantedVariants {
    fn add(&mut self, item: &ReturnItem) {
        self.change(item, item.quantity);
    }

    fn remove(&mut self, item: &ReturnItem) {
        self.change(item, -item.quantity);
    }

    fn change(&mut self, item: &ReturnItem, quantity: i64) {
        if let (Resolution::Exchange, Some(sku)) = (item.resolution, &item.exchange_sku) {
            let units = self.0.entry(sku.clone()).or_default();
            *units = units.saturating_add(quantity);
        }
    }

    /// How many units of the item's variant are in stock, if they are known to be fewer than are
    /// wanted.
    fn find_shortage(&self, lines: &LineIndex<'_>, item: &ReturnItem) -> Option<i64> {
        let sku = item.exchange_sku.as_deref().unwrap_or_default();
        let wanted = self.0.get(sku).copied().unwrap_or(1).max(1);
        find_stock(lines, item).filter(|stock| *stock < wanted)
    }
}

/// How many units of the item's variant are in stock, if that is known. What is known not to be a
/// variant of the line is not in stock.
fn find_stock(lines: &LineIndex<'_>, item: &ReturnItem) -> Option<i64> {
    if item.resolution != Resolution::Exchange {
        return None;
    }
    let IndexedLine { known, line, .. } = lines.find(item)?;
    let variants = known.variants_of(line);
    // An empty list of the merchant's says that there are none, as does no list at all.
    let are_known = known.is_answered(line) || !variants.is_empty();
    let sku = item.exchange_sku.as_deref().unwrap_or_default();
    match variants.iter().find(|it| it.sku.as_deref() == Some(sku)) {
        Some(variant) => variant.quantity_in_stock,
        None => are_known.then_some(0),
    }
}
