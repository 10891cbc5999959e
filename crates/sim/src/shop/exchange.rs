//! Exchange orders: only one for each original order.
//!
//! `original_order_id` is the key. The first order with a key takes its articles from the stock and
//! gets a number. Further requests with the same key get the same order. A second order that is not
//! the same byte for byte gets it too, but is a violation.
//!
//! The merchant computes the tax: a flat rate on the price of articles. A gift card is not taxed
//! and, like everything else that is not in the catalog, never out of stock.
//!
//! Orders of a check (`homeward certify`) get a number as well, but nothing is shipped for them.

use serde::{Deserialize, Serialize};

use crate::{calls::recent::RecentMap, shop::catalog::Catalog};

const TAX_PERCENT: i64 = 8;
const REMEMBERED_ORDERS: usize = 1 << 18;
/// What the things are named that a check is about.
const CHECK_PREFIX: &str = "CERT-";

/// The fields of an exchange order that the merchant reads.
#[derive(Deserialize)]
struct ExchangeOrder {
    original_order_id: Option<String>,
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    sku: String,
    quantity: u32,
    unit_price_amount_cents: i64,
    #[serde(default)]
    discount_amount_cents: i64,
}

/// An order that was placed, as in the response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlacedOrder {
    pub(crate) order_identifier: String,
    pub(crate) total_amount_cents: i64,
    pub(crate) product_amount_cents: i64,
    pub(crate) tax_amount_cents: i64,
}

/// The outcome of an order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OrderOutcome {
    Placed(PlacedOrder),
    /// The order was placed before, with other content.
    Changed {
        first: PlacedOrder,
        original_order_id: String,
    },
    OutOfStock {
        sku: String,
    },
    /// 400.
    Unreadable(String),
    /// 422: there is no `original_order_id`.
    WithoutKey,
}

pub(crate) struct Shop {
    pub(crate) catalog: Catalog,
    orders: RecentMap<KnownOrder>,
    first_number: u64,
    placed: u64,
}

/// An order that was placed, and the hash of its request.
struct KnownOrder {
    content: u64,
    order: PlacedOrder,
}

impl Shop {
    pub(crate) fn new(catalog: Catalog, first_number: u64) -> Self {
        Self { catalog, orders: RecentMap::new(REMEMBERED_ORDERS), first_number, placed: 0 }
    }

    /// How many orders were placed.
    pub(crate) fn placed(&self) -> u64 {
        self.placed
    }

    /// Places an order. `hash` distinguishes keys and contents.
    pub(crate) fn place(&mut self, body: &[u8], hash: impl Fn(&[u8]) -> u64) -> OrderOutcome {
        let order: ExchangeOrder = match serde_json::from_slice(body) {
            Ok(order) => order,
            Err(error) => return OrderOutcome::Unreadable(error.to_string()),
        };
        let Some(original_order_id) = order.original_order_id else {
            return OrderOutcome::WithoutKey;
        };
        let (key, content) = (hash(original_order_id.as_bytes()), hash(body));
        if let Some(known) = self.orders.get_mut(key) {
            let first = known.order.clone();
            return if known.content == content {
                OrderOutcome::Placed(first)
            } else {
                OrderOutcome::Changed { first, original_order_id }
            };
        }
        if !original_order_id.starts_with(CHECK_PREFIX) {
            if let Some(sku) = self.find_out_of_stock(&order.items) {
                return OrderOutcome::OutOfStock { sku };
            }
            self.take_from_stock(&order.items);
        }
        let placed = self.sell(&order.items);
        self.orders.insert(key, KnownOrder { content, order: placed.clone() });
        OrderOutcome::Placed(placed)
    }

    /// Finds an article of which fewer are in stock than all `items` together need.
    fn find_out_of_stock(&self, items: &[Item]) -> Option<String> {
        let is_short = |item: &&Item| {
            let same = items.iter().filter(|other| other.sku == item.sku);
            let needed: u64 = same.map(|other| u64::from(other.quantity)).sum();
            let variant = self.catalog.variant(&item.sku);
            variant.is_some_and(|variant| u64::from(variant.quantity_in_stock) < needed)
        };
        items.iter().find(is_short).map(|item| item.sku.clone())
    }

    fn take_from_stock(&mut self, items: &[Item]) {
        for item in items {
            if let Some(variant) = self.catalog.variant_mut(&item.sku) {
                variant.quantity_in_stock = variant.quantity_in_stock.saturating_sub(item.quantity);
            }
        }
    }

    fn sell(&mut self, items: &[Item]) -> PlacedOrder {
        let (mut product, mut total, mut tax) = (0_i64, 0_i64, 0_i64);
        for item in items {
            let gross = item.unit_price_amount_cents.saturating_mul(i64::from(item.quantity));
            let net = gross.saturating_sub(item.discount_amount_cents);
            product = product.saturating_add(gross);
            total = total.saturating_add(net);
            if self.catalog.variant(&item.sku).is_some() {
                tax = tax.saturating_add(net.saturating_mul(TAX_PERCENT) / 100);
            }
        }
        let number = self.first_number.saturating_add(self.placed);
        self.placed += 1;
        PlacedOrder {
            order_identifier: format!("EX-{number}"),
            total_amount_cents: total.saturating_add(tax),
            product_amount_cents: product,
            tax_amount_cents: tax,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    use serde_json::json;

    use super::*;

    fn new_shop() -> Shop {
        Shop::new(Catalog::new(""), crate::settings::FIRST_ORDER_NUMBER)
    }

    fn place(shop: &mut Shop, key: &str, items: &[(&str, u32)]) -> OrderOutcome {
        let item = |(sku, quantity): &(&str, u32)| {
            json!({ "sku": sku, "quantity": quantity, "unit_price_amount_cents": 1_000,
                    "discount_amount_cents": 100 })
        };
        let items: Vec<_> = items.iter().map(item).collect();
        let body = json!({ "original_order_id": key, "items": items }).to_string();
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        shop.place(body.as_bytes(), |bytes| hasher.hash_one(bytes))
    }

    fn stock(shop: &Shop, sku: &str) -> u32 {
        shop.catalog.variant(sku).unwrap().quantity_in_stock
    }

    #[test]
    fn the_same_key_gets_the_same_order_and_stock_is_taken_once() {
        let mut shop = new_shop();
        let items = [("TEE-NAVY-M", 2), ("GIFT-CARD", 1)];
        let expected = PlacedOrder {
            order_identifier: "EX-100001".to_owned(),
            total_amount_cents: 2_952,
            product_amount_cents: 3_000,
            tax_amount_cents: 152,
        };
        for _ in 0..3 {
            assert_eq!(place(&mut shop, "O-1", &items), OrderOutcome::Placed(expected.clone()));
        }
        assert_eq!((stock(&shop, "TEE-NAVY-M"), shop.placed()), (5, 1));

        let changed = place(&mut shop, "O-1", &[("TEE-NAVY-M", 1)]);
        let original_order_id = "O-1".to_owned();
        assert_eq!(changed, OrderOutcome::Changed { first: expected, original_order_id });
        assert_eq!((stock(&shop, "TEE-NAVY-M"), shop.placed()), (5, 1));
    }

    #[test]
    fn an_order_that_cannot_be_filled_takes_nothing() {
        let mut shop = new_shop();
        let items = [("TEE-NAVY-S", 1), ("TEE-NAVY-M", 4), ("TEE-NAVY-M", 4)];
        let sku = "TEE-NAVY-M".to_owned();
        assert_eq!(place(&mut shop, "O-1", &items), OrderOutcome::OutOfStock { sku });
        assert_eq!((stock(&shop, "TEE-NAVY-S"), shop.placed()), (12, 0));
        assert!(matches!(place(&mut shop, "O-1", &[("TEE-NAVY-S", 1)]), OrderOutcome::Placed(_)));
    }

    #[test]
    fn a_check_places_orders_and_takes_nothing_from_the_stock() {
        let mut shop = new_shop();
        for number in 0..20 {
            let placed = place(&mut shop, &format!("CERT-82PJF8BV-{number}"), &[("TEE-NAVY-M", 1)]);
            assert!(matches!(placed, OrderOutcome::Placed(_)), "{placed:?}");
        }
        assert_eq!((stock(&shop, "TEE-NAVY-M"), shop.placed()), (7, 20));
    }

    #[test]
    fn invalid_orders_are_refused() {
        let mut shop = new_shop();
        assert!(matches!(shop.place(b"[", |_| 0), OrderOutcome::Unreadable(_)));
        assert!(matches!(shop.place(br#"{"items": {}}"#, |_| 0), OrderOutcome::Unreadable(_)));
        assert_eq!(shop.place(br#"{"items": []}"#, |_| 0), OrderOutcome::WithoutKey);
    }
}
